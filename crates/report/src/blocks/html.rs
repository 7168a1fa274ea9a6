//! Blocks as part of a page.

use maud::{Markup, html};

use super::{Block, Table};
use crate::markup::{outside, quoted, text};

/// Tables with more rows than this are folded.
const IN_SIGHT: usize = 15;

pub fn html(blocks: &[Block]) -> Markup {
    html! {
        @for one in blocks { (block(one)) "\n" }
    }
}

fn block(block: &Block) -> Markup {
    match block {
        Block::Heading(title) => html! { h3 { (outside(title)) } },
        Block::List(points) => html! {
            ul { @for point in points { li { (outside(point)) } } }
        },
        Block::Table(table) if table.rows.is_empty() => html! {},
        Block::Table(found) if found.rows.len() > IN_SIGHT => html! {
            details class="print-open" {
                summary { (found.rows.len()) " rows" }
                (table(found))
            }
        },
        Block::Table(found) => table(found),
        Block::Drawing(lines) => html! {
            div class="box" { (quoted("drawing", &lines.join("\n"))) }
        },
        Block::Remark(remark) => html! { p { (outside(remark)) } },
    }
}

/// A caption for those who cannot see where they are, heads, and a box to scroll in.
fn table(table: &Table) -> Markup {
    let numeric: Vec<bool> = (0..table.heads.len())
        .map(|place| place > 0 && table.rows.iter().all(|row| is_numeric(row.get(place))))
        .collect();
    html! {
        div class="box" role="region" aria-label=(text(&table.caption)) tabindex="0" {
            table {
                caption { (text(&table.caption)) }
                thead {
                    tr {
                        @for (head, numeric) in table.heads.iter().zip(&numeric) {
                            th scope="col" class=(if *numeric { "n" } else { "t" }) { (outside(head)) }
                        }
                    }
                }
                tbody { @for row in &table.rows { tr { (cells(row, &numeric)) } "\n" } }
            }
        }
    }
}

fn cells(row: &[String], numeric: &[bool]) -> Markup {
    html! {
        @for (place, cell) in row.iter().enumerate() {
            @match (place, numeric.get(place)) {
                (0, _) => th scope="row" { (outside(cell)) },
                (_, Some(true)) => td class="n" { (outside(cell)) },
                _ => td { (outside(cell)) },
            }
        }
    }
}

/// Whether a cell reads as a number, or has none to show.
fn is_numeric(cell: Option<&String>) -> bool {
    let first = cell.and_then(|cell| cell.chars().next());
    first.is_none_or(|first| first.is_ascii_digit() || "+-−<–".contains(first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::example;

    #[test]
    fn names_from_outside_do_not_act() {
        let page = html(&example()).into_string();
        assert!(
            page.contains("<h3><bdi>A &lt;title&gt;</bdi></h3>"),
            "{page}"
        );
        assert!(page.contains("<bdi>a|\\u{1b}[2J</bdi>"), "{page}");
        assert!(page.contains("<td class=\"n\"><bdi>2</bdi></td>"), "{page}");
    }
}
