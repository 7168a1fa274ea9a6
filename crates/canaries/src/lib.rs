//! Canaries: records made up to be memorable, each mixed into the training data or held out by a fair
//! coin of its own, so that one training run can prove what a model remembers.
//!
//! What is drawn is a folder: the training file, the canaries that are scored, a manifest that seals
//! them, and the truth apart. [`draw_lm`] and [`draw_classifier`] draw; [`check()`] looks for traps that
//! would make canaries invisible in training. [`Manifest::read`] opens what whoever trains and scores may
//! see; [`SealedTruth::open`] opens the coins, and only the judge has reason to call it.
//!
//! Deliberately absent: models, scores, judgement.

pub mod check;
mod coins;
pub mod designs;
mod drawn;
mod folder;
mod lm;
pub mod manifest;
mod mix;
mod records;
mod roster;
mod truth;

pub use self::check::{Check, CheckSettings, Deduplication, check};
pub use self::drawn::{DrawOptions, Drawn};
pub use self::lm::{LmRequest, draw as draw_lm};
pub use self::records::{ClassifierRequest, draw as draw_classifier};
pub use base::{Error, ErrorKind, Result};
pub use manifest::{Kind, Manifest, Role};
pub use roster::{Canary, Secret};
pub use truth::SealedTruth;
