//! Documents of an audit of sources: what each was called, and its words marked by their source.

use maud::{Markup, html};

use super::tables::{Choice, tools};
use super::tokens;

use crate::detail::Detail;
use crate::document::Report;
use crate::markup::{count, decimal, grouped, outside, text};
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

pub fn part(report: &Report) -> Markup {
    let Detail::Source(source) = &report.detail else {
        return html! {};
    };
    let documents = &source.documents;
    let named = documents.iter().any(|document| document.id.is_some());
    let there = |choice: &&Choice| documents.iter().any(|one| marks(one).contains(&choice.0));
    let choices: Vec<Choice> = CHOICES.iter().filter(there).copied().collect();
    html! {
        h3 { "Documents and their words" }
        p { (extent(documents)) }
        @if named { (tokens::legend()) } @else { p class="why" { (NUMBERED) } }
        (tools("documents", "documents", &choices))
        div id="documents" {
            @for (document, fits) in with_room(documents) { (article(document, fits)) "\n" }
        }
    }
}

/// The documents of the page, and whether there is room for the words of each.
fn with_room(documents: &[Attributed]) -> Vec<(&Attributed, bool)> {
    let mut room = MOST_WORDS;
    let shown = documents.iter().take(MOST).map(|document| {
        let words = document.tokens.len();
        let fits = words <= room;
        room -= if fits { words } else { 0 };
        (document, fits)
    });
    shown.collect()
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

fn article(document: &Attributed, with_words: bool) -> Markup {
    html! {
        article class="document" data-item="" data-marks=(text(&marks(document).join(" "))) {
            h4 { (outside(&document.name())) }
            p class="called" { (called(document)) }
            @if let Some(totals) = &document.totals { p class="why" { (sums(totals, document)) } }
            @match (with_words, document.tokens.is_empty()) {
                (_, true) => {}
                (true, false) => (tokens::paragraph(&document.tokens)),
                (false, false) => p class="why" { "Its words are in report.json." },
            }
        }
    }
}

fn called(document: &Attributed) -> Markup {
    html! {
        "Called "
        strong {
            @match &document.label { Some(label) => (tokens::badge(label)), None => "nothing" }
        }
        @match (&document.source, &document.label) {
            (Some(source), Some(label)) if source == label => ", which it is (✔).",
            (Some(source), _) => { ", in truth " (tokens::badge(source)) " (✘)." }
            (None, _) if document.id.is_none() => ".",
            (None, _) => "; its source is not known.",
        }
        @if let Some(why) = &document.why { " " (outside(why)) }
    }
}

/// The sums over its words, and how surprising they are.
fn sums(totals: &Totals, document: &Attributed) -> Markup {
    html! {
        "Σβ without retrieval " (decimal(totals.off, 3)) " (p = " (decimal(totals.off_p, 4))
        "), Σ ADS " (decimal(totals.ads, 3)) " (p = " (decimal(totals.ads_p, 4))
        "), from " (count(document.rows as u64))
        @if document.settled { " inputs, settled early." } @else { " inputs." }
    }
}
