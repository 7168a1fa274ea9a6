//! Blocks as lines for a terminal.

use judge::verdict::Outcome;

use super::{Block, Cell, Finding, Table, Verdict, Weight};
use crate::headline;
use crate::terminal::Style;
use crate::text::{printable, wrap};

/// No cell is wider, so that a name from outside cannot push the numbers off the screen.
const WIDEST_CELL: usize = 36;

/// A heading has a blank line before it.
pub fn terminal(blocks: &[Block], style: Style) -> Vec<String> {
    blocks.iter().flat_map(|one| block(one, style)).collect()
}

fn block(block: &Block, style: Style) -> Vec<String> {
    match block {
        Block::Verdict(found) => verdict(found, style),
        Block::Facts(facts) => {
            let line = |(name, value): &(String, Cell)| {
                let line = format!("{name}: {}", value.plain());
                wrap(&printable(&line), style.width, "  ", "    ")
            };
            facts.iter().flat_map(line).collect()
        }
        Block::Heading(title) => heading(title, style),
        Block::List(points) => {
            let point = |point: &String| wrap(&printable(point), style.width, "  ", "  ");
            points.iter().flat_map(point).collect()
        }
        Block::Table(found) => table(found, style),
        Block::Findings(found) => found.iter().flat_map(|one| finding(one, style)).collect(),
        Block::Steps(steps) => {
            let step = |(what, why): &(String, String)| {
                wrap(
                    &printable(&format!("{what}: {why}")),
                    style.width,
                    "- ",
                    "  ",
                )
            };
            steps.iter().flat_map(step).collect()
        }
        Block::Drawing(lines) => lines.iter().map(|line| printable(line)).collect(),
        Block::Remark(remark) => wrap(&printable(remark), style.width, "", ""),
        // In one line, so that it can be copied.
        Block::Origin(line) => vec![String::new(), printable(line)],
        Block::Folded(summary, blocks) => {
            let inside = terminal(blocks, style);
            heading(summary, style).into_iter().chain(inside).collect()
        }
    }
}

fn heading(title: &str, style: Style) -> Vec<String> {
    let title = wrap(&printable(title), style.width, "", "  ");
    let title = title.iter().map(|line| style.paint("1", line));
    std::iter::once(String::new()).chain(title).collect()
}

/// The sign in its colour and the sentence; then what decided, indented.
fn verdict(verdict: &Verdict, style: Style) -> Vec<String> {
    let (code, sign) = (code(verdict.outcome), headline::sign(verdict.outcome));
    let forced = headline::forced(verdict.forced);
    let line = format!("{sign}{forced}: {}", printable(&verdict.headline));
    let mut lines = wrap(&line, style.width, "", "  ");
    // Painted after wrapping: colours take no room.
    lines[0] = lines[0].replacen(sign, &style.paint(code, sign), 1);
    for reason in &verdict.reasons {
        lines.extend(wrap(&printable(reason), style.width, "  ", "  "));
    }
    lines
}

fn code(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "1;32",
        Outcome::Fail => "1;31",
        Outcome::Inconclusive => "1;33",
    }
}

fn finding(finding: &Finding, style: Style) -> Vec<String> {
    let (code, word) = match finding.weight {
        Weight::Violated => ("31", "violated"),
        Weight::Warning => ("33", "warning"),
        Weight::Ok => ("32", "ok"),
        Weight::Skipped => ("", "skipped"),
        Weight::Note => ("", "note"),
    };
    let name = match finding.name.as_str() {
        "" => String::new(),
        name => format!(" {name}"),
    };
    let text = format!("{word}{name}: {}", finding.words);
    let mut lines = wrap(&printable(&text), style.width, "", "    ");
    if !code.is_empty() {
        lines[0] = lines[0].replacen(word, &style.paint(code, word), 1);
    }
    lines
}

/// A table that is too wide is cut into several, each with the names in front. A cell that is too wide
/// goes on below itself where everything is shown, and is cut elsewhere.
fn table(table: &Table, style: Style) -> Vec<String> {
    if table.rows.is_empty() {
        return Vec::new();
    }
    let shown = |cell: &Cell| printable(&cell.plain());
    let heads: Vec<String> = table.heads.iter().map(shown).collect();
    let rows = table.rows.iter().flat_map(|row| {
        let cells: Vec<String> = row.iter().map(shown).collect();
        match style.verbose {
            true => continued(&cells),
            false => vec![cells.iter().map(|cell| cut(cell)).collect()],
        }
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let mut lines = Vec::new();
    for columns in fitting(&heads, &rows, style.width) {
        let pick = |cells: &Vec<String>| -> Vec<String> {
            let picked = columns.iter().filter_map(|&column| cells.get(column));
            picked.cloned().collect()
        };
        let rows: Vec<Vec<String>> = rows.iter().map(pick).collect();
        let aligned = align(&pick(&heads), &rows);
        let head = aligned.first().map(|head| style.paint("1", head));
        lines.extend(head.into_iter().chain(aligned.into_iter().skip(1)));
    }
    lines
}

fn cut(cell: &str) -> String {
    if cell.chars().count() <= WIDEST_CELL {
        return cell.to_owned();
    }
    let start: String = cell.chars().take(WIDEST_CELL - 1).collect();
    format!("{start}…")
}

/// As many rows as the longest cell needs.
fn continued(cells: &[String]) -> Vec<Vec<String>> {
    let broken: Vec<Vec<String>> = cells.iter().map(|cell| broken(cell)).collect();
    let most = broken.iter().map(Vec::len).max().unwrap_or(1);
    let row = |place: usize| {
        let cells = broken.iter();
        cells
            .map(|lines| lines.get(place).cloned().unwrap_or_default())
            .collect()
    };
    (0..most).map(row).collect()
}

/// A cell in lines that are not too wide: between words, and within those that are too wide themselves.
fn broken(cell: &str) -> Vec<String> {
    if cell.chars().count() <= WIDEST_CELL {
        return vec![cell.to_owned()];
    }
    let lines = wrap(cell, WIDEST_CELL, "", "");
    let pieces = |line: &String| -> Vec<String> {
        let letters: Vec<char> = line.chars().collect();
        letters
            .chunks(WIDEST_CELL)
            .map(|piece| piece.iter().collect())
            .collect()
    };
    lines.iter().flat_map(pieces).collect()
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
    use crate::blocks::{example, hostile};

    #[test]
    fn no_block_lets_its_words_act() {
        let lines = terminal(&hostile(), Style::plain(60));
        assert!(
            lines.iter().all(|line| !line.contains('\u{1b}')),
            "{lines:?}"
        );
    }

    /// Nothing is cut off where everything is asked for.
    #[test]
    fn a_long_cell_goes_on_below_itself() {
        let style = Style {
            verbose: true,
            ..Style::plain(60)
        };
        let lines = terminal(&example(), style);
        assert!(lines.iter().all(|line| !line.contains('…')), "{lines:?}");
        let letters = lines.iter().flat_map(|line| line.chars());
        assert_eq!(letters.filter(|letter| *letter == 'g').count(), 20);
        assert!(
            lines.iter().all(|line| line.chars().count() <= 60),
            "{lines:?}"
        );
    }

    #[test]
    fn names_from_outside_do_not_act_and_do_not_push() {
        let style = Style::plain(100);
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
        let lines = terminal(&example(), Style::plain(46));
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
