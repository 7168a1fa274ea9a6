//! The report as one HTML file: no network, no framework, readable without its script.
//!
//! Every text goes through [`markup`](crate::markup), which escapes it. The page works under the policy that
//! it carries ([`html_policy`]). What a reader looks at first is written by hand here, one file per
//! part; every [`Section`](crate::blocks::Section) of the report follows in its part by itself.

mod attacks;
mod exchanges;
mod figures;
mod guardrails;
mod measures;
mod notes;
mod parts;
mod policy;
mod provenance;
mod reading;
mod records;
mod sources;
mod style;
mod tables;
mod tokens;
mod verdict;

pub use policy::html_policy;

use crate::document::Report;
use crate::figures::Figure;
use crate::markup::text;
use maud::{Markup, PreEscaped, html};
use parts::{Part, parts};

/// The whole page.
pub fn html(report: &Report) -> String {
    let report = &report.clone().without_places();
    let figures = crate::figures::figures(report);
    let parts = parts(report, &figures);
    let page = html! {
        (PreEscaped("<!doctype html>\n"))
        html lang="en" {
            head { (head(report)) }
            "\n"
            body { (body(report, &figures, &parts)) }
        }
        "\n"
    };
    page.into_string()
}

fn head(report: &Report) -> Markup {
    let outcome = report.verdict.outcome.word();
    html! {
        meta charset="utf-8";
        meta http-equiv="Content-Security-Policy" content=(text(&html_policy()));
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        meta name="referrer" content="no-referrer";
        title { (text(&format!("guestlist: {outcome}, audit of {}", report.kind()))) }
        // Known by its digest: not a letter of it may be escaped.
        style { (PreEscaped(style::sheet())) }
    }
}

fn body(report: &Report, figures: &[Figure], parts: &[Part]) -> Markup {
    html! {
        a class="skip" href="#verdict" { "Skip to the verdict" }
        header class="top" {
            p class="brand" { "guestlist" }
            button type="button" id="theme" hidden="" { "Theme: system" }
        }
        "\n"
        main {
            (verdict::part(report, figures))
            (contents(parts))
            @for part in parts { (part.markup()) }
        }
        footer {
            p {
                "Every number on this page is from report.json. In the tables of attacks and records, pointing at \
                 one shows all its digits."
            }
        }
        div id="tip" role="status" hidden="" {}
        script { (PreEscaped(policy::SCRIPT)) }
    }
}

/// Links to the parts of this page.
fn contents(parts: &[Part]) -> Markup {
    html! {
        nav aria-label="On this page" {
            ul { @for part in parts { li { a href={ "#" (part.id) } { (part.title) } } } }
        }
        "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::{Room, sections};

    #[test]
    fn every_section_of_the_report_is_on_the_page() {
        let text = include_str!("../../tests/data/diagnosed.json");
        let report = Report::from_json(text).unwrap();
        let page = html(&report);
        let sections = sections(&report, Room::Page);
        assert!(sections.len() > 5);
        for section in sections {
            let title = crate::text::escape_markup(&section.title);
            assert!(page.contains(&format!("<h3><bdi>{title}</bdi>")), "{title}");
        }
    }
}
