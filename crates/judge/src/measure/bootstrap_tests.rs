use super::*;
use crate::measure::auc::auc as auc_of;
use proptest::prelude::*;

const MEMBERS: [f64; 8] = [0.9, 0.8, 0.8, 0.7, 0.6, 0.55, 0.4, 0.3];
const NONMEMBERS: [f64; 8] = [0.8, 0.6, 0.5, 0.45, 0.4, 0.35, 0.2, 0.1];

fn roc(members: &[f64], nonmembers: &[f64]) -> Roc {
    let members = members.iter().map(|&score| (score, true));
    Roc::new(members.chain(nonmembers.iter().map(|&score| (score, false)))).unwrap()
}

/// Every way to draw three out of three, as counts.
fn all_draws_of_three() -> Vec<Vec<u16>> {
    let mut all = Vec::new();
    for draws in 0..27 {
        let mut counts = vec![0; 3];
        for place in [1, 3, 9] {
            counts[draws / place % 3] += 1;
        }
        all.push(counts);
    }
    all
}

#[test]
fn all_729_resamples_of_three_by_three() {
    let roc = roc(&[3.0, 2.0, 1.0], &[2.5, 1.0, 0.5]);
    let walk = Walk::new(&roc, &[]);
    let mut areas = Vec::new();
    for members in all_draws_of_three() {
        for nonmembers in all_draws_of_three() {
            let members = members.clone();
            let counts = Counts {
                members,
                nonmembers,
            };
            areas.push(walk.outcome(&counts).doubled_pairs as f64 / 18.0);
        }
    }
    areas.sort_unstable_by(f64::total_cmp);
    let mean = areas.iter().sum::<f64>() / 729.0;
    let variance = areas.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / 729.0;
    assert!((mean - 0.7222222222222222).abs() < 1e-12);
    assert!((variance - 0.04663923182441701).abs() < 1e-12);
    for (p, expected) in [
        (0.025, 2.0 / 9.0),
        (0.05, 1.0 / 3.0),
        (0.5, 7.0 / 9.0),
        (0.95, 1.0),
        (0.975, 1.0),
    ] {
        assert!((percentile(&areas, p) - expected).abs() < 1e-12, "{p}");
    }
}

#[test]
fn agrees_with_two_hundred_thousand_draws_and_the_closed_form() {
    let found = bootstrap(&roc(&MEMBERS, &NONMEMBERS), &[0.25], 40_000, 0.95, Seed(1)).unwrap();
    // The area moves in steps of 1/128; Monte Carlo may be off by one.
    assert!((found.auc.low - 0.484375).abs() <= 1.01 / 128.0);
    assert!((found.auc.high - 0.9609375).abs() <= 1.01 / 128.0);
    let closed: f64 = 0.0153961181640625;
    assert!((found.auc.standard_error.powi(2) / closed - 1.0).abs() < 0.03);
    assert!(found.tpr_at_fpr[0].low <= 0.5 && found.tpr_at_fpr[0].high >= 0.75);
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let roc = roc(&MEMBERS, &NONMEMBERS);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build()
            .unwrap()
            .install(|| bootstrap(&roc, &[0.1, 0.5], 333, 0.9, Seed(5)))
    };
    assert_eq!(with(1), with(2));
    assert_eq!(with(1), with(7));
}

#[test]
fn no_replicates_no_interval() {
    assert_eq!(bootstrap(&roc(&[1.0], &[0.0]), &[], 0, 0.95, Seed(1)), None);
    let one = bootstrap(&roc(&[1.0], &[0.0]), &[], 1, 0.95, Seed(1)).unwrap();
    assert_eq!(one.auc.standard_error, 0.0);
}

/// Expand the counts into records and measure them afresh.
fn naive(members: &[f64], nonmembers: &[f64], counts: &Counts) -> Roc {
    let repeated = |scores: &[f64], counts: &[u16]| {
        let mut sorted = scores.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let drawn = sorted.iter().zip(counts);
        drawn
            .flat_map(|(&score, &count)| vec![score; usize::from(count)])
            .collect::<Vec<_>>()
    };
    roc(
        &repeated(members, &counts.members),
        &repeated(nonmembers, &counts.nonmembers),
    )
}

proptest! {
    #[test]
    fn counting_is_measuring_the_resample(
        members in prop::collection::vec(0_i32..10, 1..25),
        nonmembers in prop::collection::vec(0_i32..10, 1..25),
        seed in 0_u64..1000,
    ) {
        let members: Vec<f64> = members.into_iter().map(f64::from).collect();
        let nonmembers: Vec<f64> = nonmembers.into_iter().map(f64::from).collect();
        let fprs = [0.5, 0.1, 0.0, 0.5, 1.0];
        let walk = Walk::new(&roc(&members, &nonmembers), &fprs);
        let mut counts = walk.scratch();
        let mut stream = Seed(seed).stream("twin");
        count_draws(&mut stream, &mut counts.members);
        count_draws(&mut stream, &mut counts.nonmembers);
        let outcome = walk.outcome(&counts);
        let twin = naive(&members, &nonmembers, &counts);
        let pairs = 2.0 * (members.len() * nonmembers.len()) as f64;
        let area = auc_of(&twin, 0.95, Default::default()).value;
        prop_assert!((outcome.doubled_pairs as f64 / pairs - area).abs() < 1e-12);
        for (&fpr, &slot) in fprs.iter().zip(&walk.slots) {
            let budget = false_positive_budget(fpr, nonmembers.len() as u64);
            prop_assert_eq!(
                outcome.caught[slot],
                twin.point_at_false_positives(budget).true_positives
            );
        }
    }
}
