use attacks::scores::Scores;
use stats::streams::{ChaCha8Rng, Seed, standard_normal, uniform};

use super::super::largest::{Placements, chance_of_largest};
use super::super::slices::{Cut, SliceColumn, Slices, slices};
use super::*;
use crate::Truth;
use crate::guardrails::{Evidence, Status, check};

/// Scores of several attacks that see much the same, on records cut into slices.
struct Audit {
    attacks: Vec<(String, Scores)>,
    truth: Truth,
    column: SliceColumn,
}

const ATTACKS: usize = 12;

/// A record's score is `lift` for members of its slice, what all attacks see alike, and a little of
/// each attack's own.
fn audit(mut rng: ChaCha8Rng, values: Vec<u32>, lift: impl Fn(u32, usize) -> f64) -> Audit {
    let members: Vec<bool> = values.iter().map(|_| uniform(&mut rng) < 0.5).collect();
    let shared: Vec<f64> = values.iter().map(|_| standard_normal(&mut rng)).collect();
    let attacks = (0..ATTACKS).map(|attack| {
        let records = values.iter().zip(&members).zip(&shared);
        let score = |((&value, &member), shared): ((&u32, &bool), &f64)| {
            let own = 0.5 * standard_normal(&mut rng);
            Ok(shared + own + if member { lift(value, attack) } else { 0.0 })
        };
        (format!("a{attack}"), records.map(score).collect())
    });
    let attacks = attacks.collect();
    let most = values.iter().max().copied().unwrap_or(0);
    Audit {
        attacks,
        truth: Truth::new(members).unwrap(),
        column: SliceColumn {
            name: "label".into(),
            values,
            names: (0..=most).map(|value| value.to_string()).collect(),
            numbers: Vec::new(),
        },
    }
}

impl Audit {
    fn judged(&self, gate: &Gate) -> Slices {
        let records: Vec<usize> = (0..self.truth.len()).collect();
        let cut = Cut {
            attack: "a0",
            attacks: &self.attacks,
            truth: &self.truth,
            records: &records,
            columns: std::slice::from_ref(&self.column),
            show_records: false,
        };
        slices(&cut, gate, &Options::default()).unwrap()
    }

    fn standing(&self, gate: &Gate) -> Standing {
        self.judged(gate).worst().unwrap().1.standing
    }
}

/// One class in a hundred, 40 of 4,000 records.
fn rare(records: u32) -> Vec<u32> {
    (0..records)
        .map(|record| u32::from(record % 100 == 0))
        .collect()
}

#[test]
fn a_rare_class_that_leaks_completely_violates_the_gate_whatever_its_split() {
    for seed in 0..20 {
        let stream = Seed(seed).stream("rare");
        // Only half of the attacks see it, and not the one that is shown.
        let leak = |value: u32, attack: usize| f64::from(value) * (attack % 2) as f64 * 8.0;
        let found = audit(stream, rare(4000), leak).judged(&Gate::default());
        let (slice, gate) = found.worst().unwrap();
        assert_eq!(
            (slice.value.as_str(), gate.standing),
            ("1", Standing::Violates)
        );
        assert_eq!(found.slices[0].value, "1");
        assert!(
            gate.value > 0.99 && gate.corrected_p_value < 0.01,
            "{gate:?}"
        );
    }
}

#[test]
fn a_slice_that_leaks_but_is_too_small_to_be_sure_takes_the_pass() {
    // 40 records of 4,000, with an AUC of about 0.75: more than the others beyond doubt, more than
    // 0.65 perhaps.
    let standings = (0..20).map(|seed| {
        let stream = Seed(seed).stream("suspect");
        let found = audit(stream, rare(4000), |value, _| 1.1 * f64::from(value));
        found.standing(&Gate::default())
    });
    let standings: Vec<Standing> = standings.collect();
    let count = |wanted| standings.iter().filter(|found| **found == wanted).count();
    assert!(count(Standing::Suspect) >= 4, "{standings:?}");
    assert!(count(Standing::Violates) <= 12, "{standings:?}");
}

