//! What language models make of texts: back-ends that score them, and the files that carry the
//! scores.

mod blob;
pub mod rows;
mod scored;
pub mod servers;

pub use scored::Scored;
