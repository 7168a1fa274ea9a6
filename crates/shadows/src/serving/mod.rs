//! `command.serve`: programs that are started once per place and take one model after another.
//!
//! A job is a line of JSON on the program's input, an answer a line of JSON on its output. A program
//! that dies loses the models that it has; the next model starts it anew.

mod answer;
mod cause;
mod place;
mod words;
mod worker;

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base::Progress;

pub use self::place::Handed;
use self::place::Place;
use crate::Result;

/// The programs of a run, by place.
pub struct Workers {
    models_at_once: usize,
    timeout: Option<Duration>,
    places: Mutex<BTreeMap<Option<usize>, Arc<Place>>>,
}

impl Workers {
    pub fn new(models_at_once: usize, timeout: Option<Duration>) -> Self {
        Self {
            models_at_once,
            timeout,
            places: Mutex::default(),
        }
    }

    fn place(&self, number: Option<usize>) -> Arc<Place> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let several = self.models_at_once > 1;
        let place = places
            .entry(number)
            .or_insert_with(|| Arc::new(Place::new(number, several, self.timeout)));
        Arc::clone(place)
    }

    /// Somebody will train at a place until they leave it.
    pub fn enter(&self, place: Option<usize>) {
        self.place(place).enter();
    }

    /// The program of a place ends with the last who leave it.
    pub fn leave(&self, place: Option<usize>, progress: Progress<'_>) {
        self.place(place).leave(progress);
    }

    /// Has a model trained at a place. The program is started where it does not run.
    pub fn train(
        &self,
        place: Option<usize>,
        handed: &Handed<'_>,
        command: &dyn Fn() -> Result<Command>,
        progress: Progress<'_>,
    ) -> Result<()> {
        self.place(place).train(handed, command, progress)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        let places = self
            .places
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        places.values().for_each(|place| place.end());
    }
}
