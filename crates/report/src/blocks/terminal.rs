//! Blocks as lines for a terminal.

use super::{Block, Table};
use crate::terminal::Style;
use crate::text::{printable, wrap};

/// Names from outside are cut, so that one of them cannot push the numbers off the screen.
const LONGEST_NAME: usize = 36;

/// A heading has a blank line before it.
pub fn terminal(blocks: &[Block], style: Style) -> Vec<String> {
    blocks.iter().flat_map(|one| block(one, style)).collect()
}

fn block(block: &Block, style: Style) -> Vec<String> {
    match block {
        Block::Heading(title) => {
            let title = wrap(&printable(title), style.width, "", "  ");
            let title = title.iter().map(|line| style.paint("1", line));
            std::iter::once(String::new()).chain(title).collect()
        }
        Block::List(points) => {
            let point = |point: &String| wrap(&printable(point), style.width, "  ", "  ");
            points.iter().flat_map(point).collect()
        }
        Block::Table(found) => table(found, style),
        Block::Drawing(lines) => lines.iter().map(|line| printable(line)).collect(),
        Block::Remark(remark) => wrap(&printable(remark), style.width, "", ""),
    }
}

/// A table that is too wide is cut into several, each with the names in front.
fn table(table: &Table, style: Style) -> Vec<String> {
    let shown = |cell: &String| cut(&printable(cell));
    let heads: Vec<String> = table.heads.iter().map(shown).collect();
    let rows = table.rows.iter();
    let rows: Vec<Vec<String>> = rows.map(|row| row.iter().map(shown).collect()).collect();
    let mut lines = Vec::new();
    for columns in fitting(&heads, &rows, style.width) {
        let pick = |cells: &Vec<String>| -> Vec<String> {
            let picked = columns.iter().filter_map(|&column| cells.get(column));
            picked.cloned().collect()
        };
        let rows: Vec<Vec<String>> = rows.iter().map(pick).collect();
        lines.extend(align(&pick(&heads), &rows));
    }
    lines
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
    use crate::blocks::example;

    #[test]
    fn names_from_outside_do_not_act_and_do_not_push() {
        let style = Style {
            colour: false,
            width: 100,
        };
        let lines = terminal(&example(), style);
        assert!(
            lines.iter().all(|line| !line.contains('\u{1b}')),
            "{lines:?}"
        );
        assert!(
            lines[4].contains('…') && lines[4].ends_with("3       4"),
            "{lines:?}"
        );
    }

    #[test]
    fn a_table_that_is_too_wide_is_cut_into_several() {
        let narrow = Style {
            colour: false,
            width: 46,
        };
        let lines = terminal(&example(), narrow);
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
