//! What every attack in the registry must keep, whatever it computes.

use super::*;
use crate::card::Access;
use crate::scores::Abstention;
use base::ErrorKind;

fn auc(attack: &'static dyn ShadowAttack, data: &Data) -> f64 {
    let scores = score(attack, data);
    let judged: Vec<usize> = (0..scores.len())
        .filter(|&i| scores.get(i).is_some())
        .collect();
    let values: Vec<f64> = judged.iter().map(|&i| scores.get(i).unwrap()).collect();
    let member: Vec<bool> = judged.iter().map(|&i| data.keep[0][i]).collect();
    naive_auc(&values, &member)
}

#[test]
fn ids_are_unique_and_every_card_speaks() {
    let mut ids: Vec<_> = ATTACKS.iter().map(|attack| attack.card().id).collect();
    for card in ATTACKS.iter().map(|attack| attack.card()) {
        for text in [
            card.summary,
            card.asks,
            card.why_it_works,
            card.when_it_misleads,
            card.paper,
        ] {
            assert!(text.len() > 10, "{}", card.id);
        }
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), ATTACKS.len());
}

#[test]
fn the_targets_membership_changes_nothing() {
    let data = random_signals(130, 10, 10);
    let mut flipped = data.clone();
    for member in &mut flipped.keep[0] {
        *member = !*member;
    }
    for &attack in ATTACKS {
        let (one, other) = (score(attack, &data), score(attack, &flipped));
        assert!(one.iter().eq(other.iter()), "{}", attack.card().id);
    }
}

#[test]
fn reordering_records_reorders_scores() {
    let data = random_signals(130, 10, 11);
    let order: Vec<usize> = (0..130).map(|i| i * 37 % 130).collect();
    let permuted = data.permuted(&order);
    for &attack in ATTACKS {
        let (plain, moved) = (score(attack, &data), score(attack, &permuted));
        for (place, &record) in order.iter().enumerate() {
            let (a, b) = (plain.get(record).unwrap(), moved.get(place).unwrap());
            // Global sums run in record order, so the last digits may move.
            assert!(
                (a - b).abs() <= 1e-9 * a.abs().max(1.0),
                "{}",
                attack.card().id
            );
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let data = random_signals(1000, 12, 12);
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| -> Vec<u64> {
            ATTACKS
                .iter()
                .flat_map(|&attack| score(attack, &data).iter().collect::<Vec<_>>())
                .map(|score| score.unwrap().to_bits())
                .collect()
        })
    };
    let alone = with_threads(1);
    assert_eq!(alone, with_threads(2));
    assert_eq!(alone, with_threads(7));
}

#[test]
fn no_leak_gives_chance_and_a_leak_gives_more() {
    let silent = leaky_signals(1500, 16, 0.0, 13);
    let leaky = leaky_signals(1500, 16, 2.5, 14);
    for &attack in ATTACKS {
        let id = attack.card().id;
        // The published code refuses records without both classes.
        if id == "lira-reference" {
            continue;
        }
        // Standard error at chance is 0.015 for 1,500 records: four of them.
        let chance = auc(attack, &silent);
        assert!((chance - 0.5).abs() < 0.06, "{id}: {chance} without a leak");
        let found = auc(attack, &leaky);
        // Right or wrong is two values, and most of these non-members are right.
        let labels = ["correctness", "label-ratio"].contains(&id);
        let least = if labels { 0.56 } else { 0.6 };
        assert!(found > least, "{id}: {found} with a leak");
    }
}

#[test]
fn heavy_ties_and_constant_signals_give_numbers() {
    let mut data = random_signals(64, 8, 15);
    for row in &mut data.phi {
        for value in row.iter_mut() {
            *value = value.round().clamp(-1.0, 1.0);
        }
    }
    let mut constant = data.clone();
    for row in &mut constant.phi {
        row.fill(1.5);
    }
    for &attack in ATTACKS {
        for data in [&data, &constant] {
            assert_eq!(score(attack, data).abstained(), 0, "{}", attack.card().id);
        }
    }
}

#[test]
fn one_record_is_enough() {
    let data = random_signals(1, 6, 16);
    for &attack in ATTACKS {
        assert_eq!(score(attack, &data).len(), 1, "{}", attack.card().id);
    }
}

