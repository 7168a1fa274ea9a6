//! Where words go: data to stdout, everything else to stderr.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use guestlist::Error;
use report::Style;
use serde_json::Value;

use super::arguments::Output;
use super::progress_file::ProgressFile;

/// How to talk.
pub struct Console {
    json: bool,
    quiet: bool,
    verbose: bool,
    progress_file: ProgressFile,
    /// Why an event could not be written, the first of them.
    lost: OnceLock<Error>,
}

impl Console {
    pub fn new(output: &Output) -> Self {
        if let Some(threads) = output.threads {
            // Fails only when a pool exists already, which at this point none does.
            let _ = rayon::ThreadPoolBuilder::new()
                .num_threads(usize::from(threads))
                .build_global();
        }
        Self {
            json: output.json,
            quiet: output.quiet,
            verbose: output.verbose,
            progress_file: ProgressFile::default(),
            lost: OnceLock::new(),
        }
    }

    /// What the audit's folder says about its progress.
    pub fn progress_file(&self) -> &ProgressFile {
        &self.progress_file
    }

    /// Whether a progress bar has a reader.
    pub fn shows_progress(&self) -> bool {
        !self.json && !self.quiet && std::io::stderr().is_terminal() && !is_dumb()
    }

    /// Text that was asked for, whatever else is hushed.
    pub fn data(&self, text: &str) -> Result<(), Error> {
        written(std::io::stdout().write_all(text.as_bytes()))
    }

    /// The report for people; hushed by --quiet, replaced by events under --json.
    pub fn text(&self, text: &str) -> Result<(), Error> {
        if self.json || self.quiet {
            return Ok(());
        }
        self.data(text)
    }

    /// A report for people, or its one line under --quiet; replaced by events under --json.
    pub fn report(&self, text: &str, line: &str) -> Result<(), Error> {
        match (self.json, self.quiet) {
            (true, _) => Ok(()),
            (false, true) => self.data(&format!("{}\n", report::printable(line))),
            (false, false) => self.data(text),
        }
    }

    /// Whether one line is enough.
    pub fn is_quiet(&self) -> bool {
        self.quiet && !self.json
    }

    /// Whether programs listen rather than people.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// A line about the work, for people.
    pub fn note(&self, text: &str) {
        if !self.json && !self.quiet {
            let _ = writeln!(std::io::stderr(), "{}", report::printable(text));
        }
    }

    /// A line that somebody must see; never hushed.
    pub fn say(&self, text: &str) {
        let _ = writeln!(std::io::stderr(), "{}", report::printable(text));
    }

    /// A line about something that went wrong; not hushed.
    pub fn warn(&self, text: &str) {
        if !self.json {
            let _ = writeln!(std::io::stderr(), "{}", report::printable(text));
        }
    }

    /// One event, for programs. The work goes on where it cannot be written: `heard` tells of it in the end.
    pub fn event(&self, event: &Value) {
        if self.json {
            let text = report::printable_json(&event.to_string());
            if let Err(error) = self.data(&(text + "\n")) {
                let _ = self.lost.set(error);
            }
        }
    }

    /// An error where events were lost: whoever reads them would take what is there for all there was.
    pub fn heard(&self) -> Result<(), Error> {
        self.lost.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    pub fn error(&self, error: &Error) {
        let text = report::printable(&error.explained());
        let mut event = serde_json::json!({
            "event": "error", "message": text, "exit_code": guestlist::ExitCode::from(error) as u8,
        });
        let _ = writeln!(std::io::stderr(), "error: {text}");
        if let Some(example) = &error.example {
            event["example"] = example.as_str().into();
            let _ = writeln!(std::io::stderr(), "\n{}", indented(example));
        }
        self.event(&event);
    }

    pub fn style(&self) -> Style {
        let terminal = std::io::stdout().is_terminal();
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Style {
            colour: terminal && !plain && !is_dumb(),
            width: width().clamp(NARROWEST, WIDEST),
            verbose: self.verbose,
        }
    }
}

/// Whether the terminal says that it acts on no escapes.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// What came of writing to standard output, to the last byte.
pub fn written(outcome: io::Result<()>) -> Result<(), Error> {
    match outcome.and_then(|()| std::io::stdout().flush()) {
        // A reader that closed the pipe has seen enough.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::usage(
            format!("standard output cannot be written: {error}"),
            "make room where it is sent to",
        )),
        _ => Ok(()),
    }
}

/// Lines of a program, each safe to show.
fn indented(lines: &str) -> String {
    let lines = lines.lines().map(report::printable);
    lines.map(|line| format!("    {line}\n")).collect()
}

/// Lines in between are readable.
const NARROWEST: usize = 40;
const WIDEST: usize = 200;
/// Where nobody says how wide it is.
const USUAL: usize = 80;

/// As COLUMNS says, or else as wide as the terminal is.
fn width() -> usize {
    let said = std::env::var("COLUMNS").ok();
    let said = said.and_then(|text| text.parse().ok());
    let seen = || {
        let (terminal_size::Width(width), _) = terminal_size::terminal_size_of(std::io::stdout())?;
        Some(usize::from(width)).filter(|width| *width > 0)
    };
    said.or_else(seen).unwrap_or(USUAL)
}

/// What the argument parser has to say, with nothing in it that a terminal would act on.
pub fn usage_error(text: &str) {
    let mut stderr = std::io::stderr().lock();
    for line in text.lines() {
        let _ = writeln!(stderr, "{}", report::printable(line));
    }
}
