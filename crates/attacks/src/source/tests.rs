//! Attribution as a whole: against a slow twin, on services made of a few lines, and where there
//! is nothing to find.

use stats::ridge::{Intercept, ridge};
use stats::streams::{Seed, standard_normal};

use super::nulls::{Habits, Null, nulls, nulls_of};
use super::settling::replayed;
use super::*;
use crate::scores::Abstention;

const ROWS: usize = 64;

/// A text of so many key words, all different.
fn text(length: usize) -> String {
    let words: Vec<String> = (0..length).map(|place| format!("word{place}x")).collect();
    format!("The {}.", words.join(" of the "))
}

/// What a service answers to perturbed copies: a function of copy and row.
fn asked(
    input: &Input,
    masks: &Masks,
    answer: impl Fn(&Perturbed, usize) -> Option<String>,
) -> Vec<Option<f64>> {
    let vocabulary = Vocabulary::default();
    let copies: Vec<Perturbed> = masks
        .iter()
        .enumerate()
        .map(|(row, kept)| {
            let rng = &mut perturb::draws(Seed(1), 0, row);
            super::perturb(input, kept, Perturbation::Mask, &vocabulary, rng)
        })
        .collect();
    let answers: Vec<Option<String>> = copies
        .iter()
        .enumerate()
        .map(|(row, copy)| answer(copy, row))
        .collect();
    let rows: Vec<Row> = copies
        .iter()
        .zip(&answers)
        .map(|(perturbed, answer)| Row {
            perturbed,
            answer: answer.as_deref(),
        })
        .collect();
    responses(&rows, None, &Lexical, Weights::default()).unwrap()
}

/// An answer that knows nothing, of a length that varies from row to row.
fn babble(row: usize) -> Option<String> {
    Some("nobody knows anything here ".repeat(1 + (row * 7 + row * row) % 5))
}

struct Toy {
    masks: Masks,
    on: Vec<Option<f64>>,
    off: Vec<Option<f64>>,
}

impl Toy {
    fn responses(&self) -> Responses<'_> {
        Responses {
            masks: &self.masks,
            on: &self.on,
            off: &self.off,
        }
    }
}

/// The service knows the text with retrieval, and without it.
fn toy(length: usize, on: bool, off: bool) -> Toy {
    let text = text(length);
    let input = Input::new(&text);
    assert_eq!(input.len(), length);
    let masks = Masks::draw(ROWS, length, 0.5, Seed(5), length as u64);
    let arm = |knows: bool, shift: usize| {
        asked(&input, &masks, |_, row| match knows {
            true => Some(text.clone()),
            false => babble(row + shift),
        })
    };
    Toy {
        on: arm(on, 0),
        off: arm(off, 1_000),
        masks,
    }
}

#[test]
fn three_sources_get_three_labels() {
    for length in [12, 40, 120] {
        for (on, off, wanted) in [
            (true, true, Label::Pretrained),
            (true, false, Label::Retrieved),
            (false, false, Label::NonMember),
        ] {
            let toy = toy(length, on, off);
            let found = attribute(&toy.responses(), &Rules::default(), Seed(1), 0).unwrap();
            assert_eq!(
                found.document.label, wanted,
                "{length} {:?}",
                found.document
            );
            assert_eq!((found.labels.len(), found.rows), (length, ROWS));
        }
    }
}

#[test]
fn short_texts_have_words_with_the_source_of_the_text() {
    for (on, off, wanted) in [
        (true, true, Label::Pretrained),
        (true, false, Label::Retrieved),
    ] {
        // Answers of one length, so that nothing but the words moves them.
        let mut toy = toy(12, on, off);
        if !off {
            toy.off = vec![Some(0.3); ROWS];
        }
        let found = attribute(&toy.responses(), &Rules::default(), Seed(1), 0).unwrap();
        let right = found
            .labels
            .iter()
            .filter(|label| **label == wanted)
            .count();
        assert!(right >= 11, "{right} {wanted:?}: {found:?}");
    }
}

