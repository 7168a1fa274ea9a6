//! Writing a transcript: documents are described where they first appear.

use std::io::{self, Write};
use std::path::Path;

use attacks::signals::probes::{Arm, Document};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::row::{Described, Exchanged, RowWritten};
use super::{Recorded, Transcript};
use crate::Result;
use formats::files::{FileSet, Overwrite};

/// Writes the whole file or none, in place of an earlier one; gzipped where its name ends in `.gz`.
pub fn write(path: &Path, transcript: &Transcript) -> Result<()> {
    let mut set = FileSet::new(Overwrite::Replace);
    set.add(path, |out| {
        match path.extension().is_some_and(|ending| ending == "gz") {
            true => {
                let mut out = GzEncoder::new(out, Compression::default());
                rows(&mut out, transcript)?;
                out.finish().map(drop)
            }
            false => rows(out, transcript),
        }
    })?;
    set.commit()
}

fn rows(out: &mut impl Write, transcript: &Transcript) -> io::Result<()> {
    let documents = &transcript.documents;
    // Documents come in order: those before it that nobody asked about are described alone.
    let mut described = 0;
    for recorded in &transcript.exchanges {
        while described < recorded.document {
            alone(out, &documents[described])?;
            described += 1;
        }
        let first = described == recorded.document;
        described += usize::from(first);
        let (document, member) = &documents[recorded.document];
        line(
            out,
            &RowWritten {
                document: &document.id,
                member: *member,
                described: first.then(|| describe(document)),
                exchange: Some(exchanged(recorded)),
            },
        )?;
    }
    let rest = documents.iter().skip(described);
    rest.into_iter()
        .try_for_each(|document| alone(out, document))
}

fn alone(out: &mut impl Write, (document, member): &(Document, Option<bool>)) -> io::Result<()> {
    line(
        out,
        &RowWritten {
            document: &document.id,
            member: *member,
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

fn exchanged(recorded: &Recorded) -> Exchanged<'_> {
    let probe = &recorded.exchange.probe;
    let reply = recorded.exchange.reply.as_ref();
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
        error: recorded.error.as_deref(),
    }
}
