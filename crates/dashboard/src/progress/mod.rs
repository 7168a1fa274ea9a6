//! How running audits stand: their `progress.json`, and whether what it says is still true.

pub(crate) mod watch;

use std::fs;
use std::path::Path;

use report::progress::{HEARTBEAT_SECONDS, Progress, State};

pub fn read(path: &Path) -> Option<Progress> {
    /// A progress file is small.
    const LARGEST: u64 = 64 << 10;
    let about = fs::symlink_metadata(path).ok()?;
    if !about.is_file() || about.len() > LARGEST {
        return None;
    }
    Progress::from_json(&fs::read_to_string(path).ok()?)
}

/// What is true now: a process that is gone is not running, whatever its file says.
pub fn state_now(progress: &Progress, now: u64, here: Option<&str>) -> State {
    let silent = now.saturating_sub(progress.updated) > 6 * HEARTBEAT_SECONDS;
    let elsewhere = progress.host.is_none() || progress.host.as_deref() != here;
    let gone = !elsewhere && !process_lives(progress.pid);
    match progress.state {
        State::Running if silent || gone => State::Stopped,
        state => state,
    }
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
    use report::progress::{FILE, SCHEMA};

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
        assert_eq!(state_now(&running, 101, Some("here")), State::Running);
        assert_eq!(state_now(&running, 200, Some("here")), State::Stopped);
        let mut gone = progress();
        // Beyond what Linux gives out.
        gone.pid = 1 << 30;
        #[cfg(unix)]
        assert_eq!(state_now(&gone, 101, Some("here")), State::Stopped);
        // On another machine the number means nothing.
        assert_eq!(state_now(&gone, 101, Some("there")), State::Running);
        let mut over = progress();
        over.state = State::Failed;
        assert_eq!(state_now(&over, 200, Some("here")), State::Failed);
    }

    #[test]
    fn damaged_files_are_no_progress() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        fs::write(&path, serde_json::to_string(&progress()).unwrap()).unwrap();
        assert_eq!(read(&path), Some(progress()));
        for text in ["", "{}", "[1]", "{\"schema\":\"other/1\"}"] {
            fs::write(&path, text).unwrap();
            assert_eq!(read(&path), None);
        }
    }
}
