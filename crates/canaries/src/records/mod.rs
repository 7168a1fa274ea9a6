//! Canaries for classifiers: records made of the values that the user's own have.

mod draw;
mod source;

pub use self::draw::{ClassifierRequest, draw};
pub(crate) use self::source::{Made, RecordSource};
