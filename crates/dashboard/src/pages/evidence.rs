//! What gave a record away, as text and nothing but text.

use std::path::Path;

use ::report::blocks::html::table;
use ::report::blocks::{Cell, Table};
use ::report::markup::{lines, text};
use ::report::source::{Attributed, Token};
use maud::{Markup, html};

use crate::evidence::exchanges::{self, Exchange, Exchanges};
use crate::evidence::tokens::{self, Tokens};
use crate::evidence::{attribution, exchanges as transcript};

use super::App;
use super::numbers::number;

/// A section for each file that says something about the record.
pub fn sections(app: &App, folder: &Path, id: &str) -> Markup {
    let file = |name: &str| app.root.known_file(folder, name);
    html! {
        @if let Some(file) = file(transcript::FILE) {
            (shown(exchanges::about(&file, id), exchanges_section))
        }
        @if let Some(file) = file(attribution::FILE) {
            (shown(attribution::about(&file, id), |found| found.map(words_section).unwrap_or_default()))
        }
        @if let Some(file) = file(tokens::FILE) {
            (shown(tokens::about(&file, id), |found| found.map(tokens_section).unwrap_or_default()))
        }
    }
}

/// A file that cannot be read is said to be so; the rest of the page stays.
fn shown<T>(found: Result<T, String>, section: impl FnOnce(T) -> Markup) -> Markup {
    match found {
        Ok(found) => section(found),
        Err(problem) => html! { p class="problem" { (text(&problem)) } },
    }
}

fn exchanges_section(found: Exchanges) -> Markup {
    html! {
        @if let Some(text) = &found.text { h2 { "The document" } pre { (lines(text)) } }
        @if !found.exchanges.is_empty() {
            h2 { "Exchanges" }
            ol class="exchanges" { @for one in &found.exchanges { (exchange(one)) } }
            @if found.cut { p { "There are more in transcript.jsonl." } }
        }
    }
}

fn exchange(one: &Exchange) -> Markup {
    let arm = match one.retrieval {
        true => "with retrieval",
        false => "without retrieval",
    };
    let cited = match one.citations {
        0 => String::new(),
        1 => ", one source named".into(),
        number => format!(", {number} sources named"),
    };
    html! {
        li {
            p class="tag" { (text(&one.strategy)) ", " (arm) (cited) }
            pre class="question" { (lines(&one.query)) }
            @match &one.answer {
                Ok(answer) => pre class="answer" { (lines(answer)) },
                Err(why) => p class="problem" { "no answer: " (text(why)) },
            }
        }
    }
}

fn words_section(found: Attributed) -> Markup {
    let label = match (&found.label, &found.why) {
        (Some(label), _) => format!("Called {label}"),
        (None, Some(why)) => format!("Not called anything: {why}"),
        (None, None) => "Not called anything".into(),
    };
    let truth = found.source.as_ref();
    let truth = truth.map_or(String::new(), |source| format!("; in truth {source}"));
    let heads = [
        "Word",
        "Source",
        "β with retrieval",
        "β without",
        "Difference",
    ];
    let row = |token: &Token| {
        let [on, off, ads] = [token.beta_on, token.beta_off, token.ads].map(number);
        vec![
            token.word.as_str().into(),
            token.label.as_str().into(),
            on,
            off,
            ads,
        ]
    };
    let rows: Vec<Vec<Cell>> = found.tokens.iter().map(row).collect();
    let words = Table::new("Words and their sources", &heads, rows);
    html! {
        h2 { "Sources" }
        p { (text(&label)) (text(&truth)) "." }
        @if !words.rows.is_empty() { (table(&words)) }
    }
}

fn tokens_section(found: Tokens) -> Markup {
    let absent = || Cell::from("–");
    let known = |value: Option<f32>| value.map_or_else(absent, |value| number(f64::from(value)));
    let whole = |value: Option<i32>| value.map_or_else(absent, |value| value.to_string().into());
    let heads = ["Place", "Token", "log p", "Rank", "log p of the reference"];
    let row = |(place, token): (usize, &tokens::Token)| {
        vec![
            place.to_string().into(),
            whole(token.id),
            known(token.logprob),
            whole(token.rank),
            known(token.ref_logprob),
        ]
    };
    let rows = found.tokens.iter().enumerate().map(row).collect();
    html! {
        @if let Some(text) = &found.text { h2 { "The text" } pre { (lines(text)) } }
        h2 { "Tokens" }
        (table(&Table::new("Tokens", &heads, rows)))
        @if found.cut { p { "There are more in tokens.parquet." } }
    }
}
