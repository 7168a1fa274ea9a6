//! Is a leak that fails the gate more than chance?
//!
//! AUC: one half outside the interval that is widened for the attacks that were tried. TPR at an FPR:
//! the exact chance of a score that says nothing, whose cut moves with the non-members
//! (`measure/log_mia_null.rs`); Clopper and Pearson's interval takes the cut as given. Advantage: the
//! one-sided Kolmogorov–Smirnov test, exp(−2D²mn/(m + n)) (Smirnov 1939). A lower bound on ε is beyond
//! chance by its own confidence.

use super::{Evidence, Status};
use crate::AttackMeasures;
use crate::diagnostics::Slices;
use crate::gate::Measure;
use crate::measure::TprAtFpr;
use crate::measure::log_mia_null::Null;
use crate::ranking::false_positive_budget;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    // What a slice shows beyond chance is no chance.
    if evidence.slices.is_some_and(Slices::violate) {
        return None;
    }
    let gate = evidence.gate;
    let tried = evidence.tried();
    let confidence = gate.confidence_for(tried);
    // With persons, either level may fail, and one that is no chance is enough.
    let levels = [evidence.gated_attack(), evidence.gated_by_person()];
    let fails = |attack: &&AttackMeasures| {
        let reading = gate.measure.read(attack, confidence);
        reading.is_some_and(|reading| reading.value >= gate.threshold)
    };
    let failing = levels.into_iter().flatten().filter(fails);
    let explained: Vec<Option<String>> = failing
        .map(|attack| by_chance(gate.measure, attack, confidence, tried))
        .collect();
    if explained.iter().any(Option::is_none) {
        return None;
    }
    let first = explained.into_iter().flatten().next()?;
    let detail = format!("{first}, so that this is no evidence of a leak; add records");
    Some((Status::Violated, detail))
}

/// How chance explains what an attack reaches, where it does.
pub fn by_chance(
    measure: Measure,
    attack: &AttackMeasures,
    confidence: f64,
    tried: usize,
) -> Option<String> {
    let id = &attack.id;
    let chance = |value: f64, p_value: f64| {
        format!(
            "{measure} of {id} is {value:.3}, and the best of {tried} scores that say nothing reaches as much \
             in {:.0}% of such audits",
            100.0 * (1.0 - (1.0 - p_value).powf(tried as f64))
        )
    };
    match measure {
        Measure::Epsilon(_) => None,
        Measure::Auc => {
            let auc = attack.auc.at_confidence(confidence);
            (auc.low <= 0.5).then(|| {
                format!(
                    "the interval of {id}, {:.3} to {:.3}, holds one half: so few records reach {:.3} by \
                     chance",
                    auc.low, auc.high, auc.value
                )
            })
        }
        Measure::TprAtFpr(fpr) => {
            let rate = attack.tpr_at_fpr.iter().find(|rate| rate.fpr == fpr)?;
            let p_value = rate_by_chance(rate);
            (p_value > 1.0 - confidence).then(|| chance(rate.value.unwrap_or(0.0), p_value))
        }
        Measure::Advantage => {
            let reached = &attack.advantage;
            let (members, others) = (reached.n_members as f64, reached.n_nonmembers as f64);
            let trials = members * others / (members + others);
            let p_value = (-2.0 * reached.value * reached.value * trials).exp();
            (p_value > 1.0 - confidence).then(|| chance(reached.value, p_value))
        }
    }
}

/// How often a score that says nothing catches as many members. Where the interval counts people, so
/// many independent records are taken as it says.
fn rate_by_chance(rate: &TprAtFpr) -> f64 {
    let (mut members, mut nonmembers, mut caught) = (rate.n_members, rate.n_nonmembers, rate.tp);
    if let (Some(trials), Some(value)) = (rate.effective_members, rate.value) {
        let share = (trials / members.max(1) as f64).min(1.0);
        members = (members as f64 * share).round() as u64;
        nonmembers = (nonmembers as f64 * share).round() as u64;
        caught = (value * members as f64).floor() as u64;
    }
    let allowed = false_positive_budget(rate.fpr, nonmembers);
    Null::new(members, nonmembers, allowed).p_value(caught)
}

#[cfg(test)]
mod tests {
    use attacks::scores::Scores;
    use stats::streams::{Seed, standard_normal};

    use super::*;
    use crate::gate::Gate;
    use crate::verdict::best;
    use crate::{Options, Truth, measure};

    /// Whether the best of eight attacks reaches the threshold, and what is said of it.
    fn found(name: &str, threshold: f64, lift: f64, seed: u64) -> (bool, Option<Status>) {
        const ATTACKS: usize = 8;
        let gate = Gate {
            measure: Measure::parse(name).unwrap(),
            threshold,
            ..Gate::default()
        };
        let truth = Truth::new((0..600).map(|record| record < 300)).unwrap();
        let options = Options {
            bootstrap_replicates: 0,
            ..Options::default()
        };
        let measures: Vec<AttackMeasures> = (0..ATTACKS)
            .map(|attack| {
                let mut rng = Seed(seed).numbered("attack", attack as u64);
                let shift = |record: usize| f64::from(u8::from(record < 300)) * lift;
                let scores: Scores = (0..600)
                    .map(|record| Ok(standard_normal(&mut rng) + shift(record)))
                    .collect();
                measure(&attack.to_string(), &scores, &truth, &options).unwrap()
            })
            .collect();
        let best = best(&measures, gate.measure).unwrap();
        let gated = best.id.clone();
        let value = gate.measure.read(best, 0.95).unwrap().value;
        let evidence = Evidence {
            attacks: &measures,
            gated: Some(&gated),
            ..Evidence::new(300, 300, &gate, &options.fprs)
        };
        (
            value >= threshold,
            check(&evidence).map(|(status, _)| status),
        )
    }

    #[test]
    fn noise_above_a_threshold_is_told_from_a_leak() {
        for (name, threshold, leak) in [("tpr@0.01", 0.025, 1.5), ("advantage", 0.09, 0.8)] {
            let audits: Vec<_> = (0..40)
                .map(|seed| found(name, threshold, 0.0, seed))
                .collect();
            let reached = audits.iter().filter(|(reached, _)| *reached).count();
            let believed = audits
                .iter()
                .filter(|audit| **audit == (true, None))
                .count();
            assert!(reached >= 12, "{name}: {reached} of 40");
            // 5% of 40 are 2.
            assert!(believed <= 6, "{name}: {believed} of 40");
            assert_eq!(found(name, threshold, leak, 1), (true, None), "{name}");
        }
    }
}
