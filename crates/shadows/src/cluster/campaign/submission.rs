//! What is remembered of a model while the cluster has it.

use std::path::Path;
use std::time::{Instant, SystemTime};

/// One model that was submitted.
pub struct Submission {
    pub job: String,
    /// Whether it was seen to wait.
    pub waited: bool,
    pub running: bool,
    /// When its task's log was last written to before this submission.
    log: Option<SystemTime>,
    /// Since when it is no longer in the queue.
    pub gone: Option<Instant>,
}

impl Submission {
    pub fn new(job: String, log: &Path) -> Self {
        Self {
            job,
            waited: false,
            running: false,
            log: written(log),
            gone: None,
        }
    }

    /// Whether nothing shows that it ever ran: it waited when it was last seen, and its log, which
    /// a task opens first of all, was not touched.
    pub fn never_ran(&self, log: &Path) -> bool {
        self.waited && !self.running && self.log == written(log)
    }
}

fn written(log: &Path) -> Option<SystemTime> {
    std::fs::metadata(log).ok()?.modified().ok()
}
