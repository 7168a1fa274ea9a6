//! Whether an answer names the document as its source.

use std::collections::HashSet;

use text::{folded, is_content};

use crate::signals::probes::{Document, Reply, SourceShown};

/// Ids shorter than this turn up in any text by chance.
const SHORTEST_ID: usize = 5;
/// Titles of fewer words do, too.
const SHORTEST_TITLE: usize = 3;
/// A source shows the document's text when this share of its words, in runs of four, is there.
const SAME_TEXT: f64 = 0.6;
const RUN: usize = 4;

/// Shown among the sources, or named in the answer's own words: a name that the question held
/// may only be an echo.
pub fn is_cited(document: &Document, query: &str, reply: &Reply) -> bool {
    let shown = reply
        .citations
        .iter()
        .any(|source| is_shown(document, source));
    shown || is_named(document, query, &reply.answer)
}

/// Among what the service looked up, or what it shows.
pub fn is_retrieved(document: &Document, reply: &Reply) -> bool {
    let mut sources = reply.retrieved.iter().chain(&reply.citations);
    sources.any(|source| is_shown(document, source))
}

fn is_shown(document: &Document, source: &SourceShown) -> bool {
    let same = |a: &str, b: &str| !a.trim().is_empty() && plain(a) == plain(b);
    let names = [source.id.as_deref(), source.title.as_deref()];
    let named = names.into_iter().flatten().any(|name| {
        same(name, &document.id)
            || is_file_of(name, &document.id)
            || document
                .title
                .as_deref()
                .is_some_and(|title| same(name, title))
    });
    named
        || source
            .text
            .as_deref()
            .is_some_and(|text| is_part(document, text))
}

/// `store/notes/doc-17.txt#2` is a piece of `doc-17`.
fn is_file_of(name: &str, id: &str) -> bool {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let Some(rest) = name.strip_prefix(id) else {
        return false;
    };
    id.chars().count() >= 3 && rest.starts_with(['.', '#', ':', '_', '-', ' '])
}

fn plain(name: &str) -> String {
    folded(name).join(" ")
}

fn is_part(document: &Document, text: &str) -> bool {
    let shown = folded(text);
    if shown.len() < 2 * RUN || document.text.is_empty() {
        return false;
    }
    let own = folded(&document.text);
    let own: HashSet<&[String]> = own.windows(RUN).collect();
    let runs = shown.windows(RUN);
    let all = runs.len() as f64;
    let shared = runs.filter(|run| own.contains(run)).count() as f64;
    shared >= SAME_TEXT * all
}

fn is_named(document: &Document, query: &str, answer: &str) -> bool {
    let (asked, words) = (folded(query), folded(answer));
    let holds =
        |words: &[String], name: &[String]| words.windows(name.len()).any(|run| run == name);
    let contains = |name: &str, shortest: usize| {
        let name = folded(name);
        let telling = name.iter().any(|word| is_content(word));
        name.len() >= shortest && telling && holds(&words, &name) && !holds(&asked, &name)
    };
    let id = document.id.chars().count() >= SHORTEST_ID && contains(&document.id, 1);
    id || document
        .title
        .as_deref()
        .is_some_and(|title| contains(title, SHORTEST_TITLE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        Document {
            id: "doc-00017".into(),
            title: Some("Mitochondria in lace plant leaves".into()),
            text: "Programmed cell death is the regulated death of cells within an organism of \
                   any kind, and the lace plant makes holes in its leaves by it."
                .into(),
            ..Document::default()
        }
    }

    fn reply(answer: &str, source: SourceShown) -> Reply {
        Reply {
            answer: answer.into(),
            citations: vec![source],
            ..Reply::default()
        }
    }

    #[test]
    fn ids_titles_files_and_texts_are_recognised() {
        let id = |id: &str| SourceShown {
            id: Some(id.into()),
            ..SourceShown::default()
        };
        let text = |text: &str| SourceShown {
            text: Some(text.into()),
            ..SourceShown::default()
        };
        let nothing = SourceShown::default;
        assert!(is_cited(&document(), "", &reply("", id("DOC-00017"))));
        assert!(is_cited(
            &document(),
            "",
            &reply("", id("store/doc-00017.txt"))
        ));
        assert!(!is_cited(&document(), "", &reply("", id("doc-000171"))));
        let part = "the regulated death of cells within an organism of any kind";
        assert!(is_cited(&document(), "", &reply("", text(part))));
        assert!(!is_cited(
            &document(),
            "",
            &reply(
                "",
                text("another text about cells and plants of any sort at all")
            )
        ));
        let named = "See “Mitochondria in Lace Plant Leaves”.";
        assert!(is_cited(&document(), "", &reply(named, nothing())));
        assert!(!is_cited(
            &document(),
            "",
            &reply("Mitochondria, leaves.", nothing())
        ));
        let asked = "What discusses Mitochondria in lace plant leaves?";
        assert!(
            !is_cited(&document(), asked, &reply(named, nothing())),
            "an echo"
        );
    }

    #[test]
    fn what_was_looked_up_is_not_a_citation() {
        let seen = Reply {
            retrieved: vec![SourceShown {
                id: Some("doc-00017".into()),
                ..SourceShown::default()
            }],
            ..Reply::default()
        };
        assert!(is_retrieved(&document(), &seen) && !is_cited(&document(), "", &seen));
    }
}
