//! The bootstrap of measures of records that draws people, each with all of the person's records.
//!
//! Strata are people with members, people with non-members, and people with both. As in
//! `measure/bootstrap.rs` a replicate is a count per person on records that were sorted once; how many
//! members and non-members it holds varies from one to the next, and false-positive budgets with it.

use rayon::prelude::*;
use stats::streams::Seed;

use super::sorted::Sorted;
use crate::measure::Bootstrap;
use crate::measure::bootstrap::percentile_interval;
use crate::measure::draws::count_draws;
use crate::ranking::false_positive_budget;

pub const METHOD: &str = "bootstrap by person, percentile";

/// What one replicate measures.
struct Outcome {
    auc: f64,
    tpr: Vec<f64>,
}

/// Nothing when no replicate was asked for, or none has records of both kinds.
pub fn bootstrap(
    sorted: &Sorted,
    fprs: &[f64],
    replicates: usize,
    confidence: f64,
    seed: Seed,
) -> Option<Bootstrap> {
    let strata = strata(sorted);
    let ties: Vec<usize> = sorted.ties().map(|tie| tie.end).collect();
    let outcomes: Vec<Outcome> = (0..replicates)
        .into_par_iter()
        .filter_map(|replicate| {
            let mut stream = seed.numbered("bootstrap by person", replicate as u64);
            let mut drawn = vec![0; sorted.people];
            for people in &strata {
                let mut counts = vec![0_u16; people.len()];
                count_draws(&mut stream, &mut counts);
                for (&person, count) in people.iter().zip(counts) {
                    drawn[person] = u64::from(count);
                }
            }
            outcome(sorted, &ties, &drawn, fprs)
        })
        .collect();
    let interval = |value: &dyn Fn(&Outcome) -> f64| {
        percentile_interval(outcomes.iter().map(value).collect(), confidence)
    };
    (!outcomes.is_empty()).then(|| Bootstrap {
        auc: interval(&|outcome| outcome.auc),
        tpr_at_fpr: (0..fprs.len())
            .map(|place| interval(&|outcome| outcome.tpr[place]))
            .collect(),
        method: METHOD.to_owned(),
        confidence,
        replicates: outcomes.len(),
        n_members: sorted.members as u64,
        n_nonmembers: sorted.nonmembers as u64,
    })
}

/// People by what they have: non-members, members, both.
fn strata(sorted: &Sorted) -> [Vec<usize>; 3] {
    let mut strata: [Vec<usize>; 3] = Default::default();
    for (person, size) in sorted.sizes().iter().enumerate() {
        match size.map(|count| count > 0.0) {
            [true, false] => strata[0].push(person),
            [false, true] => strata[1].push(person),
            [true, true] => strata[2].push(person),
            [false, false] => {}
        }
    }
    strata
}

/// One walk down the sorted records.
fn outcome(sorted: &Sorted, ties: &[usize], drawn: &[u64], fprs: &[f64]) -> Option<Outcome> {
    let mut totals = [0_u64; 2];
    for record in &sorted.records {
        totals[usize::from(record.member)] += drawn[record.person as usize];
    }
    let [nonmembers, members] = totals;
    if members == 0 || nonmembers == 0 {
        return None;
    }
    let budgets: Vec<u64> = fprs
        .iter()
        .map(|&fpr| false_positive_budget(fpr, nonmembers))
        .collect();
    let mut caught_within = vec![members; fprs.len()];
    let mut open = vec![true; fprs.len()];
    let (mut caught, mut accused, mut doubled, mut start) = (0, 0, 0_u128, 0);
    for &end in ties {
        let mut here = [0_u64; 2];
        for record in &sorted.records[start..end] {
            here[usize::from(record.member)] += drawn[record.person as usize];
        }
        start = end;
        let [wrong, right] = here;
        // Non-members below count twice, tied ones once.
        doubled += u128::from(right) * u128::from(2 * (nonmembers - accused) - wrong);
        accused += wrong;
        for (place, budget) in budgets.iter().enumerate() {
            if open[place] && accused > *budget {
                (open[place], caught_within[place]) = (false, caught);
            }
        }
        caught += right;
    }
    let pairs = 2.0 * members as f64 * nonmembers as f64;
    Some(Outcome {
        auc: doubled as f64 / pairs,
        tpr: caught_within
            .into_iter()
            .map(|caught| caught as f64 / members as f64)
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::tpr::tpr_at_fpr;
    use crate::persons::sorted::Placed;
    use stats::roc::Roc;

    fn records() -> Vec<Placed> {
        (0..120_u32)
            .map(|i| Placed {
                person: i % 30,
                score: f64::from(i * 37 % 23),
                member: i % 3 == 0,
            })
            .collect()
    }

    /// A replicate measured by writing every drawn record down.
    #[test]
    fn a_replicate_is_the_measure_of_what_was_drawn() {
        let sorted = Sorted::new(records(), 30);
        let ties: Vec<usize> = sorted.ties().map(|tie| tie.end).collect();
        let drawn: Vec<u64> = (0..30).map(|person| person * 7 % 4).collect();
        let found = outcome(&sorted, &ties, &drawn, &[0.1, 0.3]).unwrap();
        let written = sorted.records.iter().flat_map(|record| {
            let times = drawn[record.person as usize] as usize;
            std::iter::repeat_n((record.score, record.member), times)
        });
        let roc = Roc::new(written).unwrap();
        assert!((found.auc - roc.auc()).abs() < 1e-12);
        for (rate, fpr) in found.tpr.iter().zip([0.1, 0.3]) {
            assert_eq!(Some(*rate), tpr_at_fpr(&roc, fpr, 0.95).value);
        }
    }

    #[test]
    fn the_interval_holds_the_value_and_needs_replicates() {
        let sorted = Sorted::new(records(), 30);
        let found = bootstrap(&sorted, &[0.1], 200, 0.95, Seed(1)).unwrap();
        let area = Roc::new(sorted.records.iter().map(|r| (r.score, r.member)))
            .unwrap()
            .auc();
        assert!(found.auc.low < area && area < found.auc.high, "{found:?}");
        assert_eq!(found.method, METHOD);
        assert_eq!(bootstrap(&sorted, &[0.1], 0, 0.95, Seed(1)), None);
    }
}