#[test]
fn a_record_without_a_class_is_abstained_on_or_judged_by_the_prior() {
    let mut data = random_signals(80, 6, 17);
    for keep in &mut data.keep[1..] {
        keep[3] = false;
        keep[5] = true;
    }
    let reason = |id: &str, record: usize| score(find(id).unwrap(), &data).answer(record).err();
    for id in [
        "lira",
        "base3",
        "base4",
        "exponential",
        "gamma",
        "beta",
        "elsa1",
        "elsa-full",
    ] {
        assert_eq!(reason(id, 3), Some(Abstention::NoInShadow), "{id}");
        assert_eq!(reason(id, 5), Some(Abstention::NoOutShadow), "{id}");
        assert_eq!(reason(id, 4), None, "{id}");
    }
    for id in ["reference", "lira-offline", "rmia-offline", "base1-offline"] {
        assert_eq!(reason(id, 3), None, "{id}");
        assert_eq!(reason(id, 5), Some(Abstention::NoOutShadow), "{id}");
    }
    for id in [
        "bavaria-n",
        "bavaria-t",
        "bavaria-n-offline",
        "bavaria-t-offline",
        "rmia",
        "base1",
        "understudy",
        "understudy-offline",
    ] {
        assert_eq!(reason(id, 3).or(reason(id, 5)), None, "{id}");
    }
}

#[test]
fn missing_access_is_refused_with_a_remedy() {
    let mut data = random_signals(20, 4, 18);
    for keep in &mut data.keep[1..] {
        keep.fill(false);
    }
    for id in [
        "bavaria-n",
        "bavaria-t-offline",
        "lira-reference",
        "understudy",
        "understudy-offline",
    ] {
        let signals = data.signals();
        let request = Request {
            signals: &signals,
            population: None,
            settings: &Settings::default(),
            seed: Seed(0),
            progress: Progress::unwatched(),
        };
        let outcome = run(&[find(id).unwrap()], &request).unwrap().remove(0);
        let error = outcome.scores.unwrap_err();
        assert_eq!(error.kind, ErrorKind::MissingAccess);
        assert!(error.hint.is_some(), "{id}");
    }
}

/// What an attack says of signals as they are.
fn outcome(attack: &'static dyn ShadowAttack, signals: &ShadowSignals) -> base::Result<Scores> {
    let request = Request {
        signals,
        population: None,
        settings: &Settings::default(),
        seed: Seed(0),
        progress: Progress::unwatched(),
    };
    run(&[attack], &request).unwrap().remove(0).scores
}

#[test]
fn without_shadows_those_run_that_look_at_the_target_alone() {
    let data = random_signals(90, 4, 19);
    let with = data.signals();
    let mut without = with.clone();
    without.shadows.clear();
    without.members.clear();
    for &attack in ATTACKS {
        let id = attack.card().id;
        match (attack.card().access, outcome(attack, &without)) {
            (Access::TargetOnly, found) => {
                let (found, known) = (found.unwrap(), outcome(attack, &with).unwrap());
                assert!(found.iter().eq(known.iter()), "{id}");
            }
            (_, found) => {
                let error = found.unwrap_err();
                assert_eq!(error.kind, ErrorKind::MissingAccess, "{id}");
                assert_eq!(error.message, "there are no shadow models", "{id}");
            }
        }
    }
}

#[test]
fn attacks_on_all_classes_refuse_a_lone_phi() {
    let signals = random_signals(20, 4, 20).signals_as(Meaning::Phi);
    for id in [
        "confidence",
        "entropy",
        "modified-entropy",
        "correctness",
        "label-ratio",
    ] {
        let error = outcome(find(id).unwrap(), &signals).unwrap_err();
        assert_eq!(error.kind, ErrorKind::MissingAccess, "{id}");
        assert!(error.message.contains("φ alone is there"), "{id}");
    }
    let error = outcome(find("loss-per-class").unwrap(), &signals).unwrap_err();
    assert_eq!(error.message, "the true class of the records is not known");
}

/// Logits of three classes and two augmentations, one model.
fn three_classes(values: &[f64]) -> ShadowSignals {
    let records = values.len() / 6;
    ShadowSignals {
        outputs: Arc::new(ModelOutputs {
            planes: vec![Plane {
                record_stride: 48,
                augmentation_stride: 24,
                class_stride: 8,
                ..plane(values)
            }],
            meaning: Meaning::Logits {
                labels: vec![0; records].into(),
                classes: 3,
            },
            labels: None,
            records,
            augmentations: 2,
            levels: None,
            right: None,
        }),
        target: 0,
        shadows: Vec::new(),
        members: Vec::new(),
    }
}

#[test]
fn scores_of_all_classes_are_averaged_over_augmentations() {
    let right_twice = [4.0, 1.0, 0.0, 3.0, 0.0, 0.0];
    let right_once = [4.0, 1.0, 0.0, 0.0, 3.0, 0.0];
    let signals = three_classes(&[right_twice, right_once].concat());
    let found = outcome(find("correctness").unwrap(), &signals).unwrap();
    assert_eq!(found.as_slice(), [1.0, 0.5]);
    let entropy = outcome(find("entropy").unwrap(), &signals).unwrap();
    // Which class is named makes no difference to entropy, but it does to modified entropy.
    assert!((entropy.as_slice()[0] - entropy.as_slice()[1]).abs() < 1e-15);
    let modified = outcome(find("modified-entropy").unwrap(), &signals).unwrap();
    assert!(modified.as_slice()[0] > modified.as_slice()[1] + 1.0);
}
