//! Words marked by their source: by colour, by the kind of line under them, and by a letter, so that
//! none of the three is needed.

use maud::{Markup, html};

use crate::markup::{outside, text};
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
pub fn legend() -> Markup {
    html! {
        p class="legend-line" {
            "A word that answers follow: "
            @for (label, end) in [("retrieved", ", "), ("pretrained", ", "), ("non-member", ". ")] {
                (badge(label)) (end)
            }
            "Pointing at a word, or stepping through a text with the arrow keys, shows its weights."
        }
    }
}

/// A label in its own look.
pub fn badge(label: &str) -> Markup {
    let (class, letter, words) = look(label);
    html! { span class={ "token " (class) } { (text(words)) (mark(letter)) } }
}

fn mark(letter: &str) -> Markup {
    html! { @if !letter.is_empty() { sup { (letter) } } }
}

/// The words of one document.
pub fn paragraph(tokens: &[Token]) -> Markup {
    html! {
        p class="stops words" { @for token in tokens { (word(token)) " " } }
    }
}

fn word(token: &Token) -> Markup {
    let (class, letter, words) = look(&token.label);
    let tip = format!(
        "{}: {words}; with retrieval {:+.3}, without {:+.3}, difference {:+.3}",
        token.word, token.beta_on, token.beta_off, token.ads
    );
    html! {
        span class={ "token " (class) } data-tip=(text(&tip)) { (outside(&token.word)) (mark(letter)) }
    }
}
