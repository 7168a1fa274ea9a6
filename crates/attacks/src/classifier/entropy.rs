//! `entropy`: how undecided the audited model is between the classes.

use super::ShadowAttack;
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use crate::signals::outputs::ClassOutputs;
use base::Result;

pub struct Entropy;

static CARD: Card = Card {
    id: "entropy",
    summary: "minus the entropy of the audited model's prediction",
    asks: "How undecided is the audited model between the classes?",
    why_it_works: "Training moves all probability to one class for the records trained on, which \
                   leaves little entropy. The true label is not needed.",
    access: Access::TargetOnly,
    when_it_misleads: "A wrong answer that is sure has as little entropy as a right one; \
                       modified-entropy mends that. It needs the outputs for all classes: where φ \
                       alone was stored it does not run.",
    paper: "Shokri et al. 2017, arXiv:1610.05820; Song & Mittal 2021, arXiv:2003.10595, equation 3",
    settings: &[],
};

impl ShadowAttack for Entropy {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, view: &View) -> Result<Scores> {
        view.per_output(|output| Ok(-entropy(output)))
    }
}

/// −Σ p ln p; a class without probability adds nothing.
fn entropy(output: &ClassOutputs) -> f64 {
    let possible = output.ln_p.iter().filter(|ln_p| **ln_p > f64::NEG_INFINITY);
    possible.map(|ln_p| -ln_p.exp() * ln_p).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evenly_spread_classes_have_the_most_entropy() {
        let output = ClassOutputs {
            ln_p: vec![0.25f64.ln(); 4],
            ..ClassOutputs::default()
        };
        assert!((entropy(&output) - 4f64.ln()).abs() < 1e-15);
        let sure = ClassOutputs {
            ln_p: vec![0.0, f64::NEG_INFINITY],
            ..ClassOutputs::default()
        };
        assert_eq!(entropy(&sure), 0.0);
    }
}
