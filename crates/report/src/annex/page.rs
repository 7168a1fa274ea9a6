//! The annex as a page: everything in sight, set for A4, without a script.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::parts::Part;
use super::{DISCLAIMER, TITLE, subtitle};
use crate::blocks::Block;
use crate::blocks::html::{html as rendered, table};
use crate::caveats;
use crate::document::Report;
use crate::figures::{self, Figure};
use crate::headline::{headline, sign};
use crate::markup::{drawing, outside, text};

const SHEET: &str = include_str!("assets/annex.css");
/// The figures that an assessor is helped by, and the parts that they belong to.
const FIGURES: [(&str, &str); 2] = [("result", "gate"), ("attackers", "roc")];

pub fn page(report: &Report, parts: &[Part]) -> String {
    let sheet = SHEET.to_owned() + &figures::style("");
    let drawn = figures::figures(report);
    let page = html! {
        (PreEscaped("<!doctype html>\n"))
        html lang="en" {
            head { (head(report, &sheet)) }
            "\n"
            body {
                (title(report))
                (contents(parts))
                @for (place, part) in parts.iter().enumerate() { (section(place + 1, part, &drawn)) }
                footer { p { "guestlist " (text(&report.provenance.version)) ". " (DISCLAIMER) } }
            }
        }
        "\n"
    };
    page.into_string()
}

fn head(report: &Report, sheet: &str) -> Markup {
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        STANDARD.encode(Sha256::digest(sheet.as_bytes()))
    );
    html! {
        meta charset="utf-8";
        meta http-equiv="Content-Security-Policy" content=(text(&policy));
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="referrer" content="no-referrer";
        title { (text(&format!("{TITLE}: {}", subtitle(report)))) }
        // Known by its digest: not a letter of it may be escaped.
        style { (PreEscaped(sheet)) }
    }
}

fn title(report: &Report) -> Markup {
    let outcome = report.verdict.outcome;
    html! {
        header {
            h1 { (TITLE) }
            p class="of" { (outside(&subtitle(report))) }
            p class={ "outcome " (outcome.word()) } {
                strong { (sign(outcome)) }
                " " (outside(&headline(report)))
                @if let Some(found) = caveats::counted(report) { "; with " (outside(&found)) }
            }
            p class="disclaimer" { (DISCLAIMER) }
        }
        "\n"
    }
}

fn contents(parts: &[Part]) -> Markup {
    html! {
        nav aria-label="Contents" {
            ol { @for part in parts { li { a href={ "#" (part.id) } { (part.title) } } } }
        }
        "\n"
    }
}

fn section(number: usize, part: &Part, drawn: &[Figure]) -> Markup {
    let here = FIGURES.iter().filter(|(place, _)| *place == part.id);
    let figures = here.filter_map(|(_, id)| drawn.iter().find(|figure| figure.id == *id));
    html! {
        section id=(part.id) {
            h2 { (number) ". " (part.title) }
            @if !part.guidance.is_empty() { p class="guidance" { (super::RELATED) ": " (part.guidance) } }
            @for block in &part.blocks { (in_sight(block)) }
            @for figure in figures { (picture(figure)) }
        }
        "\n"
    }
}

fn picture(figure: &Figure) -> Markup {
    html! {
        figure {
            (drawing(figure))
            figcaption { strong { (text(&figure.title)) } ". " (text(&figure.caption)) }
        }
    }
}

/// Nothing is folded: paper does not open.
fn in_sight(block: &Block) -> Markup {
    match block {
        Block::Table(found) if found.rows.is_empty() => html! {},
        Block::Table(found) => table(found),
        Block::Folded(summary, blocks) => html! {
            h3 { (outside(summary)) }
            @for one in blocks { (in_sight(one)) }
        },
        other => rendered(std::slice::from_ref(other)),
    }
}
