//! Talking to a program that runs: questions go in, answers come out, each on a line of its own.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use base::Guarded;
use serde_json::Value;

use super::called::{Call, Trouble};
use super::client::LARGEST;
use crate::campaign::FailureKind;
use crate::http::printable::quote;

/// How long a program may take to end once nobody asks any more, and after its last word.
const FAREWELL: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_millis(10);
/// How much of its complaints is told.
const COMPLAINTS: usize = 1000;

/// A program at work. It ends when this goes.
pub(super) struct Conversation {
    talk: Arc<Talk>,
    /// Lines for it to read; its input closes once this is gone.
    lines: Option<Sender<String>>,
}

/// What the threads share that write, read and listen.
struct Talk {
    about: String,
    open: Mutex<HashMap<u64, Call>>,
    complaints: Mutex<Vec<u8>>,
    /// What was wrong while no question was open, before it answered any: the next one hears of it.
    unheard: Mutex<Option<Trouble>>,
    /// The latest line that answered nobody, once it has answered: nobody who waits is to blame, but
    /// whoever waits in vain wants to know.
    stray: Mutex<Option<String>>,
    /// Whether it has answered, so that it knows how.
    answered: AtomicBool,
    over: AtomicBool,
    program: Mutex<Guarded>,
}

impl Conversation {
    pub fn new(about: String, mut program: Guarded) -> io::Result<Self> {
        let (Some(input), Some(output)) = program.pipes() else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let complaints = program.complaints();
        let talk = Arc::new(Talk {
            about,
            open: Mutex::default(),
            complaints: Mutex::default(),
            unheard: Mutex::default(),
            stray: Mutex::default(),
            answered: AtomicBool::new(false),
            over: AtomicBool::new(false),
            program: Mutex::new(program),
        });
        let (lines, written) = channel();
        thread::spawn(move || write(input, &written));
        if let Some(complaints) = complaints {
            let talk = talk.clone();
            thread::spawn(move || talk.listen(complaints));
        }
        let reading = talk.clone();
        thread::spawn(move || reading.read(output));
        Ok(Self {
            talk,
            lines: Some(lines),
        })
    }

    pub fn is_over(&self) -> bool {
        self.talk.over.load(Ordering::Acquire)
    }

    /// What may explain why it does not answer.
    pub fn remark(&self) -> Option<String> {
        lock(&self.talk.stray).clone()
    }

    pub fn ask(&self, id: u64, line: String, call: Call) {
        if let Some(trouble) = lock(&self.talk.unheard).take() {
            return call.fail(trouble);
        }
        self.talk.open().insert(id, call);
        let written = self.lines.as_ref().map(|lines| lines.send(line));
        // It may have ended just now, after its reader told everybody who was there.
        if self.is_over() || !matches!(written, Some(Ok(()))) {
            self.talk.fail_all(&self.talk.ended());
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // The end of its input tells a program to go; one that stays is ended.
        self.lines = None;
        self.talk.wait();
        lock(&self.talk.program).end();
    }
}

/// Writes lines until nobody hands in more, or nobody reads.
fn write(mut input: ChildStdin, lines: &Receiver<String>) {
    for mut line in lines {
        line.push('\n');
        if input
            .write_all(line.as_bytes())
            .and_then(|()| input.flush())
            .is_err()
        {
            return;
        }
    }
}

impl Talk {
    fn open(&self) -> MutexGuard<'_, HashMap<u64, Call>> {
        lock(&self.open)
    }

    /// Keeps the end of what it complains about.
    fn listen(&self, mut complaints: ChildStderr) {
        let mut piece = [0; 4096];
        while let Ok(length @ 1..) = complaints.read(&mut piece) {
            let mut kept = lock(&self.complaints);
            kept.extend_from_slice(&piece[..length]);
            let surplus = kept.len().saturating_sub(COMPLAINTS);
            kept.drain(..surplus);
        }
    }

