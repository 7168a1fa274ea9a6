//! `guestlist policy`: stored reports, judged by what audits must meet.

use guestlist::policy::{check, read};
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::arguments::{Policy, PolicyCheck};
use super::console::Console;
use super::report::read as read_report;
use super::verdict::exit_code;

pub fn run(options: &Policy, console: &Console) -> Result<ExitCode, Error> {
    match options {
        Policy::Check(options) => checked(options, console),
    }
}

fn checked(options: &PolicyCheck, console: &Console) -> Result<ExitCode, Error> {
    let policy = options.policy.as_deref().map(read).transpose()?;
    let report = read_report(&options.report)?;
    let found = check(&report, policy).map_err(|error| error.within_file(&options.report))?;
    for criterion in &found.policy.criteria {
        console.event(&json!({"event": "criterion", "criterion": criterion}));
    }
    console.event(&json!({
        "event": "verdict", "outcome": found.verdict.outcome, "reasons": found.verdict.reasons,
        "policy": {"name": found.policy.name, "sha256": found.policy.sha256},
    }));
    let text = report::policy(&found.policy, &found.verdict, console.style());
    console.report(&text, text.lines().next().unwrap_or_default())?;
    Ok(exit_code(found.verdict.outcome))
}
