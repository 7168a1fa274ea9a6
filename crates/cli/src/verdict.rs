//! How an audit ended: printed, told to programs, and as an exit code.

use guestlist::pipeline::Finished;
use guestlist::{Error, ExitCode};
use judge::verdict::Outcome;
use serde_json::json;

use super::console::Console;

pub fn conclude(finished: &Finished, console: &Console) -> Result<ExitCode, Error> {
    let Finished { audit, files } = finished;
    if files.is_empty() {
        // Without a folder the numbers would be lost on a program that listens.
        console.event(&json!({"event": "report", "report": audit.report}));
    }
    let verdict = &audit.report.verdict;
    console.event(&json!({
        "event": "verdict", "outcome": verdict.outcome, "reasons": verdict.reasons,
        "files": files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
    }));
    let text = report::terminal(&audit.report, console.style());
    console.report(&text, &report::verdict_line(&audit.report))?;
    for file in files {
        console.note(&format!("wrote {}", file.display()));
    }
    Ok(exit_code(verdict.outcome))
}

/// What a program that looks at exit codes is told.
pub fn exit_code(outcome: Outcome) -> ExitCode {
    match outcome {
        Outcome::Pass => ExitCode::Pass,
        Outcome::Fail => ExitCode::Fail,
        Outcome::Inconclusive => ExitCode::Inconclusive,
    }
}
