//! Golden scores, the contract that every attack keeps, and slow twins of the formulas.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap();
    list.iter().map(|x| x.as_f64().unwrap()).collect()
}

fn golden() -> Vec<(TextSignals, Value)> {
    let file = include_str!("../../tests/data/language_model_scores.json");
    let file: Value = serde_json::from_str(file).unwrap();
    let text = |text: &Value| {
        let ranks = numbers(&text["rank"]);
        let signals = TextSignals {
            logprob: numbers(&text["logprob"]),
            rank: Some(ranks.into_iter().map(|rank| rank as u32).collect()),
            mean: Some(numbers(&text["mean"])),
            variance: Some(numbers(&text["variance"])),
            reference: Some(numbers(&text["ref_logprob"])),
            ..TextSignals::default()
        };
        (signals, text["scores"].clone())
    };
    file["texts"].as_array().unwrap().iter().map(text).collect()
}

/// Expected values by independent code on real and on edge cases.
#[test]
fn scores_are_the_golden_ones() {
    let names = [
        ("lm-loss", "loss"),
        ("ratio", "ratio"),
        ("min-k", "mink_20"),
        ("min-k-plus-plus", "minkpp_20"),
        ("ez", "ez"),
        ("ez-published", "ez_published"),
        ("ez-smoothed", "ez_smoothed"),
        ("wbc", "wbc"),
    ];
    let golden = golden();
    assert_eq!(golden.len(), 28);
    for (text, expected) in &golden {
        for (id, name) in names {
            let score = answer(find(id).unwrap(), text, &Settings::default()).unwrap();
            let wanted = match &expected[name] {
                Value::String(_) => f64::INFINITY,
                number => number.as_f64().unwrap(),
            };
            let close = score == wanted || (score - wanted).abs() <= 1e-9 * wanted.abs().max(1.0);
            assert!(close, "{id}: {score} instead of {wanted}");
        }
    }
}

fn full_text() -> impl Strategy<Value = TextSignals> {
    let token = (
        -20.0..0.0f64,
        1..50u32,
        -9.0..0.0f64,
        0.0..9.0f64,
        -20.0..0.0f64,
    );
    let tokens = prop::collection::vec(token, 1..80);
    (
        tokens,
        prop::collection::vec(-20.0..0.0f64, 1..80),
        ".{0,60}",
    )
        .prop_map(|(tokens, lowercase, text)| TextSignals {
            text: Some(text),
            logprob: tokens.iter().map(|t| t.0).collect(),
            rank: Some(tokens.iter().map(|t| t.1).collect()),
            mean: Some(tokens.iter().map(|t| t.2).collect()),
            variance: Some(tokens.iter().map(|t| t.3).collect()),
            reference: Some(tokens.iter().map(|t| t.4).collect()),
            lowercase: Some(lowercase),
            ..TextSignals::default()
        })
}

/// The formula as one would first write it down.
fn slow(id: &str, text: &TextSignals) -> Option<f64> {
    let n = text.logprob.len();
    let own = &text.logprob;
    let reference = text.reference.as_ref().unwrap();
    let gain = |i: usize| own[i] - reference[i];
    let errors = |i: &usize| text.rank.as_ref().unwrap()[*i] != 1;
    let rises: f64 = (1..n).filter(errors).map(|i| gain(i).max(0.0)).sum();
    let falls: f64 = (1..n).filter(errors).map(|i| (-gain(i)).max(0.0)).sum();
    let lowest = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        let k = (n / 5).max(1);
        values[..k].iter().sum::<f64>() / k as f64
    };
    Some(match id {
        "lm-loss" => own.iter().sum::<f64>() / n as f64,
        "ratio" => (0..n).map(gain).sum::<f64>() / n as f64,
        "min-k" => lowest(own.clone()),
        "min-k-plus-plus" => {
            let (mean, variance) = (text.mean.as_ref()?, text.variance.as_ref()?);
            lowest(
                (0..n)
                    .map(|i| (own[i] - mean[i]) / variance[i].sqrt())
                    .collect(),
            )
        }
        // Nothing is left to look at once the first prediction is skipped.
        "ez" | "ez-smoothed" if n < 2 => f64::NAN,
        "ez" if (1..n).filter(errors).count() == 0 || falls == 0.0 => f64::INFINITY,
        "ez" => rises / falls,
        "ez-smoothed" => (rises + 2.0).ln() - (falls + 2.0).ln(),
        "wbc" => {
            let mut shares = Vec::new();
            for width in [2, 3, 4, 6, 9, 13, 18, 25, 32, 40] {
                if width <= n {
                    let starts = 0..=n - width;
                    let windows = starts.clone().count() as f64;
                    let won = starts.filter(|&s| (s..s + width).map(gain).sum::<f64>() > 0.0);
                    shares.push(won.count() as f64 / windows);
                }
            }
            shares.iter().sum::<f64>() / shares.len() as f64
        }
        _ => return None,
    })
}

