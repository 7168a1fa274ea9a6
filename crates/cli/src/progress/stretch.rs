//! One stretch of work: what was done of it, how fast, and how that is said.

use std::time::Instant;

use base::Unit;
use guestlist::pipeline::span;
use indicatif::ProgressStyle;
use serde_json::{Value, json};

use super::LINE_EVERY;

/// How a unit is called.
pub struct Counted {
    /// In events; training has an event of its own.
    pub key: Option<&'static str>,
    /// What is counted, in `progress.json`.
    pub done: &'static str,
}

pub fn counted(unit: Unit) -> Counted {
    let (key, done) = match unit {
        Unit::Records => (Some("records"), "records"),
        Unit::Questions => (Some("questions"), "answers"),
        Unit::Texts => (Some("texts"), "texts"),
        Unit::Models => (None, "models"),
    };
    Counted { key, done }
}

pub fn style(unit: Unit) -> ProgressStyle {
    let template = match unit {
        Unit::Records => "{msg:12} [{bar:40}] {percent}% {eta} left",
        Unit::Questions => "asking       [{bar:40}] {pos}/{len}  {msg}",
        Unit::Texts => "scoring      [{bar:40}] {pos}/{len} texts  {msg}",
        Unit::Models => "training     [{bar:40}] {pos}/{len} models  {msg}",
    };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("█▌ ")
}

pub struct Stretch {
    pub name: String,
    pub total: usize,
    pub unit: Unit,
    /// There before.
    pub found: usize,
    /// Done now, and with so many tokens.
    pub counted: usize,
    pub tokens: usize,
    pub failed: usize,
    /// How many models train and how many wait, where a cluster decides about that.
    pub queue: Option<(usize, usize)>,
    started: Instant,
    last_line: Instant,
    tenths: usize,
}

impl Stretch {
    pub fn new(name: &str, total: usize, unit: Unit) -> Self {
        Self {
            name: name.to_owned(),
            total,
            unit,
            found: 0,
            counted: 0,
            tokens: 0,
            failed: 0,
            queue: None,
            started: Instant::now(),
            last_line: Instant::now(),
            tenths: 0,
        }
    }

    /// Failed questions are done with; failed models are not there.
    pub fn done(&self) -> usize {
        let failed = match self.unit {
            Unit::Questions => self.failed,
            _ => 0,
        };
        self.found + self.counted + failed
    }

    pub fn left(&self) -> usize {
        let settled = self.found + self.counted + self.failed;
        self.total.saturating_sub(settled)
    }

    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    pub fn seconds_left(&self) -> f64 {
        let now = match self.unit {
            Unit::Questions => self.counted + self.failed,
            _ => self.counted,
        };
        self.left() as f64 * self.seconds() / now.max(1) as f64
    }

    fn rate(&self) -> f64 {
        let now = match self.unit {
            Unit::Questions => self.counted + self.failed,
            Unit::Texts => self.tokens,
            _ => self.counted,
        };
        now as f64 / self.seconds()
    }

    /// Speed and time left; a bar of records has its own.
    pub fn pace(&self) -> Option<String> {
        let left = || span(self.seconds_left());
        match self.unit {
            Unit::Records => None,
            Unit::Questions => {
                let failed = match self.failed {
                    0 => String::new(),
                    count => format!(", {count} failed"),
                };
                Some(format!("{:.1}/s{failed}, {} left", self.rate(), left()))
            }
            Unit::Texts => Some(format!(
                "{}  {:.0} tokens/s, {} left",
                self.name,
                self.rate(),
                left()
            )),
            Unit::Models => {
                let queue = self
                    .queue
                    .map(|(running, waiting)| format!("{running} running, {waiting} waiting"));
                let speed = (self.counted > 0)
                    .then(|| format!("{:.1} models/min, {} left", 60.0 * self.rate(), left()));
                let parts: Vec<String> = queue.into_iter().chain(speed).collect();
                Some(parts.join(", "))
            }
        }
    }

    /// One event per tenth: enough to follow, never a flood. Models have events of their own.
    pub fn next_tenth(&mut self) -> Option<Value> {
        let tenths = (10 * self.done()).checked_div(self.total).unwrap_or(10);
        if self.unit == Unit::Models || tenths <= self.tenths {
            return None;
        }
        self.tenths = tenths;
        let (name, done, total) = (&self.name, self.done(), self.total);
        let (rate, left) = (self.rate(), self.seconds_left());
        Some(match self.unit {
            Unit::Records => {
                let share = (done as f64 / total as f64).min(1.0);
                json!({"event": "progress", "phase": name, "share": share})
            }
            Unit::Texts => json!({
                "event": "progress", "phase": name, "texts": done, "of": total,
                "tokens_per_second": rate, "seconds_left": left,
            }),
            _ => json!({
                "event": "progress", "phase": name, "answers": done, "of": total,
                "failed": self.failed, "per_second": rate, "seconds_left": left,
            }),
        })
    }

    /// A line now and then, where there is no bar.
    pub fn line(&mut self) -> Option<String> {
        let words = self.pace()?;
        if self.left() == 0 || self.last_line.elapsed() < LINE_EVERY {
            return None;
        }
        self.last_line = Instant::now();
        let (done, total) = (self.done(), self.total);
        Some(match self.unit {
            Unit::Models => format!("{done} of {total} models, {words}"),
            Unit::Texts => format!("{done} of {total} texts, {words}"),
            _ => format!("{}: {done} of {total}, {words}", self.name),
        })
    }

    /// What it did, where that is worth a line.
    pub fn summary(&self) -> Option<String> {
        let (name, seconds) = (&self.name, self.seconds());
        let done_now = self.counted + self.failed;
        match self.unit {
            Unit::Records => None,
            Unit::Questions if done_now > 0 => Some(format!(
                "{name}: {} answers in {} ({:.1}/s), {} from earlier, {} failed",
                self.counted,
                span(seconds),
                self.counted as f64 / seconds,
                self.found,
                self.failed
            )),
            Unit::Questions if self.found > 0 => Some(format!(
                "{name}: all {} answers are from earlier",
                self.found
            )),
            Unit::Texts if self.counted > 0 => Some(format!(
                "{name}: scored {} texts{}, {} tokens in {} ({:.0} tokens/s)",
                self.counted,
                match self.found {
                    0 => String::new(),
                    found => format!(" ({found} were scored before)"),
                },
                self.tokens,
                span(seconds),
                self.tokens as f64 / seconds
            )),
            Unit::Texts if self.found > 0 => Some(format!(
                "{name}: all {} texts were scored before",
                self.found
            )),
            Unit::Models if self.counted > 0 => Some(format!(
                "trained {} {} in {} ({:.1} per minute)",
                self.counted,
                if self.counted == 1 { "model" } else { "models" },
                span(seconds),
                60.0 * self.counted as f64 / seconds
            )),
            _ => None,
        }
    }
}
