//! Blocks as part of a page.

use maud::{Markup, html};

use super::{Block, Cell, Finding, Part, Table, Verdict, Weight};
use crate::headline;
use crate::markup::{number, outside, quoted, text};

/// Tables with more rows than this are folded.
const IN_SIGHT: usize = 15;

pub fn html(blocks: &[Block]) -> Markup {
    html! {
        @for one in blocks { (block(one)) "\n" }
    }
}

fn block(block: &Block) -> Markup {
    match block {
        Block::Verdict(found) => verdict(found),
        Block::Facts(facts) => html! {
            dl class="facts" {
                @for (name, value) in facts { div { dt { (text(name)) } dd { (content(value)) } } }
            }
        },
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
        Block::Findings(found) => html! {
            @if !found.is_empty() {
                ul class="findings" { @for one in found { (finding(one)) "\n" } }
            }
        },
        Block::Steps(steps) => html! {
            ul class="steps" {
                @for (what, why) in steps { li { strong { (outside(what)) } ": " (outside(why)) } "\n" }
            }
        },
        Block::Drawing(lines) => html! {
            div class="box" { (quoted("drawing", &lines.join("\n"))) }
        },
        Block::Remark(remark) => html! { p { (outside(remark)) } },
        Block::Origin(line) => html! { p class="why" { (outside(line)) } },
        Block::Folded(summary, blocks) => html! {
            details class="print-open" { summary { (outside(summary)) } (html(blocks)) }
        },
    }
}

/// The sign with the sentence, whether it was forced, and what decided.
fn verdict(verdict: &Verdict) -> Markup {
    html! {
        h1 {
            span class="sign" { (headline::sign(verdict.outcome)) }
            " " span class="meaning" { (text(&verdict.headline)) }
        }
        @if verdict.forced { p class="forced" { "Forced past a violated guardrail." } }
        ul class="reasons" { @for reason in &verdict.reasons { li { (outside(reason)) } } }
    }
}

fn finding(finding: &Finding) -> Markup {
    let (class, sign) = match finding.weight {
        Weight::Violated => ("fail", "✘ violated"),
        Weight::Warning => ("inconclusive", "! warning"),
        Weight::Ok => ("pass", "✔ in order"),
        Weight::Skipped => ("", "skipped"),
        Weight::Note => ("", "note"),
    };
    html! {
        li class=(class) {
            p { span class="sign" { (sign) } " " strong { (text(&finding.name)) } }
            p { (outside(&finding.words)) }
        }
    }
}

/// A caption for those who cannot see where they are, heads, and a box to scroll in.
pub fn table(table: &Table) -> Markup {
    let numeric = (0..table.heads.len()).map(|place| table.is_numeric(place));
    let numeric: Vec<bool> = numeric.collect();
    html! {
        div class="box" role="region" aria-label=(text(&table.caption)) tabindex="0" {
            table {
                caption { (text(&table.caption)) }
                thead {
                    tr {
                        @for (place, (head, numeric)) in table.heads.iter().zip(&numeric).enumerate() {
                            th scope="col" class=(if *numeric { "n" } else { "t" })
                                aria-sort=[ordered(table, place)] { (content(head)) }
                        }
                    }
                }
                tbody { @for row in &table.rows { tr { (cells(row, &numeric)) } "\n" } }
            }
        }
    }
}

/// What a head says of the order, where one can be chosen.
fn ordered(table: &Table, place: usize) -> Option<&'static str> {
    let (column, downwards) = table.sorted?;
    Some(match (column == place, downwards) {
        (false, _) => "none",
        (true, true) => "descending",
        (true, false) => "ascending",
    })
}

fn cells(row: &[Cell], numeric: &[bool]) -> Markup {
    html! {
        @for (place, cell) in row.iter().enumerate() {
            @match (place, numeric.get(place)) {
                (0, _) => th scope="row" { (content(cell)) },
                (_, Some(true)) => td class="n" { (content(cell)) },
                _ => td { (content(cell)) },
            }
        }
    }
}

/// What is in a cell, and smaller below it what belongs to it.
pub fn content(cell: &Cell) -> Markup {
    html! {
        @for one in &cell.parts { (part(one)) }
        @if !cell.below.is_empty() {
            span class="interval" { @for one in &cell.below { (part(one)) } }
        }
    }
}

fn part(part: &Part) -> Markup {
    match part {
        Part::Words(words) => outside(words),
        Part::Number { value, shown } => number(*value, shown),
        Part::Link { to, words } => html! { a href=(text(to)) { (outside(words)) } },
        Part::Tag(word) => html! { span class="tag" { (text(word)) } },
        Part::Share(share) => html! { meter min="0" max="1" value=(share) aria-hidden="true" {} },
        Part::Tick { name, value, label } => html! {
            input type="checkbox" name=(name) value=(text(value)) aria-label=(text(label));
        },
        Part::Sign { class, sign, words } => html! {
            span class={ "sign " (class) } { span aria-hidden="true" { (sign) } " " (text(words)) }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::{example, hostile};

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

    #[test]
    fn no_block_lets_its_words_act() {
        let page = html(&hostile()).into_string();
        assert!(!page.contains("<b>") && !page.contains('\u{1b}'), "{page}");
        assert!(page.contains("href=\"/?a=&quot;&lt;b&gt;"), "{page}");
        assert!(page.contains("<data value=\"0.5\">"), "{page}");
    }
}
