//! Writing a transcript: documents and sources are described where they first appear.

use std::io::{self, Write};
use std::path::Path;

use attacks::signals::probes::{Arm, Document};
use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;

use super::row::{Described, Exchanged, Numbered, RowWritten};
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
            reply: self.exchange.reply.as_deref(),
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

/// Rows that are put into words side by side, and how many of them one after the other.
const AT_ONCE: usize = 1024;
const IN_TURN: usize = AT_ONCE / 16;

fn rows<'a>(
    out: &mut impl Write,
    documents: &[(&Document, Option<bool>)],
    exchanges: impl Iterator<Item = RecordedRef<'a>>,
) -> io::Result<()> {
    let mut rows = Vec::new();
    let mut lines = Lines::default();
    // Documents come in order: those before it that nobody asked about are described alone.
    let mut described = 0;
    let mut sources = Numbered::default();
    for recorded in exchanges {
        while described < recorded.document {
            rows.push(alone(documents[described]));
            described += 1;
        }
        let first = described == recorded.document;
        described += usize::from(first);
        let (document, member) = documents[recorded.document];
        rows.push(RowWritten {
            document: &document.id,
            member,
            described: first.then(|| describe(document)),
            exchange: Some(exchanged(&recorded, &mut sources)),
        });
        if rows.len() >= AT_ONCE {
            lines.write(&rows, out)?;
            rows.clear();
        }
    }
    let rest = documents.iter().skip(described);
    rows.extend(rest.map(|document| alone(*document)));
    lines.write(&rows, out)
}

fn alone((document, member): (&Document, Option<bool>)) -> RowWritten<'_> {
    RowWritten {
        document: &document.id,
        member,
        described: Some(describe(document)),
        exchange: None,
    }
}

/// Room for rows in words, which one lot leaves to the next.
#[derive(Default)]
struct Lines(Vec<Vec<u8>>);

impl Lines {
    fn write(&mut self, rows: &[RowWritten], out: &mut impl Write) -> io::Result<()> {
        let parts = rows.par_chunks(IN_TURN);
        self.0.resize_with(parts.len(), Vec::new);
        let parts = parts.zip(&mut self.0);
        parts.try_for_each(|(rows, lines)| -> io::Result<()> {
            lines.clear();
            for row in rows {
                serde_json::to_writer(&mut *lines, row)?;
                lines.push(b'\n');
            }
            Ok(())
        })?;
        self.0.iter().try_for_each(|lines| out.write_all(lines))
    }
}

fn describe(document: &Document) -> Described<'_> {
    Described {
        text: &document.text,
        title: document.title.as_deref(),
        questions: &document.questions,
        about: document.about.as_deref(),
    }
}

fn exchanged<'a>(recorded: &RecordedRef<'a>, sources: &mut Numbered<'a>) -> Exchanged<'a> {
    let (probe, reply) = (recorded.probe, recorded.reply);
    Exchanged {
        strategy: &probe.strategy,
        variation: probe.variation,
        query: &probe.query,
        expected: &probe.expected,
        retrieval: recorded.arm == Arm::Retrieval,
        repeat: recorded.repeat,
        answer: reply.map(|reply| reply.answer.as_str()),
        citations: sources.write(reply.map_or(&[], |reply| &reply.citations)),
        retrieved: sources.write(reply.map_or(&[], |reply| &reply.retrieved)),
        asides: sources.write(reply.map_or(&[], |reply| &reply.asides)),
        metadata: reply
            .map(|reply| &reply.metadata)
            .filter(|metadata| !metadata.is_empty()),
        seconds: reply.map(|reply| reply.seconds),
        blocked: reply.and_then(|reply| reply.blocked.as_deref()),
        cut_short: reply.is_some_and(|reply| reply.cut_short),
        shortened: reply.is_some_and(|reply| reply.shortened),
        perplexity: reply.and_then(|reply| reply.perplexity),
        error: recorded.error,
    }
}
