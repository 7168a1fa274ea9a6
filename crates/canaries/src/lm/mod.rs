//! Canaries for language models: texts in the shape of the user's own.

mod corpus;
mod counts;
mod draw;
mod pool;
mod rendered;
mod write;

pub(crate) use self::corpus::{Corpus, Row, Shape};
pub(crate) use self::counts::Counts;
pub use self::draw::{LmRequest, draw};
pub(crate) use self::pool::{Piece, Pool, letters};
pub(crate) use self::rendered::Renderer;