/// Clean records, and records that leak everywhere alike at the threshold: slices are blamed in no
/// more of the audits than stated.
#[test]
fn slices_are_blamed_no_more_often_than_stated() {
    const AUDITS: u64 = 100;
    // Φ(lift / √(2 · 1.25)) is the AUC: 0.5, and 0.65.
    let at_threshold = 0.385_32 * 2.5_f64.sqrt();
    for (slices, records, lift) in [
        (2, 400, 0.0),
        (20, 600, 0.0),
        (10, 4000, 0.0),
        (4, 400, at_threshold),
        (10, 2000, at_threshold),
    ] {
        let blamed = |wanted: &[Standing]| {
            let audits = (0..AUDITS).filter(|&number| {
                let stream = Seed(9).numbered("blamed", number);
                let values = (0..records).map(|record| record % slices).collect();
                let found = audit(stream, values, |_, _| lift);
                wanted.contains(&found.standing(&Gate::default()))
            });
            audits.count()
        };
        // 5% of 100 is 5; more than 11 would come by chance once in 300 runs.
        let violating = blamed(&[Standing::Violates]);
        assert!(
            violating <= 11,
            "{slices} of {records}, {lift}: {violating}"
        );
        if lift == 0.0 {
            let any = blamed(&[Standing::Violates, Standing::Suspect]);
            assert!(any <= 11, "{slices} of {records}: {any}");
        }
    }
}

#[test]
fn other_measures_are_held_against_their_thresholds() {
    let leaky = audit(Seed(2).stream("rates"), rare(40_000), |value, _| {
        8.0 * f64::from(value)
    });
    let clean = audit(Seed(2).stream("rates"), rare(40_000), |_, _| 0.0);
    for (measure, threshold) in [(Measure::TprAtFpr(0.01), 0.1), (Measure::Advantage, 0.3)] {
        let gate = Gate {
            measure,
            threshold,
            ..Gate::default()
        };
        assert_eq!(leaky.standing(&gate), Standing::Violates, "{measure:?}");
        assert_eq!(clean.standing(&gate), Standing::Within, "{measure:?}");
    }
}

fn placed(records: &[(f64, bool)]) -> (Roc, Placements) {
    let roc = Roc::new(records.iter().copied()).unwrap();
    let rows = records.iter().enumerate();
    let rows = rows.map(|(row, &(score, member))| (row, score, member));
    let placements = Placements::new(rows, &roc);
    (roc, placements)
}

/// The definition: each record against every one of the other class.
#[test]
fn placements_are_those_of_all_pairs() {
    let mut rng = Seed(5).stream("placements");
    let records: Vec<(f64, bool)> = (0..60)
        .map(|row| ((standard_normal(&mut rng) * 4.0).round(), row % 3 == 0))
        .collect();
    let (roc, placements) = placed(&records);
    for (row, part) in placements.parts() {
        let (score, member) = records[row];
        let others: Vec<f64> = (records.iter().filter(|other| other.1 != member))
            .map(|other| match score == other.0 {
                true => 0.5,
                false => f64::from(u8::from((score > other.0) == member)),
            })
            .collect();
        let mean = others.iter().sum::<f64>() / others.len() as f64;
        let own = records.iter().filter(|other| other.1 == member).count() as f64;
        assert!((part - (mean - roc.auc()) / own).abs() < 1e-12);
    }
}

