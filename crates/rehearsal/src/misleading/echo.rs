//! An answer that repeats the question, taken for knowledge.

use super::judged::{auc, report};
use super::speeches::{self, key_words, shared};
use super::{Case, Claim, Sides};
use guestlist::Error;

/// Texts that are asked about, half of them called members.
const ASKED: usize = 200;
/// An answer with this share of a document's words is taken for the document.
const ALIKE: f64 = 0.5;

pub static CASE: Case = Case {
    id: "echo",
    title: "an echo taken for knowledge",
    habit: "Quote half of a document, ask what comes next, and compare the answer with the whole \
            document. A service that only repeats the question is half right about every document.",
    source: "the S2 attack as re-implemented in RAG_MIA (commit a53e8fd, mia_utils/s2.py) compares with \
             the whole text; equation 14 of SMA (arXiv 2508.09105) compares with the input",
    data: "200 passages of speeches and a service that holds none and answers with the question",
    notices: "what the question held counts for nothing; echo, tied-scores",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let folder = speeches::folder()?;
    speeches::unpack(folder.path())?;
    let texts = speeches::read(&folder.path().join("members.jsonl.gz"))?;
    let (mut alike, mut scores, mut members) = (0.0, Vec::new(), Vec::new());
    for (row, speech) in texts.iter().take(ASKED).enumerate() {
        let (first, _) = speeches::halves(&speech.text);
        let question = format!("Continue this passage: \"{first}\"");
        let answer = echo(&question);
        alike += f64::from(u8::from(is_the_document(&speech.text, &answer)));
        let new = &key_words(&speech.text) - &key_words(&question);
        scores.push(shared(&new, &key_words(&answer)));
        members.push(row % 2 == 0);
    }
    let share = alike / ASKED as f64;
    let ours = auc(&report("continuation", &scores, &members, seed)?);
    Ok(Sides {
        mistaken: vec![Claim::new(
            "share",
            share,
            format!(
                "{:.1}% of the answers hold half of their document's words or more: \"in the store\"",
                100.0 * share
            ),
        )],
        guestlist: vec![Claim::new(
            "auc",
            ours,
            format!(
                "AUC {ours:.3} by words that the question did not have: the answers say nothing"
            ),
        )],
    })
}

/// A service without a store.
fn echo(question: &str) -> String {
    question.to_owned()
}

/// The mistake: likeness with the whole document, the quoted half included.
fn is_the_document(document: &str, answer: &str) -> bool {
    shared(&key_words(document), &key_words(answer)) >= ALIKE
}
