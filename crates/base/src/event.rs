//! What long work tells while it goes on, and how it hears that it should stop.
//!
//! Work holds a [`Progress`]: it tells [`Event`]s, and asks whether to go on. Bars, JSON lines,
//! `progress.json` and callbacks are [`Sink`]s; a new one touches no work.

use std::path::Path;

use serde_json::Value;

use crate::{Cancel, Error, Result};

/// Something that happened in the course of the work.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A stretch of work begins: so many of something.
    Phase {
        name: &'a str,
        total: usize,
        unit: Unit,
    },
    /// Of these, so many were there before.
    Found {
        stored: usize,
    },
    /// So many more are done; texts come with their tokens.
    Advanced {
        count: usize,
        tokens: usize,
    },
    /// One more question has failed for good.
    Failed {
        message: &'a str,
    },
    /// Nothing is sent for so long.
    Waiting {
        seconds: f64,
        why: &'a str,
    },
    /// The stretch is over, however it ended.
    Over,
    /// Results go to this folder from now on; `resumable` says whether work that breaks off can be
    /// taken up again there.
    Folder {
        path: &'a Path,
        resumable: bool,
    },
    /// The files of the audit are about to be written: what only tells of the work leaves a folder
    /// that holds nothing else, so that it can go again if they cannot be.
    Writing,
    /// The work broke off, and no files of an audit will come: the same.
    Abandoned,
    Wrote {
        path: &'a Path,
    },
    /// What happened, for programs: a name and its particulars.
    Facts {
        name: &'a str,
        facts: &'a Value,
    },
    /// Something that a person should know.
    Note {
        text: &'a str,
    },
    /// Something that a person should know, however quiet it is to be.
    Warning {
        text: &'a str,
    },
    ModelStarted {
        model: usize,
    },
    ModelFinished {
        model: usize,
    },
    /// An attempt failed; `again` says whether there will be another.
    ModelFailed {
        model: usize,
        error: &'a Error,
        again: bool,
    },
    /// How many models are being trained and how many wait their turn, where somebody else decides
    /// about that.
    Queued {
        running: usize,
        waiting: usize,
    },
    /// A pass over the records of one model's training is done.
    Epoch {
        epoch: u32,
        loss: f64,
    },
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Records,
    Questions,
    Texts,
    Models,
}

/// Where events go.
pub trait Sink: Sync {
    fn receive(&self, event: &Event<'_>);
}

/// Events that nobody listens to.
struct Silence;

impl Sink for Silence {
    fn receive(&self, _event: &Event<'_>) {}
}

/// The way from a piece of work to those who follow it.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    sink: &'a dyn Sink,
    cancel: &'a Cancel,
}

impl<'a> Progress<'a> {
    pub fn new(sink: &'a dyn Sink, cancel: &'a Cancel) -> Self {
        Self { sink, cancel }
    }

    /// The same wish to stop, and nobody who listens.
    pub fn quietly(&self) -> Self {
        Self {
            sink: &Silence,
            ..*self
        }
    }

    /// The same listeners, and another who may ask to stop.
    pub fn stopped_by(&self, cancel: &'a Cancel) -> Self {
        Self { cancel, ..*self }
    }

    pub fn tell(&self, event: Event<'_>) {
        self.sink.receive(&event);
    }

    pub fn phase(&self, name: &str, total: usize, unit: Unit) {
        self.tell(Event::Phase { name, total, unit });
    }

    pub fn advance(&self, count: usize) {
        self.tell(Event::Advanced { count, tokens: 0 });
    }

    pub fn note(&self, text: &str) {
        self.tell(Event::Note { text });
    }

    pub fn warn(&self, text: &str) {
        self.tell(Event::Warning { text });
    }

    pub fn facts(&self, name: &str, facts: &Value) {
        self.tell(Event::Facts { name, facts });
    }

    pub fn wrote(&self, path: &Path) {
        self.tell(Event::Wrote { path });
    }

    pub fn cancel(&self) -> &'a Cancel {
        self.cancel
    }

    /// Whether somebody asked to stop.
    pub fn cancelled(&self) -> bool {
        self.cancel.requested()
    }

    /// An error where somebody asked to stop.
    pub fn check(&self) -> Result<()> {
        match self.cancelled() {
            true => Err(Error::interrupted()),
            false => Ok(()),
        }
    }
}

impl Progress<'static> {
    /// Nobody listens, and nobody will ask to stop.
    pub fn unwatched() -> Self {
        static NEVER: Cancel = Cancel::new();
        Self {
            sink: &Silence,
            cancel: &NEVER,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Default)]
    struct Recorder(Mutex<Vec<String>>);

    impl Sink for Recorder {
        fn receive(&self, event: &Event<'_>) {
            self.0.lock().unwrap().push(format!("{event:?}"));
        }
    }

    #[test]
    fn a_sink_hears_everything_in_order_and_work_hears_the_wish_to_stop() {
        let (heard, cancel) = (Recorder::default(), Cancel::new());
        let progress = Progress::new(&heard, &cancel);
        progress.phase("asking", 2, Unit::Questions);
        progress.advance(1);
        progress.quietly().advance(1);
        assert!(progress.check().is_ok());
        cancel.request();
        assert!(progress.check().unwrap_err().is_interruption());
        assert!(progress.quietly().cancelled());
        let heard = heard.0.into_inner().unwrap();
        assert_eq!(heard.len(), 2, "{heard:?}");
        assert!(heard[0].contains("asking") && heard[1].contains("count: 1"));
    }
}
