//! A progress bar on stderr, or events for programs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use attacks::watch::Watch;
use guestlist::pipeline::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::console::Console;
use super::interrupt;

/// Follows one audit.
pub struct Follower<'a> {
    console: &'a Console,
    bar: ProgressBar,
    stretch: Mutex<Stretch>,
    done: AtomicUsize,
}

#[derive(Default)]
struct Stretch {
    name: String,
    records: usize,
    tenths: usize,
}

impl<'a> Follower<'a> {
    pub fn new(console: &'a Console) -> Self {
        let bar = if console.shows_progress() {
            ProgressBar::new(0).with_style(style())
        } else {
            ProgressBar::hidden()
        };
        Self {
            console,
            bar,
            stretch: Mutex::default(),
            done: AtomicUsize::new(0),
        }
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// One event per tenth of a stretch: enough to follow, never a flood.
    fn report_tenth(&self, done: usize) {
        let Ok(mut stretch) = self.stretch.lock() else {
            return;
        };
        let tenths = (10 * done).checked_div(stretch.records).unwrap_or(10);
        if tenths > stretch.tenths {
            stretch.tenths = tenths;
            let share = done as f64 / stretch.records as f64;
            self.console.event(&json!({
                "event": "progress", "phase": stretch.name, "share": share.min(1.0),
            }));
        }
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{msg:12} [{bar:40}] {percent}% {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("█▌ ")
}

impl Watch for Follower<'_> {
    fn advance(&self, records: usize) {
        self.bar.inc(records as u64);
        let done = self.done.fetch_add(records, Ordering::Relaxed) + records;
        self.console.published().done(done);
        self.report_tenth(done);
    }

    fn cancelled(&self) -> bool {
        interrupt::asked()
    }
}

impl Progress for Follower<'_> {
    fn phase(&self, name: &str, records: usize) {
        self.bar.set_length(records as u64);
        self.bar.set_position(0);
        self.bar.set_message(name.to_string());
        self.done.store(0, Ordering::Relaxed);
        self.console.published().phase(name, records, "records");
        if let Ok(mut stretch) = self.stretch.lock() {
            *stretch = Stretch {
                name: name.to_string(),
                records,
                tenths: 0,
            };
        }
        self.console
            .event(&json!({"event": "phase", "phase": name, "records": records}));
    }
}
