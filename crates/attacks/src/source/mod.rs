//! Where an answer came from: the model's own training, what was retrieved, or neither.
//!
//! SMA ("source-aware membership audit", arXiv:2508.09105) asks a service about many perturbed
//! copies of a text, with retrieval and without, and regresses what the answers are like on which
//! words were kept. The rooms follow the order of the work:
//!
//! - [`input`]: a text cut into key words, the columns of the regression
//! - [`masks`]: which words each copy keeps
//! - [`perturb`]: the copies
//! - [`similarity`], [`response`]: an answer as one number
//! - [`attribution`]: the regression, thresholds and labels, per word and per document
//! - [`attacks`]: the attribution as scores that can be judged
//! - [`recovered`]: words that come back although they were hidden
//! - [`settling`]: when enough has been asked
//! - [`nulls`]: how often labels are wrong where there is nothing to find

pub mod attacks;
pub mod attribution;
pub mod input;
mod label;
mod lookalikes;
pub mod masks;
pub mod nulls;
mod permuted;
pub mod perturb;
mod recovered;
pub mod response;
mod rules;
pub mod settling;
pub mod similarity;

pub use attribution::{Attribution, DocumentCall, Responses, attribute};
pub use input::{Input, KeyWord};
pub use label::Label;
pub use masks::Masks;
pub use perturb::{Perturbation, Perturbed, Vocabulary, perturb};
pub use recovered::{Recovered, recovered};
pub use response::{Reference, Row, Weights, responses};
pub use rules::{MIN_ROWS, Rules, Thresholds};
pub use similarity::{Lexical, Similarity};

#[cfg(test)]
mod tests;
