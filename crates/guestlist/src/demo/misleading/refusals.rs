//! Refusals that tell members apart.

use rag::{Ask, ChunkSettings, Defences, Document, Index, Service, ServiceSettings};

use super::canned;
use super::judged::{exchanges, gated, said, verdict, withheld};
use super::speeches;
use super::{Case, Said, Sides};
use crate::Error;

/// So many words in a row that question and source share are refused.
const RUN: usize = 8;

pub static CASE: Case = Case {
    id: "refusals",
    title: "refusals that tell members apart",
    habit: "Refuse every question that repeats a document of the store, and leave refusals out of the \
            audit, for what is refused gives nothing away. But only documents of the store are refused.",
    source: "a habit: filters against verbatim output, audited by the answers that are left",
    data: "a retrieval service over 600 passages of speeches that refuses runs of eight words of them, asked \
           about 60 of them and 60 that it does not hold",
    notices: "the attack refusals, which rank-average and cross-fitted use too",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let service = service()?;
    let ask = || canned::asked(|question| Ok(service.answer(&Ask::new(question))?.text));
    let answers = exchanges(ask()?, "content", seed)?;
    let ours = exchanges(ask()?, "content,refusals", seed)?;
    let (naive, found) = (gated(&answers), gated(&ours));
    Ok(Sides {
        mistaken: vec![Said::new(
            "auc",
            naive,
            format!(
                "AUC {naive:.3} by what answers repeat of documents: {}",
                verdict(naive)
            ),
        )],
        guestlist: vec![
            Said::new(
                "auc",
                found,
                format!("AUC {found:.3} by who is refused: {}", said(&ours)),
            ),
            Said::new(
                "withheld",
                withheld(&answers),
                format!("of content alone: {}", said(&answers)),
            ),
        ],
    })
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
    Ok(Service::extractive(index, settings)?)
}
