//! One started program that serves: its process, what is written to it and what it says.

use std::fs::File;
use std::io::Write;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use base::{Cancel, Guarded};

use super::answer::{self, Hearing, Line};
use crate::process::{self, PATIENCE};
use crate::{Error, ErrorKind, Result};

/// How long a program that has ended may be heard after, and one that closed its output may live on.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// How a program ended.
#[derive(Debug)]
pub enum Ending {
    Exited(ExitStatus),
    /// It closed its output, so that no answer could come any more.
    Closed,
    /// We ended it, or lost it.
    Ended,
}

/// Who hears of what a program does. Calls come from threads of the worker's.
pub trait Listener: Send + Sync + 'static {
    /// It answered, or meant to.
    fn answer(&self, line: Line);

    /// Its process is gone, with all that it started.
    fn over(&self, ending: Ending);
}

/// A program at work.
pub struct Worker {
    /// Gone once its input is closed.
    lines: Option<Sender<Vec<u8>>>,
    end: Arc<Cancel>,
}

impl Worker {
    /// Starts a program. What it says beside its answers goes to the log.
    pub fn start(command: Command, log: File, listener: Arc<dyn Listener>) -> Result<Self> {
        let end = Arc::new(Cancel::new());
        let (told, started) = channel();
        let ending = Arc::clone(&end);
        // Linux ends a program with the thread that started it, so that this thread must outlive it.
        std::thread::spawn(move || {
            let started = spawn(command, &log);
            let (child, input, output) = match started {
                Ok(started) => started,
                Err(error) => {
                    let _ = told.send(Err(error));
                    return;
                }
            };
            let lines = write_to(input);
            let heard = read_from(output, log, Arc::clone(&listener));
            let _ = told.send(Ok(lines));
            let how = keep(child, &heard, &ending);
            listener.over(how);
        });
        let lines = started.recv().map_err(|_| failure("cannot be started"))??;
        Ok(Self {
            lines: Some(lines),
            end,
        })
    }

    /// Writes to its input, later: a program that does not read holds nobody up.
    pub fn tell(&self, line: Vec<u8>) {
        if let Some(lines) = &self.lines {
            // Where the program is gone already, its end is about to be told.
            let _ = lines.send(line);
        }
    }

    /// Ends its input, which asks it to finish.
    pub fn close(&mut self) {
        self.lines = None;
    }

    /// Ends its process and all that it started.
    pub fn end(&self) {
        self.end.request();
    }
}

fn spawn(mut command: Command, log: &File) -> Result<(Guarded, ChildStdin, ChildStdout)> {
    let words = log.try_clone().map_or(Stdio::null(), Stdio::from);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(words);
    let mut child = process::spawn(command)?;
    match child.pipes() {
        (Some(input), Some(output)) => Ok((child, input, output)),
        _ => Err(failure("was started without pipes")),
    }
}

fn failure(what: &str) -> Error {
    Error::new(ErrorKind::Training, format!("the training program {what}"))
}

fn write_to(mut input: ChildStdin) -> Sender<Vec<u8>> {
    let (lines, orders) = channel::<Vec<u8>>();
    std::thread::spawn(move || {
        for line in orders {
            if input.write_all(&line).and_then(|()| input.flush()).is_err() {
                return;
            }
        }
    });
    lines
}

/// Follows its output. Nothing is ever sent: the other side hears when the output has ended.
fn read_from(output: ChildStdout, log: File, listener: Arc<dyn Listener>) -> Receiver<()> {
    let (open, heard) = channel();
    std::thread::spawn(move || {
        let _open = open;
        let _ = answer::follow(output, &Heard { log, listener });
    });
    heard
}

struct Heard {
    log: File,
    listener: Arc<dyn Listener>,
}

impl Hearing for Heard {
    fn line(&self, line: &[u8]) {
        match answer::read(line) {
            Line::Words => self.part(line),
            meant => self.listener.answer(meant),
        }
    }

    fn part(&self, part: &[u8]) {
        // What a full disk does not take is lost; the model's own files will say so.
        let _ = (&self.log).write_all(part);
    }
}

/// Looks after a program until it ends, or until it must.
fn keep(mut child: Guarded, heard: &Receiver<()>, end: &Cancel) -> Ending {
    let mut closed: Option<Instant> = None;
    let ending = loop {
        match process::exited(&mut child) {
            Ok(Some(status)) => break Ending::Exited(status),
            Ok(None) => {}
            Err(_) => break Ending::Ended,
        }
        if end.wait(PATIENCE) {
            break Ending::Ended;
        }
        if has_ended(heard, Duration::ZERO)
            && closed.get_or_insert_with(Instant::now).elapsed() >= AFTERWARDS
        {
            break Ending::Closed;
        }
    };
    // With whatever it started, which else might hold its output open.
    drop(child);
    has_ended(heard, AFTERWARDS);
    ending
}

fn has_ended(heard: &Receiver<()>, patience: Duration) -> bool {
    heard.recv_timeout(patience) == Err(RecvTimeoutError::Disconnected)
}
