//! What the learnt attacks promise beyond the contract of all attacks.

use std::sync::atomic::{AtomicUsize, Ordering};

use stats::streams::{Seed, shuffle, standard_normal};

use super::super::engine::{Request, run};
use super::super::find;
use super::super::tests::{Data, leaky_signals, naive_auc, random_signals, score, score_id};
use super::learner::SETTINGS;
use crate::settings::Settings;
use base::{Cancel, Event, Progress, Sink};
use base::{Error, ErrorKind};

const BOTH: [&str; 2] = ["understudy", "understudy-offline"];

/// Records that differ in how hard they are, in how much of them leaks and in how far models
/// differ on them.
fn heterogeneous(records: usize, shadows: usize, seed: u64) -> Data {
    let mut data = leaky_signals(records, shadows, 0.0, seed);
    let mut rng = Seed(seed).stream("heterogeneous");
    for record in 0..records {
        let spread = (0.4 * standard_normal(&mut rng)).exp();
        let leak = (1.2 * standard_normal(&mut rng)).exp();
        for (phi, keep) in data.phi.iter_mut().zip(&data.keep) {
            phi[record] = spread * phi[record] + leak * f64::from(u8::from(keep[record]));
        }
    }
    data
}

fn run_with(
    id: &str,
    data: &Data,
    seed: u64,
    progress: Progress<'_>,
) -> Result<Vec<Option<f64>>, Error> {
    let mut settings = Settings::default();
    // Enough for what is tested with these runs, and quick.
    settings.set(&SETTINGS, "understudy.trees", "20")?;
    let signals = data.signals();
    let request = Request {
        signals: &signals,
        population: None,
        settings: &settings,
        seed: Seed(seed),
        progress,
    };
    let scores = run(&[find(id)?], &request)?.remove(0).scores?;
    Ok(scores.iter().collect())
}

/// The AUC over the records that the attack judges.
fn auc(id: &str, data: &Data) -> f64 {
    auc_where(id, data, |_| true)
}

fn auc_where(id: &str, data: &Data, wanted: impl Fn(usize) -> bool) -> f64 {
    let scores = score(find(id).unwrap(), data);
    let (values, member): (Vec<f64>, Vec<bool>) = (0..scores.len())
        .filter(|&record| wanted(record))
        .filter_map(|record| Some((scores.get(record)?, data.keep[0][record])))
        .unzip();
    naive_auc(&values, &member)
}

#[test]
fn four_shadows_are_enough_to_beat_lira() {
    for seed in 0..3 {
        let data = heterogeneous(1500, 4, 20 + seed);
        let lira = score(find("lira").unwrap(), &data);
        let judged_by_lira = |record: usize| lira.get(record).is_some();
        let (ours, theirs) = (
            auc_where("understudy", &data, judged_by_lira),
            auc("lira", &data),
        );
        assert!(ours > theirs + 0.005, "{ours} against {theirs}");
    }
}

/// The same signals with every model, the target included, surer or less sure of everything.
fn moody(mut data: Data, seed: u64) -> Data {
    let mut rng = Seed(seed).stream("moods");
    for phi in &mut data.phi {
        let shift = 1.5 * standard_normal(&mut rng);
        let stretch = (0.3 * standard_normal(&mut rng)).exp();
        phi.iter_mut().for_each(|phi| *phi = stretch * *phi + shift);
    }
    data
}

#[test]
fn models_that_differ_as_a_whole_hide_no_leak() {
    for (shadows, seed) in [(4, 120), (16, 121)] {
        let calm = heterogeneous(1500, shadows, seed);
        let moody = moody(calm.clone(), seed);
        for id in BOTH {
            let (before, after) = (auc(id, &calm), auc(id, &moody));
            assert!(after > before - 0.02, "{id}: {before}, then {after}");
        }
    }
}

#[test]
fn models_that_differ_as_a_whole_are_no_leak() {
    for seed in 0..3 {
        let data = moody(leaky_signals(2000, 8, 0.0, 130 + seed), seed);
        for id in BOTH {
            let auc = auc(id, &data);
            assert!((auc - 0.5).abs() < 0.06, "{id}: {auc}");
        }
    }
}

#[test]
fn a_leak_that_published_scores_cannot_see_is_learnt() {
    // Probabilities so near 1 that base1 is the same for all; and members that are less sure.
    let data = heterogeneous(1500, 8, 140);
    let changed = |change: fn(f64) -> f64| {
        let mut data = data.clone();
        data.phi
            .iter_mut()
            .flatten()
            .for_each(|phi| *phi = change(*phi));
        data
    };
    let plain = auc("understudy", &data);
    for other in [changed(|phi| phi + 1000.0), changed(|phi| -phi)] {
        let auc = auc("understudy", &other);
        assert!(auc > plain - 0.05, "{plain}, then {auc}");
    }
}

