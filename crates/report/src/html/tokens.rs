//! Words marked by their source: by colour, by the kind of line under them, and by a letter, so that
//! none of the three is needed.

use super::writer::Html;
use crate::source::Token;

/// A label's class, letter and words.
fn look(label: &str) -> (&'static str, &'static str, &str) {
    match label {
        "retrieved" => ("source-retrieved", "R", "retrieved"),
        "pretrained" => ("source-pretrained", "P", "pretrained"),
        "both" => ("source-both", "B", "both"),
        "non-member" => ("source-neither", "", "neither"),
        other => ("source-neither", "", other),
    }
}

/// How words are marked.
pub fn legend(html: &mut Html) {
    html.tag("p", &[("class", "legend-line")], |html| {
        html.text("A word that answers follow: ");
        for (label, end) in [("retrieved", ", "), ("pretrained", ", "), ("non-member", ". ")] {
            badge(html, label);
            html.text(end);
        }
        html.text(
            "Pointing at a word, or stepping through a text with the arrow keys, shows its weights.",
        );
    });
}

/// A label in its own look.
pub fn badge(html: &mut Html, label: &str) {
    let (class, letter, words) = look(label);
    let class = format!("token {class}");
    html.tag("span", &[("class", &class)], |html| {
        html.text(words);
        mark(html, letter);
    });
}

fn mark(html: &mut Html, letter: &str) {
    if !letter.is_empty() {
        html.line("sup", &[], letter);
    }
}

/// The words of one document.
pub fn write(html: &mut Html, tokens: &[Token]) {
    html.tag("p", &[("class", "stops words")], |html| {
        for token in tokens {
            let (class, letter, words) = look(&token.label);
            let class = format!("token {class}");
            let tip = format!(
                "{}: {words}; with retrieval {:+.3}, without {:+.3}, difference {:+.3}",
                token.word, token.beta_on, token.beta_off, token.ads
            );
            html.tag("span", &[("class", &class), ("data-tip", &tip)], |html| {
                html.outside(&token.word);
                mark(html, letter);
            });
            html.text(" ");
        }
    });
}
