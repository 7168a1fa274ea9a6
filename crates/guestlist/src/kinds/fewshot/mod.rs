//! Few-shot audits: features of records, from a file or from a model that was trained here, and
//! an attacker who knows the membership of a handful of them.

pub mod audit;
mod config;
mod settings;
mod subject;
mod white_box;

pub use config::{Checked, FeatureSettings, FewShotConfig};
pub use settings::{EpisodeSettings, ThresholdName};
pub use subject::Subject;
pub use white_box::Tunable;
pub mod init;
