use super::*;

const STORED: &str = include_str!("../../tests/data/leaky.json");
const SOURCE: &str = include_str!("../../tests/data/source.json");

fn stored() -> Report {
    Report::from_json(STORED).unwrap()
}

#[test]
fn a_leak_is_told_by_who_is_named_and_who_is_wronged() {
    assert_eq!(
        verdict_line(&stored()),
        "✘ FAIL: an attacker who may ask the model and trains models like it names 12% of the \
         training records while wrongly accusing 1% of the others"
    );
}

/// At 1% FPR a rate that guessing reaches too says nothing of the leak.
#[test]
fn a_rate_like_chance_gives_way_to_the_area() {
    let mut report = stored();
    for tpr in report
        .attacks
        .iter_mut()
        .flat_map(|one| &mut one.tpr_at_fpr)
    {
        tpr.low = Some(0.001);
    }
    let line = headline(&report);
    assert!(
        line.ends_with(
            "shown one training record and one other, tells which is which 88 times in 100"
        ),
        "{line}"
    );
    for tpr in report
        .attacks
        .iter_mut()
        .flat_map(|one| &mut one.tpr_at_fpr)
    {
        (tpr.value, tpr.low, tpr.high) = (None, None, None);
    }
    assert_eq!(headline(&report), line);
}

#[test]
fn a_pass_says_for_whom_how_close_and_what_it_could_have_seen() {
    let mut report = stored();
    report.verdict.outcome = Outcome::Pass;
    report.verdict.detectable = Some(0.58);
    let gate = report.verdict.gate.as_mut().unwrap();
    gate.value = 0.53;
    assert_eq!(
        verdict_line(&report),
        "✔ PASS: an attacker who may ask the model and trains models like it stays below the threshold: \
         shown one training record and one other, tells which is which 53 times in 100 (guessing: 50, \
         threshold: 65); 58 or more would most likely have shown; with 2 warnings: enough-nonmembers, \
         shadow-coverage"
    );
    let gate = report.verdict.gate.as_mut().unwrap();
    (gate.measure, gate.value, gate.threshold) = (Measure::TprAtFpr(0.001), 0.004, 0.05);
    report.verdict.detectable = None;
    let line = headline(&report);
    assert!(
        line.ends_with(
            "names 0.4% of the training records while wrongly accusing 0.1% of the others (threshold: 5%)"
        ),
        "{line}"
    );
}

#[test]
fn what_is_not_decided_says_why_in_one_clause() {
    let mut report = stored();
    report.verdict.outcome = Outcome::Inconclusive;
    report
        .verdict
        .reasons
        .insert(0, "class-balance: 5 members; give more; and more".into());
    assert_eq!(
        verdict_line(&report),
        "? INCONCLUSIVE: this audit decides nothing: class-balance: 5 members"
    );
    report.verdict.reasons.clear();
    assert!(headline(&report).ends_with("no reason"));
}

#[test]
fn a_fail_that_the_whole_does_not_explain_gives_its_reason() {
    let mut report = stored();
    report.verdict.gate.as_mut().unwrap().value = 0.5;
    report
        .verdict
        .reasons
        .insert(0, "a claim of ε = 1 is refuted; train again".into());
    assert_eq!(headline(&report), "a claim of ε = 1 is refuted");
    let gate = report.verdict.gate.as_mut().unwrap();
    gate.rule = Rule::Conservative;
    assert!(headline(&report).starts_with("it is not proven that an attacker who"));
}

/// What somebody reads who reads one line.
#[test]
fn a_claim_is_refuted_or_stands_in_the_first_line() {
    let mut report = stored();
    let gate = report.verdict.gate.as_mut().unwrap();
    gate.value = 0.5;
    let finding = |outcome: ClaimOutcome| ClaimFinding {
        epsilon: 2.000_000_1,
        delta: 1e-5,
        by: "whoever audits".into(),
        bound: 2.5,
        attack: Some("lira".into()),
        method: "one run".into(),
        confidence: 0.95,
        largest: 3.0,
        outcome,
        note: String::new(),
        canaries: None,
    };
    report.verdict.outcome = Outcome::Fail;
    report.claim = Some(finding(ClaimOutcome::Refuted));
    let line = headline(&report);
    assert_eq!(
        line,
        "the claim of ε = 2 at δ = 1e-5 is refuted: lira proves ε ≥ 2.50"
    );
    report.verdict.outcome = Outcome::Pass;
    report.claim = Some(finding(ClaimOutcome::NotRefuted));
    let line = headline(&report);
    assert!(
        line.ends_with(
            "the claim of ε = 2 at δ = 1e-5 is not refuted, which is no proof that it holds"
        ),
        "{line}"
    );
    let mut untested = finding(ClaimOutcome::Untested);
    untested.epsilon = 1e300;
    report.claim = Some(untested);
    let line = headline(&report);
    assert!(
        line.contains("ε = 1e300 at δ = 1e-5 is not tested"),
        "{line}"
    );
}

