//! How much of what a run collects is kept, whoever else listens.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use base::{Event, Progress, Sink, Unit};

/// Counts answers, texts and models, and passes everything on.
pub struct Kept<'a> {
    listeners: Progress<'a>,
    /// Whether what is told of now is kept.
    counts: AtomicBool,
    kept: AtomicUsize,
}

impl<'a> Kept<'a> {
    pub fn new(listeners: Progress<'a>) -> Self {
        Self {
            listeners,
            counts: AtomicBool::new(true),
            kept: AtomicUsize::new(0),
        }
    }

    pub fn progress(&self) -> Progress<'_> {
        Progress::new(self, self.listeners.cancel())
    }

    pub fn count(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }

    fn add(&self, count: usize) {
        if self.counts.load(Ordering::Relaxed) {
            self.kept.fetch_add(count, Ordering::Relaxed);
        }
    }
}

impl Sink for Kept<'_> {
    fn receive(&self, event: &Event<'_>) {
        match event {
            Event::Phase { unit, .. } => {
                self.counts.store(*unit != Unit::Records, Ordering::Relaxed);
            }
            Event::Found { stored } => self.add(*stored),
            Event::Advanced { count, .. } => self.add(*count),
            Event::ModelFinished { .. } => self.add(1),
            _ => {}
        }
        self.listeners.tell(*event);
    }
}
