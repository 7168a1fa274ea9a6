//! `modified-entropy`: entropy that knows which answer is right.

use super::ShadowAttack;
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use crate::signals::outputs::ClassOutputs;
use base::Result;

pub struct ModifiedEntropy;

static CARD: Card = Card {
    id: "modified-entropy",
    summary: "minus the modified entropy of the prediction, which counts sure wrong answers as bad",
    asks: "How far is the audited model from giving all probability to the true label?",
    why_it_works: "It falls as the true label gains and rises as any wrong one does, so that it \
                   tells a sure right answer from a sure wrong one, which entropy does not.",
    access: Access::TargetOnly,
    when_it_misleads: "As loss, it cannot tell an easy record from a memorised one. The paper sets a \
                       threshold for each class on shadow models; here one score is judged at every \
                       threshold (see loss-per-class). It needs the outputs for all classes.",
    paper: "Song & Mittal 2021, arXiv:2003.10595, equation 4",
    settings: &[],
};

impl ShadowAttack for ModifiedEntropy {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, view: &View) -> Result<Scores> {
        view.per_output(|output| Ok(-modified_entropy(output)))
    }
}

/// −(1 − p_y) ln p_y − Σ p_i ln(1 − p_i) over the wrong classes i.
fn modified_entropy(output: &ClassOutputs) -> f64 {
    let term = |class: usize| match class == output.label {
        true => product(output.ln_complement(class), output.ln_p[class]),
        false => product(output.ln_p[class], output.ln_complement(class)),
    };
    -(0..output.ln_p.len()).map(term).sum::<f64>()
}

/// e^weight · value, where no weight leaves nothing of any value.
fn product(weight: f64, value: f64) -> f64 {
    match weight == f64::NEG_INFINITY {
        true => 0.0,
        false => weight.exp() * value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of these probabilities, the first class being the true one.
    fn entropy_of(p: &[f64]) -> f64 {
        let top = (0..p.len()).max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap();
        modified_entropy(&ClassOutputs {
            ln_p: p.iter().map(|p| p.ln()).collect(),
            label: 0,
            top,
            ln_rest: (1.0 - p[top]).ln(),
        })
    }

    #[test]
    fn it_is_the_papers_formula() {
        let p = [0.5, 0.3, 0.2];
        let paper =
            -(1.0 - p[0]) * f64::ln(p[0]) - p[1] * f64::ln(1.0 - p[1]) - p[2] * f64::ln(1.0 - p[2]);
        assert!((entropy_of(&p) - paper).abs() < 1e-15);
    }

    #[test]
    fn sure_and_right_is_nothing_and_sure_and_wrong_is_endless() {
        assert_eq!(entropy_of(&[1.0, 0.0]), 0.0);
        assert_eq!(entropy_of(&[0.0, 1.0]), f64::INFINITY);
    }
}
