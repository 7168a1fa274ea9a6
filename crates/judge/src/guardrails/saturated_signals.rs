//! Were signals cut off before they were stored, or are they the same whatever was asked?

use super::{Evidence, Status, percent};

/// Of shadow signals: more than so many at an edge are told, and more than half leave nothing to see.
const SOME: f64 = 0.01;
const MOST: f64 = 0.5;
/// Of tokens: servers and rounding give many the same value, and the others tell all the same.
const NEARLY_ALL: f64 = 0.9;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    of_shadows(evidence)
        .or_else(|| of_tokens(evidence))
        .or_else(|| of_features(evidence))
}

fn of_shadows(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.shadows?;
    if facts.stored_values == 0 {
        return None;
    }
    let share = facts.saturated_values as f64 / facts.stored_values as f64;
    let found = format!(
        "{} of the stored values sit at the largest or smallest value",
        percent(facts.saturated_values as f64, facts.stored_values as f64)
    );
    if share <= SOME {
        return Some((Status::Ok, found));
    }
    let detail = format!(
        "{found}: the most exposed records became ties, because confidence was rounded or clipped, or \
         because the model votes (a forest, nearest neighbours); store logits, or φ computed from \
         them, where the model has any, else let it vote more finely (more trees, larger leaves)"
    );
    let status = if share > MOST {
        Status::Violated
    } else {
        Status::Warn
    };
    Some((status, detail))
}

/// The audited model's: attacks that compare then measure the reference alone.
fn of_tokens(evidence: &Evidence) -> Option<(Status, String)> {
    let tokens = &evidence.texts?.tokens;
    let share = tokens.alike as f64 / tokens.predicted.max(1) as f64;
    if share <= NEARLY_ALL {
        return None;
    }
    // So many at the least: one value was followed, and others that took turns with it count against it.
    let many = match tokens.alike == tokens.predicted {
        true => "every token".to_owned(),
        false => format!(
            "at least {} of the tokens",
            percent(tokens.alike as f64, tokens.predicted as f64)
        ),
    };
    let detail = format!(
        "the audited model gives {many} one and the same log-probability: nothing of it was \
         tested, and attacks that compare measured the reference alone; does the server hand out \
         log-probabilities, and was the column filled from its answers? Score the texts again"
    );
    Some((Status::Violated, detail))
}

/// Records with the same features are one record to every attack that looks at these.
fn of_features(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.features.filter(|facts| facts.records > 0)?;
    let share = facts.divided as f64 / facts.records as f64;
    if share <= SOME {
        return None;
    }
    let detail = format!(
        "{} of {} records ({}) have the features of another on the other side of the truth, to the last bit, and \
         only {} rows are different: no attack can tell them apart; were features rounded, cut off, left at zero, \
         or are they no more than the predicted class? Store logits or the outputs of the layer before",
        facts.divided,
        facts.records,
        percent(facts.divided as f64, facts.records as f64),
        facts.different
    );
    let status = if share > MOST {
        Status::Violated
    } else {
        Status::Warn
    };
    Some((status, detail))
}
