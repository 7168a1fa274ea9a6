//! Blocks as GitHub-flavoured Markdown.

use super::Block;
use crate::text::{markdown as escape, printable};

/// A blank line before every block.
pub fn markdown(blocks: &[Block]) -> String {
    blocks.iter().map(block).collect()
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(title) => format!("\n### {}\n", escape(title)),
        Block::List(points) => {
            let points = points.iter().map(|point| format!("- {}\n", escape(point)));
            format!("\n{}", points.collect::<String>())
        }
        Block::Table(table) if table.rows.is_empty() => String::new(),
        Block::Table(table) => markdown_table(&table.heads, &table.rows),
        Block::Drawing(lines) => {
            // Four marks: no line of a drawing can end the block.
            let lines: Vec<String> = lines.iter().map(|line| printable(line)).collect();
            format!("\n````text\n{}\n````\n", lines.join("\n"))
        }
        Block::Remark(remark) => format!("\n{}\n", escape(remark)),
    }
}

/// A GitHub table, everything in it escaped, a blank line before it.
pub fn markdown_table(heads: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = format!("\n{}|---|", line(heads));
    text += &"---:|".repeat(heads.len().saturating_sub(1));
    text.push('\n');
    text.extend(rows.iter().map(|row| line(row)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::example;

    #[test]
    fn names_from_outside_do_not_act() {
        let text = markdown(&example());
        assert!(text.contains("| a\\|\\\\u{1b}\\[2J | 1 | 2 |"), "{text}");
        assert!(text.contains("### A &lt;title&gt;") && text.contains("\\*remark\\*"));
    }
}
