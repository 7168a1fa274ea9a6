//! Parts of a long check: every one runs, whatever became of those before it, and the end of the
//! output says which failed.

use std::time::{Duration, Instant};

use crate::shell::{Failed, cargo_kept};

struct Part {
    name: &'static str,
    took: Duration,
    outcome: Result<(), Failed>,
}

#[derive(Default)]
pub struct Parts(Vec<Part>);

impl Parts {
    /// Says what comes, and does it.
    pub fn run(&mut self, name: &'static str, part: impl FnOnce() -> Result<(), Failed>) {
        eprintln!("── {name}");
        let start = Instant::now();
        let outcome = part();
        if let Err(Failed(what)) = &outcome {
            eprintln!("error: {what}");
        }
        self.push(name, start, outcome);
    }

    /// A command of cargo's beside other work: it says everything at its end, and in one piece.
    pub fn run_cargo_beside(&mut self, name: &'static str, arguments: &[&str]) {
        let start = Instant::now();
        let (said, outcome) = cargo_kept(arguments);
        let error = match &outcome {
            Ok(()) => String::new(),
            Err(Failed(what)) => format!("error: {what}\n"),
        };
        eprint!("── {name}, beside the tests\n{said}{error}");
        self.push(name, start, outcome);
    }

    fn push(&mut self, name: &'static str, start: Instant, outcome: Result<(), Failed>) {
        self.0.push(Part {
            name,
            took: start.elapsed(),
            outcome,
        });
    }

    /// Those of another, behind these.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// One line for each, and the names of those that failed.
    pub fn finish(self) -> Result<(), Failed> {
        eprintln!();
        for part in &self.0 {
            let sign = if part.outcome.is_ok() { "✔" } else { "✘" };
            eprintln!("{sign} {:<36} {:>5} s", part.name, part.took.as_secs());
        }
        let failed = self.0.iter().filter(|part| part.outcome.is_err());
        let failed: Vec<&str> = failed.map(|part| part.name).collect();
        match failed.is_empty() {
            true => Ok(()),
            false => Err(Failed(format!("failed: {}", failed.join(", ")))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_beside_the_tests_fails_the_whole() {
        let (mut parts, mut others) = (Parts::default(), Parts::default());
        parts.run("tests", || Ok(()));
        others.run_cargo_beside("version", &["--version"]);
        others.run_cargo_beside("lints", &["no-such-command-of-cargo"]);
        parts.extend(others);
        let Err(Failed(said)) = parts.finish() else {
            panic!("one of three failed");
        };
        assert_eq!(said, "failed: lints");
    }

    #[test]
    fn one_failure_stops_and_hides_no_other() {
        let mut parts = Parts::default();
        parts.run("examples", || Err(Failed("one".into())));
        parts.run("lints", || Ok(()));
        parts.run("tests", || Err(Failed("two".into())));
        let Err(Failed(said)) = parts.finish() else {
            panic!("two of three failed");
        };
        assert_eq!(said, "failed: examples, tests");
    }
}
