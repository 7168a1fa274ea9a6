//! Progress of asking: answers, failures, answers per second and time left.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use asking::rag::Watch;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::console::Console;
use super::interrupt;
use super::time::span;

/// Where no bar can be drawn, a line is written this often.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// Failures that are told one by one.
const TOLD: usize = 5;

/// Follows the questions of one run.
pub struct Asker<'a> {
    console: &'a Console,
    bar: ProgressBar,
    state: Mutex<State>,
}

struct State {
    phase: String,
    all: usize,
    found: usize,
    answered: usize,
    failed: usize,
    started: Instant,
    last_line: Instant,
    tenths: usize,
    /// Over all phases.
    kept: usize,
}

impl<'a> Asker<'a> {
    pub fn new(console: &'a Console) -> Self {
        let bar = match console.shows_progress() {
            true => ProgressBar::new(0).with_style(style()),
            false => ProgressBar::hidden(),
        };
        Self {
            console,
            bar,
            state: Mutex::new(State {
                phase: String::new(),
                all: 0,
                found: 0,
                answered: 0,
                failed: 0,
                started: Instant::now(),
                last_line: Instant::now(),
                tenths: 0,
                kept: 0,
            }),
        }
    }

    /// A new stretch of questions begins.
    pub fn phase(&self, name: &str, questions: usize) {
        self.close();
        if let Ok(mut state) = self.state.lock() {
            state.phase = name.to_owned();
            state.all = questions;
            state.started = Instant::now();
            state.tenths = 0;
        }
        self.console.published().phase(name, questions, "answers");
        self.bar.set_length(questions as u64);
        self.bar.set_position(0);
        self.bar.set_message(name.to_owned());
        self.console
            .event(&json!({"event": "phase", "phase": name, "questions": questions}));
    }

    pub fn finish(&self) {
        self.close();
        self.bar.finish_and_clear();
    }

    /// Answers that are in the store, as far as was seen.
    pub fn kept(&self) -> usize {
        self.state
            .lock()
            .map_or(0, |state| state.kept + state.found + state.answered)
    }

    /// Says what a stretch did.
    fn close(&self) {
        let Ok(mut state) = self.state.lock() else {
            return;
        };
        if state.answered + state.failed > 0 {
            let seconds = state.started.elapsed().as_secs_f64();
            let words = format!(
                "{}: {} answers in {} ({:.1}/s), {} from earlier, {} failed",
                state.phase,
                state.answered,
                span(seconds),
                state.answered as f64 / seconds,
                state.found,
                state.failed
            );
            self.bar.suspend(|| self.console.note(&words));
        } else if state.found > 0 {
            let words = format!(
                "{}: all {} answers are from earlier",
                state.phase, state.found
            );
            self.bar.suspend(|| self.console.note(&words));
        }
        state.kept += state.found + state.answered;
        (state.found, state.answered, state.failed) = (0, 0, 0);
    }

    fn show(&self, state: &mut State) {
        let seconds = state.started.elapsed().as_secs_f64();
        let done = state.found + state.answered + state.failed;
        let left = state.all.saturating_sub(done);
        let now = state.answered + state.failed;
        let rate = now as f64 / seconds;
        let time_left = left as f64 * seconds / now.max(1) as f64;
        let failed = match state.failed {
            0 => String::new(),
            count => format!(", {count} failed"),
        };
        let words = format!("{rate:.1}/s{failed}, {} left", span(time_left));
        self.console.published().done(done);
        self.bar.set_position(done as u64);
        self.bar.set_message(words.clone());
        let tenths = (10 * done).checked_div(state.all).unwrap_or(10);
        if tenths > state.tenths {
            state.tenths = tenths;
            self.console.event(&json!({
                "event": "progress", "phase": state.phase, "answers": done, "of": state.all,
                "failed": state.failed, "per_second": rate, "seconds_left": time_left,
            }));
        }
        if self.bar.is_hidden() && left > 0 && state.last_line.elapsed() >= LINE_EVERY {
            state.last_line = Instant::now();
            let (phase, all) = (&state.phase, state.all);
            self.console
                .note(&format!("{phase}: {done} of {all}, {words}"));
        }
    }
}

impl Watch for Asker<'_> {
    fn stopped(&self) -> bool {
        interrupt::asked()
    }

    fn found(&self, stored: usize, _to_ask: usize) {
        if let Ok(mut state) = self.state.lock() {
            state.found += stored;
            self.console.published().found(state.found);
            self.bar.set_position((state.found + state.answered) as u64);
        }
    }

    fn answered(&self, _seconds: f64) {
        if let Ok(mut state) = self.state.lock() {
            state.answered += 1;
            self.show(&mut state);
        }
    }

    fn failed(&self, message: &str) {
        if let Ok(mut state) = self.state.lock() {
            state.failed += 1;
            let count = state.failed;
            self.show(&mut state);
            drop(state);
            self.console
                .event(&json!({"event": "failed", "message": report::printable(message)}));
            if count <= TOLD {
                self.bar
                    .suspend(|| self.console.note(&format!("failed: {message}")));
            }
        }
    }

    fn waiting(&self, seconds: f64, why: &str) {
        let words = format!("waiting {}: {why}", span(seconds));
        self.bar.suspend(|| self.console.note(&words));
    }
}

impl texts::Watch for Asker<'_> {
    fn stopped(&self) -> bool {
        interrupt::asked()
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("asking       [{bar:40}] {pos}/{len}  {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("█▌ ")
}
