//! What can be audited: a folder for each kind.

pub mod classifier;
pub mod fewshot;
pub mod lm;
pub mod rag;
pub mod scores;
pub mod source;
