//! Many pairs of audits of equal leakage: the comparison must not find more rises, nor more falls, than
//! it says it may, with few records, heavy ties, strong leaks and several attacks; a true one it must
//! find.

#![allow(clippy::unwrap_used)]

mod worlds;

use guestlist_judge::compare::Change;
use worlds::{LEVEL, World, share, shares};

const PAIRS: u64 = 400;

fn rejections(before: World, after: World, pairs: u64, asked: &str) -> f64 {
    share(before, after, pairs, asked, Change::is_rise)
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
        let kinds = [Change::is_rise, Change::is_fall];
        for found in shares(world, world, PAIRS, "", kinds) {
            assert!(found <= most, "{world:?}: {found} of the pairs differ");
        }
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
    assert!(share(after, before, 40, "auc", Change::is_fall) > 0.9);
    assert_eq!(share(before, after, 40, "", Change::is_fall), 0.0);
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
    assert!(share(after, before, 10, "tpr@0.01", Change::is_fall) > 0.9);
}
