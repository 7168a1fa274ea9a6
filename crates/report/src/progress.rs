//! `progress.json`: how a running audit stands. The command line writes it, the dashboard reads it.

use std::fs;

use serde::{Deserialize, Serialize};

/// The name and major version of the document. Keys may be added within a version.
pub const SCHEMA: &str = "guestlist.progress/1";
/// The file's name in the audit's folder.
pub const FILE: &str = "progress.json";
/// A running audit says at least this often that it is alive.
pub const HEARTBEAT_SECONDS: u64 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Running,
    Finished,
    Interrupted,
    Failed,
    /// Its process is gone and said nothing. Never written; only found out.
    Stopped,
}

impl State {
    pub fn word(self) -> &'static str {
        match self {
            State::Running => "running",
            State::Finished => "finished",
            State::Interrupted => "interrupted",
            State::Failed => "failed",
            State::Stopped => "stopped",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Progress {
    pub schema: String,
    pub state: State,
    /// What is being done, such as `asking`; empty before the first phase.
    pub phase: String,
    /// So many of so many; 0 of 0 where that is not known.
    pub done: u64,
    pub total: u64,
    /// What is counted, such as `answers`.
    pub unit: String,
    /// Per second, in this phase.
    pub rate: Option<f64>,
    pub seconds_left: Option<f64>,
    /// Why it ended, where it ended early.
    pub message: Option<String>,
    /// The machine and the process on it.
    pub host: Option<String>,
    pub pid: u32,
    /// Seconds since 1970.
    pub started: u64,
    pub updated: u64,
}

impl Progress {
    /// Nothing where the text is damaged or of another schema.
    pub fn from_json(text: &str) -> Option<Self> {
        let progress: Self = serde_json::from_str(text).ok()?;
        (progress.schema == SCHEMA).then_some(progress)
    }
}

/// This machine's name, where the system tells it.
pub fn host() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}
