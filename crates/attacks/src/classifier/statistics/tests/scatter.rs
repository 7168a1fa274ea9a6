//! Scatters of records whose first shadows lie far from the others.

use super::*;

/// Enough shadows that one which lies far from all others, and comes first, has the scatter taken again: of a class
/// of 101 or fewer, sums about it keep their digits.
const MANY: usize = 451;

/// The first IN and the first OUT shadow of every random record.
const FIRST_IN: usize = 1;
const FIRST_OUT: usize = 2;

/// Records 17, 18 and 19 have a first IN shadow, a first OUT shadow and both far from the others.
fn outliers(records: usize, far: f64) -> Data {
    let mut data = random_signals(records, MANY, 9);
    for (record, shadow, phi) in [
        (17, FIRST_IN, far),
        (18, FIRST_OUT, -far),
        (19, FIRST_IN, far),
        (19, FIRST_OUT, -0.5 * far),
    ] {
        data.phi[shadow][record] = phi;
    }
    data
}

/// As numbers of single and of double precision.
fn both(data: &Data) -> (Data, [ShadowSignals; 2]) {
    let (data, singles) = data.in_singles();
    let doubles = data.signals();
    (data, [singles, doubles])
}

#[test]
fn one_shadow_far_off_that_comes_first_costs_no_digits() {
    for far in [1e4, 3e5, 1e7] {
        let (data, signals) = both(&outliers(24, far));
        for signals in signals {
            let statistics = compute(&signals);
            equal_their_twins(&statistics, &data);
            for record in 17..20 {
                let (found, column) = (statistics.records.get(record), data.column(record));
                for (fast, inside) in [(found.inside, true), (found.outside, false)] {
                    let values: Vec<f64> = column.class(inside).collect();
                    let slow = Moments::from_values(&values).scatter;
                    // Sums about the outlier would lose a factor of some two hundred.
                    let near = (fast.scatter - slow).abs() <= 4e-15 * slow;
                    assert!(near, "{record}, {far}: {} {slow}", fast.scatter);
                }
            }
        }
    }
}

#[test]
fn neighbours_of_shadows_far_off_keep_their_bits() {
    let (plain, with) = (random_signals(24, MANY, 9), outliers(24, 1e6));
    let ((_, plain), (_, with)) = (both(&plain), both(&with));
    for (plain, with) in plain.iter().zip(&with) {
        let (plain, with) = (compute(plain), compute(with));
        for record in (0..24).filter(|record| !(17..20).contains(record)) {
            let found = bits(with.records.get(record));
            assert_eq!(found, bits(plain.records.get(record)), "{record}");
        }
        // A class of its own: the first OUT shadow far off takes nothing from the IN ones.
        let inside = |of: &Statistics| moment_bits(of.records.get(18).inside);
        assert_eq!(inside(&with), inside(&plain));
        let outside = |of: &Statistics| moment_bits(of.records.get(17).outside);
        assert_eq!(outside(&with), outside(&plain));
    }
}

#[test]
fn what_a_record_gets_does_not_depend_on_its_neighbours() {
    let mut few = random_signals(100, 70, 9);
    // One record whose first shadows lie far from all others.
    for row in &mut few.phi[1..4] {
        row[17] = 1e7;
    }
    let order: Vec<usize> = (0..100).map(|place| place * 37 % 100).collect();
    for data in [few, outliers(100, 1e7)] {
        let moved = data.permuted(&order);
        let ((_, one), (_, other)) = (both(&data), both(&moved));
        for (one, other) in one.iter().zip(&other) {
            let (one, other) = (compute(one), compute(other));
            for (place, &record) in order.iter().enumerate() {
                let (found, known) = (other.records.get(place), one.records.get(record));
                assert_eq!(bits(found), bits(known), "{record}");
            }
        }
    }
}

#[test]
fn a_scatter_keeps_its_digits_wherever_the_first_shadows_lie() {
    let mut data = random_signals(24, 200, 10);
    for (record, apart) in [(0, 1e3), (1, -1e5), (2, 1e8), (3, 1e-9)] {
        for row in &mut data.phi[1..5] {
            row[record] += apart;
        }
    }
    // All alike but the first few, and all alike.
    for (model, row) in data.phi.iter_mut().enumerate() {
        row[4] = if model < 6 {
            -7.0
        } else {
            16.118_095_650_958_32
        };
        row[5] = 0.1;
    }
    let statistics = compute(&data.signals());
    for (i, record) in statistics.records.iter().enumerate() {
        let column = data.column(i);
        for (fast, inside) in [(record.inside, true), (record.outside, false)] {
            let slow = Moments::from_values(&column.class(inside).collect::<Vec<_>>());
            assert!(close(fast.mean, slow.mean), "{i}: {fast:?} {slow:?}");
            assert!(
                i == 5 || close(fast.scatter, slow.scatter),
                "{i}: {fast:?} {slow:?}"
            );
        }
    }
    let alike = statistics.records.get(5);
    assert_eq!((alike.inside.scatter, alike.outside.scatter), (0.0, 0.0));
}
