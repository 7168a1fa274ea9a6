//! Do text-by-text measures and the set as a whole say the same?

use super::{Evidence, Status};

/// Beyond chance, for a set.
const SURE: f64 = 0.01;
const UNSURE: f64 = 0.1;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let inference = evidence.texts?.inference.as_ref()?;
    let finding = match inference.p_value < SURE {
        true => "taken together, members score higher than non-members",
        false => "taken together, members do not score reliably higher than non-members",
    };
    let found = format!(
        "{finding}: {} (one-sided t-test of {}, {} against {} texts that it was not chosen on)",
        p_value(inference.p_value),
        inference.attack,
        inference.members,
        inference.nonmembers
    );
    let gated = evidence.gated_attack()?;
    let confidence = evidence.gate.confidence_for(evidence.attacks.len());
    let reading = evidence.gate.measure.read(gated, confidence)?;
    let fails = evidence.gate.fails(&reading);
    Some(match (fails, inference.p_value) {
        (false, p) if p < SURE => {
            let detail = format!(
                "{found}; single texts stay below the threshold, but that the set was trained on \
                 can be shown"
            );
            (Status::Warn, detail)
        }
        (true, p) if p > UNSURE => {
            let detail = format!("{found}; the leak is not confirmed for the set; get more texts");
            (Status::Warn, detail)
        }
        _ => (Status::Ok, found),
    })
}

fn p_value(p: f64) -> String {
    match p {
        p if p < 1e-12 => "p < 1e-12".to_owned(),
        p if p < 1e-3 => format!("p = {p:.0e}"),
        p => format!("p = {p:.3}"),
    }
}
