//! Reading answers: what kind they are, whether they say yes, which masks they fill, whom they
//! cite.

mod cited;
mod kind;
mod masks;
mod yes_no;

pub use cited::{is_cited, is_retrieved};
pub use kind::{Kind, kind};
pub use masks::filled;
pub use yes_no::{Said, said};
