//! All models of a run have as many augmentations, or they could not be audited together.

use super::super::store::State;
use super::super::trainer::Output;
use super::Run;
use crate::{Error, ErrorKind, Result};

impl Run<'_> {
    /// Finished models that have another number of augmentations than the first finished one.
    pub(super) fn odd(&self, states: &[State]) -> Vec<(usize, String)> {
        let finished = (0..states.len()).filter(|&model| states[model] == State::Done);
        let mut counts =
            finished.filter_map(|model| Some((model, self.store.augmentations(model)?)));
        let Some((first, wanted)) = counts.next() else {
            return Vec::new();
        };
        counts
            .filter(|(_, count)| *count != wanted)
            .map(|(model, count)| {
                let why = format!(
                    "it has {} per record, model {first} has {wanted}",
                    augmentations(count)
                );
                (model, why)
            })
            .collect()
    }

    /// Refuses a model that could not be audited together with those that are finished.
    pub(super) fn check_augmentations(&self, model: usize, output: &Output) -> Result<()> {
        let Ok(mut example) = self.example.lock() else {
            return Ok(());
        };
        let found = || {
            let finished = (0..self.models()).find(|&model| self.state(model) == State::Done)?;
            Some((finished, self.store.augmentations(finished)?))
        };
        let (other, wanted) =
            *example.get_or_insert_with(|| found().unwrap_or((model, output.augmentations)));
        if output.augmentations == wanted {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Training,
            format!(
                "the output has {} per record, that of model {other} has {wanted}",
                augmentations(output.augmentations)
            ),
        )
        .hint(format!(
            "write as many for every model; if model {other} is the wrong one, remove {} and run \
             again",
            self.store.model(other).display()
        )))
    }
}

fn augmentations(count: usize) -> String {
    match count {
        1 => "1 augmentation".into(),
        _ => format!("{count} augmentations"),
    }
}
