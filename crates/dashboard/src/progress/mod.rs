//! `progress.json`: how a running audit stands. The command line writes it, the dashboard reads it.

pub(crate) mod watch;

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The name and major version of the document. Keys may be added within a version.
pub const SCHEMA: &str = "guestlist.progress/1";
/// The file's name in the audit's folder.
pub const FILE: &str = "progress.json";
/// A running audit says at least this often that it is alive.
pub const HEARTBEAT_SECONDS: u64 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    pub fn read(path: &Path) -> Option<Self> {
        /// A progress file is small.
        const LARGEST: u64 = 64 << 10;
        let about = fs::symlink_metadata(path).ok()?;
        if !about.is_file() || about.len() > LARGEST {
            return None;
        }
        let progress: Self = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
        (progress.schema == SCHEMA).then_some(progress)
    }

    /// What is true now: a process that is gone is not running, whatever its file says.
    pub fn state_now(&self, now: u64, here: Option<&str>) -> State {
        let silent = now.saturating_sub(self.updated) > 6 * HEARTBEAT_SECONDS;
        let elsewhere = self.host.is_none() || self.host.as_deref() != here;
        let gone = !elsewhere && !process_lives(self.pid);
        match self.state {
            State::Running if silent || gone => State::Stopped,
            state => state,
        }
    }
}

/// This machine's name, where the system tells it.
pub fn host() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Whether there is such a process; where that cannot be told, its heartbeat decides.
#[cfg(unix)]
fn process_lives(pid: u32) -> bool {
    use nix::errno::Errno;
    let Ok(pid) = i32::try_from(pid) else {
        return false;
    };
    // Signal 0 is none: only whether it could be sent is told.
    let asked = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), None);
    pid > 0 && asked != Err(Errno::ESRCH)
}

#[cfg(not(unix))]
fn process_lives(_pid: u32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress() -> Progress {
        Progress {
            schema: SCHEMA.into(),
            state: State::Running,
            phase: "asking".into(),
            done: 3,
            total: 10,
            unit: "answers".into(),
            rate: Some(1.5),
            seconds_left: Some(4.7),
            message: None,
            host: Some("here".into()),
            pid: std::process::id(),
            started: 100,
            updated: 100,
        }
    }

    #[test]
    fn a_process_that_is_gone_or_silent_does_not_run() {
        let running = progress();
        assert_eq!(running.state_now(101, Some("here")), State::Running);
        assert_eq!(running.state_now(200, Some("here")), State::Stopped);
        let mut gone = progress();
        // Beyond what Linux gives out.
        gone.pid = 1 << 30;
        #[cfg(unix)]
        assert_eq!(gone.state_now(101, Some("here")), State::Stopped);
        // On another machine the number means nothing.
        assert_eq!(gone.state_now(101, Some("there")), State::Running);
        let mut over = progress();
        over.state = State::Failed;
        assert_eq!(over.state_now(200, Some("here")), State::Failed);
    }

    #[test]
    fn damaged_files_are_no_progress() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        fs::write(&path, serde_json::to_string(&progress()).unwrap()).unwrap();
        assert_eq!(Progress::read(&path), Some(progress()));
        for text in ["", "{}", "[1]", "{\"schema\":\"other/1\"}"] {
            fs::write(&path, text).unwrap();
            assert_eq!(Progress::read(&path), None);
        }
    }
}