#[test]
fn weights_are_those_of_the_slow_regression() {
    let mut rng = Seed(8).stream("twins");
    for (length, rules) in [
        (9, Rules::default()),
        (90, Rules::default()),
        (30, Rules::paper()),
    ] {
        let masks = Masks::draw(40, length, 0.5, Seed(2), 1);
        let mut draw = || -> Vec<Option<f64>> {
            (0..40)
                .map(|row| (row % 9 != 4).then(|| standard_normal(&mut rng)))
                .collect()
        };
        let (on, mut off) = (draw(), draw());
        off[0] = None;
        off[1] = Some(f64::NAN);
        let both: Vec<usize> = (2..40).filter(|row| row % 9 != 4).collect();
        let found = attribute(
            &Responses {
                masks: &masks,
                on: &on,
                off: &off,
            },
            &rules,
            Seed(1),
            0,
        )
        .unwrap();
        assert_eq!(found.rows, both.len());
        let rows: Vec<f64> = both
            .iter()
            .flat_map(|&row| masks.row(row).iter().map(|kept| f64::from(u8::from(*kept))))
            .collect();
        let slow = |values: &[Option<f64>]| {
            let targets: Vec<f64> = both.iter().map(|&row| values[row].unwrap()).collect();
            let intercept = if rules.intercept {
                Intercept::Free
            } else {
                Intercept::None
            };
            ridge(&rows, length, &targets, rules.penalty, intercept)
                .unwrap()
                .weights
        };
        let (slow_on, slow_off) = (slow(&on), slow(&off));
        for word in 0..length {
            assert!((found.beta_on[word] - slow_on[word]).abs() < 1e-9);
            assert!((found.beta_off[word] - slow_off[word]).abs() < 1e-9);
            assert!((found.ads[word] - slow_on[word] + slow_off[word]).abs() < 1e-9);
        }
        assert!((found.document.off - slow_off.iter().sum::<f64>()).abs() < 1e-9);
        assert!((found.document.ads - found.ads.iter().sum::<f64>()).abs() < 1e-9);
    }
}

#[test]
fn the_same_seed_gives_the_same_labels() {
    let toy = toy(40, true, false);
    let of = |seed, document| attribute(&toy.responses(), &Rules::default(), Seed(seed), document);
    assert_eq!(of(1, 0), of(1, 0));
    assert_ne!(of(1, 0), of(2, 0));
    assert_ne!(of(1, 0), of(1, 1));
}

#[test]
fn responses_without_spread_call_nothing() {
    for value in [0.0, 0.7, 1.0 / 3.0] {
        let masks = Masks::draw(ROWS, 20, 0.5, Seed(1), 0);
        let same = vec![Some(value); ROWS];
        let responses = Responses {
            masks: &masks,
            on: &same,
            off: &same,
        };
        let found = attribute(&responses, &Rules::default(), Seed(1), 0).unwrap();
        assert!(found.labels.iter().all(|label| *label == Label::NonMember));
        let call = found.document;
        assert_eq!(
            (call.label, call.off_p, call.ads_p),
            (Label::NonMember, 1.0, 1.0)
        );
        assert_eq!((call.off_z, call.ads_z), (0.0, 0.0));
    }
}

#[test]
fn too_little_to_go_by_is_an_abstention() {
    let masks = Masks::draw(ROWS, 20, 0.5, Seed(1), 0);
    let of = |masks: &Masks, on: &[Option<f64>], off: &[Option<f64>]| {
        attribute(&Responses { masks, on, off }, &Rules::default(), Seed(1), 0)
    };
    let some = vec![Some(0.5); MIN_ROWS - 1];
    assert_eq!(
        of(&masks, &some, &some).err(),
        Some(Abstention::TooFewAnswers)
    );
    let none = vec![None; ROWS];
    let all = vec![Some(0.5); ROWS];
    assert_eq!(
        of(&masks, &all, &none).err(),
        Some(Abstention::TooFewAnswers)
    );
    let empty = Masks::draw(ROWS, 0, 0.5, Seed(1), 0);
    assert_eq!(of(&empty, &all, &all).err(), Some(Abstention::NoQuestion));
    let free = Rules {
        penalty: 0.0,
        ..Rules::default()
    };
    let wide = Masks::draw(ROWS, 100, 0.5, Seed(1), 0);
    let found = attribute(
        &Responses {
            masks: &wide,
            on: &all,
            off: &all,
        },
        &free,
        Seed(1),
        0,
    );
    assert_eq!(found.err(), Some(Abstention::Undefined));
}

