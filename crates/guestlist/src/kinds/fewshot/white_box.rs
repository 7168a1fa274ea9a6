//! The audited model itself, as attacks may tune it: one that was trained here, or one that somebody else tunes.

use attacks::fewshot::{Labelled, Lesson, Tuned, WhiteBox};
use base::{Error as AttackError, Result as AttackResult};
use shadows::features::Inside;
use train::FineTuner;

use crate::Error;

/// A model whose weights are at hand.
pub enum AtHand {
    Trained(Box<Inside>),
    /// One that the program tunes which calls us.
    Outside {
        model: Box<dyn WhiteBox + Send>,
        /// What it is, in words.
        about: String,
    },
}

impl AtHand {
    pub fn about(&self) -> &str {
        match self {
            Self::Trained(inside) => &inside.trainer,
            Self::Outside { about, .. } => about,
        }
    }
}

/// A model and its records, ready to be tuned from the same weights again and again.
pub struct Tunable<'a> {
    tuner: FineTuner<'a>,
}

impl<'a> Tunable<'a> {
    pub fn new(inside: &'a Inside) -> Result<Self, Error> {
        let tuner = FineTuner::new(&inside.model, inside.data()?).map_err(|error| {
            Error::usage(
                error.message,
                error.hint.unwrap_or_else(|| "train the model again".into()),
            )
        })?;
        Ok(Self { tuner })
    }
}

impl WhiteBox for Tunable<'_> {
    fn fine_tune(&self, lesson: &Lesson) -> AttackResult<Vec<Tuned>> {
        let sides = |known: &[Labelled]| -> Vec<(u32, bool)> {
            let sides = known.iter().map(|one| (one.row as u32, one.member));
            sides.collect()
        };
        let asked: Vec<u32> = lesson.asked.iter().map(|&row| row as u32).collect();
        let (support, validation) = (sides(lesson.support), sides(lesson.validation));
        let lesson_of_rows = train::Lesson {
            support: &support,
            validation: &validation,
            asked: &asked,
        };
        let tuned = self
            .tuner
            .tune(&lesson_of_rows, lesson.temperatures, lesson.recipe)
            .map_err(|error| {
                let hint = error.hint.unwrap_or_else(|| "leave fes-tt out".into());
                AttackError::setting(format!("fes-tt: {}", error.message), hint)
            })?;
        let answer = |tuned: train::Tuned| Tuned {
            validation: tuned.validation,
            asked: tuned.asked,
        };
        Ok(tuned.into_iter().map(answer).collect())
    }
}
