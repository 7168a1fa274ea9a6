//! Many pairs of audits of equal leakage: the comparison must not find more rises than it says it
//! may, with few records, heavy ties, strong leaks and several attacks; a true rise it must find.

#![allow(clippy::unwrap_used)]

use attacks::scores::Scores;
use guestlist_judge::compare::compare;
use guestlist_judge::{AttackMeasures, Options, Truth, measure};
use stats::streams::{Seed, standard_normal};

const LEVEL: f64 = 0.05;
const PAIRS: u64 = 400;

/// What the two audits of a pair look like.
#[derive(Clone, Copy, Debug)]
struct World {
    records: usize,
    attacks: usize,
    /// Distance of members from non-members, in deviations.
    leak: f64,
    /// So many members stand out by far.
    memorised: usize,
    /// Scores are cut into so many values; none leaves them as they are.
    values: Option<f64>,
}

fn audit(world: World, number: u64) -> Vec<AttackMeasures> {
    let mut stream = Seed(7).numbered(&format!("{world:?}"), number);
    let member = |record: usize| record.is_multiple_of(2);
    let truth = Truth::new((0..world.records).map(member)).unwrap();
    let options = Options {
        bootstrap_replicates: 0,
        ..Options::default()
    };
    // Attacks on the same records see much the same.
    let shared: Vec<f64> = (0..world.records)
        .map(|_| standard_normal(&mut stream))
        .collect();
    let attack = |id: usize| {
        let mut score = |record: usize| {
            let noise = (shared[record] + standard_normal(&mut stream)) / 2.0_f64.sqrt();
            let score = match member(record) {
                true if record < 2 * world.memorised => noise + 6.0,
                true => noise + world.leak,
                false => noise,
            };
            match world.values {
                None => score,
                Some(values) => (score.clamp(-2.0, 2.0) * values / 4.0).round(),
            }
        };
        let scores: Scores = (0..world.records).map(|record| Ok(score(record))).collect();
        measure(&format!("attack-{id}"), &scores, &truth, &options).unwrap()
    };
    (0..world.attacks).map(attack).collect()
}

/// The share of pairs in which any of the measures rose that are asked for.
fn rejections(before: World, after: World, pairs: u64, asked: &str) -> f64 {
    let rejected = (0..pairs).filter(|pair| {
        let changes = compare(&audit(before, 2 * pair), &audit(after, 2 * pair + 1));
        let mut asked = changes.iter().filter(|one| one.measure.starts_with(asked));
        asked.any(|change| change.is_rise(LEVEL))
    });
    rejected.count() as f64 / pairs as f64
}

#[test]
fn audits_of_equal_leakage_rarely_differ() {
    // Three deviations of a count of so many pairs.
    let most = LEVEL + 3.0 * (LEVEL * (1.0 - LEVEL) / PAIRS as f64).sqrt();
    for (records, attacks, leak, values) in [
        (40, 1, 0.7, None),
        (40, 5, 2.5, Some(2.0)),
        (100, 5, 0.7, Some(2.0)),
        (100, 5, 2.5, Some(4.0)),
        (400, 1, 0.0, None),
        (400, 3, 2.5, None),
        (400, 3, 0.7, Some(4.0)),
    ] {
        let world = World {
            records,
            attacks,
            leak,
            memorised: 0,
            values,
        };
        let found = rejections(world, world, PAIRS, "");
        assert!(found <= most, "{world:?}: {found} of the pairs differ");
    }
}

#[test]
fn a_rise_of_the_whole_curve_is_seen() {
    let before = World {
        records: 200,
        attacks: 5,
        leak: 0.2,
        memorised: 0,
        values: Some(4.0),
    };
    let after = World {
        leak: 1.2,
        ..before
    };
    assert!(rejections(before, after, 40, "auc") > 0.9);
    assert_eq!(rejections(after, before, 40, ""), 0.0);
}

#[test]
fn a_few_memorised_records_are_seen_at_a_low_rate() {
    let before = World {
        records: 4000,
        attacks: 1,
        leak: 0.0,
        memorised: 0,
        values: None,
    };
    let after = World {
        memorised: 160,
        ..before
    };
    assert!(rejections(before, after, 10, "tpr@0.01") > 0.9);
}
