//! A two-way linear head on top of something that gives numbers, tuned by a few steps.
//!
//! Transductive fine-tuning (Dhillon et al. 2020, "A baseline for few-shot image classification",
//! equations 6 to 8): the head reads relu(z) of a body's outputs z, starts from the normalised
//! class means of a labelled support set, and is tuned by one step of cross-entropy on the support
//! and one step that lowers the entropy of unlabelled records, epoch after epoch. The body may
//! learn with it, or only repeat constants ([`Constant`]).

mod adam;
mod loss;
mod tune;

pub use adam::{Adam, AdamForm, BETA1, BETA2};
pub use tune::{Head, tune};

/// The three sets of records that a tuning looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// Labelled, learned from.
    Support,
    /// Labelled, for early stopping.
    Validation,
    /// Unlabelled.
    Asked,
}

/// What the head stands on.
pub trait Body {
    /// How many numbers a record gives.
    fn width(&self) -> usize;

    /// The numbers of a set's records, row by row.
    fn outputs(&mut self, set: Set) -> &[f64];

    /// Learns from the derivative of the loss by the outputs given last. Called once per step,
    /// after `outputs` of the same set.
    fn learn(&mut self, derivative: &[f64]);
}

/// A body that does not learn.
pub struct Constant {
    pub width: usize,
    pub support: Vec<f64>,
    pub validation: Vec<f64>,
    pub asked: Vec<f64>,
}

impl Body for Constant {
    fn width(&self) -> usize {
        self.width
    }

    fn outputs(&mut self, set: Set) -> &[f64] {
        match set {
            Set::Support => &self.support,
            Set::Validation => &self.validation,
            Set::Asked => &self.asked,
        }
    }

    fn learn(&mut self, _: &[f64]) {}
}

/// How a head is tuned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    pub learning_rate: f64,
    pub epochs: u32,
    /// Stop after so many epochs without a better validation loss; the last weights stay.
    pub patience: u32,
    /// Hold the head's inputs to length 1.
    pub unit_length: bool,
    pub epsilon: f64,
    pub form: AdamForm,
}

impl Recipe {
    /// As FeS-MIA's published code: inputs as they are, Keras's Adam.
    pub const PUBLISHED: Recipe = Recipe {
        learning_rate: 5e-5,
        epochs: 30,
        patience: 2,
        unit_length: false,
        epsilon: 1e-7,
        form: AdamForm::Keras,
    };

    /// As Dhillon et al.: inputs of length 1, PyTorch's Adam.
    pub const DHILLON: Recipe = Recipe {
        unit_length: true,
        epsilon: 1e-8,
        form: AdamForm::Torch,
        ..Recipe::PUBLISHED
    };
}

#[cfg(test)]
mod tests;
