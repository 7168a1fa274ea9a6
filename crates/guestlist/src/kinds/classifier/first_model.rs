//! How long a program of the user's takes is not known before its first model is there; then it is told.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use base::{Event, Progress, Sink};

use crate::pipeline::span;

/// Tells what the first model's time says of the others, and passes everything on.
pub struct FirstModel<'a> {
    listeners: Progress<'a>,
    models: usize,
    /// Models that are trained at once; absent where somebody else decides.
    at_once: Option<usize>,
    /// When each was started; nothing once it was told.
    started: Mutex<Option<BTreeMap<usize, Instant>>>,
}

impl<'a> FirstModel<'a> {
    pub fn new(listeners: Progress<'a>, models: usize, at_once: Option<usize>) -> Self {
        Self {
            listeners,
            models,
            at_once,
            started: Mutex::new(Some(BTreeMap::new())),
        }
    }

    pub fn progress(&self) -> Progress<'_> {
        Progress::new(self, self.listeners.cancel())
    }

    fn start(&self, model: usize) {
        if let Ok(mut started) = self.started.lock()
            && let Some(started) = started.as_mut()
        {
            started.insert(model, Instant::now());
        }
    }

    /// What the first model took; nothing for the others.
    fn first(&self, model: usize) -> Option<Duration> {
        let started = self.started.lock().ok()?.take()?;
        Some(started.get(&model)?.elapsed())
    }
}

impl Sink for FirstModel<'_> {
    fn receive(&self, event: &Event<'_>) {
        self.listeners.tell(*event);
        match event {
            Event::ModelStarted { model } => self.start(*model),
            // What an earlier attempt took is no part of it.
            Event::ModelFailed { model, again, .. } if *again => self.start(*model),
            Event::ModelFinished { model } if self.models > 1 => {
                if let Some(took) = self.first(*model) {
                    let words = outlook(took, self.models, self.at_once);
                    self.listeners.note(&words);
                }
            }
            _ => {}
        }
    }
}

fn outlook(first: Duration, models: usize, at_once: Option<usize>) -> String {
    let seconds = first.as_secs_f64();
    let took = format!("the first model took {}", span(seconds));
    match at_once {
        Some(at_once) => {
            let at_once = at_once.clamp(1, models);
            let all = span(seconds * models.div_ceil(at_once) as f64);
            format!("{took}: about {all} for all {models}, {at_once} at once")
        }
        None => took,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Said(Mutex<Vec<String>>);

    impl Sink for Said {
        fn receive(&self, event: &Event<'_>) {
            if let Event::Note { text } = event {
                self.0.lock().unwrap().push((*text).to_owned());
            }
        }
    }

    #[test]
    fn the_first_finished_model_is_told_of_once() {
        let (said, cancel) = (Said::default(), base::Cancel::new());
        let first = FirstModel::new(Progress::new(&said, &cancel), 65, Some(2));
        let progress = first.progress();
        for model in 0..2 {
            progress.tell(Event::ModelStarted { model });
        }
        for model in [1, 0] {
            progress.tell(Event::ModelFinished { model });
        }
        let said = said.0.into_inner().unwrap();
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("the first model took "), "{said:?}");
        assert!(said[0].ends_with("for all 65, 2 at once"), "{said:?}");
    }

    #[test]
    fn the_others_take_as_long() {
        let first = Duration::from_secs(90);
        let wanted = "the first model took 1 min 30 s: about 33 min 0 s for all 64, 3 at once";
        assert_eq!(outlook(first, 64, Some(3)), wanted);
        assert!(outlook(first, 2, Some(8)).ends_with("about 1 min 30 s for all 2, 2 at once"));
        assert_eq!(outlook(first, 64, None), "the first model took 1 min 30 s");
    }
}
