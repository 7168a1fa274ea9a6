//! Few-shot audits end to end: what they give without a leak, and with one.

#![allow(clippy::unwrap_used)]

use attacks::fewshot::{Features, find};
use attacks::settings::Settings;
use base::ErrorKind;
use base::{Cancel, Event, Progress, Sink};
use guestlist_judge::Truth;
use guestlist_judge::fewshot::{
    Design, Entrant, Outcome, Records, Selection, Thresholds, run, steps,
};
use guestlist_judge::measure::Level;
use stats::streams::{Seed, standard_normal};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Half of the records are members; their features lie `lift` higher in two of eight columns.
fn records(seed: u64, count: usize, lift: f64) -> (Features, Truth) {
    let mut stream = Seed(seed).stream("features");
    let mut values: Vec<f64> = (0..count * 8)
        .map(|_| standard_normal(&mut stream))
        .collect();
    for row in (0..count).step_by(2) {
        values[row * 8] += lift;
        values[row * 8 + 3] += lift;
    }
    let truth = Truth::new((0..count).map(|row| row % 2 == 0)).unwrap();
    (Features::new(8, values).unwrap(), truth)
}

fn audit((features, truth): &(Features, Truth), ids: &[&str], design: &Design) -> Vec<Outcome> {
    let records = Records {
        features,
        truth,
        model: None,
    };
    let entrants: Vec<Entrant> = ids
        .iter()
        .map(|id| Entrant::new(find(id).unwrap(), design.runs))
        .collect();
    let settings = Settings::default();
    run(records, &entrants, design, &settings, Progress::unwatched()).unwrap()
}

#[test]
fn the_expectation_under_chance_is_the_exact_one() {
    let design = Design {
        shots: vec![1],
        runs: 2,
        ..Design::default()
    };
    let found = &audit(&records(1, 100, 0.0), &["fes-ss"], &design)[0].summary;
    assert_eq!((found.a.fp_allowed, found.b.fp_allowed), (0, 4));
    assert!((found.a.expected_by_chance - 0.1780).abs() < 1e-4);
    assert!((found.b.expected_by_chance - 0.5884).abs() < 1e-4);
    assert!((found.a.deviation_by_chance - 0.1995).abs() < 1e-4);
    assert!((found.b.deviation_by_chance - 0.1787).abs() < 1e-4);
}

/// Features that say nothing reach the published results, by the published procedure.
#[test]
fn random_features_give_what_chance_gives() {
    let published = Design {
        shots: vec![5, 10],
        thresholds: Thresholds::Query,
        selection: Selection::Published,
        ..Design::default()
    };
    for outcome in audit(&records(2, 4000, 0.0), &["fes-ss", "fes-tt"], &published) {
        let found = &outcome.summary;
        for (regime, chance) in [(&found.a, 0.1780), (&found.b, 0.5884)] {
            let error = regime.deviation_by_chance * (1.0f64 / 500.0 + 15.0 / 2000.0).sqrt();
            // A single neighbour gives ties, and ties move TP down: a little room below.
            let off = regime.value.mean - chance;
            assert!(off < 3.0 * error && off > -4.0 * error, "{found:?}");
            assert_eq!(regime.level, expected_word(regime.value.mean, regime.alpha));
        }
        assert!((found.auc.mean - 0.5).abs() < 0.02);
    }
}

/// Without a leak the mean has no word, or the word for chance.
fn expected_word(mean: f64, alpha: f64) -> Level {
    if mean < alpha {
        Level::None
    } else {
        Level::Chance
    }
}

/// With thresholds from validation the control shows what choosing on the same set does.
#[test]
fn random_features_agree_with_their_control() {
    let design = Design {
        shots: vec![5],
        ..Design::default()
    };
    for outcome in audit(
        &records(3, 4000, 0.0),
        &["fes-ss", "fes-ls", "fes-tt"],
        &design,
    ) {
        let found = &outcome.summary;
        for regime in [&found.a, &found.b] {
            assert!(regime.p_value_against_control.unwrap() > 1e-3, "{found:?}");
            assert_eq!(regime.level, expected_word(regime.value.mean, regime.alpha));
        }
        assert_eq!(
            found.control_runs,
            if found.attack == "fes-tt" { 100 } else { 500 }
        );
        assert_eq!(found.chosen.iter().map(|one| one.runs).sum::<usize>(), 500);
    }
}

