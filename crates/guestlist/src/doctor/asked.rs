//! Programs that are asked about themselves, and not waited for when they hang.

use std::io::{ErrorKind, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use base::Guarded;

/// Longer than any of these programs takes, drivers that wake up included.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(5);
/// More than any of them has to say.
const MOST: u64 = 64 << 10;

/// What came of it.
pub enum Answer {
    Said(String),
    /// It is not on the path.
    Missing,
    /// Why it did not answer.
    Failed(String),
}

/// Starts a program and reads what it prints.
pub fn ask(mut command: Command) -> Answer {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut program = match Guarded::spawn(command) {
        Ok(program) => program,
        Err(error) if error.kind() == ErrorKind::NotFound => return Answer::Missing,
        Err(error) => return Answer::Failed(format!("cannot be started: {error}")),
    };
    let (_, output) = program.pipes();
    let reading = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = output.map(|output| output.take(MOST).read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).trim().to_owned()
    });
    let started = Instant::now();
    loop {
        match program.exited() {
            Ok(Some(status)) if status.success() => break,
            Ok(Some(status)) => return Answer::Failed(format!("ended with {status}")),
            Ok(None) if started.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            Ok(None) => {
                return Answer::Failed(format!("said nothing in {} s", PATIENCE.as_secs()));
            }
            Err(error) => return Answer::Failed(format!("is lost: {error}")),
        }
    }
    match reading.join() {
        Ok(said) => Answer::Said(said),
        Err(_) => Answer::Failed("could not be read".into()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Answer {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        ask(command)
    }

    #[test]
    fn answers_failures_and_absence_are_told_apart() {
        assert!(matches!(shell("echo 7; echo no >&2"), Answer::Said(said) if said == "7"));
        assert!(matches!(shell("exit 4"), Answer::Failed(why) if why.contains('4')));
        let missing = ask(Command::new("/nowhere/program"));
        assert!(matches!(missing, Answer::Missing));
    }
}
