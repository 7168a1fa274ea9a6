//! Transcripts: exchanges with a service as JSON Lines, one per line, recorded here or elsewhere.

mod answered;
mod read;
mod recognise;
mod row;
mod write;

use attacks::signals::probes::{Arm, Document, Exchange, Probe, Reply};

pub use answered::{Answered, answers};
pub use read::read;
pub use recognise::{first_strategy, recognise};
pub use write::{write, write_rows};

/// Documents, and everything that was asked about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// With their membership, where it is told. In the order in which they first appear.
    pub documents: Vec<(Document, Option<bool>)>,
    pub exchanges: Vec<Recorded>,
}

/// One exchange about one of the documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Its place among the documents.
    pub document: usize,
    pub arm: Arm,
    /// From 1 where the same was asked again.
    pub repeat: u32,
    pub exchange: Exchange,
    /// Why there is no reply, where that is told.
    pub error: Option<String>,
}

/// The same where it lies, for writing.
#[derive(Clone, Copy, Debug)]
pub struct RecordedRef<'a> {
    pub document: usize,
    pub arm: Arm,
    pub repeat: u32,
    pub probe: &'a Probe,
    pub reply: Option<&'a Reply>,
    pub error: Option<&'a str>,
}

#[cfg(test)]
mod tests;
