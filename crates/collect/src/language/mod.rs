//! What language models make of texts: back-ends that score them, and the files that carry the
//! scores.

mod blob;
mod model;
mod native;
pub mod rows;
mod scored;
pub mod servers;
mod settings;
mod texts;
mod write;

pub use model::{Asked, Model};
pub use scored::Scored;
pub use servers::Watch;
pub use settings::{Label, ModelSettings, ScoringSettings};
pub use texts::{Text, TextSettings};
pub use write::{NextBatch, ScoredText, TokenFormat, write};
