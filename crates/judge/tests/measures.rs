//! One attack judged from end to end, and what it looks like in JSON.

#![allow(clippy::unwrap_used)]

use attacks::scores::{Abstention, Scores};
use guestlist_judge::{AttackMeasures, Options, Truth, measure};

fn truth(records: usize) -> Truth {
    Truth::new((0..records).map(|record| record % 2 == 0)).unwrap()
}

fn options() -> Options {
    Options {
        bootstrap_replicates: 50,
        ..Options::default()
    }
}

#[test]
fn json_has_the_promised_names_and_comes_back_whole() {
    let scores: Scores = (0..400_u32)
        .map(|i| match i {
            0 => Ok(f64::INFINITY),
            1 | 3 => Ok(f64::NEG_INFINITY),
            2 => Err(Abstention::NoInShadow),
            _ => Ok(f64::from(i * 37 % 101) + f64::from(30 * (1 - i % 2))),
        })
        .collect();
    let found = measure("test", &scores, &truth(400), &options()).unwrap();
    let json = serde_json::to_value(&found).unwrap();
    for path in [
        "/n_members",
        "/n_nonmembers",
        "/abstained",
        "/auc/value",
        "/auc/low",
        "/auc/high",
        "/auc/method",
        "/tpr_at_fpr/0/fpr",
        "/tpr_at_fpr/0/value",
        "/tpr_at_fpr/0/low",
        "/tpr_at_fpr/0/high",
        "/log_mia/a/value",
        "/log_mia/a/alpha",
        "/log_mia/a/tp",
        "/log_mia/a/fp",
        "/log_mia/a/p_value",
        "/log_mia/a/level",
        "/log_mia/b/beta",
        "/log_mia/b/level",
        "/balanced_accuracy/value",
        "/epsilon_lower_bound/value",
        "/epsilon_lower_bound/delta",
        "/epsilon_lower_bound/confidence",
        "/epsilon_lower_bound/method",
    ] {
        assert!(json.pointer(path).is_some_and(|v| !v.is_null()), "{path}");
    }
    assert!(json.pointer("/log_mia/a/beta").is_none());
    assert_eq!(json["abstained"], 1);
    assert_eq!(json["n_members"], 200);
    assert_eq!(json["judged"]["n_members"], 199);
    let back: AttackMeasures = serde_json::from_value(json).unwrap();
    assert_eq!(back, found);
}

#[test]
fn an_infinite_threshold_survives() {
    let scores: Scores = (0..40_u32)
        .map(|i| {
            Ok(if i % 2 == 0 {
                f64::INFINITY
            } else {
                f64::from(i)
            })
        })
        .collect();
    let found = measure("test", &scores, &truth(40), &options()).unwrap();
    let text = serde_json::to_string(&found).unwrap();
    assert!(text.contains("\"threshold\":\"inf\""));
    assert_eq!(
        serde_json::from_str::<AttackMeasures>(&text).unwrap(),
        found
    );
    assert_eq!(found.auc.value, 1.0);
    assert!(found.auc.low < 1.0);
}

#[test]
fn the_order_of_the_records_does_not_matter() {
    let answer = |i: u32| Ok(f64::from(i * 7919 % 500));
    let forwards: Scores = (0..600).map(answer).collect();
    let backwards: Scores = (0..600).rev().map(answer).collect();
    let reversed = Truth::new((0..600).rev().map(|record| record % 2 == 0)).unwrap();
    let one = measure("test", &forwards, &truth(600), &options()).unwrap();
    let other = measure("test", &backwards, &reversed, &options()).unwrap();
    assert_eq!(one, other);
}

#[test]
fn refuses_with_a_hint() {
    let some: Scores = (0..4).map(|i| Ok(f64::from(i))).collect();
    let error = measure("test", &some, &truth(6), &options()).unwrap_err();
    assert_eq!(error.message, "4 scores but 6 records in the truth");
    let silent: Scores = (0..6)
        .map(|i| {
            if i % 2 == 0 {
                Err(Abstention::Undefined)
            } else {
                Ok(1.0)
            }
        })
        .collect();
    let error = measure("test", &silent, &truth(6), &options()).unwrap_err();
    assert!(error.message.starts_with("no judged record is a member"));
    let nonsense = Options {
        confidence: 1.0,
        ..options()
    };
    assert!(measure("test", &some, &truth(4), &nonsense).is_err());
    let nonsense = Options {
        delta: f64::NAN,
        ..options()
    };
    assert!(measure("test", &some, &truth(4), &nonsense).is_err());
}

#[test]
fn two_records_are_enough() {
    for scores in [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] {
        let scores: Scores = scores.into_iter().map(Ok).collect();
        let found = measure("test", &scores, &truth(2), &options()).unwrap();
        assert_eq!(found.epsilon_lower_bound.value, 0.0);
        assert_eq!(found.tpr_at_fpr[0].value, None);
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(
            serde_json::from_str::<AttackMeasures>(&text).unwrap(),
            found
        );
    }
}
