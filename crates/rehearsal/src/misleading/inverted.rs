//! A loss handed in where a score was meant.

use judge::guardrails::Status;

use super::judged::{auc, report, status, verdict};
use super::{Case, Claim, Sides, digits};
use guestlist::Error;

pub static CASE: Case = Case {
    id: "inverted",
    title: "a loss taken for a confidence: the leak becomes a pass",
    habit: "Members have a small loss. Code that ranks by the loss itself, or reads 1 as \"held out\", \
            turns every AUC into one minus the AUC, and a gate that looks for large ones passes.",
    source: "run_loss in attacks.py of ML Privacy Meter 2 (commit e384af8, AUC 0.37 when executed) and \
             the population attack of LeakPro (commit c47752f, 0.302 where the loss has 0.697)",
    data: "a network trained on 60 of 120 handwritten digits",
    notices: "inverted-labels (violated: the verdict is inconclusive)",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let models = digits::models(seed, 120, 1)?;
    let (phi, members) = (&models.phi[0], &models.keep[0]);
    let losses: Vec<f64> = phi.iter().map(|phi| loss(*phi)).collect();
    let negated: Vec<f64> = losses.iter().map(|loss| -loss).collect();
    let naive = share_of_pairs(&losses, members);
    let given = report("loss", &losses, members, seed)?;
    let right = report("negated-loss", &negated, members, seed)?;
    let violated = status(&given, "inverted-labels") == Some(Status::Violated);
    Ok(Sides {
        mistaken: vec![Claim::new(
            "auc",
            naive,
            format!(
                "AUC {naive:.3} by the loss as it is: below 0.65, {}",
                verdict(naive)
            ),
        )],
        guestlist: vec![
            Claim::new(
                "violated",
                f64::from(u8::from(violated)),
                format!(
                    "of the same scores: {}, inverted-labels is {}",
                    given.verdict.outcome.word(),
                    if violated { "violated" } else { "in order" }
                ),
            ),
            Claim::new(
                "auc",
                auc(&right),
                format!(
                    "of the negated loss: AUC {:.3}, {}",
                    auc(&right),
                    verdict(auc(&right))
                ),
            ),
        ],
    })
}

/// −ln p of the true class.
fn loss(phi: f64) -> f64 {
    match phi > 0.0 {
        true => (-phi).exp().ln_1p(),
        false => -phi + phi.exp().ln_1p(),
    }
}

/// The mistake: the area is right, its argument is not a score.
fn share_of_pairs(scores: &[f64], members: &[bool]) -> f64 {
    let of = |kind: bool| {
        let both = scores.iter().zip(members);
        both.filter(move |(_, member)| **member == kind)
            .map(|(score, _)| *score)
    };
    let (mut won, mut pairs) = (0.0, 0.0);
    for member in of(true) {
        for other in of(false) {
            won += match member.total_cmp(&other) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
            pairs += 1.0;
        }
    }
    won / pairs
}