#[test]
fn no_leak_is_called_one_no_more_often_than_claimed() {
    let (audits, mut words, mut against_chance) = (150, 0, 0);
    for seed in 0..audits {
        let design = Design {
            shots: vec![5],
            runs: 60,
            thresholds: Thresholds::Query,
            seed: Seed(seed),
            ..Design::default()
        };
        let found = audit(&records(100 + seed, 200, 0.0), &["fes-tt"], &design);
        let summary = &found[0].summary;
        let loud = |level: Level| matches!(level, Level::Severe | Level::Moderate);
        words += u32::from(loud(summary.a.level) || loud(summary.b.level));
        against_chance += u32::from(summary.a.p_value < 0.05);
    }
    // At most 7.5 of 150 expected for p ≤ 5 %, standard deviation 2.7, and fewer words.
    assert!(
        words <= 14 && against_chance <= 16,
        "{words} {against_chance}"
    );
}

#[test]
fn a_planted_leak_is_found_and_grows_with_shots() {
    let design = Design {
        runs: 200,
        ..Design::default()
    };
    let data = records(4, 2000, 1.5);
    for id in ["fes-ss", "fes-ls", "fes-tt"] {
        let found = audit(&data, &[id], &design);
        let areas: Vec<f64> = found.iter().map(|one| one.summary.auc.mean).collect();
        assert!(areas[0] < areas[1] && areas[1] < areas[2], "{id} {areas:?}");
        let last = &found[2].summary;
        assert!(areas[2] > 0.75 && last.accuracy.mean > 0.65, "{last:?}");
        assert!(last.auc_control.unwrap().mean < 0.55, "{last:?}");
        assert_eq!(last.b.level, Level::Severe, "{last:?}");
        assert!(last.b.p_value < 1e-3);
    }
}

#[test]
fn pooled_scores_are_of_the_first_asking() {
    let design = Design {
        shots: vec![5],
        runs: 100,
        ..Design::default()
    };
    let found = audit(&records(4, 400, 3.0), &["fes-ss"], &design);
    let pooled = &found[0].pooled;
    assert_eq!(pooled.len(), 400);
    // Each of 200 members is missed by 100 runs with probability (185/200)^100.
    assert!(pooled.abstained() <= 2);
    let few = Design { runs: 2, ..design };
    let pooled = &audit(&records(4, 400, 3.0), &["fes-ss"], &few)[0].pooled;
    assert!((340..=370).contains(&pooled.abstained()));
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let design = Design {
        runs: 20,
        ..Design::default()
    };
    let data = records(5, 200, 0.5);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let found = pool
            .unwrap()
            .install(|| audit(&data, &["fes-ss", "fes-ls", "fes-tt"], &design));
        let text = |one: &Outcome| {
            let scores: Vec<_> = one.pooled.iter().collect();
            serde_json::to_string(&(&one.summary, scores)).unwrap()
        };
        found.iter().map(text).collect::<Vec<_>>()
    };
    let one = with(1);
    assert_eq!(one.len(), 9);
    assert!(one == with(2) && one == with(7));
}

#[test]
fn constant_features_catch_nobody() {
    let truth = Truth::new((0..120).map(|row| row < 60)).unwrap();
    let data = (Features::new(2, vec![1.0; 240]).unwrap(), truth);
    let design = Design {
        runs: 5,
        ..Design::default()
    };
    for outcome in audit(&data, &["fes-ss", "fes-ls", "fes-tt"], &design) {
        let found = &outcome.summary;
        assert_eq!((found.a.value.mean, found.b.value.mean), (0.0, 0.0));
        assert_eq!((found.auc.mean, found.accuracy.mean), (0.5, 0.5));
        assert_eq!((found.a.level, found.b.level), (Level::None, Level::None));
    }
}

#[test]
fn too_few_records_and_a_cancelled_audit_say_so() {
    let data = records(6, 70, 0.0);
    let records_of = Records {
        features: &data.0,
        truth: &data.1,
        model: None,
    };
    let entrants = [Entrant::new(find("fes-ss").unwrap(), 10)];
    let settings = Settings::default();
    let go = |design: &Design, progress: Progress<'_>| {
        run(records_of, &entrants, design, &settings, progress).map(|found| found.len())
    };
    let error = go(&Design::default(), Progress::unwatched())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("35 members, but an episode takes 40"),
        "{error}"
    );
    let few = Design {
        shots: vec![1, 5],
        ..Design::default()
    };
    /// Asks to stop at the third step.
    struct Impatient<'a>(AtomicUsize, &'a Cancel);
    impl Sink for Impatient<'_> {
        fn receive(&self, event: &Event<'_>) {
            if let Event::Advanced { count, .. } = event
                && self.0.fetch_add(*count, Ordering::Relaxed) + count >= 3
            {
                self.1.request();
            }
        }
    }
    let cancel = Cancel::new();
    let impatient = Impatient(AtomicUsize::new(0), &cancel);
    let error = go(&few, Progress::new(&impatient, &cancel)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Interrupted);
    assert_eq!(go(&few, Progress::unwatched()).unwrap(), 2);
    assert_eq!(steps(&entrants, &few), 40);
}
