//! Programs that are asked about themselves, and not waited for when they hang.

use std::io::{ErrorKind, Read};
use std::process::{ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use base::{Cancel, Guarded};

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
pub fn ask(command: Command, cancel: &Cancel) -> Answer {
    ask_for(PATIENCE, command, cancel)
}

fn ask_for(patience: Duration, mut command: Command, cancel: &Cancel) -> Answer {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut program = match Guarded::spawn(command) {
        Ok(program) => program,
        Err(error) if error.kind() == ErrorKind::NotFound => return Answer::Missing,
        Err(error) => return Answer::Failed(format!("cannot be started: {error}")),
    };
    let said = heard(program.pipes().1);
    let started = Instant::now();
    let mut ended = None;
    loop {
        if let Some(answer) = look(&mut program, &mut ended, &said) {
            return answer;
        }
        let why = match cancel.wait(PAUSE) {
            true => "was not waited for".into(),
            false if started.elapsed() < patience => continue,
            false => format!("said nothing in {} s", patience.as_secs()),
        };
        program.abandon();
        return Answer::Failed(why);
    }
}

/// All that it prints, once that is complete. Who reads is never waited for: a pipe stays open as long as anybody has it.
fn heard(output: Option<ChildStdout>) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = output.map(|output| output.take(MOST).read_to_end(&mut bytes));
        let _ = sender.send(String::from_utf8_lossy(&bytes).trim().to_owned());
    });
    receiver
}

/// Its answer, once it has ended and all of that is there.
fn look(
    program: &mut Guarded,
    ended: &mut Option<ExitStatus>,
    said: &Receiver<String>,
) -> Option<Answer> {
    if ended.is_none() {
        match program.exited() {
            Ok(status) => *ended = status,
            Err(error) => return Some(Answer::Failed(format!("is lost: {error}"))),
        }
        // What it has started and left behind would keep its output open.
        if ended.is_some() {
            program.end();
        }
    }
    match (*ended)? {
        status if status.success() => said.try_recv().ok().map(Answer::Said),
        status => Some(Answer::Failed(format!("ended with {status}"))),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    fn answer(script: &str) -> Answer {
        ask(shell(script), &Cancel::new())
    }

    fn hurried(script: &str) -> Answer {
        ask_for(Duration::from_millis(300), shell(script), &Cancel::new())
    }

    #[test]
    fn answers_failures_and_absence_are_told_apart() {
        assert!(matches!(answer("echo 7; echo no >&2"), Answer::Said(said) if said == "7"));
        assert!(matches!(answer("exit 4"), Answer::Failed(why) if why.contains('4')));
        let missing = ask(Command::new("/nowhere/program"), &Cancel::new());
        assert!(matches!(missing, Answer::Missing));
    }

    #[test]
    fn a_program_that_never_ends_is_not_waited_for() {
        let endless = hurried("echo 7; while true; do sleep 1; done");
        assert!(matches!(endless, Answer::Failed(why) if why.contains("said nothing")));
    }

    #[test]
    fn what_a_program_leaves_behind_keeps_nobody_waiting() {
        let left = answer("while true; do sleep 1; done & echo 7");
        assert!(matches!(left, Answer::Said(said) if said == "7"));
    }

    /// A group of its own cannot be ended with the program.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_output_that_stays_open_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().display();
        let kept = hurried(&format!(
            "setsid sh -c 'while [ -d {here} ]; do sleep 0.1; done' & echo 7"
        ));
        assert!(matches!(kept, Answer::Failed(why) if why.contains("said nothing")));
    }

    #[test]
    fn who_wants_to_stop_does_not_wait() {
        let cancel = Cancel::new();
        let stopped = std::thread::scope(|scope| {
            let asking = scope.spawn(|| ask(shell("while true; do sleep 1; done"), &cancel));
            cancel.request();
            asking.join().unwrap()
        });
        assert!(matches!(stopped, Answer::Failed(why) if why.contains("not waited for")));
    }
}
