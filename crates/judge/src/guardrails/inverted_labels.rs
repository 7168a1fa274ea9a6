//! Do member flags mean what they say, or are they swapped?

use super::{Evidence, ShadowFacts, Status, significantly_below};

/// Standard errors below zero at which the shadows' own gain counts as a loss.
const SURE: f64 = 4.0;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    if let Some(facts) = evidence.shadows.filter(|facts| swapped_in_shadows(facts)) {
        let detail = format!(
            "shadows have a φ lower by {:.3} on records that keep says they trained on: members \
             and non-members are swapped; check what 1 means in keep",
            -facts.training_gain
        );
        return Some((Status::Violated, detail));
    }
    let below = significantly_below(evidence);
    if below.is_empty() {
        return Some((Status::Ok, "no attack is significantly below chance".into()));
    }
    // A few of them are for `below-chance` to tell.
    if below.len() * 2 <= evidence.attacks.len() {
        return None;
    }
    let named: Vec<&str> = below.iter().map(|attack| attack.id.as_str()).collect();
    let detail = format!(
        "most attacks are significantly below chance ({}): the target's members and non-members may \
         be swapped; check {}",
        named.join(", "),
        what_to_check(evidence)
    );
    Some((Status::Violated, detail))
}

fn what_to_check(evidence: &Evidence) -> &'static str {
    let collected = evidence.texts.is_some() || evidence.probes.is_some();
    match (evidence.shadows, collected) {
        (Some(_), _) => "what 1 means in keep",
        (None, true) => "what 1 means in member",
        (None, false) => {
            "what 1 means in member, and that larger scores mean members: a loss or a distance must be \
             negated"
        }
    }
}

/// Training never lowers the confidence in what was trained on.
fn swapped_in_shadows(facts: &ShadowFacts) -> bool {
    facts.shadows >= 4 && facts.training_gain < -SURE * facts.training_gain_error
}
