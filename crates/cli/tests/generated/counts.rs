//! How many attacks there are, wherever pages say so.

use std::path::Path;

use guestlist::kinds::KINDS;

const WORDS: [(usize, &str); 3] = [(11, "eleven"), (16, "sixteen"), (17, "seventeen")];

/// The number of attacks of a kind.
fn of(name: &str) -> usize {
    let mut kinds = KINDS.iter();
    let kind = kinds.find(|kind| kind.kind.name() == name).unwrap();
    (kind.cards)().len()
}

fn in_words(count: usize) -> &'static str {
    let known = WORDS.iter().find(|(number, _)| *number == count);
    known
        .unwrap_or_else(|| panic!("{count} has no word here"))
        .1
}

#[track_caller]
fn says(page: &str, words: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(page);
    let text = std::fs::read_to_string(path).unwrap();
    let text: Vec<&str> = text.split_whitespace().collect();
    assert!(text.join(" ").contains(words), "{page} must say {words:?}");
}

#[test]
fn pages_count_the_attacks_that_there_are() {
    let all: usize = KINDS.iter().map(|kind| (kind.cards)().len()).sum();
    let [classifier, few_shot, lm, rag, source] =
        ["classifier", "fewshot", "lm", "rag", "source"].map(of);
    says(
        "README.md",
        &format!("{all}: {classifier} on classifiers ("),
    );
    says(
        "README.md",
        &format!("), {few_shot} few-shot, {lm} on language models ("),
    );
    says(
        "README.md",
        &format!("), {rag} on retrieval services, {source} on sources."),
    );
    says(
        "docs/comparison.md",
        &format!("| asks whether a document is in the store | {rag} attacks |"),
    );
    says(
        "docs/guide-rag.md",
        &format!("lets {} attacks try", in_words(rag)),
    );
    says(
        "docs/guide-language-models.md",
        &format!("lets {} attacks try", in_words(lm)),
    );
}
