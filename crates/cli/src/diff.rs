//! `guestlist diff`: did leakage rise between two reports?

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
        let rise = change.is_rise(found.level);
        console.event(&json!({"event": "change", "change": change, "rise": rise}));
    }
    console.event(&json!({
        "event": "verdict", "outcome": found.outcome, "reason": found.reason,
        "remarks": found.remarks,
    }));
    let text = match options.markdown {
        true => found.markdown(),
        false => found.terminal(),
    };
    console.text(&text)?;
    Ok(match found.outcome {
        Outcome::Pass => ExitCode::Pass,
        Outcome::Fail => ExitCode::Fail,
        Outcome::Inconclusive => ExitCode::Inconclusive,
    })
}