/// The slow way: every record's part in every attack's error times one normal number.
#[test]
fn the_largest_of_correlated_errors_is_what_multipliers_give() {
    let drawn = audit(Seed(6).stream("largest"), vec![0; 120], |_, _| 0.8);
    let attacks: Vec<Placements> = (drawn.attacks.iter())
        .map(|(_, scores)| {
            let scores = scores.iter().zip(drawn.truth.iter().flatten());
            placed(
                &scores
                    .map(|(s, member)| (s.unwrap(), member))
                    .collect::<Vec<_>>(),
            )
            .1
        })
        .collect();
    let mut rng = Seed(7).stream("multipliers");
    let draws = 20_000;
    let value = 2.0;
    let reached = (0..draws)
        .filter(|_| {
            let normals: Vec<f64> = (0..120).map(|_| standard_normal(&mut rng)).collect();
            let largest = attacks.iter().map(|one| {
                let sum = |of: &dyn Fn(usize, f64) -> f64| -> f64 {
                    one.parts().map(|(row, part)| of(row, part)).sum()
                };
                sum(&|row, part| part * normals[row]) / sum(&|_, part| part * part).sqrt()
            });
            largest.fold(f64::NEG_INFINITY, f64::max) >= value
        })
        .count() as f64
        / f64::from(draws);
    let all: Vec<&Placements> = attacks.iter().collect();
    let found = chance_of_largest(&all, value, Seed(8));
    assert!((found - reached).abs() < 0.006, "{found} {reached}");
    // Far below Bonferroni's bound, for the attacks see much the same.
    assert!(found < 0.7 * ATTACKS as f64 * normal_sf(value));
}

/// Too few non-members to show a rate of 1% by themselves, at the cut that keeps it over all.
#[test]
fn a_rare_class_that_leaks_completely_violates_a_gate_on_a_rate() {
    let gate = Gate {
        measure: Measure::TprAtFpr(0.01),
        threshold: 0.1,
        ..Gate::default()
    };
    let leak = |value: u32, _: usize| f64::from(value) * 8.0;
    let found = audit(Seed(5).stream("rare rate"), rare(4000), leak).judged(&gate);
    let (slice, stands) = found.worst().unwrap();
    assert_eq!(
        (slice.value.as_str(), stands.standing),
        ("1", Standing::Violates)
    );
    for seed in 0..20 {
        let clean = audit(Seed(seed).stream("clean rate"), rare(4000), |_, _| 0.0);
        assert_eq!(clean.standing(&gate), Standing::Within);
    }
}

/// A leak whose sign was not known, in one slice alone.
#[test]
fn a_rare_class_below_one_half_is_told_and_named() {
    let gate = Gate::default();
    for seed in 0..20 {
        let stream = Seed(seed).stream("below");
        let leak = |value: u32, attack: usize| f64::from(value) * (attack % 2) as f64 * -8.0;
        let found = audit(stream, rare(4000), leak).judged(&gate);
        let below = found.slices[0].below.as_ref().unwrap();
        assert_eq!(found.slices[0].value, "1");
        assert!(below.auc < 0.01 && below.high < 0.5, "{below:?}");
        assert!(below.corrected_p_value < 1e-4, "{below:?}");
        let evidence = Evidence {
            slices: Some(&found),
            ..Evidence::new(2000, 2000, &gate, &[])
        };
        let said = check(&evidence);
        let said = said.iter().find(|one| one.id == "below-chance").unwrap();
        assert_eq!(said.status, Status::Violated);
        assert!(
            said.detail.contains("where label = 1 (0.00"),
            "{}",
            said.detail
        );
    }
}

/// Records that leak nothing, or everywhere alike: no slice is below one half more often than stated.
#[test]
fn slices_are_called_below_one_half_no_more_often_than_stated() {
    const AUDITS: u64 = 100;
    for (slices, records, lift) in [(2, 400, 0.0), (20, 600, 0.0), (10, 2000, 0.3)] {
        let called = (0..AUDITS).filter(|&number| {
            let stream = Seed(10).numbered("called", number);
            let values = (0..records).map(|record| record % slices).collect();
            let found = audit(stream, values, |_, _| lift).judged(&Gate::default());
            found.slices.iter().any(|slice| slice.below.is_some())
        });
        // 1% of 100 is 1; more than 4 would come by chance once in 270 runs.
        let called = called.count();
        assert!(called <= 4, "{slices} of {records}, {lift}: {called}");
    }
}
