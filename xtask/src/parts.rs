//! Parts of a long check: every one runs, whatever became of those before it, and the end of the
//! output says which failed.

use std::time::{Duration, Instant};

use crate::shell::Failed;

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
        self.0.push(Part {
            name,
            took: start.elapsed(),
            outcome,
        });
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
