//! Running a program that may fail, hang or be unwanted halfway.

use base::{Guarded, Progress};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::{Error, ErrorKind, Result};

/// How often the program is looked after.
pub const PATIENCE: Duration = Duration::from_millis(20);
/// How much of a log's end is shown.
const TAIL_BYTES: u64 = 4096;
const TAIL_LINES: usize = 15;

/// How a program ended.
pub enum Ending {
    Exited(ExitStatus),
    /// It was ended because its time was up.
    TimedOut,
    /// It was ended because somebody asked to stop.
    Stopped,
}

/// A time in seconds that a clock can count to; nothing for one of no length.
pub fn seconds(seconds: f64) -> Option<Duration> {
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    (seconds > 0.0).then_some(time)
}

/// Runs a program to its end, its words going to the log. Whatever it started ends with it.
pub fn run(
    mut command: Command,
    log: &Path,
    heading: &str,
    timeout: Option<Duration>,
    progress: Progress<'_>,
) -> Result<Ending> {
    let mut file = formats::private::append(log).map_err(|e| Error::writing(log, &e))?;
    writeln!(file, "--- {heading}").map_err(|e| Error::writing(log, &e))?;
    let words = |file: &File| file.try_clone().map_err(|e| Error::writing(log, &e));
    command
        .stdin(Stdio::null())
        .stdout(words(&file)?)
        .stderr(words(&file)?);
    watch(spawn(command)?, timeout, progress)
}

fn watch(
    mut program: Guarded,
    timeout: Option<Duration>,
    progress: Progress<'_>,
) -> Result<Ending> {
    let started = Instant::now();
    loop {
        if let Some(status) = exited(&mut program)? {
            return Ok(Ending::Exited(status));
        }
        if timeout.is_some_and(|timeout| started.elapsed() >= timeout) {
            return Ok(Ending::TimedOut);
        }
        if progress.cancel().wait(PATIENCE) {
            return Ok(Ending::Stopped);
        }
    }
}

/// How it ended, if it has.
pub fn exited(program: &mut Guarded) -> Result<Option<ExitStatus>> {
    program
        .exited()
        .map_err(|error| Error::new(ErrorKind::Training, format!("the program is lost: {error}")))
}

/// Starts a program that ends when this value goes, with whatever it started.
pub fn spawn(command: Command) -> Result<Guarded> {
    let name = command.get_program().to_string_lossy().into_owned();
    Guarded::spawn(command).map_err(|error| {
        Error::new(
            ErrorKind::Training,
            format!("{name} cannot be started: {error}"),
        )
        .hint("check command.run and command.folder")
    })
}

/// The last lines of a log.
pub fn tail(log: &Path) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let text = read().unwrap_or_default();
    let mut lines: Vec<&str> = text.lines().collect();
    // Of several attempts the last one is told.
    let last = lines.iter().rposition(|line| line.starts_with("--- "));
    lines.drain(..last.unwrap_or(0));
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    fn run_shell(script: &str, timeout: Option<f64>, stop: bool) -> (Ending, String) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let timeout = timeout.map(Duration::from_secs_f64);
        let cancel = base::Cancel::new();
        if stop {
            cancel.request();
        }
        let progress = Progress::unwatched().stopped_by(&cancel);
        let ending = run(shell(script), &log, "attempt 1", timeout, progress).unwrap();
        (ending, tail(&log))
    }

    #[test]
    fn the_words_of_a_program_are_logged_with_its_status() {
        let (ending, log) = run_shell("echo one; echo two >&2; exit 3", None, false);
        let Ending::Exited(status) = ending else {
            panic!("it must end by itself");
        };
        assert_eq!(status.code(), Some(3));
        assert_eq!(log, "--- attempt 1\none\ntwo");
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let proof = folder.path().join("proof");
        let script = format!("(sleep 2; touch {}) & sleep 60", proof.display());
        let (ending, _) = run_shell(&script, Some(0.2), false);
        assert!(matches!(ending, Ending::TimedOut));
        std::thread::sleep(Duration::from_millis(2200));
        assert!(!proof.exists());
    }

    #[test]
    fn stopping_ends_the_program() {
        assert!(matches!(
            run_shell("sleep 60", None, true).0,
            Ending::Stopped
        ));
    }

    #[test]
    fn a_long_log_is_cut_to_its_end() {
        let (_, log) = run_shell("seq 1 5000", None, false);
        assert_eq!(log.lines().count(), TAIL_LINES);
        assert_eq!(log.lines().last(), Some("5000"));
    }
}
