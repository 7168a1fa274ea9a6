//! The judge: the only room that opens the truth.
//!
//! Scores come in from the attacks, the truth says which records were members, and measures go
//! out, each with its count, its interval and the convention it follows. Nothing here reads a
//! file, prints, or touches a model.

mod abstained;
pub mod attacker;
pub mod calls;
pub mod canaries;
pub mod claim;
pub mod compare;
mod cross_fitted;
pub mod curve;
pub mod diagnostics;
pub mod epsilon;
mod even;
pub mod fewshot;
pub mod gate;
pub mod glossary;
pub mod guardrails;
pub mod histogram;
mod holm;
pub mod lm;
pub mod measure;
pub mod measures;
mod p_value;
pub mod persons;
pub mod policy;
pub mod power;
pub mod rag;
mod ranking;
pub mod records;
pub mod source;
pub mod summary;
mod threshold;
mod truth;
pub mod verdict;

pub use base::Error;
pub use cross_fitted::cross_fitted;
pub use measures::{AttackMeasures, Options, Turned, correct_levels, measure, measure_until};
pub use p_value::p_value;
pub use threshold::Threshold;
pub use truth::Truth;
