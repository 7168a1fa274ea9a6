//! What is seen of long work: a bar on stderr for people, JSON lines for programs, and
//! `progress.json` for the dashboard. All of it is told by one stream of events.

mod models;
mod stretch;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base::{Event, Progress, Sink, Unit};
use guestlist::pipeline::span;
use indicatif::ProgressBar;
use serde_json::{Value, json};

use self::stretch::Stretch;
use super::console::Console;
use super::interrupt;

/// Where no bar can be drawn, a line is written this often.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// Failed questions that are told one by one.
const TOLD: usize = 5;

/// Shows the events of a command.
pub struct Follower<'a> {
    console: &'a Console,
    bar: ProgressBar,
    stretch: Mutex<Option<Stretch>>,
}

impl<'a> Follower<'a> {
    pub fn new(console: &'a Console) -> Self {
        let bar = match console.shows_progress() {
            true => ProgressBar::new(0),
            false => ProgressBar::hidden(),
        };
        Self {
            console,
            bar,
            stretch: Mutex::default(),
        }
    }

    pub fn progress(&self) -> Progress<'_> {
        Progress::new(self, interrupt::cancel())
    }

    /// Whatever was going on is over.
    pub fn finish(&self) {
        self.close(&mut self.stretch());
        self.bar.finish_and_clear();
    }

    fn stretch(&self) -> MutexGuard<'_, Option<Stretch>> {
        self.stretch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, name: &str, total: usize, unit: Unit) {
        let mut stretch = self.stretch();
        self.close(&mut stretch);
        self.bar.set_style(stretch::style(unit));
        self.bar.set_length(total as u64);
        self.bar.set_position(0);
        self.bar.set_message(match unit {
            Unit::Models => String::new(),
            _ => name.to_owned(),
        });
        if unit == Unit::Models {
            self.bar.enable_steady_tick(Duration::from_millis(500));
        } else {
            self.bar.disable_steady_tick();
        }
        let counted = stretch::counted(unit);
        self.console
            .progress_file()
            .phase(name, total, counted.done);
        if let Some(key) = counted.key {
            let mut event = json!({"event": "phase", "phase": name});
            event[key] = json!(total);
            self.console.event(&event);
        }
        *stretch = Some(Stretch::new(name, total, unit));
    }

    /// Says what a stretch did.
    fn close(&self, stretch: &mut Option<Stretch>) {
        if let Some(words) = stretch.take().and_then(|stretch| stretch.summary()) {
            self.say(&words);
        }
    }

    fn found(&self, stored: usize) {
        let mut stretch = self.stretch();
        let Some(stretch) = stretch.as_mut() else {
            return;
        };
        stretch.found += stored;
        self.console.progress_file().found(stretch.found);
        self.bar.set_position(stretch.done() as u64);
        if stretch.unit == Unit::Texts {
            self.console.event(&json!({
                "event": "scored-before", "phase": stretch.name, "texts": stored,
            }));
        }
    }

    fn advance(&self, count: usize, tokens: usize) {
        if let Some(stretch) = self.stretch().as_mut() {
            stretch.counted += count;
            stretch.tokens += tokens;
            self.show(stretch);
        }
    }

    fn fail(&self, message: &str) {
        let mut stretch = self.stretch();
        let Some(stretch) = stretch.as_mut() else {
            return;
        };
        stretch.failed += 1;
        self.show(stretch);
        self.console
            .event(&json!({"event": "failed", "message": report::printable(message)}));
        if stretch.failed <= TOLD {
            self.say(&format!("failed: {message}"));
        }
    }

    fn show(&self, stretch: &mut Stretch) {
        self.console.progress_file().done(stretch.done());
        self.bar.set_position(stretch.done() as u64);
        if let Some(words) = stretch.pace() {
            self.bar.set_message(words);
        }
        if let Some(event) = stretch.next_tenth() {
            self.console.event(&event);
        }
        if self.bar.is_hidden()
            && let Some(line) = stretch.line()
        {
            self.console.note(&line);
        }
    }

    /// A line for people, above the bar.
    fn say(&self, text: &str) {
        self.bar.suspend(|| self.console.note(text));
    }

    fn facts(&self, name: &str, facts: &Value) {
        let mut event = json!({"event": name});
        if let (Some(event), Some(facts)) = (event.as_object_mut(), facts.as_object()) {
            event.extend(facts.clone());
        }
        self.console.event(&event);
    }
}

impl Sink for Follower<'_> {
    fn receive(&self, event: &Event<'_>) {
        match *event {
            Event::Phase { name, total, unit } => self.begin(name, total, unit),
            Event::Found { stored } => self.found(stored),
            Event::Advanced { count, tokens } => self.advance(count, tokens),
            Event::Failed { message } => self.fail(message),
            Event::Waiting { seconds, why } => {
                self.say(&format!("waiting {}: {why}", span(seconds)));
            }
            Event::Over => self.finish(),
            Event::Folder { path, resumable } => {
                self.console.progress_file().begin(path, resumable);
            }
            // A folder made for this audit must be able to go again where it gets no files.
            Event::Writing | Event::Abandoned => self.console.progress_file().withdraw_from_empty(),
            Event::Wrote { path } => self.say(&format!("wrote {}", path.display())),
            Event::Facts { name, facts } => self.facts(name, facts),
            Event::Note { text } => self.say(text),
            Event::Warning { text } => self.bar.suspend(|| self.console.warn(text)),
            Event::ModelStarted { model } => models::started(self, model),
            Event::ModelFinished { model } => models::finished(self, model),
            Event::ModelFailed {
                model,
                error,
                again,
            } => models::failed(self, model, error, again),
            Event::Queued { running, waiting } => models::queued(self, running, waiting),
            _ => {}
        }
    }
}

/// Shows the progress of a piece of work.
pub fn follow<T>(
    console: &Console,
    work: impl FnOnce(Progress<'_>) -> Result<T, base::Error>,
) -> Result<T, base::Error> {
    let follower = Follower::new(console);
    let done = work(follower.progress());
    follower.finish();
    done
}
