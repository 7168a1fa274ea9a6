//! Progress of scoring: texts, tokens per second and time left.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use guestlist::kinds::lm::ScoringProgress;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use texts::Watch;

use super::console::Console;
use super::interrupt;
use super::time::span;

/// Where no bar can be drawn, a line is written this often.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Follows the passes of one run.
pub struct Scorer<'a> {
    console: &'a Console,
    bar: ProgressBar,
    pass: Mutex<Pass>,
}

struct Pass {
    name: String,
    texts: usize,
    /// Of this pass: found in the store, scored now, with so many tokens.
    found: usize,
    scored: usize,
    tokens: usize,
    started: Instant,
    last_line: Instant,
    tenths: usize,
    /// Over all passes.
    kept: usize,
}

impl<'a> Scorer<'a> {
    pub fn new(console: &'a Console) -> Self {
        let bar = match console.shows_progress() {
            true => ProgressBar::new(0).with_style(style()),
            false => ProgressBar::hidden(),
        };
        Self {
            console,
            bar,
            pass: Mutex::new(Pass {
                name: String::new(),
                texts: 0,
                found: 0,
                scored: 0,
                tokens: 0,
                started: Instant::now(),
                last_line: Instant::now(),
                tenths: 0,
                kept: 0,
            }),
        }
    }

    pub fn finish(&self) {
        self.close_pass();
        self.bar.finish_and_clear();
    }

    /// Scored texts that are in the store, as far as was seen.
    pub fn kept(&self) -> usize {
        self.pass
            .lock()
            .map_or(0, |pass| pass.kept + pass.found + pass.scored)
    }

    /// Says what a pass did.
    fn close_pass(&self) {
        let Ok(mut pass) = self.pass.lock() else {
            return;
        };
        let seconds = pass.started.elapsed().as_secs_f64();
        if pass.scored > 0 {
            let stored = match pass.found {
                0 => String::new(),
                found => format!(" ({found} were scored before)"),
            };
            let words = format!(
                "{}: scored {} texts{stored}, {} tokens in {} ({:.0} tokens/s)",
                pass.name,
                pass.scored,
                pass.tokens,
                span(seconds),
                pass.tokens as f64 / seconds
            );
            self.bar.suspend(|| self.console.note(&words));
        } else if pass.found > 0 {
            let words = format!("{}: all {} texts were scored before", pass.name, pass.found);
            self.bar.suspend(|| self.console.note(&words));
        }
        pass.kept += pass.found + pass.scored;
        (pass.found, pass.scored, pass.tokens) = (0, 0, 0);
    }

    fn show(&self, pass: &mut Pass) {
        let seconds = pass.started.elapsed().as_secs_f64();
        let done = pass.found + pass.scored;
        let left = pass.texts.saturating_sub(done);
        let rate = pass.tokens as f64 / seconds;
        let time_left = left as f64 * seconds / pass.scored.max(1) as f64;
        let words = format!("{rate:.0} tokens/s, {} left", span(time_left));
        self.console.published().done(done);
        self.bar.set_position(done as u64);
        self.bar.set_message(format!("{}  {words}", pass.name));
        let tenths = (10 * done).checked_div(pass.texts).unwrap_or(10);
        if tenths > pass.tenths {
            pass.tenths = tenths;
            self.console.event(&json!({
                "event": "progress", "phase": pass.name, "texts": done, "of": pass.texts,
                "tokens_per_second": rate, "seconds_left": time_left,
            }));
        }
        if self.bar.is_hidden() && left > 0 && pass.last_line.elapsed() >= LINE_EVERY {
            pass.last_line = Instant::now();
            let name = &pass.name;
            let of = pass.texts;
            self.console
                .note(&format!("{name}: {done} of {of} texts, {words}"));
        }
    }
}

impl Watch for Scorer<'_> {
    fn stopped(&self) -> bool {
        interrupt::asked()
    }

    fn found(&self, stored: usize, _asked: usize) {
        if let Ok(mut pass) = self.pass.lock() {
            pass.found += stored;
            self.console.published().found(pass.found);
            self.console.event(&json!({
                "event": "scored-before", "phase": pass.name, "texts": stored,
            }));
            self.bar.set_position((pass.found + pass.scored) as u64);
        }
    }

    fn scored(&self, texts: usize, tokens: usize) {
        if let Ok(mut pass) = self.pass.lock() {
            pass.scored += texts;
            pass.tokens += tokens;
            self.show(&mut pass);
        }
    }

    fn waiting(&self, seconds: f64, why: &str) {
        self.said(&format!("waiting {}: {why}", span(seconds)));
    }
}

impl ScoringProgress for Scorer<'_> {
    fn pass(&self, name: &str, texts: usize) {
        self.close_pass();
        if let Ok(mut pass) = self.pass.lock() {
            pass.name = name.to_owned();
            pass.texts = texts;
            pass.started = Instant::now();
            pass.tenths = 0;
        }
        self.console.published().phase(name, texts, "texts");
        self.bar.set_length(texts as u64);
        self.bar.set_position(0);
        self.bar.set_message(name.to_owned());
        self.console
            .event(&json!({"event": "phase", "phase": name, "texts": texts}));
    }

    fn said(&self, words: &str) {
        self.bar.suspend(|| self.console.note(words));
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("scoring      [{bar:40}] {pos}/{len} texts  {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("█▌ ")
}
