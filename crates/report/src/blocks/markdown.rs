//! Blocks as GitHub-flavoured Markdown.

use judge::verdict::Outcome;

use super::{Block, Cell, Finding, Table, Verdict, Weight, cells};
use crate::text::{folded, markdown as escape, printable};

/// A blank line before every block but a verdict.
pub fn markdown(blocks: &[Block]) -> String {
    blocks.iter().map(block).collect()
}

fn block(block: &Block) -> String {
    match block {
        Block::Verdict(found) => verdict(found),
        Block::Facts(facts) => {
            let line = |(name, value): &(String, Cell)| {
                format!("- {}: {}\n", escape(name), escape(&value.plain()))
            };
            format!("\n{}", facts.iter().map(line).collect::<String>())
        }
        Block::Heading(title) => format!("\n### {}\n", escape(title)),
        Block::List(points) => {
            let points = points.iter().map(|point| format!("- {}\n", escape(point)));
            format!("\n{}", points.collect::<String>())
        }
        Block::Table(found) if found.rows.is_empty() => String::new(),
        Block::Table(found) => table(found),
        Block::Findings(found) => format!("\n{}", found.iter().map(finding).collect::<String>()),
        Block::Steps(steps) => {
            let step = |(what, why): &(String, String)| {
                format!("- **{}**: {}\n", escape(what), escape(why))
            };
            format!("\n{}", steps.iter().map(step).collect::<String>())
        }
        Block::Drawing(lines) => {
            // Four marks: no line of a drawing can end the block.
            let lines: Vec<String> = lines.iter().map(|line| printable(line)).collect();
            format!("\n````text\n{}\n````\n", lines.join("\n"))
        }
        Block::Remark(remark) => format!("\n{}\n", escape(remark)),
        Block::Origin(line) => format!("\n<sub>{}</sub>\n", escape(line)),
        Block::Folded(summary, blocks) => folded(summary, &markdown(blocks)),
    }
}

/// The outcome as a reader sees it from afar.
pub fn sign(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "✅ pass",
        Outcome::Fail => "❌ fail",
        Outcome::Inconclusive => "❔ inconclusive",
    }
}

fn verdict(verdict: &Verdict) -> String {
    let mut text = format!("## guestlist: {}\n\n", sign(verdict.outcome));
    text += &format!("**{}**\n\n", escape(&verdict.headline));
    if verdict.forced {
        text += "- forced past a violated guardrail\n";
    }
    let reasons = verdict.reasons.iter();
    text.extend(reasons.map(|reason| format!("- {}\n", escape(reason))));
    text
}

fn finding(finding: &Finding) -> String {
    let word = match finding.weight {
        Weight::Violated => "⛔ violated",
        Weight::Warning => "⚠️ warning",
        Weight::Ok => "✅ ok",
        Weight::Skipped => "skipped",
        Weight::Note => "note",
    };
    let name = match finding.name.as_str() {
        "" => String::new(),
        name => format!(" **{}**", escape(name)),
    };
    format!("- {word}{name}: {}\n", escape(&finding.words))
}

/// A table of words alone.
pub fn markdown_table(heads: &[String], rows: &[Vec<String>]) -> String {
    table(&Table {
        caption: String::new(),
        heads: cells(heads),
        rows: rows.iter().map(|row| cells(row)).collect(),
        sorted: None,
    })
}

/// A GitHub table, everything in it escaped, a blank line before it.
fn table(table: &Table) -> String {
    let line = |cells: &[Cell]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(&cell.plain())).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = format!("\n{}|---|", line(&table.heads));
    let others = (1..table.heads.len()).map(|place| match table.is_numeric(place) {
        true => "---:|",
        false => "---|",
    });
    text.extend(others);
    text.push('\n');
    text.extend(table.rows.iter().map(|row| line(row)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::{example, hostile};

    #[test]
    fn names_from_outside_do_not_act() {
        let text = markdown(&example());
        assert!(text.contains("| a\\|\\\\u{1b}\\[2J | 1 | 2 |"), "{text}");
        assert!(text.contains("### A &lt;title&gt;") && text.contains("\\*remark\\*"));
    }

    #[test]
    fn no_block_lets_its_words_act() {
        let text = markdown(&hostile());
        assert!(
            !text.contains("<b>") && !text.contains("`*[x](y)"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