proptest! {
    #[test]
    fn fast_formulas_equal_their_slow_twins(text in full_text()) {
        for attack in ATTACKS {
            let id = attack.card().id;
            let Some(wanted) = slow(id, &text) else { continue };
            match answer(*attack, &text, &Settings::default()) {
                Ok(score) => prop_assert!(
                    score == wanted || (score - wanted).abs() <= 1e-9 * wanted.abs().max(1.0),
                    "{id}: {score} instead of {wanted}"
                ),
                Err(_) => prop_assert!(wanted.is_nan(), "{id} abstained"),
            }
        }
    }

    /// Texts do not influence each other, and no score is NaN.
    #[test]
    fn a_text_is_scored_alike_in_any_company(texts in prop::collection::vec(full_text(), 1..6)) {
        let settings = Settings::default();
        let together = run(ATTACKS, &texts, &settings);
        for (attack, answers) in ATTACKS.iter().zip(together) {
            for (text, found) in texts.iter().zip(answers) {
                prop_assert_eq!(answer(*attack, text, &settings), found);
                prop_assert!(found.is_err() || !found.unwrap_or(0.0).is_nan());
            }
        }
    }
}

/// The larger score belongs to the text that the audited model has learned.
#[test]
fn every_attack_finds_the_memorised_text() {
    let unknown = TextSignals {
        text: Some("A text that nobody has seen before, with Capitals and 17 numbers.".into()),
        logprob: vec![-3.0, -6.0, -2.0, -8.0, -1.0, -4.0],
        rank: Some(vec![4, 90, 2, 700, 1, 9]),
        mean: Some(vec![-3.0; 6]),
        variance: Some(vec![2.0; 6]),
        reference: Some(vec![-3.0, -5.0, -2.5, -7.0, -1.5, -3.5]),
        lowercase: Some(vec![-5.0; 6]),
        ..TextSignals::default()
    };
    let learned = TextSignals {
        logprob: vec![-0.5, -2.0, -0.5, -3.0, -0.1, -1.0],
        rank: Some(vec![1, 3, 1, 4, 1, 2]),
        ..unknown.clone()
    };
    for attack in ATTACKS {
        let score = |text| answer(*attack, text, &Settings::default()).unwrap();
        let id = attack.card().id;
        // The published edges put this one last: it has no fall.
        if id != "ez-published" {
            assert!(score(&learned) > score(&unknown), "{id}");
        }
    }
}

#[test]
fn what_was_not_collected_is_abstained_on_with_its_reason() {
    let bare = TextSignals {
        logprob: vec![-1.0, -2.0],
        ..TextSignals::default()
    };
    let settings = Settings::default();
    for attack in ATTACKS {
        let Access::Tokens(needs) = attack.card().access else {
            panic!("{} reads tokens", attack.card().id)
        };
        assert_eq!(answer(*attack, &bare, &settings).is_ok(), needs.is_empty());
        let empty = TextSignals::default();
        assert_eq!(
            answer(*attack, &empty, &settings),
            Err(Abstention::NoPrediction)
        );
    }
}

