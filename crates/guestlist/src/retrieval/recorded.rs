//! Exchanges that were recorded elsewhere.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use attacks::signals::probes::{Arm, Document};
use collect::rag::transcript;
use judge::probes::Repeats;
use report::retrieval::Requests;

use crate::Error;
use crate::audit::probes::{Heard, ProbeRequest};

/// Whether a file holds exchanges: JSON Lines whose first row has a query and an answer.
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
        let mut heard = Vec::new();
        for (document, member) in read.documents {
            let Some(member) = member else {
                return Err(Error::usage(
                    format!("{name}: document {:?} has no member", document.id),
                    "add member: true or false to its rows",
                ));
            };
            heard.push(Heard {
                document: with_text(document, &mut texts),
                member,
                topic: None,
                date: None,
                on: Vec::new(),
                off: Vec::new(),
            });
        }
        let mut requests = Requests::default();
        let mut failed: BTreeMap<String, usize> = BTreeMap::new();
        let mut repeats = Repeats::default();
        let mut first: HashMap<(usize, String), String> = HashMap::new();
        for recorded in read.exchanges {
            requests.questions += 1;
            let query = (recorded.document, recorded.exchange.probe.query.clone());
            match &recorded.exchange.reply {
                Some(reply) if recorded.repeat > 0 => {
                    if let Some(earlier) = first.get(&query) {
                        repeats.asked += 1;
                        repeats.changed += usize::from(*earlier != reply.answer.trim());
                    }
                }
                Some(reply) => {
                    first.insert(query, reply.answer.trim().to_owned());
                }
                None => {
                    *requests
                        .failed
                        .entry("recorded as failed".into())
                        .or_default() += 1
                }
            }
            requests.answered += usize::from(recorded.exchange.reply.is_some());
            if recorded.repeat > 0 {
                continue;
            }
            let of = &mut heard[recorded.document];
            match recorded.arm {
                Arm::Retrieval => {
                    if recorded.exchange.reply.is_none() {
                        *failed.entry("recorded as failed".into()).or_default() += 1;
                    }
                    of.on.push(recorded.exchange);
                }
                Arm::NoRetrieval => of.off.push(recorded.exchange),
            }
        }
        request.documents = heard;
        request.requests = requests;
        request.failed = failed;
        request.repeats = (repeats.asked > 0).then_some(repeats);
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
