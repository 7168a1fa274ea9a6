//! Does the audited model react to the records that are called its members, as shadows do to theirs?
//!
//! Where shadows are surer of what they trained on and the target is not, one of two things was mixed
//! up: the row of `keep` is another model's, or the shadows were trained by another recipe. Either way
//! finding no leak says nothing of the target.

use super::{Evidence, ShadowFacts, Status};

/// Fewer shadows than this do not show how much they differ.
const FEW: usize = 4;
/// With fewer than these, how much they differ is a guess.
const SOME: usize = 8;
/// Standard errors of the shadows' mean gain beyond which they react.
const REACT: f64 = 5.0;
/// Deviations between shadows beyond which the target is none of them.
const FAR: f64 = 5.0;
const FAR_WITH_FEW: f64 = 12.0;
/// A target that reacts by less than this share of what shadows do.
const HARDLY: f64 = 0.3;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.shadows.filter(|facts| facts.shadows >= FEW)?;
    let own = facts.target_gain?;
    if facts.training_gain <= REACT * facts.training_gain_error {
        return None;
    }
    let found = format!(
        "mean φ is higher by {own:.3} on the target's members, and by {:.3} ± {:.3} on those of shadows",
        facts.training_gain, facts.training_gain_deviation
    );
    if !is_unmoved(facts, own) {
        return Some((Status::Ok, found));
    }
    let detail = format!(
        "{found}: the target does not react to what are called its members; is its row of keep another \
         model's, or were the shadows trained otherwise? Give the target's own members, and train shadows \
         with its recipe"
    );
    Some((Status::Violated, detail))
}

fn is_unmoved(facts: &ShadowFacts, own: f64) -> bool {
    let far = match facts.shadows < SOME {
        true => FAR_WITH_FEW,
        false => FAR,
    };
    own < HARDLY * facts.training_gain
        && facts.training_gain - own > far * facts.training_gain_deviation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;

    fn status(shadows: usize, gain: f64, deviation: f64, own: Option<f64>) -> Option<Status> {
        let facts = ShadowFacts {
            shadows,
            training_gain: gain,
            training_gain_error: deviation / (shadows as f64).sqrt(),
            training_gain_deviation: deviation,
            target_gain: own,
            ..ShadowFacts::default()
        };
        let gate = Gate::default();
        let evidence = Evidence {
            shadows: Some(&facts),
            ..Evidence::new(500, 500, &gate, &[])
        };
        check(&evidence).map(|(status, _)| status)
    }

    #[test]
    fn a_target_that_no_member_moves_is_noticed() {
        assert_eq!(status(16, 2.0, 0.1, Some(0.02)), Some(Status::Violated));
        assert_eq!(status(16, 2.0, 0.1, Some(1.7)), Some(Status::Ok));
        // Shadows differ as much among themselves, or nobody knows how much.
        assert_eq!(status(16, 2.0, 0.5, Some(0.02)), Some(Status::Ok));
        assert_eq!(status(5, 2.0, 0.2, Some(0.02)), Some(Status::Ok));
        assert_eq!(status(5, 2.0, 0.1, Some(0.02)), Some(Status::Violated));
        // Shadows that do not react, too few of them, and nothing known of the target.
        assert_eq!(status(16, 0.05, 0.1, Some(0.0)), None);
        assert_eq!(status(3, 2.0, 0.1, Some(0.0)), None);
        assert_eq!(status(16, 2.0, 0.1, None), None);
    }
}