    fn read(&self, output: ChildStdout) {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            let most = LARGEST as u64 + 2;
            match (&mut output).take(most).read_until(b'\n', &mut line) {
                Ok(1..) if line.len() as u64 == most => {
                    self.fail_all(&self.endless(number));
                    break;
                }
                Ok(1..) => self.take(number, line.trim_ascii()),
                Ok(0) | Err(_) => break,
            }
        }
        self.over.store(true, Ordering::Release);
        self.wait();
        self.fail_all(&self.ended());
    }

    /// One line of its output. What cannot be told to one question is told to all that are open.
    fn take(&self, number: u64, line: &[u8]) {
        if line.is_empty() {
            return;
        }
        let Ok(said) = serde_json::from_slice::<Value>(line) else {
            return self.complain(self.not_json(number, line));
        };
        let Some(call) = id(&said).and_then(|id| self.open().remove(&id)) else {
            return self.complain(self.of_nobody(number, line));
        };
        self.answered.store(true, Ordering::Release);
        match said.get("error").filter(|error| !error.is_null()) {
            Some(error) => call.fail(self.refused(number, error)),
            None => call.answer(line.to_vec()),
        }
    }

    /// A line that answers nobody: before the first answer whoever waits hears of it, or else the next.
    fn complain(&self, trouble: Trouble) {
        if self.answered.load(Ordering::Acquire) {
            *lock(&self.stray) = Some(trouble.message);
            return;
        }
        let nobody = self.open().is_empty();
        match nobody {
            true => *lock(&self.unheard) = Some(trouble),
            false => self.fail_all(&trouble),
        }
    }

    fn fail_all(&self, trouble: &Trouble) {
        let open = std::mem::take(&mut *self.open());
        for call in open.into_values() {
            call.fail(trouble.clone());
        }
    }

    /// Until it ends, or has had its time.
    fn wait(&self) {
        let begun = Instant::now();
        while begun.elapsed() < FAREWELL && matches!(lock(&self.program).exited(), Ok(None)) {
            thread::sleep(PATIENCE);
        }
    }

    fn ended(&self) -> Trouble {
        let how = match lock(&self.program).exited() {
            Ok(Some(status)) => format!("ended ({status})"),
            _ => "closed its output".to_owned(),
        };
        let last = match quote(&lock(&self.complaints)) {
            words if words.is_empty() => "it complained about nothing".to_owned(),
            words => format!("its last words on standard error: “{words}”"),
        };
        let stray = lock(&self.stray).clone();
        let stray = stray.map_or_else(String::new, |stray| format!("; {stray}"));
        Trouble {
            kind: FailureKind::Connection,
            message: format!("{} {how} before it answered; {last}{stray}", self.about),
            hint: "it must read lines until its input ends, and answer each".to_owned(),
            passing: true,
        }
    }

    fn not_json(&self, number: u64, line: &[u8]) -> Trouble {
        Trouble {
            kind: FailureKind::NotJson,
            message: format!(
                "line {number} of the output of {} is not JSON: “{}”",
                self.about,
                quote(line)
            ),
            hint:
                "standard output is for answers, one JSON object per line; send everything else to \
                   standard error"
                    .to_owned(),
            passing: false,
        }
    }

    fn of_nobody(&self, number: u64, line: &[u8]) -> Trouble {
        Trouble {
            kind: FailureKind::Schema,
            message: format!(
                "line {number} of the output of {} has no id of an open question: “{}”",
                self.about,
                quote(line)
            ),
            hint: "answer each question once, with its own id: {\"id\": 7, \"answer\": \"…\"}"
                .to_owned(),
            passing: false,
        }
    }

    fn refused(&self, number: u64, error: &Value) -> Trouble {
        let words = match error {
            Value::String(words) => words.clone(),
            other => other.to_string(),
        };
        Trouble {
            kind: FailureKind::ServerError,
            message: format!(
                "{} met an error: “{}” (line {number} of its output)",
                self.about,
                quote(words.as_bytes())
            ),
            hint: "look at what it says; run again: what came is kept".to_owned(),
            passing: true,
        }
    }

    fn endless(&self, number: u64) -> Trouble {
        Trouble {
            kind: FailureKind::TooLarge,
            message: format!(
                "line {number} of the output of {} is longer than {} MiB",
                self.about,
                LARGEST >> 20
            ),
            hint: "end every answer with a line feed".to_owned(),
            passing: false,
        }
    }
}

/// A number, or the same in quotes.
fn id(said: &Value) -> Option<u64> {
    let id = said.get("id")?;
    id.as_u64().or_else(|| id.as_str()?.parse().ok())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
