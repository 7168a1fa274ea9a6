use super::*;
use attacks::source::Label::{self, NonMember, Pretrained, Retrieved};
use stats::streams::Seed;

/// Items by (truth, called, how many).
fn items(table: &[(Label, Label, usize)]) -> (Vec<Label>, Vec<Label>) {
    let each = |(truth, called, count): &(Label, Label, usize)| vec![(*truth, *called); *count];
    table.iter().flat_map(each).unzip()
}

#[test]
fn a_confusion_worked_by_hand() {
    let (truth, called) = items(&[
        (Pretrained, Pretrained, 6),
        (Pretrained, NonMember, 2),
        (Retrieved, Retrieved, 5),
        (Retrieved, Pretrained, 1),
        (NonMember, NonMember, 4),
        (NonMember, Retrieved, 2),
    ]);
    let found = evaluate(&truth, &called, 0.95, Seed(1)).unwrap();
    assert_eq!(found.confusion, [[6, 0, 2], [1, 5, 0], [0, 2, 4]]);
    assert_eq!((found.n, found.accuracy.value), (20, 0.75));
    // 15 of 20, Clopper and Pearson.
    assert!((found.accuracy.low - 0.508_954).abs() < 1e-5);
    assert!((found.accuracy.high - 0.913_429).abs() < 1e-5);
    let [known, brought, neither] = found.per_class;
    assert_eq!((known.truth, known.called), (8, 7));
    assert_eq!(known.precision, Some(6.0 / 7.0));
    assert_eq!(brought.recall, Some(5.0 / 6.0));
    assert_eq!(neither.f1, Some(8.0 / 12.0));
    let mean = (12.0 / 15.0 + 10.0 / 13.0 + 8.0 / 12.0) / 3.0;
    assert!((found.macro_f1.value - mean).abs() < 1e-12);
    assert!(found.macro_f1.low < mean && mean < found.macro_f1.high);
    assert!(!found.macro_f1.method.contains("narrow"));
    let expected = (8.0 * 7.0 + 6.0 * 7.0 + 6.0 * 6.0) / 400.0;
    assert!((found.chance.expected_accuracy - expected).abs() < 1e-12);
    assert_eq!(found.chance.majority, 0.4);
    assert!(found.chance.p_value < 0.01, "{:?}", found.chance);
}

#[test]
fn absent_sources_are_left_out_of_the_mean() {
    let (truth, called) = items(&[
        (Retrieved, Retrieved, 3),
        (NonMember, NonMember, 2),
        (NonMember, Pretrained, 1),
    ]);
    let found = evaluate(&truth, &called, 0.9, Seed(1)).unwrap();
    assert_eq!(found.macro_f1.classes, [Retrieved, NonMember]);
    assert!((found.macro_f1.value - (1.0 + 0.8) / 2.0).abs() < 1e-12);
    assert!(found.macro_f1.method.contains("narrow"));
    let absent = found.per_class[0];
    assert_eq!(
        (absent.precision, absent.recall, absent.f1),
        (Some(0.0), None, None)
    );
}

#[test]
fn shuffled_labels_reach_what_chance_says() {
    let (truth, called) = items(&[
        (Pretrained, Pretrained, 30),
        (Retrieved, Retrieved, 20),
        (NonMember, NonMember, 10),
    ]);
    let found = evaluate(&truth, &called, 0.95, Seed(1)).unwrap();
    let shuffled = shuffled(&truth, &called, 2_000, Seed(2)).unwrap();
    let expected = found.chance.expected_accuracy;
    assert!(
        (shuffled.mean - expected).abs() < 0.01,
        "{shuffled:?} {expected}"
    );
    assert!(shuffled.low < expected && expected < shuffled.high && shuffled.high < 0.7);
    assert_eq!(found.chance.p_value, 1e-4);
}

#[test]
fn p_values_are_exact_where_all_orders_are_few() {
    // Two of two right: of the two orders of these labels one fits.
    let found = evaluate(
        &[Pretrained, Retrieved],
        &[Pretrained, Retrieved],
        0.95,
        Seed(3),
    )
    .unwrap();
    assert!(
        (found.chance.p_value - 0.5).abs() < 0.02,
        "{:?}",
        found.chance
    );
    // One label for all: every order fits as well.
    let same = evaluate(&[Pretrained, Retrieved], &[Pretrained; 2], 0.95, Seed(3)).unwrap();
    assert_eq!(same.chance.p_value, 1.0);
}

#[test]
fn nothing_to_judge_is_refused_and_results_are_kept_as_they_are() {
    assert!(evaluate(&[], &[], 0.95, Seed(1)).is_err());
    let error = evaluate(&[Retrieved], &[], 0.95, Seed(1)).unwrap_err();
    assert!(error.to_string().contains("1 true sources and 0 labels"));
    assert_eq!(shuffled(&[], &[], 9, Seed(1)), None);
    let found = evaluate(&[Retrieved], &[Retrieved], 0.95, Seed(1)).unwrap();
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Evaluation>(&text).unwrap(), found);
    assert!(text.contains("\"retrieved\""));
}