#[test]
fn a_balanced_design_is_not_mistaken_for_a_leak() {
    // Every record is in exactly four of eight models, so the shadows' counts give the target's
    // membership away to whoever uses them.
    let records = 3000;
    let mut data = leaky_signals(records, 7, 0.0, 30);
    let mut rng = Seed(31).stream("balanced");
    for record in 0..records {
        let mut models: Vec<usize> = (0..8).collect();
        shuffle(&mut rng, &mut models);
        for (place, &model) in models.iter().enumerate() {
            data.keep[model][record] = place < 4;
        }
    }
    for id in BOTH {
        let auc = auc(id, &data);
        assert!((auc - 0.5).abs() < 0.06, "{id}: {auc}");
    }
}

#[test]
fn a_faint_leak_is_not_lost_in_noise() {
    // Too little to learn from: trees fitted to the end would find patterns where there are none.
    for (records, shadows, seed) in [(1500, 4, 100), (1500, 16, 101), (300, 6, 102)] {
        let data = leaky_signals(records, shadows, 0.5, seed);
        let (ours, simple) = (auc("understudy", &data), auc("base1", &data));
        assert!(ours > simple - 0.01, "{ours} against {simple}");
    }
}

/// Shadows in complementary pairs. Every model leans towards or away from each of three kinds of
/// records, whether or not it trained on them, and its complement leans the other way.
fn leaning(records: usize, pairs: usize, leak: f64, seed: u64) -> Data {
    let mut data = leaky_signals(records, 2 * pairs, 0.0, seed);
    let mut rng = Seed(seed).stream("leaning");
    let mut lean = [0.0; 3];
    for model in 0..=2 * pairs {
        // Models 1 and 2 complete each other, 3 and 4, and so on.
        let completes = model > 0 && model.is_multiple_of(2);
        lean = if completes {
            data.keep[model] = data.keep[model - 1].iter().map(|keep| !keep).collect();
            lean.map(|lean| -lean)
        } else {
            lean.map(|_| 2.0 * standard_normal(&mut rng))
        };
        for (record, phi) in data.phi[model].iter_mut().enumerate() {
            let gain = if data.keep[model][record] { leak } else { 0.0 };
            *phi += gain + lean[record % 3];
        }
    }
    data
}

#[test]
fn complements_among_the_shadows_teach_nothing_wrong() {
    for (pairs, seed) in [(2, 110), (4, 111), (8, 112)] {
        let data = leaning(2000, pairs, 0.6, seed);
        let (ours, simple) = (auc("understudy", &data), auc("base1", &data));
        assert!(ours > simple - 0.005, "{ours} against {simple}");
    }
}

#[test]
fn records_that_lack_a_class_do_not_make_a_leak() {
    for seed in 0..3 {
        let data = leaky_signals(2000, 3, 0.0, 40 + seed);
        for id in BOTH {
            let auc = auc(id, &data);
            assert!((auc - 0.5).abs() < 0.06, "{id}: {auc}");
        }
    }
}

#[test]
fn offline_a_records_in_shadows_touch_only_the_other_half() {
    let data = leaky_signals(800, 8, 2.0, 50);
    let id = "understudy-offline";
    let plain = run_with(id, &data, 0, Progress::unwatched()).unwrap();
    let disturbed = |records: &[usize]| {
        let mut other = data.clone();
        for &record in records {
            for (phi, keep) in other.phi.iter_mut().zip(&data.keep).skip(1) {
                if keep[record] {
                    phi[record] = -40.0;
                }
            }
        }
        run_with(id, &other, 0, Progress::unwatched()).unwrap()
    };
    // A record never sees its own IN values; those it teaches are its opposite half.
    let moved_by = |records: &[usize]| -> Vec<usize> {
        let scores = disturbed(records);
        (0..800).filter(|&i| scores[i] != plain[i]).collect()
    };
    let second = moved_by(&[0]);
    assert!(!second.is_empty() && !second.contains(&0));
    let first: Vec<usize> = (0..800).filter(|i| !second.contains(i)).collect();
    assert!((300..500).contains(&second.len()), "{}", second.len());
    let touched = moved_by(&first);
    assert!(first.iter().all(|record| !touched.contains(record)));
    let touched = moved_by(&second);
    assert!(second.iter().all(|record| !touched.contains(record)));
}

