//! `guestlist diff`: did leakage rise or fall between two reports?

use guestlist::diff::difference;
use guestlist::{Error, ExitCode};
use judge::verdict::Outcome;
use serde_json::json;

use super::arguments::Diff;
use super::console::Console;
use super::report::read;

pub fn run(options: &Diff, console: &Console) -> Result<ExitCode, Error> {
    let (baseline, current) = (read(&options.baseline)?, read(&options.current)?);
    let found = difference(&baseline, &current, options.level)?;
    for change in &found.changes {
        let (rise, fall) = (change.is_rise(found.level), change.is_fall(found.level));
        console.event(&json!({"event": "change", "change": change, "rise": rise, "fall": fall}));
    }
    console.event(&json!({
        "event": "verdict", "outcome": found.outcome, "reason": found.reason,
        "remarks": found.remarks,
    }));
    let text = match options.markdown {
        true => found.markdown(),
        false => found.terminal(),
    };
    let terminal = found.terminal();
    console.report(&text, terminal.lines().next().unwrap_or_default())?;
    Ok(match found.outcome {
        Outcome::Pass => ExitCode::Pass,
        Outcome::Fail => ExitCode::Fail,
        Outcome::Inconclusive => ExitCode::Inconclusive,
    })
}
