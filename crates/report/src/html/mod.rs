//! The report as one HTML file: no network, no framework, readable without its script.
//!
//! Every text goes through [`writer::Html`], which escapes it. The page works under the policy that
//! it carries ([`html_policy`]). What a reader looks at first is written by hand here, one file per
//! part; every [`Section`](crate::section::Section) of the report follows in its part by itself.

mod attacks;
mod exchanges;
mod figures;
mod guardrails;
mod measures;
mod models;
mod notes;
mod parts;
mod policy;
mod provenance;
mod reading;
mod records;
mod sections;
mod sources;
mod style;
mod table;
mod tokens;
mod verdict;
mod writer;

pub use policy::html_policy;

use crate::document::Report;
use crate::figures::Figure;
use parts::{Part, parts};
use writer::Html;

/// The whole page.
pub fn html(report: &Report) -> String {
    let figures = crate::figures::figures(report);
    let parts = parts(report, &figures);
    let mut html = Html::default();
    html.tag("html", &[("lang", "en")], |html| {
        html.tag("head", &[], |html| head(html, report));
        html.tag("body", &[], |html| body(html, report, &figures, parts));
    });
    html.page()
}

fn head(html: &mut Html, report: &Report) {
    let meta = |html: &mut Html, name: &str, content: &str| {
        html.void("meta", &[("name", name), ("content", content)]);
    };
    html.void("meta", &[("charset", "utf-8")]);
    let policy = [
        ("http-equiv", "Content-Security-Policy"),
        ("content", &html_policy()),
    ];
    html.void("meta", &policy);
    meta(html, "viewport", "width=device-width, initial-scale=1");
    meta(html, "color-scheme", "light dark");
    meta(html, "referrer", "no-referrer");
    let outcome = report.verdict.outcome.word();
    html.line(
        "title",
        &[],
        &format!("guestlist: {outcome}, audit of {}", report.kind()),
    );
    html.style(&style::sheet());
}

fn body(html: &mut Html, report: &Report, figures: &[Figure], parts: Vec<Part>) {
    html.line(
        "a",
        &[("class", "skip"), ("href", "#verdict")],
        "Skip to the verdict",
    );
    html.tag("header", &[("class", "top")], |html| {
        html.line("p", &[("class", "brand")], "guestlist");
        let theme = [("type", "button"), ("id", "theme"), ("hidden", "")];
        html.line("button", &theme, "Theme: system");
    });
    html.tag("main", &[], |html| {
        verdict::write(html, report, figures);
        contents(html, &parts);
        for part in parts {
            part.write(html);
        }
    });
    html.tag("footer", &[], |html| {
        html.line(
            "p",
            &[],
            "Every number on this page is from report.json. In the tables of attacks and records, pointing at \
             one shows all its digits.",
        );
    });
    html.tag(
        "div",
        &[("id", "tip"), ("role", "status"), ("hidden", "")],
        |_| {},
    );
    html.script(policy::SCRIPT);
}

/// Links to the parts of this page.
fn contents(html: &mut Html, parts: &[Part]) {
    html.tag("nav", &[("aria-label", "On this page")], |html| {
        html.tag("ul", &[], |html| {
            for part in parts {
                let target = format!("#{}", part.id);
                html.tag("li", &[], |html| {
                    html.line("a", &[("href", &target)], part.title)
                });
            }
        });
    });
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
