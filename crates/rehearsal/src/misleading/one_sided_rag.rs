//! A membership score of a retrieval service that never sees a non-member.

use crate::{Answer, Ask, ChunkSettings, Document, Index, Service, ServiceSettings};

use super::judged::{auc, report, verdict};
use super::speeches::{self, Speech, key_words, shared};
use super::{Case, Claim, Sides};
use guestlist::Error;

/// Documents of each kind that are asked about.
const ASKED: usize = 100;

pub static CASE: Case = Case {
    id: "one-sided-rag",
    title: "a RAG score that never sees a non-member",
    habit: "Ask about documents of the store, add up how many sources come back and how long the answer \
            is, compare the mean with a threshold called AUC. Without non-members there is nothing to \
            compare with: a service that knows nothing scores alike.",
    source: "metrics/membership.py of RAGLeakLab (v0.1.0 and v1.0.0): 0.4 score + 0.3 ids + 0.2 length \
             of answer + 0.1 of context, against membership_max_auc 0.65; without retrieval scores it \
             cannot exceed 0.60, so such a service always passes",
    data: "a retrieval service over 600 passages of speeches, asked to continue 100 of them and 100 that \
           it does not hold",
    notices: "an AUC of members against non-members, always",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let folder = speeches::folder()?;
    speeches::unpack(folder.path())?;
    let held = speeches::read(&folder.path().join("members.jsonl.gz"))?;
    let others = speeches::read(&folder.path().join("held-out.jsonl.gz"))?;
    let service = service(&held)?;
    let (mut confidence, mut scores, mut members) = ([0.0, 0.0], Vec::new(), Vec::new());
    for (kind, speeches) in [&held, &others].into_iter().enumerate() {
        for speech in speeches.iter().take(ASKED) {
            let (first, second) = speeches::halves(&speech.text);
            let question = format!("Continue this passage: \"{first}\"");
            let answer = service.answer(&Ask::new(question.as_str()))?;
            confidence[kind] += membership_confidence(&answer) / ASKED as f64;
            let new = &key_words(&second) - &key_words(&question);
            scores.push(shared(&new, &key_words(&answer.text)));
            members.push(kind == 0);
        }
    }
    let [inside, outside] = confidence;
    let ours = auc(&report("continuation", &scores, &members, seed)?);
    Ok(Sides {
        mistaken: vec![
            Claim::new(
                "confidence",
                inside,
                format!(
                    "\"membership confidence\" {inside:.3}, below 0.65: {}",
                    verdict(inside)
                ),
            ),
            Claim::new(
                "confidence-outside",
                outside,
                format!("of documents that the store does not hold: {outside:.3}"),
            ),
        ],
        guestlist: vec![Claim::new(
            "auc",
            ours,
            format!(
                "AUC {ours:.3} of held against other documents, by words that the question did not \
                 have: {}",
                verdict(ours)
            ),
        )],
    })
}

/// The mistake: sources, answer and context measured by the yard, for a service that gives no
/// retrieval scores.
fn membership_confidence(answer: &Answer) -> f64 {
    let context: usize = answer.retrieved.iter().map(|chunk| chunk.text.len()).sum();
    let sources = answer.retrieved.len() as f64;
    0.3 * (sources / 5.0).min(1.0)
        + 0.2 * (answer.text.len() as f64 / 500.0).min(1.0)
        + 0.1 * (context as f64 / 1000.0).min(1.0)
}

fn service(held: &[Speech]) -> Result<Service, Error> {
    let documents = held.iter().map(|speech| Document {
        id: speech.id.clone(),
        title: None,
        text: speech.text.clone(),
    });
    let index = Index::new(documents.collect(), ChunkSettings::default(), None)?;
    Service::extractive(index, ServiceSettings::default())
}
