//! Reading a transcript, and finding what contradicts itself.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use attacks::signals::probes::{Arm, Document, Exchange, Probe, Reply};

use super::row::{RowRead, Sources, document, expected, wrong};
use super::{Recorded, Transcript};
use crate::rag::settings::ExtractSettings;
use crate::{Error, Result};
use formats::foreign::Wanted;
use formats::lines::{Lines, plain};
use formats::texts::values::{brief, flag};

/// Reads JSON Lines, also gzipped.
pub fn read(path: &Path) -> Result<Transcript> {
    formats::foreign::refuse(path, Wanted::Rows)?;
    let mut reading = Reading {
        path,
        sources: Sources::new(&ExtractSettings::default())?,
        transcript: Transcript::default(),
        known: HashMap::new(),
        first_told: Vec::new(),
    };
    for line in Lines::open(path)? {
        let (number, line) = line?;
        let row: RowRead =
            serde_json::from_slice(&line).map_err(|error| wrong(path, number, &plain(&error)))?;
        reading.take(row, number)?;
    }
    if reading.transcript.documents.is_empty() {
        return Err(Error::mismatch("holds no exchange")
            .at(path)
            .hint("a transcript has one JSON object per line and exchange"));
    }
    Ok(reading.transcript)
}

struct Reading<'a> {
    path: &'a Path,
    sources: Sources,
    transcript: Transcript,
    known: HashMap<String, usize>,
    /// The rows that first told whether a document is a member, and its text.
    first_told: Vec<(usize, usize)>,
}

impl Reading<'_> {
    fn take(&mut self, mut row: RowRead, number: usize) -> Result<()> {
        let path = self.path;
        let wrong = |message: String| wrong(path, number, &message);
        let id = document(&mut row).map_err(wrong)?;
        let place = self.place(id);
        let member = row.member.take().map(flag).transpose();
        let member = member.map_err(|(message, _)| wrong(message))?;
        self.tell_member(place, member, number)?;
        self.describe(place, &mut row, number)?;
        if row.query.is_none() && row.answer.is_none() && row.error.is_none() {
            // It only describes the document.
            return Ok(());
        }
        let recorded = self.recorded(row, place).map_err(wrong)?;
        self.transcript.exchanges.push(recorded);
        Ok(())
    }

    fn place(&mut self, id: String) -> usize {
        let next = self.transcript.documents.len();
        let place = *self.known.entry(id.clone()).or_insert(next);
        if place == next {
            let document = Document {
                id,
                ..Document::default()
            };
            self.transcript.documents.push((document, None));
            self.first_told.push((0, 0));
        }
        place
    }

    fn tell_member(&mut self, place: usize, member: Option<bool>, number: usize) -> Result<()> {
        let (document, known) = &mut self.transcript.documents[place];
        match (member, *known) {
            (Some(now), Some(before)) if now != before => Err(Error::mismatch(format!(
                "rows {} and {number} contradict each other: document {:?} is a member in one \
                 and not in the other",
                self.first_told[place].0,
                brief(&document.id)
            ))
            .at(self.path)
            .hint("give different documents different ids")),
            (Some(now), None) => {
                *known = Some(now);
                self.first_told[place].0 = number;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn describe(&mut self, place: usize, row: &mut RowRead, number: usize) -> Result<()> {
        let (document, _) = &mut self.transcript.documents[place];
        let text = row.text.take().unwrap_or_default();
        if !text.is_empty() && document.text.is_empty() {
            document.text = text;
            self.first_told[place].1 = number;
        } else if !text.is_empty() && document.text != text {
            return Err(Error::mismatch(format!(
                "rows {} and {number} have different texts for document {:?}",
                self.first_told[place].1,
                brief(&document.id)
            ))
            .at(self.path)
            .hint("give different documents different ids"));
        }
        document.title = document.title.take().or(row.title.take());
        document.about = document.about.take().or(row.about.take());
        if document.questions.is_empty() {
            document.questions = std::mem::take(&mut row.questions);
        }
        Ok(())
    }

    fn recorded(&mut self, row: RowRead, place: usize) -> std::result::Result<Recorded, String> {
        let query = row.query.ok_or("has an answer but no query")?;
        let answer = match (row.answer, &row.error) {
            (Some(answer), None) => answer,
            (_, Some(_)) => None,
            (None, None) => return Err("has neither answer nor error".into()),
        };
        let seconds = row.seconds.unwrap_or_default();
        if !(seconds >= 0.0 && seconds.is_finite()) {
            return Err(format!("seconds is {seconds}"));
        }
        let expected = row.expected.as_ref().map(expected).transpose()?;
        let citations = [&row.citations, &row.sources].into_iter().flatten();
        let citations = self.sources.read_all(citations)?;
        let retrieved = self.sources.read(row.retrieved)?;
        let asides = self.sources.read(row.asides)?;
        let metadata = self.sources.metadata(row.metadata);
        let (blocked, perplexity) = (row.blocked, row.perplexity);
        let reply = answer.map(|answer| Reply {
            answer: self.sources.share(answer),
            citations,
            retrieved,
            asides,
            metadata,
            seconds,
            blocked,
            cut_short: row.cut_short,
            shortened: row.shortened,
            perplexity,
        });
        Ok(Recorded {
            document: place,
            arm: match row.retrieval {
                Some(false) => Arm::NoRetrieval,
                _ => Arm::Retrieval,
            },
            repeat: row.repeat,
            exchange: Exchange {
                probe: Probe {
                    strategy: row.strategy.unwrap_or_default(),
                    variation: row.variation,
                    query,
                    expected: expected.unwrap_or_default(),
                }
                .into(),
                reply: reply.map(Arc::new),
            },
            error: row.error,
        })
    }
}
