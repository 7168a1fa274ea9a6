//! Exchanges that were recorded elsewhere.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use attacks::signals::probes::{Arm, CONTROL, Document, Exchange};
use collect::rag::transcript;
use report::retrieval::Requests;

use super::controls;
use super::repeats::repeated;
use crate::Error;
use crate::audit::probes::{ProbeRequest, Questioned};

/// Whether a file holds exchanges: JSON Lines whose first row is one, or describes a document.
pub fn is_transcript(path: &Path) -> bool {
    transcript::recognise(path)
}

/// A transcript, and the texts of its documents where they are apart.
pub struct RecordedRequest {
    pub transcript: PathBuf,
    pub documents: Option<PathBuf>,
}

impl RecordedRequest {
    /// Reads them into what the judge is handed; the rest of `request` stays.
    pub fn fill(&self, request: &mut ProbeRequest) -> Result<(), Error> {
        let read = transcript::read(&self.transcript)?;
        let name = self.transcript.display();
        let mut texts = self.texts()?;
        let invented: BTreeSet<usize> = (read.exchanges.iter())
            .filter(|recorded| recorded.exchange.probe.strategy == CONTROL)
            .map(|recorded| recorded.document)
            .collect();
        // Where each document of the transcript stands among those of its kind.
        let mut places = Vec::new();
        let mut heard = Vec::new();
        let mut found: Vec<(Document, Vec<Exchange>)> = Vec::new();
        for (place, (document, member)) in read.documents.into_iter().enumerate() {
            if invented.contains(&place) {
                places.push(found.len());
                found.push((document, Vec::new()));
                continue;
            }
            places.push(heard.len());
            let Some(member) = member else {
                return Err(Error::usage(
                    format!("{name}: document {:?} has no member", document.id),
                    "add member: true or false to its rows",
                ));
            };
            heard.push(Questioned {
                document: with_text(document, &mut texts),
                member,
                topic: None,
                date: None,
                failed: 0,
                on: Vec::new(),
                off: Vec::new(),
            });
        }
        let mut requests = Requests::default();
        let mut failed: BTreeMap<String, usize> = BTreeMap::new();
        let repeats = repeated(read.exchanges.iter().filter_map(|recorded| {
            let answer = recorded.exchange.reply.as_ref()?.answer.as_str();
            let query = recorded.exchange.probe.query.as_str();
            (recorded.arm == Arm::Retrieval).then_some((query, recorded.repeat, answer))
        }));
        for recorded in read.exchanges {
            requests.questions += 1;
            if recorded.exchange.reply.is_none() {
                *requests
                    .failed
                    .entry("recorded as failed".into())
                    .or_default() += 1;
            }
            requests.answered += usize::from(recorded.exchange.reply.is_some());
            if recorded.repeat > 0 {
                continue;
            }
            let place = places[recorded.document];
            if invented.contains(&recorded.document) {
                found[place].1.push(recorded.exchange);
                continue;
            }
            let is_missing = recorded.exchange.reply.is_none();
            if is_missing && recorded.arm == Arm::Retrieval {
                *failed.entry("recorded as failed".into()).or_default() += 1;
            }
            heard[place].add(recorded.arm, recorded.exchange, is_missing);
        }
        request.controls = controls::found(&found);
        request.documents = heard;
        request.requests = requests;
        request.failed = failed;
        request.repeats = repeats;
        Ok(())
    }

    fn texts(&self) -> Result<HashMap<String, Document>, Error> {
        let Some(path) = &self.documents else {
            return Ok(HashMap::new());
        };
        let read = collect::rag::documents::documents_of(path)?;
        Ok(read
            .into_iter()
            .map(|document| (document.id.clone(), document))
            .collect())
    }
}

fn with_text(mut document: Document, texts: &mut HashMap<String, Document>) -> Document {
    if let Some(known) = texts.remove(&document.id) {
        if document.text.is_empty() {
            document.text = known.text;
        }
        document.title = document.title.or(known.title);
    }
    document
}