#[test]
fn fixed_thresholds_count_words() {
    use Label::{NonMember, Pretrained, Retrieved};
    let most = attribution::most_frequent;
    assert_eq!(most(&[Pretrained, Retrieved, Retrieved]), Retrieved);
    assert_eq!(most(&[Pretrained, Retrieved]), NonMember);
    assert_eq!(most(&[]), NonMember);
    let toy = toy(4, true, false);
    let rules = Rules {
        thresholds: Thresholds::Fixed {
            tau: 10.0,
            band: 0.1,
        },
        ..Rules::default()
    };
    let found = attribute(&toy.responses(), &rules, Seed(1), 0).unwrap();
    assert_eq!((found.tau, found.band), (10.0, 0.1));
    for (word, label) in found.labels.iter().enumerate() {
        assert_eq!(*label == Retrieved, found.ads[word].abs() > 0.1);
    }
    assert_eq!(found.document.label, most(&found.labels));
}

#[test]
fn clear_documents_settle_early_and_stay_as_they_were() {
    for (on, off) in [(true, true), (true, false), (false, false)] {
        let toy = toy(12, on, off);
        let found = replayed(&toy.responses(), &Rules::default(), Seed(1), 0).unwrap();
        assert!(found.rows < ROWS && found.planned == ROWS, "{found:?}");
        assert!(found.document_agrees, "{found:?}");
    }
}

/// Three standard deviations of a share of documents: for words too, as if those of one document
/// were all called together.
fn slack(level: f64, documents: usize) -> f64 {
    3.0 * (level * (1.0 - level) / documents as f64).sqrt()
}

#[test]
fn words_without_a_source_are_called_no_more_often_than_the_level() {
    // 6 lengths × 170 are 1,020 documents of each kind.
    for length in [8, 16, 32, 64, 128, 256] {
        for kind in [Null::Flat, Null::Noisy, Null::Reacting, Null::Tied] {
            let found = nulls_of(kind, length, ROWS, 170, &Habits::default(), Seed(11));
            let most = found.level + slack(found.level, found.documents);
            assert_eq!(found.documents, 170);
            assert!(found.calibrated_retrieved <= most, "{kind:?} {found:?}");
            assert!(
                found.calibrated_document_retrieved <= most,
                "{kind:?} {found:?}"
            );
            if kind != Null::Reacting {
                assert!(found.calibrated_pretrained <= most, "{kind:?} {found:?}");
                assert!(
                    found.calibrated_document_pretrained <= most,
                    "{kind:?} {found:?}"
                );
            }
        }
    }
}

#[test]
fn published_thresholds_measure_how_long_a_text_is() {
    // The mean weight of a word is about twice the mean response over the length.
    for (length, mean) in [(16, 0.082), (32, 0.042), (64, 0.021), (128, 0.011)] {
        let found = nulls(length, ROWS, 60, &Habits::default(), Seed(12));
        assert!(
            (found.fixed_mean_beta - mean).abs() < 0.1 * mean,
            "{found:?}"
        );
    }
    // The band is as wide for responses that vary much.
    let noisy = nulls_of(Null::Noisy, 64, ROWS, 60, &Habits::default(), Seed(12));
    assert!(noisy.fixed_retrieved > 0.1, "{noisy:?}");
    let short = nulls(8, ROWS, 60, &Habits::default(), Seed(12));
    let long = nulls(256, ROWS, 60, &Habits::default(), Seed(12));
    assert!(short.fixed_pretrained > 0.5, "{short:?}");
    assert!(long.fixed_pretrained < 0.05, "{long:?}");
}

#[test]
fn chance_is_told_for_the_audits_own_settings() {
    let at = |level: f64, early_stopping: bool| {
        let calibrated = Rules {
            level,
            ..Rules::default()
        };
        let habits = Habits {
            calibrated,
            early_stopping,
            keep: 0.7,
            ..Habits::default()
        };
        nulls(24, ROWS, 150, &habits, Seed(3))
    };
    let (strict, loose) = (at(0.01, false), at(0.3, false));
    assert_eq!((strict.level, loose.level), (0.01, 0.3));
    let called = |found: &super::nulls::NullRates| found.calibrated_document_retrieved;
    assert!(called(&loose) > called(&strict) + 0.1, "{loose:?}");
    // However often labels are looked at, the level holds over all looks.
    let early = at(0.05, true);
    assert!(
        called(&early) <= 0.05 + slack(0.05, early.documents),
        "{early:?}"
    );
}
