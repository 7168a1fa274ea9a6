//! The training room: shadow models (multi-layer perceptrons) on the CPU, one model per thread.
//!
//! A model is a function of network, recipe, records and its own seed. Nothing else enters: not
//! the number of threads, not the models beside it. Weights and activations are f32, losses are
//! summed in f64 in a fixed order, and random draws come from named streams of the model's seed.
//! The caller runs many models at once, over one borrowed [`Dataset`]. Another kind of processor,
//! with other vectors or caches, may sum matrix products in another order and round otherwise.
//!
//! Deliberately absent: files, clocks, threads, progress bars, and any knowledge of attacks.

mod activation;
mod batches;
mod check;
mod dataset;
mod elementwise;
mod fine_tune;
mod function;
mod held_out;
mod hidden;
mod loss;
mod matmul;
mod model;
mod network;
mod optimiser;
mod parameters;
mod pass;
pub mod privacy;
mod recipe;
mod refused;
mod schedule;
mod step;
mod training;

#[cfg(test)]
mod tests;

pub use base::{Error, ErrorKind, Result};
pub use check::check;
pub use dataset::Dataset;
pub use fine_tune::{FineTuner, Lesson, Tuned};
pub use hidden::penultimate;
pub use model::{Model, logits};
pub use network::{Activation, Network};
pub use recipe::{ClassWeights, EarlyStop, Noise, Optimiser, Privacy, Recipe, Schedule};
pub use training::{Epoch, Measure, Trained, train};
