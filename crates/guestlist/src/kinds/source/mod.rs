//! Where a service has its answers from: texts or pictures are perturbed, asked about with retrieval
//! and without, and attributed to pretraining, to retrieval or to neither.
//!
//! `settings.rs` and `config.rs` say what is asked; `captions.rs` turns pictures into texts,
//! `subjects.rs` texts into perturbed inputs; `asking.rs` asks them in rounds and leaves alone what
//! is settled; `outlook.rs` says before what that costs, `spent.rs` afterwards; `attributing.rs`
//! strings them together and hands what was heard to the audit.

mod again;
mod asking;
mod attributing;
pub mod audit;
mod captions;
mod config;
mod embedded;
mod outlook;
mod settings;
mod spent;
mod subjects;

pub use asking::Heard;
pub use attributing::Attributing;
pub use config::{Checked, SourceConfig};
pub use outlook::Outlook;
pub use settings::{ImageSettings, Mode, SimilaritySettings, SourceSettings, fixed};
pub use subjects::Subject;
pub mod init;
