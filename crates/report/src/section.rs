//! One part of a report before it is known who reads it: a title, a table and remarks, with
//! nothing escaped yet. Terminal, Markdown and the page say the same things because all are made of
//! these.

use crate::terminal::Style;
use crate::text::{markdown as escape, printable, wrap};

/// Names from outside are cut in the terminal, so that one of them cannot push the numbers off
/// the screen.
const LONGEST_NAME: usize = 36;

/// The part of a page that a section belongs to. Terminal and Markdown keep one list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    Attacks,
    Records,
    Service,
    Sources,
    FewShot,
    Checkpoints,
    Models,
    /// Where nobody said.
    #[default]
    Elsewhere,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    pub place: Place,
    pub title: String,
    pub heads: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// Lines of characters, drawn as they are.
    pub drawing: Vec<String>,
    pub remarks: Vec<String>,
}

impl Section {
    /// Lines for the terminal, a blank one first. A table that is too wide is cut into several,
    /// each with the names in front.
    pub fn terminal(&self, style: Style) -> Vec<String> {
        let mut lines = vec![String::new()];
        let title = wrap(&printable(&self.title), style.width, "", "  ");
        lines.extend(title.iter().map(|line| style.paint("1", line)));
        let shown = |cell: &String| cut(&printable(cell));
        let heads: Vec<String> = self.heads.iter().map(shown).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(shown).collect());
        let rows: Vec<Vec<String>> = rows.collect();
        for columns in fitting(&heads, &rows, style.width) {
            let pick = |cells: &Vec<String>| -> Vec<String> {
                let picked = columns.iter().filter_map(|&column| cells.get(column));
                picked.cloned().collect()
            };
            let rows: Vec<Vec<String>> = rows.iter().map(pick).collect();
            lines.extend(align(&pick(&heads), &rows));
        }
        lines.extend(self.drawing.iter().map(|line| printable(line)));
        for remark in &self.remarks {
            lines.extend(wrap(&printable(remark), style.width, "", ""));
        }
        lines
    }

    /// A heading, a table and a paragraph per remark.
    pub fn markdown(&self) -> String {
        let mut text = format!("\n### {}\n", escape(&self.title));
        if !self.rows.is_empty() {
            text += &markdown_table(&self.heads, &self.rows);
        }
        if !self.drawing.is_empty() {
            // Four marks: no line of a drawing can end the block.
            let lines: Vec<String> = self.drawing.iter().map(|line| printable(line)).collect();
            text += &format!("\n````text\n{}\n````\n", lines.join("\n"));
        }
        for remark in &self.remarks {
            text += &format!("\n{}\n", escape(remark));
        }
        text
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

fn cut(cell: &str) -> String {
    if cell.chars().count() <= LONGEST_NAME {
        return cell.to_owned();
    }
    let start: String = cell.chars().take(LONGEST_NAME - 1).collect();
    format!("{start}…")
}

/// Groups of columns that fit the width, each beginning with the names.
fn fitting(heads: &[String], rows: &[Vec<String>], width: usize) -> Vec<Vec<usize>> {
    let widths = widths(heads, rows);
    let Some(names) = widths.first() else {
        return Vec::new();
    };
    let mut groups = vec![vec![0]];
    let mut used = *names;
    for (column, wide) in widths.iter().enumerate().skip(1) {
        let last = groups.len() - 1;
        if used + 2 + wide > width && groups[last].len() > 1 {
            groups.push(vec![0, column]);
            used = names + 2 + wide;
        } else {
            groups[last].push(column);
            used += 2 + wide;
        }
    }
    groups
}

fn widths(heads: &[String], rows: &[Vec<String>]) -> Vec<usize> {
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let cells = cells.chain([&heads[column]]);
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    (0..heads.len()).map(widest).collect()
}

/// Rows in columns as wide as their widest cell; numbers to the right, names to the left.
pub fn align(heads: &[String], rows: &[Vec<String>]) -> Vec<String> {
    let widths = widths(heads, rows);
    let line = |cells: &[String]| -> String {
        let padded = cells
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, &width))| {
                if column == 0 {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    std::iter::once(line(heads))
        .chain(rows.iter().map(|row| line(row)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section() -> Section {
        let cells = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Section {
            title: "A <title>".into(),
            heads: cells(&["name", "first", "second"]),
            rows: vec![
                cells(&["a|\u{1b}[2J", "1", "2"]),
                cells(&[&"long".repeat(20), "3", "4"]),
            ],
            remarks: vec!["one *remark*".into()],
            ..Section::default()
        }
    }

    #[test]
    fn names_from_outside_do_not_act_and_do_not_push() {
        let style = Style {
            colour: false,
            width: 100,
        };
        let lines = section().terminal(style);
        assert!(
            lines.iter().all(|line| !line.contains('\u{1b}')),
            "{lines:?}"
        );
        assert!(
            lines[4].contains('…') && lines[4].ends_with("3       4"),
            "{lines:?}"
        );
        let text = section().markdown();
        assert!(text.contains("| a\\|\\\\u{1b}\\[2J | 1 | 2 |"), "{text}");
        assert!(text.contains("### A &lt;title&gt;") && text.contains("\\*remark\\*"));
    }

    #[test]
    fn a_table_that_is_too_wide_is_cut_into_several() {
        let narrow = Style {
            colour: false,
            width: 46,
        };
        let lines = section().terminal(narrow);
        let heads: Vec<&String> = lines
            .iter()
            .filter(|line| line.starts_with("name"))
            .collect();
        assert_eq!(heads.len(), 2, "{lines:?}");
        assert!(
            lines.iter().all(|line| line.chars().count() <= 46),
            "{lines:?}"
        );
    }
}