#[test]
fn offline_a_record_without_out_shadows_is_judged_by_what_is_usual() {
    // Half of the records have IN shadows alone; the others teach what φ by itself says.
    let mut data = leaky_signals(3000, 6, 4.0, 51);
    for keep in &mut data.keep[1..] {
        keep[..1500].fill(true);
    }
    let id = "understudy-offline";
    let scores = score(find(id).unwrap(), &data);
    assert_eq!(scores.abstained(), 0);
    let without = auc_where(id, &data, |record| record < 1500);
    let by_phi = auc_where("loss", &data, |record| record < 1500);
    // One half of the records teaches the other, so that two weights of φ meet in one ranking.
    assert!((without - by_phi).abs() < 0.02, "{without}, {by_phi}");
    let with = auc_where(id, &data, |record| record >= 1500);
    assert!(with > without + 0.05, "{with}, {without}");
    // It says less of them: the log-odds lie nearer to nothing.
    let size = |records: std::ops::Range<usize>| -> f64 {
        let count = records.len() as f64;
        records
            .filter_map(|record| scores.get(record))
            .map(f64::abs)
            .sum::<f64>()
            / count
    };
    assert!(size(0..1500) < size(1500..3000));
}

#[test]
fn offline_the_prior_changes_no_score_of_a_record_with_out_shadows() {
    let few = leaky_signals(60, 4, 2.0, 52);
    let (ours, published) = ("understudy-offline", "base1-offline");
    let of = |id: &str| -> Vec<Option<f64>> { score(find(id).unwrap(), &few).iter().collect() };
    let (ours, published) = (of(ours), of(published));
    assert!(published.contains(&None), "some record has no OUT shadow");
    for (ours, published) in ours.iter().zip(&published) {
        assert!(ours.is_some());
        assert!(published.is_none() || ours == published);
    }
}

#[test]
fn the_seed_alone_decides_the_choices() {
    let data = random_signals(600, 40, 60);
    for id in BOTH {
        let scores = |seed| run_with(id, &data, seed, Progress::unwatched()).unwrap();
        assert_eq!(scores(1), scores(1), "{id}");
        assert_ne!(scores(1), scores(2), "{id}");
    }
}

#[test]
fn too_few_rows_leave_the_word_to_a_published_attack() {
    let data = random_signals(12, 5, 70);
    assert_eq!(score_id("understudy", &data), score_id("base1", &data));
    assert_eq!(
        score_id("understudy-offline", &data),
        score_id("base1-offline", &data)
    );
}

#[test]
fn too_few_shadows_or_one_class_alone_are_refused_with_a_remedy() {
    let two = random_signals(50, 2, 80);
    let mut no_inside = random_signals(50, 6, 81);
    for keep in &mut no_inside.keep[1..] {
        keep.fill(false);
    }
    for id in BOTH {
        for data in [&two, &no_inside] {
            let error = run_with(id, data, 0, Progress::unwatched()).unwrap_err();
            assert_eq!(error.kind, ErrorKind::MissingAccess, "{id}");
            assert!(error.hint.is_some(), "{id}");
        }
    }
}

#[test]
fn three_shadows_are_enough() {
    let data = leaky_signals(800, 3, 2.5, 82);
    for id in BOTH {
        let auc = auc(id, &data);
        assert!(auc > 0.6, "{id}: {auc}");
    }
}

#[test]
fn signals_that_are_not_numbers_are_abstained_on_and_teach_no_harm() {
    let mut data = random_signals(300, 8, 90);
    data.phi[0][7] = f64::NAN;
    data.phi[0][9] = f64::INFINITY;
    data.phi[3][11] = f64::NEG_INFINITY;
    for id in BOTH {
        let scores = score(find(id).unwrap(), &data);
        assert!(scores.get(7).is_none(), "{id}");
        assert_eq!(scores.abstained(), 1, "{id}");
    }
}

/// Counts the records it is told of.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Sink for Counting {
    fn receive(&self, event: &Event<'_>) {
        if let Event::Advanced { count, .. } = event {
            self.0.fetch_add(*count, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_sink_hears_of_every_record_whether_or_not_trees_are_grown() {
    for (records, leak) in [(900, 2.0), (900, 0.0), (12, 2.0)] {
        let data = leaky_signals(records, 8, leak, 92);
        for id in BOTH {
            let (counting, never) = (Counting::default(), Cancel::new());
            run_with(id, &data, 0, Progress::new(&counting, &never)).unwrap();
            // One pass for the statistics of all, one for the attack.
            assert_eq!(counting.0.into_inner(), 2 * records, "{id}, {records}");
        }
    }
}

#[test]
fn it_can_be_interrupted() {
    let data = random_signals(300, 8, 91);
    let cancel = Cancel::new();
    cancel.request();
    let stopped = Progress::unwatched().stopped_by(&cancel);
    for id in BOTH {
        let error = run_with(id, &data, 0, stopped).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Interrupted, "{id}");
    }
}
