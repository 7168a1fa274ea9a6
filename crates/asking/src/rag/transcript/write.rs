//! Writing a transcript: documents are described where they first appear.

use std::io::{self, Write};
use std::path::Path;

use attacks::signals::probes::{Arm, Document};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::row::{Described, Exchanged, RowWritten};
use super::{Recorded, RecordedRef, Transcript};
use crate::Result;
use formats::files::{FileSet, Overwrite};

/// Writes the whole file or none, in place of an earlier one; gzipped where its name ends in `.gz`.
pub fn write(path: &Path, transcript: &Transcript) -> Result<()> {
    let documents = transcript.documents.iter();
    let documents: Vec<(&Document, Option<bool>)> = documents
        .map(|(document, member)| (document, *member))
        .collect();
    let exchanges = transcript.exchanges.iter().map(Recorded::as_ref);
    write_rows(path, &documents, exchanges)
}

impl Recorded {
    fn as_ref(&self) -> RecordedRef<'_> {
        RecordedRef {
            document: self.document,
            arm: self.arm,
            repeat: self.repeat,
            probe: &self.exchange.probe,
            reply: self.exchange.reply.as_ref(),
            error: self.error.as_deref(),
        }
    }
}

/// The same of exchanges that lie elsewhere, one after another.
pub fn write_rows<'a>(
    path: &Path,
    documents: &[(&Document, Option<bool>)],
    exchanges: impl Iterator<Item = RecordedRef<'a>>,
) -> Result<()> {
    let mut set = FileSet::new(Overwrite::Replace);
    set.add(path, |out| {
        match path.extension().is_some_and(|ending| ending == "gz") {
            true => {
                let mut out = GzEncoder::new(out, Compression::default());
                rows(&mut out, documents, exchanges)?;
                out.finish().map(drop)
            }
            false => rows(out, documents, exchanges),
        }
    })?;
    set.commit()
}

fn rows<'a>(
    out: &mut impl Write,
    documents: &[(&Document, Option<bool>)],
    exchanges: impl Iterator<Item = RecordedRef<'a>>,
) -> io::Result<()> {
    // Documents come in order: those before it that nobody asked about are described alone.
    let mut described = 0;
    for recorded in exchanges {
        while described < recorded.document {
            alone(out, documents[described])?;
            described += 1;
        }
        let first = described == recorded.document;
        described += usize::from(first);
        let (document, member) = documents[recorded.document];
        line(
            out,
            &RowWritten {
                document: &document.id,
                member,
                described: first.then(|| describe(document)),
                exchange: Some(exchanged(&recorded)),
            },
        )?;
    }
    let rest = documents.iter().skip(described);
    rest.into_iter()
        .try_for_each(|document| alone(out, *document))
}

fn alone(out: &mut impl Write, (document, member): (&Document, Option<bool>)) -> io::Result<()> {
    line(
        out,
        &RowWritten {
            document: &document.id,
            member,
            described: Some(describe(document)),
            exchange: None,
        },
    )
}

fn line(out: &mut impl Write, row: &RowWritten) -> io::Result<()> {
    serde_json::to_writer(&mut *out, row)?;
    out.write_all(b"\n")
}

fn describe(document: &Document) -> Described<'_> {
    Described {
        text: &document.text,
        title: document.title.as_deref(),
        questions: &document.questions,
        about: document.about.as_deref(),
    }
}

fn exchanged<'a>(recorded: &RecordedRef<'a>) -> Exchanged<'a> {
    let (probe, reply) = (recorded.probe, recorded.reply);
    Exchanged {
        strategy: &probe.strategy,
        variation: probe.variation,
        query: &probe.query,
        expected: &probe.expected,
        retrieval: recorded.arm == Arm::Retrieval,
        repeat: recorded.repeat,
        answer: reply.map(|reply| reply.answer.as_str()),
        citations: reply.map_or(&[], |reply| &reply.citations),
        retrieved: reply.map_or(&[], |reply| &reply.retrieved),
        seconds: reply.map(|reply| reply.seconds),
        blocked: reply.and_then(|reply| reply.blocked.as_deref()),
        cut_short: reply.is_some_and(|reply| reply.cut_short),
        perplexity: reply.and_then(|reply| reply.perplexity),
        error: recorded.error,
    }
}