#[test]
fn a_part_that_leaks_is_named() {
    let text = include_str!("../../tests/data/diagnosed.json");
    let mut report = Report::from_json(text).unwrap();
    let gate = report.verdict.gate.as_mut().unwrap();
    gate.value = 0.6;
    report.verdict.outcome = Outcome::Fail;
    let slices = report.diagnostics.slices.as_mut().unwrap();
    let slice = &mut slices.slices[0];
    slice.value = "north".into();
    slice.gate = Some(SliceGate {
        attack: "lira".into(),
        value: 0.83,
        low: 0.7,
        high: 0.9,
        confidence: 0.95,
        p_value: 1e-4,
        corrected_p_value: 1e-3,
        more_p_value: None,
        standing: Standing::Violates,
        small: false,
    });
    let line = headline(&report);
    assert!(
        line.contains("= north, tells which is which 83 times in 100"),
        "{line}"
    );
}

#[test]
fn every_kind_has_its_own_words() {
    let line = headline(&Report::from_json(SOURCE).unwrap());
    assert!(!line.contains("record"), "{line}");
}

#[test]
fn nothing_is_rounded_to_all_or_none() {
    assert_eq!(
        [0.10, 0.1024, 0.0123, 0.004, 0.0004].map(share),
        ["10%", "10%", "1.2%", "0.4%", "0.04%"]
    );
    assert_eq!(
        [1.0, 0.9999, 0.05].map(share),
        ["100%", "more than 99%", "5%"]
    );
    let shown = [1.0, 0.9999, 0.5].map(|auc| times(auc, 0.65));
    assert_eq!(shown, ["100", "more than 99", "50"]);
    // Never as large as a threshold that it stays below.
    let shown = [0.6481, 0.6499, 0.65, 0.6512].map(|auc| times(auc, 0.65));
    assert_eq!(shown, ["64.8", "64.99", "65", "65.1"]);
}

#[test]
fn a_forced_verdict_says_so_first() {
    let mut report = stored();
    report.verdict.forced = true;
    assert!(
        verdict_line(&report).starts_with("✘ FAIL (forced past a violated guardrail): an attacker")
    );
}

/// Models that nobody looked at are no part of the attacker.
#[test]
fn an_attacker_who_compared_with_no_model_is_not_said_to_train_any() {
    let told = |outcome: Outcome, name: Option<&str>, attack: &str| {
        let mut report = stored();
        report.verdict.outcome = outcome;
        let mut attacker = judge::attacker::Attacker::careless("asks", "more");
        attacker.name = name.map(str::to_owned);
        report.verdict.attacker = Some(attacker);
        report.attacks.truncate(1);
        report.attacks[0].id = attack.to_owned();
        headline(&report)
    };
    let trains = "may ask the model and trains models like it";
    for outcome in [Outcome::Pass, Outcome::Fail] {
        let alone = told(outcome, Some("target-only"), "population");
        assert!(
            alone.contains("an attacker who may ask the model"),
            "{alone}"
        );
        assert!(!alone.contains(trains), "{alone}");
        assert!(!told(outcome, None, "correctness").contains(trains));
        assert!(told(outcome, None, "lira").contains(trains));
    }
}

#[test]
fn a_pass_beside_models_that_react_to_nothing_says_what_it_supposes() {
    let mut report = stored();
    report.verdict.outcome = Outcome::Pass;
    let words = "; unless the rows of keep are not the models' own";
    assert!(!headline(&report).contains(words));
    let mut alike = report.guardrails[0].clone();
    alike.id = "models-alike".into();
    alike.status = judge::guardrails::Status::Warn;
    alike.blocks = judge::guardrails::Blocks::Pass;
    report.guardrails.push(alike);
    assert!(headline(&report).contains(words), "{}", headline(&report));
    report.verdict.outcome = Outcome::Inconclusive;
    assert!(!headline(&report).contains(words));
}
