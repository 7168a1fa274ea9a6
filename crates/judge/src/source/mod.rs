//! How well sources were told apart, where the truth is known: three labels against three.

mod chance;
mod confusion;
mod evaluation;
mod published;

pub use chance::{Chance, Shuffled, shuffled};
pub use confusion::{ClassMeasures, Confusion};
pub use evaluation::{Accuracy, Evaluation, MacroF1, evaluate};
pub use published::{Mean, coverage, paper_accuracy};

#[cfg(test)]
mod tests;