#[test]
fn ablations_of_ez_change_what_counts() {
    let text = TextSignals {
        logprob: vec![-9.0, -1.0, -2.0, -0.5, -3.0],
        rank: Some(vec![50, 2, 6, 1, 3]),
        reference: Some(vec![-1.0, -2.0, -1.5, -1.0, -3.5]),
        ..TextSignals::default()
    };
    let with = |changes: &[(&str, &str)]| {
        let mut chosen = Settings::default();
        for (key, value) in changes {
            chosen
                .set(&<&dyn TokenAttack>::settings(), key, value)
                .unwrap();
        }
        answer(find("ez").unwrap(), &text, &chosen)
    };
    // Errors: gains 1, −0.5 and 0.5 at ranks 2, 6 and 3.
    assert_eq!(with(&[]), Ok(3.0));
    assert_eq!(with(&[("ez.aggregate", "difference")]), Ok(1.0));
    let fraction = with(&[("ez.aggregate", "positive-fraction")]);
    assert_eq!(fraction, Ok(2.0 / 3.0));
    assert_eq!(with(&[("ez.top", "2")]), Ok(1.0));
    assert_eq!(with(&[("ez.positions", "successes")]), Ok(f64::INFINITY));
    // The paper's formula looks at the first prediction too: a fall of 8.
    assert_eq!(with(&[("ez.skip", "0")]), Ok(1.5 / 8.5));
    assert_eq!(with(&[("ez.skip", "4")]), Ok(f64::INFINITY));
    assert_eq!(with(&[("ez.positions", "all")]), Ok(4.0));
    let capped = TextSignals {
        rank_cap: Some(2),
        ..text.clone()
    };
    let mut deep = Settings::default();
    deep.set(&<&dyn TokenAttack>::settings(), "ez.top", "2")
        .unwrap();
    let ez = find("ez").unwrap();
    assert_eq!(answer(ez, &capped, &deep), Err(Abstention::NoRank));
    assert!(answer(ez, &capped, &Settings::default()).is_ok());
}

#[test]
fn ez_abstains_where_nothing_was_looked_at() {
    let one = TextSignals {
        logprob: vec![-1.0],
        rank: Some(vec![7]),
        reference: Some(vec![-2.0]),
        ..TextSignals::default()
    };
    let said = |id: &str, text: &TextSignals, changes: &[(&str, &str)]| {
        let mut chosen = Settings::default();
        for (key, value) in changes {
            chosen
                .set(&<&dyn TokenAttack>::settings(), key, value)
                .unwrap();
        }
        answer(find(id).unwrap(), text, &chosen)
    };
    for id in ["ez", "ez-smoothed"] {
        assert_eq!(said(id, &one, &[]), Err(Abstention::NoPosition), "{id}");
        // Right or wrong is all that a single prediction says, wherever one begins to look.
        let alone = said(id, &one, &[("ez.skip", "0")]);
        assert_eq!(alone, Err(Abstention::NoPosition), "{id}");
    }
    assert_eq!(said("ez-published", &one, &[]), Ok(0.0), "as its code does");

    let all_wrong = TextSignals {
        logprob: vec![-1.0, -2.0, -3.0],
        rank: Some(vec![2, 5, 9]),
        reference: Some(vec![-2.0; 3]),
        ..TextSignals::default()
    };
    let successes = [("ez.positions", "successes")];
    for id in ["ez", "ez-smoothed"] {
        let found = said(id, &all_wrong, &successes);
        assert_eq!(found, Err(Abstention::NoPosition), "{id}");
    }
    let all_right = TextSignals {
        rank: Some(vec![2, 1, 1]),
        ..all_wrong
    };
    assert_eq!(said("ez", &all_right, &[]), Ok(f64::INFINITY));
}
