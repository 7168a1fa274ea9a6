//! Progress of training: models per minute and time left.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::console::Console;
use super::time::span;

/// Where no bar can be drawn, a line is written this often.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Follows the models of one run.
pub struct Trainees<'a> {
    console: &'a Console,
    bar: ProgressBar,
    models: usize,
    to_train: usize,
    started: Instant,
    count: Mutex<Count>,
}

struct Count {
    done: usize,
    failed: usize,
    /// How many train and how many wait, where a cluster decides about that.
    queue: Option<(usize, usize)>,
    /// Models per minute and time left, once a model is finished.
    speed: Option<String>,
    last_line: Instant,
}

impl Count {
    fn words(&self) -> String {
        let queue = self
            .queue
            .map(|(running, waiting)| format!("{running} running, {waiting} waiting"));
        let parts = queue.into_iter().chain(self.speed.clone());
        parts.collect::<Vec<_>>().join(", ")
    }
}

impl<'a> Trainees<'a> {
    pub fn new(console: &'a Console, models: usize, to_train: usize) -> Self {
        let bar = match console.shows_progress() {
            true => ProgressBar::new(models as u64).with_style(style()),
            false => ProgressBar::hidden(),
        };
        bar.set_position((models - to_train) as u64);
        console.published().phase("training", models, "models");
        console.published().found(models - to_train);
        bar.enable_steady_tick(Duration::from_millis(500));
        Self {
            console,
            bar,
            models,
            to_train,
            started: Instant::now(),
            count: Mutex::new(Count {
                done: 0,
                failed: 0,
                queue: None,
                speed: None,
                last_line: Instant::now(),
            }),
        }
    }

    pub fn begin(&self, trainer: &str, place: &str) {
        self.console.event(&json!({
            "event": "training", "models": self.models, "to_train": self.to_train,
            "trainer": trainer,
        }));
        self.say(&format!(
            "training {} of {} models {place}: {trainer}",
            self.to_train, self.models
        ));
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
        let done = self.done();
        if done > 0 {
            let seconds = self.started.elapsed().as_secs_f64();
            self.console.note(&format!(
                "trained {done} {} in {} ({:.1} per minute)",
                if done == 1 { "model" } else { "models" },
                span(seconds),
                60.0 * done as f64 / seconds
            ));
        }
    }

    /// Models trained since the start.
    pub fn done(&self) -> usize {
        self.count.lock().map_or(0, |count| count.done)
    }

    pub fn start(&self, model: usize) {
        self.console
            .event(&json!({"event": "model", "model": model, "state": "started"}));
    }

    pub fn end(&self, model: usize) {
        let Ok(mut count) = self.count.lock() else {
            return;
        };
        count.done += 1;
        let seconds = self.started.elapsed().as_secs_f64();
        let left = self.to_train - (count.done + count.failed).min(self.to_train);
        let per_minute = 60.0 * count.done as f64 / seconds;
        let time_left = left as f64 * seconds / count.done as f64;
        self.console.event(&json!({
            "event": "model", "model": model, "state": "done",
            "done": self.models - self.to_train + count.done, "of": self.models,
            "models_per_minute": per_minute, "seconds_left": time_left,
        }));
        self.console
            .published()
            .done(self.models - self.to_train + count.done);
        self.bar.inc(1);
        count.speed = Some(format!(
            "{per_minute:.1} models/min, {} left",
            span(time_left)
        ));
        self.show(&mut count);
    }

    /// How a cluster's queue stands.
    pub fn queue(&self, running: usize, waiting: usize) {
        let Ok(mut count) = self.count.lock() else {
            return;
        };
        let now = Some((running, waiting));
        if std::mem::replace(&mut count.queue, now) != now {
            self.console
                .event(&json!({"event": "queue", "running": running, "waiting": waiting}));
            self.show(&mut count);
        }
    }

    /// In the bar; where there is none, in a line now and then.
    fn show(&self, count: &mut Count) {
        let words = count.words();
        self.bar.set_message(words.clone());
        let left = self.to_train > count.done + count.failed;
        if self.bar.is_hidden() && left && count.last_line.elapsed() >= LINE_EVERY {
            count.last_line = Instant::now();
            let done = self.models - self.to_train + count.done;
            self.console
                .note(&format!("{done} of {} models, {words}", self.models));
        }
    }

    pub fn fail(&self, model: usize, error: &str, again: bool) {
        if let Ok(mut count) = self.count.lock()
            && !again
        {
            count.failed += 1;
        }
        let then = if again { "trying again" } else { "given up" };
        self.console.event(&json!({
            "event": "model", "model": model, "state": "failed", "error": error, "again": again,
        }));
        self.say(&format!("model {model} failed, {then}: {error}"));
    }

    pub fn say(&self, words: &str) {
        self.bar.suspend(|| self.console.note(words));
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("training     [{bar:40}] {pos}/{len} models  {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("█▌ ")
}
