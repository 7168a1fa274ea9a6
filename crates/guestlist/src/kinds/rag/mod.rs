//! Audits of services that answer from a store of documents: what is asked, of whom, and what is
//! made of the answers.

pub mod audit;
mod config;
mod controls;
mod helper;
mod probing;
mod questions;
mod quoting;
mod recheck;
mod recorded;
pub(crate) mod repeats;

pub use config::{Checked, HelperSettings, ProbeSettings, RetrievalConfig};
pub use helper::Helped;
pub use probing::{Collected, Probing};
pub use questions::{Outlook, StrategyOutlook};
pub use quoting::Quoting;
pub use recorded::{RecordedRequest, is_transcript};
pub mod init;
mod init_controls;
pub use init_controls::controls as init_controls_text;
