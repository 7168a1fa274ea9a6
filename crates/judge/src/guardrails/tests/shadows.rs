//! Guardrails that look at shadow models and their signals.

use super::*;

#[test]
fn shadows_that_unlearn_what_they_train_on_have_swapped_labels() {
    let mut swapped = setup(vec![leaky(2000)]);
    swapped.shadows.training_gain = -1.0;
    assert_eq!(swapped.status("inverted-labels"), Status::Violated);
    swapped.shadows.training_gain = -0.1;
    assert_eq!(swapped.status("inverted-labels"), Status::Ok);
}

#[test]
fn splits_that_give_the_target_away_warn() {
    let mut telling = setup(vec![leaky(2000)]);
    for count_auc in [0.0, 0.3, 0.8] {
        telling.shadows.count_auc = count_auc;
        assert_eq!(telling.status("telling-splits"), Status::Warn);
    }
}

/// Balanced over all models, the target among them: the count of shadows alone decides.
#[test]
fn a_leak_that_only_counts_of_shadows_show_does_not_fail_and_their_inverse_does_not_block() {
    let named = |id: &str, from: AttackMeasures| AttackMeasures {
        id: id.into(),
        ..from
    };
    let mut telling = setup(vec![silent(2000), named("elsa1", leaky(2000))]);
    assert_eq!(telling.outcome(false), Outcome::Fail);
    telling.shadows.count_auc = 1.0;
    assert_eq!(telling.status("telling-splits"), Status::Violated);
    assert_eq!(telling.outcome(false), Outcome::Inconclusive);
    telling.attacks.push(named("lira", leaky(2000)));
    assert_eq!(telling.outcome(false), Outcome::Fail);

    let mut pushed = setup(vec![
        silent(2000),
        silent(2000),
        named("elsa1", inverted(2000)),
    ]);
    assert_eq!(pushed.outcome(false), Outcome::Inconclusive);
    pushed.shadows.count_auc = 0.0;
    assert_eq!(pushed.outcome(false), Outcome::Pass);
}

#[test]
fn models_that_are_far_from_their_shadows_void_both_verdicts() {
    for attacks in [vec![leaky(2000)], vec![silent(2000)]] {
        let mut foreign = setup(attacks);
        foreign.shadows.target_mean = 1.0 + 20.0 * foreign.shadows.shadow_deviation;
        assert_eq!(foreign.status("target-unlike-shadows"), Status::Violated);
        assert_eq!(foreign.outcome(false), Outcome::Inconclusive);
    }
}

#[test]
fn thin_saturated_or_foreign_shadows_warn() {
    let mut thin = setup(vec![silent(2000)]);
    thin.shadows.median_in = 2;
    assert_eq!(thin.status("shadow-coverage"), Status::Warn);
    thin.shadows.records_without_in = 1;
    assert_eq!(thin.status("shadow-coverage"), Status::Warn);

    let mut cut = setup(vec![silent(2000)]);
    cut.shadows.saturated_values = 11;
    assert_eq!(cut.status("saturated-signals"), Status::Warn);
    cut.shadows.saturated_values = 501;
    assert_eq!(cut.status("saturated-signals"), Status::Violated);

    let mut foreign = setup(vec![silent(2000)]);
    foreign.shadows.target_mean = 1.6;
    assert_eq!(foreign.status("target-unlike-shadows"), Status::Warn);
}

/// A random forest whose votes are mostly unanimous has saturated outputs, and leaks all the same.
#[test]
fn saturated_signals_do_not_hide_a_leak_that_was_found() {
    let mut forest = setup(vec![leaky(2000)]);
    forest.shadows.saturated_values = 570;
    assert_eq!(forest.status("saturated-signals"), Status::Violated);
    assert_eq!(forest.outcome(false), Outcome::Fail);
    let mut quiet = setup(vec![silent(2000)]);
    quiet.shadows.saturated_values = 570;
    assert_eq!(quiet.outcome(false), Outcome::Inconclusive);
}

#[test]
fn copies_of_one_model_are_named_and_block_a_pass_but_never_a_fail() {
    let mut copies = setup(vec![silent(2000)]);
    copies.shadows.alike = vec![Alike {
        models: vec![0, 3],
        target: true,
        agreement: 1.0,
        same_records: false,
    }];
    assert_eq!(copies.status("models-alike"), Status::Violated);
    assert_eq!(copies.outcome(false), Outcome::Inconclusive);
    let findings = copies.findings();
    let found = findings.iter().find(|found| found.id == "models-alike");
    let words = "models 0, 3 (the target among them) give the same outputs to the last bit, though";
    assert!(found.unwrap().detail.starts_with(words), "{found:?}");
    copies.attacks = vec![leaky(2000)];
    assert_eq!(copies.outcome(false), Outcome::Fail);
}

#[test]
fn a_target_among_its_shadows_blocks_both_verdicts() {
    for attacks in [vec![leaky(2000)], vec![silent(2000)]] {
        let mut itself = setup(attacks);
        itself.shadows.alike = vec![Alike {
            models: vec![0, 1],
            target: true,
            agreement: 1.0,
            same_records: true,
        }];
        assert_eq!(itself.status("models-alike"), Status::Violated);
        assert_eq!(itself.status("target-among-shadows"), Status::Violated);
        assert_eq!(itself.outcome(false), Outcome::Inconclusive);
    }
}

#[test]
fn shadows_that_saw_every_record_block_a_pass_and_private_ones_do_not() {
    let mut shadows = setup(vec![silent(2000)]);
    shadows.shadows.training_gain = 0.01;
    shadows.shadows.right_inside = 0.93;
    shadows.shadows.right_outside = 0.93;
    // As where the rows of keep are not the models' own: it is said.
    assert_eq!(shadows.status("models-alike"), Status::Warn);
    assert_eq!(shadows.outcome(false), Outcome::Pass);
    shadows.shadows.right_inside = 1.0;
    shadows.shadows.right_outside = 1.0;
    assert_eq!(shadows.status("models-alike"), Status::Violated);
    // Always right, but surer of what they trained on: an easy task.
    shadows.shadows.training_gain = 1.0;
    assert_eq!(shadows.status("models-alike"), Status::Ok);
}

#[test]
fn shadows_that_are_right_by_chance_alone_block_a_pass() {
    let mut shadows = setup(vec![silent(2000)]);
    shadows.shadows.training_gain = 0.01;
    shadows.shadows.right_inside = 0.036;
    shadows.shadows.right_outside = 0.047;
    shadows.shadows.commonest_class = Some(0.061);
    assert_eq!(shadows.status("models-alike"), Status::Violated);
    assert_eq!(shadows.outcome(false), Outcome::Inconclusive);
    // Private and not very good, but better than guessing.
    shadows.shadows.right_inside = 0.2;
    assert_eq!(shadows.outcome(false), Outcome::Pass);
}
