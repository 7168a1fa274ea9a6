//! Refusals that tell members apart.

use crate::{Ask, ChunkSettings, Defences, Document, Index, Service, ServiceSettings};
use attacks::rag::reading::{kind, withheld};

use super::canned;
use super::judged::{auc, exchanges, gated, report, said, verdict};
use super::speeches::{self, key_words, shared};
use super::{Case, Claim, Sides};
use guestlist::Error;
use guestlist::kinds::rag::attack::AskedDocument;

/// So many words in a row that question and source share are refused.
const RUN: usize = 8;

pub static CASE: Case = Case {
    id: "refusals",
    title: "refusals that tell members apart",
    habit: "Refuse every question that repeats a document of the store, and count a refusal as an answer \
            that gives nothing away. But only documents of the store are refused.",
    source: "a habit: filters against verbatim output, audited by the answers that are left",
    data: "a retrieval service over 600 passages of speeches that refuses runs of eight words of them, asked \
           about 60 of them and 60 that it does not hold",
    notices: "the attack refusals, which rank-average and cross-fitted use too",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let service = service()?;
    let heard = canned::asked(|question| Ok(service.answer(&Ask::new(question))?.text))?;
    let (scores, members): (Vec<f64>, Vec<bool>) = heard
        .iter()
        .map(|one| (repeated(one), one.member == Some(true)))
        .unzip();
    let naive = auc(&report("repeated-words", &scores, &members, seed)?);
    let ours = exchanges(heard, "refusals", seed)?;
    let found = gated(&ours);
    Ok(Sides {
        mistaken: vec![Claim::new(
            "auc",
            naive,
            format!(
                "AUC {naive:.3} by the words of documents in answers, none in a refusal: {}",
                verdict(naive)
            ),
        )],
        guestlist: vec![Claim::new(
            "auc",
            found,
            format!("AUC {found:.3} by who is refused: {}", said(&ours)),
        )],
    })
}

/// The mistake: how much of a document its answers repeat beyond the question, where a refusal is an
/// answer that repeats nothing.
fn repeated(heard: &AskedDocument) -> f64 {
    let document = key_words(&heard.document.text);
    let shares = heard.on.iter().filter_map(|exchange| {
        let new = &document - &key_words(&exchange.probe.query);
        let reply = exchange.reply.as_deref()?;
        let refused = withheld(kind(reply));
        Some(if refused {
            0.0
        } else {
            shared(&new, &key_words(&reply.answer))
        })
    });
    shares.sum::<f64>() / heard.on.len().max(1) as f64
}

fn service() -> Result<Service, Error> {
    let folder = speeches::folder()?;
    speeches::unpack(folder.path())?;
    let held = speeches::read(&folder.path().join("members.jsonl.gz"))?;
    let documents = held.into_iter().map(|speech| Document {
        id: speech.id,
        title: None,
        text: speech.text,
    });
    let index = Index::new(documents.collect(), ChunkSettings::default(), None)?;
    let settings = ServiceSettings {
        defences: Defences {
            refuse_verbatim: Some(RUN),
            hide_citations: true,
            ..Defences::default()
        },
        ..ServiceSettings::default()
    };
    Service::extractive(index, settings)
}
