//! `guestlist diff`: did leakage rise between two reports?

use guestlist::{Error, ExitCode};
use judge::compare::{Change, compare};
use judge::verdict::Outcome;
use report::Report;
use serde_json::json;

use super::arguments::Diff;
use super::console::Console;
use super::report::read;

pub fn run(options: &Diff, console: &Console) -> Result<ExitCode, Error> {
    if !(options.level > 0.0 && options.level < 1.0) {
        return Err(Error::usage(
            format!("--level is {}", options.level),
            "give a probability such as 0.05",
        ));
    }
    let (baseline, current) = (read(&options.baseline)?, read(&options.current)?);
    let changes = compare(&baseline.attacks, &current.attacks);
    if changes.is_empty() {
        return Err(Error::usage(
            "the two reports have no attack in common",
            "run both audits with the same attacks",
        ));
    }
    let rises: Vec<&Change> = changes
        .iter()
        .filter(|change| change.is_rise(options.level))
        .collect();
    for change in &changes {
        console.event(
            &json!({"event": "change", "change": change, "rise": change.is_rise(options.level)}),
        );
    }
    let outcome = outcome(&baseline, &current, &rises);
    console.event(&json!({"event": "verdict", "outcome": outcome.0, "reason": outcome.1}));
    console.text(&text(&changes, options.level, &outcome))?;
    Ok(match outcome.0 {
        Outcome::Pass => ExitCode::Pass,
        Outcome::Fail => ExitCode::Fail,
        Outcome::Inconclusive => ExitCode::Inconclusive,
    })
}

fn outcome(baseline: &Report, current: &Report, rises: &[&Change]) -> (Outcome, String) {
    for (name, report) in [("baseline", baseline), ("current", current)] {
        if report.verdict.outcome == Outcome::Inconclusive {
            let reason = format!("the {name} audit is inconclusive, so no rise can be told");
            return (Outcome::Inconclusive, reason);
        }
    }
    match rises.first() {
        None => (Outcome::Pass, "no measure rose beyond noise".into()),
        Some(first) => (
            Outcome::Fail,
            format!(
                "{} of the compared measures rose beyond noise, {} of {} among them",
                rises.len(),
                first.measure,
                first.attack
            ),
        ),
    }
}

fn text(changes: &[Change], level: f64, outcome: &(Outcome, String)) -> String {
    let mut text = format!("{}: {}\n\n", outcome.0.word().to_uppercase(), outcome.1);
    let width = changes
        .iter()
        .map(|change| change.attack.len())
        .max()
        .unwrap_or(0);
    for change in changes {
        let mark = if change.is_rise(level) { "↑" } else { " " };
        text += &format!(
            "{mark} {:width$}  {:<10} {:.4} → {:.4}  p = {:.3}\n",
            change.attack, change.measure, change.before, change.after, change.corrected_p_value
        );
    }
    text += &format!(
        "\np: chance of such a rise between audits of equal leakage, corrected for {} comparisons.\n",
        changes.len()
    );
    text
}
