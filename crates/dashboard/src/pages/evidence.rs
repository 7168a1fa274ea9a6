//! What gave a record away, as text and nothing but text.

use std::path::Path;

use ::report::source::Attributed;

use crate::evidence::exchanges::{self, Exchange, Exchanges};
use crate::evidence::tokens::{self, Tokens};
use crate::evidence::{attribution, exchanges as transcript};
use crate::markup::{Html, html, lines};

use super::App;
use super::layout::table;
use super::numbers::value;

/// A section for each file that says something about the record.
pub fn sections(app: &App, folder: &Path, id: &str) -> Html {
    let mut sections = Html::default();
    if let Some(file) = app.root.known_file(folder, transcript::FILE) {
        sections.push(&shown(exchanges::about(&file, id), exchanges_section));
    }
    if let Some(file) = app.root.known_file(folder, attribution::FILE) {
        let found = attribution::about(&file, id);
        sections.push(&shown(found, |found| {
            found.map_or_else(Html::default, words_section)
        }));
    }
    if let Some(file) = app.root.known_file(folder, tokens::FILE) {
        let found = tokens::about(&file, id);
        sections.push(&shown(found, |found| {
            found.map_or_else(Html::default, tokens_section)
        }));
    }
    sections
}

/// A file that cannot be read is said to be so; the rest of the page stays.
fn shown<T>(found: Result<T, String>, section: impl FnOnce(T) -> Html) -> Html {
    match found {
        Ok(found) => section(found),
        Err(problem) => html!("<p class=\"problem\">{}</p>", problem),
    }
}

fn exchanges_section(found: Exchanges) -> Html {
    let text = found.text.as_deref().map_or_else(Html::default, |text| {
        html!("<h2>The document</h2><pre>{}</pre>", lines(text))
    });
    if found.exchanges.is_empty() {
        return text;
    }
    let items: Html = found.exchanges.iter().map(exchange).collect();
    let more = match found.cut {
        true => html!("<p>There are more in transcript.jsonl.</p>"),
        false => Html::default(),
    };
    html!(
        "{}<h2>Exchanges</h2><ol class=\"exchanges\">{}</ol>{}",
        text,
        items,
        more
    )
}

fn exchange(one: &Exchange) -> Html {
    let arm = match one.retrieval {
        true => "with retrieval",
        false => "without retrieval",
    };
    let cited = match one.citations {
        0 => String::new(),
        1 => ", one source named".into(),
        number => format!(", {number} sources named"),
    };
    let answer = match &one.answer {
        Ok(answer) => html!("<pre class=\"answer\">{}</pre>", lines(answer)),
        Err(why) => html!("<p class=\"problem\">no answer: {}</p>", why),
    };
    html!(
        "<li><p class=\"tag\">{}, {}{}</p><pre class=\"question\">{}</pre>{}</li>",
        one.strategy,
        arm,
        cited,
        lines(&one.query),
        answer
    )
}

fn words_section(found: Attributed) -> Html {
    let label = match (&found.label, &found.why) {
        (Some(label), _) => format!("Called {label}"),
        (None, Some(why)) => format!("Not called anything: {why}"),
        (None, None) => "Not called anything".into(),
    };
    let truth = found
        .source
        .as_ref()
        .map_or(String::new(), |source| format!("; in truth {source}"));
    let rows: Html = found
        .tokens
        .iter()
        .map(|token| {
            html!(
                "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
                 <td class=\"number\">{}</td></tr>",
                token.word,
                token.label,
                value(token.beta_on),
                value(token.beta_off),
                value(token.ads)
            )
        })
        .collect();
    let heads = [
        "Word",
        "Source",
        "β with retrieval",
        "β without",
        "Difference",
    ];
    let words = match found.tokens.is_empty() {
        true => Html::default(),
        false => table("Words and their sources", &heads, &rows),
    };
    html!("<h2>Sources</h2><p>{}{}.</p>{}", label, truth, words)
}

fn tokens_section(found: Tokens) -> Html {
    let text = found.text.as_deref().map_or_else(Html::default, |text| {
        html!("<h2>The text</h2><pre>{}</pre>", lines(text))
    });
    let number =
        |number: Option<f32>| number.map_or_else(|| "–".into(), |number| value(f64::from(number)));
    let whole =
        |number: Option<i32>| number.map_or_else(|| "–".into(), |number| number.to_string());
    let rows: Html = found
        .tokens
        .iter()
        .enumerate()
        .map(|(place, token)| {
            html!(
                "<tr><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
                 <td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
                place,
                whole(token.id),
                number(token.logprob),
                whole(token.rank),
                number(token.ref_logprob)
            )
        })
        .collect();
    let heads = ["Place", "Token", "log p", "Rank", "log p of the reference"];
    let more = match found.cut {
        true => html!("<p>There are more in tokens.parquet.</p>"),
        false => Html::default(),
    };
    html!(
        "{}<h2>Tokens</h2>{}{}",
        text,
        table("Tokens", &heads, &rows),
        more
    )
}
