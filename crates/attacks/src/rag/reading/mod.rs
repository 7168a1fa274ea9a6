//! Reading answers: what kind they are, whether they say yes, hold a fact or are like another, which
//! masks they fill, whom they cite.

mod cited;
mod evasive;
mod fact;
mod kind;
mod masks;
mod yes_no;

pub use cited::{Identity, is_cited, is_retrieved};
pub use fact::holds;
pub use kind::{Kind, kind, withheld};
pub use masks::filled;
pub use yes_no::{YesOrNo, said};
