//! Documents of an audit of sources: what each was called, and its words marked by their source.

use super::table::{Choice, tools};
use super::tokens;
use super::writer::{Html, grouped};
use crate::detail::Detail;
use crate::document::Report;
use crate::sections::NUMBERED;
use crate::source::{Attributed, Totals};

/// Documents on the page; report.json has all.
const MOST: usize = 1_000;
/// Words on the page, so that it stays small.
const MOST_WORDS: usize = 6_000;

const CHOICES: [Choice; 6] = [
    ("pretrained", "called pretrained"),
    ("retrieved", "called retrieved"),
    ("non-member", "called neither"),
    ("none", "without a label"),
    ("wrong", "called wrongly"),
    ("right", "called rightly"),
];

pub fn write(html: &mut Html, report: &Report) {
    let Detail::Source(source) = &report.detail else {
        return;
    };
    let documents = &source.documents;
    html.line("h3", &[], "Documents and their words");
    html.line("p", &[], &extent(documents));
    match documents.iter().any(|document| document.id.is_some()) {
        true => tokens::legend(html),
        false => html.line("p", &[("class", "why")], NUMBERED),
    }
    let there = |choice: &&Choice| documents.iter().any(|one| marks(one).contains(&choice.0));
    let choices: Vec<Choice> = CHOICES.iter().filter(there).copied().collect();
    tools(html, "documents", "documents", &choices);
    html.tag("div", &[("id", "documents")], |html| {
        let mut room = MOST_WORDS;
        for document in documents.iter().take(MOST) {
            let fits = document.tokens.len() <= room;
            room -= if fits { document.tokens.len() } else { 0 };
            write_document(html, document, fits);
        }
    });
}

fn extent(documents: &[Attributed]) -> String {
    let all = grouped(documents.len() as u64);
    match documents.len() > MOST {
        true => format!(
            "The first {} of {all} documents; report.json has all, and attributions.jsonl every word.",
            grouped(MOST as u64)
        ),
        false => format!("All {all} documents; attributions.jsonl has every word of them."),
    }
}

fn marks(document: &Attributed) -> Vec<&str> {
    let mut marks = vec![document.label.as_deref().unwrap_or("none")];
    if let (Some(source), Some(label)) = (&document.source, &document.label) {
        marks.push(if source == label { "right" } else { "wrong" });
    }
    marks
}

fn write_document(html: &mut Html, document: &Attributed, with_words: bool) {
    let marks = marks(document).join(" ");
    let attributes = [
        ("class", "document"),
        ("data-item", ""),
        ("data-marks", &marks),
    ];
    html.tag("article", &attributes, |html| {
        html.tag("h4", &[], |html| html.outside(&document.name()));
        html.tag("p", &[("class", "called")], |html| called(html, document));
        if let Some(totals) = &document.totals {
            html.tag("p", &[("class", "why")], |html| {
                sums(html, totals, document)
            });
        }
        match (with_words, document.tokens.is_empty()) {
            (_, true) => {}
            (true, false) => tokens::write(html, &document.tokens),
            (false, false) => {
                html.line("p", &[("class", "why")], "Its words are in report.json.");
            }
        }
    });
}

fn called(html: &mut Html, document: &Attributed) {
    html.text("Called ");
    html.tag("strong", &[], |html| match &document.label {
        Some(label) => tokens::badge(html, label),
        None => html.text("nothing"),
    });
    match (&document.source, &document.label) {
        (Some(source), Some(label)) if source == label => html.text(", which it is (✔)."),
        (Some(source), _) => {
            html.text(", in truth ");
            tokens::badge(html, source);
            html.text(" (✘).");
        }
        (None, _) if document.id.is_none() => html.text("."),
        (None, _) => html.text("; its source is not known."),
    }
    if let Some(why) = &document.why {
        html.text(" ");
        html.outside(why);
    }
}

/// The sums over its words, and how surprising they are.
fn sums(html: &mut Html, totals: &Totals, document: &Attributed) {
    html.text("Σβ without retrieval ");
    html.decimal(totals.off, 3);
    html.text(" (p = ");
    html.decimal(totals.off_p, 4);
    html.text("), Σ ADS ");
    html.decimal(totals.ads, 3);
    html.text(" (p = ");
    html.decimal(totals.ads_p, 4);
    html.text("), from ");
    html.count(document.rows as u64);
    html.text(match document.settled {
        true => " inputs, settled early.",
        false => " inputs.",
    });
}
