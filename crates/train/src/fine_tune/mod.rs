//! Fine-tuning a whole model under a two-way head, by a few labelled records and some unlabelled
//! ones: the model's outputs before softmax → relu → two sides (`stats::head`). The weights of
//! head and model all move; both have Adam with the same recipe.

mod body;

use stats::head::{Body, Recipe, Set, tune};

use crate::check::check_widths;
use crate::dataset::Dataset;
use crate::model::Model;
use crate::parameters::flatten;
use base::Result;
pub(crate) use body::Tunable;

/// What a model is tuned on: rows of the data set, some with the side they belong to.
#[derive(Clone, Copy, Debug)]
pub struct Lesson<'a> {
    pub support: &'a [(u32, bool)],
    /// For early stopping only; may be empty.
    pub validation: &'a [(u32, bool)],
    /// Their entropy is lowered; nothing else is known of them.
    pub asked: &'a [u32],
}

/// The probability of the positive side after tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    pub validation: Vec<f64>,
    pub asked: Vec<f64>,
}

/// A model that can be tuned again and again, always from the same weights.
pub struct FineTuner<'a> {
    model: &'a Model,
    data: Dataset<'a>,
    parameters: Vec<f32>,
    body_learning_rate: Option<f64>,
}

impl<'a> FineTuner<'a> {
    pub fn new(model: &'a Model, data: Dataset<'a>) -> Result<Self> {
        check_widths(model.network(), &data)?;
        Ok(Self {
            model,
            data,
            parameters: flatten(model),
            body_learning_rate: None,
        })
    }

    /// With another learning rate for the model than the recipe's; at 0 only the head learns.
    pub fn with_body_learning_rate(self, rate: f64) -> Self {
        Self {
            body_learning_rate: Some(rate),
            ..self
        }
    }

    /// One tuning for each temperature of the entropy.
    pub fn tune(
        &self,
        lesson: &Lesson,
        temperatures: &[f64],
        recipe: &Recipe,
    ) -> Result<Vec<Tuned>> {
        let (support, validation) = (apart(lesson.support), apart(lesson.validation));
        let rows = [&support.0[..], &validation.0, lesson.asked];
        self.check(rows, &support.1)?;
        let rate = self.body_learning_rate.unwrap_or(recipe.learning_rate);
        let mut body = Tunable::new(self.model.network(), self.data, rows, recipe, rate);
        let mut at = |&temperature: &f64| {
            body.start_from(&self.parameters);
            let head = tune(&mut body, &support.1, &validation.1, temperature, recipe);
            let mut score = |set| head.probabilities(body.outputs(set));
            let tuned = Tuned {
                validation: score(Set::Validation),
                asked: score(Set::Asked),
            };
            finite(tuned, recipe.epochs)
        };
        temperatures.iter().map(&mut at).collect()
    }

    fn check(&self, sets: [&[u32]; 3], sides: &[bool]) -> Result<()> {
        for rows in sets {
            self.data.check_rows(rows)?;
        }
        if sides.contains(&true) && sides.contains(&false) {
            return Ok(());
        }
        Err(crate::refused::data(
            format!("{} records to tune on are of one side", sides.len()),
            "give at least one record of each",
        ))
    }
}

fn apart(labelled: &[(u32, bool)]) -> (Vec<u32>, Vec<bool>) {
    labelled.iter().copied().unzip()
}

fn finite(tuned: Tuned, epochs: u32) -> Result<Tuned> {
    let all = tuned.validation.iter().chain(&tuned.asked);
    if all.clone().any(|value| !value.is_finite()) {
        return Err(crate::refused::diverged(epochs));
    }
    Ok(tuned)
}
