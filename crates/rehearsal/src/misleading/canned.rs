//! A service that says the same to everything.

use attacks::rag::{self, DocumentFrequencies};
use attacks::settings::Settings;
use attacks::signals::probes::{Document, Exchange, Reply};

use judge::guardrails::Status;

use super::judged::{exchanges, gated, said, status, verdict, withheld};
use super::speeches::{self, Speech};
use super::{Case, Claim, Sides};
use guestlist::Error;
use guestlist::kinds::rag::attack::AskedDocument;

/// Documents of each kind.
const ASKED: usize = 60;
/// Attacks whose questions are asked.
pub const ATTACKS: &str = "content,facts";

pub static CASE: Case = Case {
    id: "canned",
    title: "a service that says the same to everything",
    habit: "Point the audit at a service and read the verdict. A wrong key, an empty index or a service \
            that is down answers every question alike, so that nothing tells members apart: AUC one half.",
    source: "a habit; no tool that was looked at asks whether its questions reached the store",
    data: "60 passages of speeches called members and 60 others, and \"I do not know.\" to every question",
    notices: "reached: a pass needs a sign that questions found members' documents, or controls",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let heard = asked(|_| Ok("I do not know.".to_owned()))?;
    let judged = exchanges(heard, ATTACKS, seed)?;
    let value = gated(&judged);
    let violated = status(&judged, "reached") == Some(Status::Violated);
    Ok(Sides {
        mistaken: vec![Claim::new(
            "auc",
            value,
            format!("AUC {value:.3}: {}", verdict(value)),
        )],
        guestlist: vec![
            Claim::new("violated", f64::from(u8::from(violated)), said(&judged)),
            Claim::new(
                "withheld",
                withheld(&judged),
                "no pass over an audit that tested nothing".into(),
            ),
        ],
    })
}

/// Asks a service what the attacks ask about members and others; it answers a question with a text.
pub fn asked(answer: impl Fn(&str) -> Result<String, Error>) -> Result<Vec<AskedDocument>, Error> {
    let folder = speeches::folder()?;
    speeches::unpack(folder.path())?;
    let held = speeches::read(&folder.path().join("members.jsonl.gz"))?;
    let others = speeches::read(&folder.path().join("held-out.jsonl.gz"))?;
    let members = held.iter().take(ASKED).map(|speech| (speech, true));
    let others = others.iter().take(ASKED).map(|speech| (speech, false));
    let documents: Vec<(Document, bool)> = members
        .chain(others)
        .map(|(speech, member)| (document(speech), member))
        .collect();
    let frequencies =
        DocumentFrequencies::new(documents.iter().map(|(document, _)| document.text.as_str()));
    documents
        .into_iter()
        .map(|(document, member)| questioned(document, member, &frequencies, &answer))
        .collect()
}

fn document(speech: &Speech) -> Document {
    Document {
        id: speech.id.clone(),
        text: speech.text.clone(),
        ..Document::default()
    }
}

fn questioned(
    document: Document,
    member: bool,
    frequencies: &DocumentFrequencies,
    answer: &impl Fn(&str) -> Result<String, Error>,
) -> Result<AskedDocument, Error> {
    let mut on = Vec::new();
    for id in ATTACKS.split(',') {
        for probe in rag::find(id)?.ask(&document, frequencies, &Settings::default()) {
            let reply = Reply {
                answer: answer(&probe.query)?.into(),
                ..Reply::default()
            };
            on.push(Exchange {
                probe: probe.into(),
                reply: Some(reply.into()),
            });
        }
    }
    Ok(AskedDocument {
        document,
        member: Some(member),
        topic: None,
        date: None,
        failed: 0,
        on,
        again: Vec::new(),
        off: Vec::new(),
    })
}
