//! How small a leak so many records could have shown, and how many a leak would need.

use stats::binomial::binomial_sf;
use stats::normal::normal_quantile;

use crate::epsilon::clopper_pearson::largest;
use crate::epsilon::{Claim, coins};
use crate::gate::{Gate, Measure};

/// One-sided level and power of the question.
const LEVEL: f64 = 0.05;
const POWER: f64 = 0.8;

/// The least AUC that a one-sided test at 5% finds with 80% power: variance under chance by the
/// ranks, under the alternative by Hanley and McNeil 1982.
pub fn minimum_detectable_auc(members: usize, nonmembers: usize) -> f64 {
    let (a, b) = (members as f64, nonmembers as f64);
    if members == 0 || nonmembers == 0 {
        return 1.0;
    }
    let chance = ((a + b + 1.0) / (12.0 * a * b)).sqrt();
    let needed = |auc: f64| {
        -normal_quantile(LEVEL) * chance - normal_quantile(1.0 - POWER) * deviation(auc, a, b)
    };
    let (mut low, mut high) = (0.5, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match middle - 0.5 >= needed(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    high
}

fn deviation(auc: f64, members: f64, nonmembers: f64) -> f64 {
    hanley_mcneil(auc, members, nonmembers).sqrt()
}

/// The variance of an AUC of this size: Hanley and McNeil, "The meaning and use of the area under a
/// receiver operating characteristic (ROC) curve", Radiology 1982.
pub(crate) fn hanley_mcneil(auc: f64, members: f64, nonmembers: f64) -> f64 {
    let (q1, q2) = (auc / (2.0 - auc), 2.0 * auc * auc / (1.0 + auc));
    let square = auc * auc;
    let variance =
        auc * (1.0 - auc) + (members - 1.0) * (q1 - square) + (nonmembers - 1.0) * (q2 - square);
    variance.max(0.0) / (members * nonmembers)
}

/// The least TPR at a false-positive rate that a one-sided exact binomial test at 5% tells from that
/// rate, which is chance, with 80% power.
pub fn minimum_detectable_tpr(members: usize, fpr: f64) -> f64 {
    let members = members as u64;
    // The fewest caught members that chance explains at 5% at the most.
    let fewest = smallest(1, members + 1, |caught| {
        binomial_sf(caught, members, fpr) <= LEVEL
    });
    if fewest > members {
        return 1.0;
    }
    let (mut low, mut high) = (fpr, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match binomial_sf(fewest, members, middle) >= POWER {
            true => high = middle,
            false => low = middle,
        }
    }
    high
}

/// The least advantage that the one-sided Kolmogorov–Smirnov test at 5% finds with 80% power: what
/// chance reaches in one of twenty audits, and as much above it as the shares at one cut vary at most.
pub fn minimum_detectable_advantage(members: usize, nonmembers: usize) -> f64 {
    if members == 0 || nonmembers == 0 {
        return 1.0;
    }
    let varies = 1.0 / members as f64 + 1.0 / nonmembers as f64;
    let chance = (-LEVEL.ln() / 2.0 * varies).sqrt();
    (chance + normal_quantile(POWER) * (varies / 4.0).sqrt()).min(1.0)
}

/// The least value of a gated measure that so many records show; a bound on ε has none.
pub fn minimum_detectable(measure: Measure, members: usize, nonmembers: usize) -> Option<f64> {
    match measure {
        Measure::Auc => Some(minimum_detectable_auc(members, nonmembers)),
        Measure::TprAtFpr(fpr) if fpr * (nonmembers as f64) < 1.0 - 1e-9 => Some(1.0),
        Measure::TprAtFpr(fpr) => Some(minimum_detectable_tpr(members, fpr)),
        Measure::Advantage => Some(minimum_detectable_advantage(members, nonmembers)),
        Measure::Epsilon(_) => None,
    }
}

/// The largest lower bound on ε that so many records could have shown, had an attack told all of
/// them apart: whatever lies above it stays unseen.
pub fn largest_epsilon(members: usize, nonmembers: usize, confidence: f64, delta: f64) -> f64 {
    largest(
        members as u64,
        nonmembers as u64,
        &Claim { confidence, delta },
    )
}

/// Whether so many records could show a leak at the gate's threshold, by the best of so many
/// attacks.
pub fn shows(gate: &Gate, members: usize, nonmembers: usize, attacks: usize) -> bool {
    match gate.measure {
        Measure::Epsilon(delta) => {
            let confidence = gate.confidence_for(attacks);
            largest_epsilon(members, nonmembers, confidence, delta) >= gate.threshold
        }
        measure => {
            let least = minimum_detectable(measure, members, nonmembers);
            least.is_none_or(|least| least <= gate.threshold)
        }
    }
}

/// So many of each kind would show a leak at the gate's threshold.
pub fn needed(gate: &Gate, attacks: usize) -> Option<usize> {
    least_count(|count| shows(gate, count, count, attacks))
}

/// So many of each kind would show this value; nothing where no number would.
pub fn needed_for(measure: Measure, value: f64) -> Option<usize> {
    least_count(|count| {
        minimum_detectable(measure, count, count).is_none_or(|least| least <= value)
    })
}

/// So many canaries, in a round number, could show an ε above this value. Nothing where no number does:
/// what δ allows grows with the number of coins, so that more canaries do not always show more.
pub fn canaries_needed(epsilon: f64, repetitions: u64, claim: &Claim) -> Option<u64> {
    const ROUND: [u64; 6] = [10, 15, 20, 30, 50, 70];
    let counts = (0..5).flat_map(|power| ROUND.map(|digits| digits * 10_u64.pow(power)));
    let mut counts = counts.into_iter();
    counts.find(|&canaries| coins::largest(canaries, repetitions, claim) > epsilon)
}

/// What to do where so few canaries cannot show such an ε.
pub(crate) fn more_canaries(needed: Option<u64>, repetitions: u64) -> String {
    match (needed, repetitions) {
        (Some(count), _) => format!("draw {count} canaries"),
        (None, 1) => {
            "no number of canaries could at this δ: hold a smaller δ against them, or try fewer \
                      attacks, by which the error is shared"
                .into()
        }
        (None, _) => "draw canaries that are trained on once".into(),
    }
}

/// The smallest count of each kind that is enough; nothing where a million is not.
fn least_count(enough: impl Fn(usize) -> bool) -> Option<usize> {
    const MOST: u64 = 1_000_000;
    let needed = smallest(2, MOST, |count| enough(count as usize));
    (needed < MOST).then_some(needed as usize)
}

/// The smallest number in the range that is enough, where all larger ones are; its end otherwise.
fn smallest(from: u64, end: u64, enough: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (from, end);
    while low < high {
        let middle = low + (high - low) / 2;
        match enough(middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::roc::Roc;
    use stats::streams::{Seed, standard_normal, uniform};

    #[test]
    fn more_documents_show_smaller_leaks() {
        let found: Vec<f64> = [10, 50, 200, 1000]
            .map(|n| minimum_detectable_auc(n, n))
            .to_vec();
        assert!(found.is_sorted_by(|a, b| a > b), "{found:?}");
        assert!((0.63..0.66).contains(&found[1]), "{found:?}");
        let needed = needed_for(Measure::Auc, 0.65).unwrap();
        assert!(minimum_detectable_auc(needed, needed) <= 0.65);
        assert!(minimum_detectable_auc(needed - 1, needed - 1) > 0.65);
        assert_eq!(needed_for(Measure::Auc, 0.5), None);
    }

    #[test]
    fn a_rate_is_found_four_times_in_five() {
        let least = minimum_detectable_tpr(500, 0.01);
        // By the definition: 10 of 500 are beyond chance at 1%, 9 are not.
        let chance = |caught: u64| binomial_sf(caught, 500, 0.01);
        assert!(chance(10) <= 0.05 && chance(9) > 0.05);
        assert!((binomial_sf(10, 500, least) - 0.8).abs() < 1e-9, "{least}");
        assert_eq!(
            minimum_detectable(Measure::TprAtFpr(0.001), 500, 999),
            Some(1.0)
        );
        assert!(needed_for(Measure::TprAtFpr(0.01), 0.05).unwrap() >= 100);
    }

    #[test]
    fn an_advantage_of_that_size_is_found_four_times_in_five_or_more() {
        assert!(minimum_detectable_advantage(12, 12) > 0.6);
        let (n, runs) = (100, 400);
        let least = minimum_detectable_advantage(n, n);
        let cut = (-LEVEL.ln() / n as f64).sqrt();
        // Members and others are caught with two chances that lie so far apart, or that are equal.
        let found = |apart: f64| {
            let above = (0..runs).filter(|&run| {
                let mut rng = Seed(6).numbered("advantage", run);
                let scores = (0..2 * n).map(|place| {
                    let member = place < n;
                    let high =
                        uniform(&mut rng) < 0.5 + apart / 2.0 * if member { 1.0 } else { -1.0 };
                    (f64::from(u8::from(high)) + uniform(&mut rng), member)
                });
                let roc = Roc::new(scores).unwrap();
                let point = roc.best_balanced();
                let caught = point.true_positives as f64 - point.false_positives as f64;
                caught / n as f64 > cut
            });
            above.count() as f64 / runs as f64
        };
        assert!(found(least) >= 0.78, "{}", found(least));
        assert!(found(0.0) <= 0.08, "{}", found(0.0));
    }

    #[test]
    fn an_epsilon_needs_records_and_pays_for_attacks() {
        let gate = Gate {
            measure: Measure::Epsilon(1e-5),
            threshold: 3.0,
            ..Gate::default()
        };
        let needed_by = |attacks| needed(&gate, attacks).unwrap();
        let count = needed_by(1);
        assert!(shows(&gate, count, count, 1) && !shows(&gate, count - 1, count - 1, 1));
        assert!(needed_by(25) > count);
        // By the definition: ln of a rate near one over Clopper–Pearson's bound for none of them.
        let shown = largest_epsilon(500, 500, 0.95, 1e-5);
        assert!((3.5..5.0).contains(&shown), "{shown}");
        assert_eq!(largest_epsilon(0, 500, 0.95, 1e-5), 0.0);
    }

    #[test]
    fn more_canaries_show_a_larger_epsilon() {
        let claim = Claim {
            confidence: 0.95,
            delta: 1e-5,
        };
        let counts: Vec<u64> = [1.0, 3.0, 5.0]
            .map(|epsilon| canaries_needed(epsilon, 1, &claim).unwrap())
            .to_vec();
        assert!(counts.is_sorted_by(|a, b| a < b), "{counts:?}");
        assert!(coins::largest(counts[2], 1, &claim) > 5.0);
        assert!(coins::largest(counts[2] / 2, 1, &claim) < 5.0);
        // A group of eight is granted too large a δ to refute anything, and so are many coins at once.
        assert_eq!(canaries_needed(8.0, 8, &claim), None);
        assert_eq!(canaries_needed(8.0, 1, &claim), None);
        let strict = Claim {
            delta: 0.0,
            ..claim
        };
        assert!(canaries_needed(8.0, 1, &strict).is_some_and(|count| count > 10_000));
        assert!(more_canaries(None, 1).contains("smaller δ"));
    }

    #[test]
    fn a_leak_of_that_size_is_found_four_times_in_five() {
        let n = 60;
        let auc = minimum_detectable_auc(n, n);
        // Binormal scores with this AUC: d/√2 = Φ⁻¹(AUC).
        let lift = normal_quantile(auc) * 2_f64.sqrt();
        let chance = ((2.0 * n as f64 + 1.0) / (12.0 * (n * n) as f64)).sqrt();
        let found = (0..600)
            .filter(|&run| {
                let mut rng = Seed(5).numbered("power", run);
                let scores = (0..2 * n).map(|place| {
                    let member = place < n;
                    (
                        standard_normal(&mut rng) + if member { lift } else { 0.0 },
                        member,
                    )
                });
                let roc = Roc::new(scores).unwrap();
                (roc.auc() - 0.5) / chance > -normal_quantile(LEVEL)
            })
            .count() as f64
            / 600.0;
        assert!((0.74..0.88).contains(&found), "{found}");
    }
}
