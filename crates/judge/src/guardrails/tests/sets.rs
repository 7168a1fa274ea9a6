//! Guardrails that look at what the two sets are like: copies, texts, answers.

use super::*;

#[test]
fn copies_on_both_sides_block_a_pass_and_few_of_them_warn() {
    let gate = setup(vec![silent(400)]).gate;
    let found = |records: &[(usize, bool)]| {
        let facts = DuplicateFacts::new(records.iter().copied());
        let evidence = Evidence {
            duplicates: Some(&facts),
            ..Evidence::new(200, 200, &gate, &[])
        };
        let found = check(&evidence).into_iter();
        let mut found = found.filter(|finding| finding.id == "duplicates");
        found.next().unwrap()
    };
    // Every record twice, the copies on different sides.
    let twice: Vec<_> = (0..400)
        .map(|record| (record / 2, record % 2 == 0))
        .collect();
    let finding = found(&twice);
    assert_eq!(
        (finding.status, finding.blocks),
        (Status::Violated, Blocks::Pass)
    );
    assert!(finding.detail.contains("400 of 400 records"), "{finding:?}");
    // One pair among 400.
    let one: Vec<_> = (0..400)
        .map(|record| (record.max(1), record % 2 == 0))
        .collect();
    let finding = found(&one);
    assert_eq!(finding.status, Status::Warn);
    assert!(finding.detail.contains("2 of 400 records"), "{finding:?}");
    let alone: Vec<_> = (0..400).map(|record| (record, record % 2 == 0)).collect();
    assert_eq!(found(&alone).status, Status::Ok);
}

#[test]
fn copies_on_one_side_only_are_counted() {
    let facts = DuplicateFacts::new((0..400).map(|record| (record / 2, record < 200)));
    assert_eq!(
        (facts.repeated, facts.divided, facts.different),
        (400, 0, 200)
    );
    let gate = setup(vec![silent(400)]).gate;
    let evidence = Evidence {
        duplicates: Some(&facts),
        ..Evidence::new(200, 200, &gate, &[])
    };
    let (status, words) = super::duplicates::check(&evidence).unwrap();
    assert_eq!(status, Status::Warn);
    assert!(words.contains("only 200 records are different"), "{words}");
}

fn of_texts(id: &str, tokens: crate::lm::TokenFacts) -> Option<Finding> {
    let texts = TextFacts {
        tokens,
        ..TextFacts::default()
    };
    let gate = Gate::default();
    let found = check(&Evidence {
        texts: Some(&texts),
        ..Evidence::new(100, 100, &gate, &[])
    });
    found.into_iter().find(|finding| finding.id == id)
}

#[test]
fn texts_of_a_few_tokens_block_a_pass_and_short_ones_are_warned_about() {
    let status = |median_predicted: usize, short: usize| {
        let tokens = crate::lm::TokenFacts {
            scored: 100,
            short,
            median: median_predicted + 1,
            median_predicted,
            ..crate::lm::TokenFacts::default()
        };
        of_texts("short-texts", tokens).unwrap().status
    };
    assert_eq!(status(3, 100), Status::Violated);
    assert_eq!(status(15, 100), Status::Violated);
    assert_eq!(status(16, 100), Status::Warn);
    assert_eq!(status(200, 3), Status::Ok);
    assert!(of_texts("short-texts", Default::default()).is_none());
}

#[test]
fn a_model_that_says_the_same_of_every_token_blocks_a_pass() {
    let found = |alike: usize| {
        let tokens = crate::lm::TokenFacts {
            predicted: 1000,
            alike,
            ..crate::lm::TokenFacts::default()
        };
        of_texts("saturated-signals", tokens)
    };
    let whole = found(1000).unwrap();
    assert_eq!(
        (whole.status, whole.blocks),
        (Status::Violated, Blocks::Pass)
    );
    assert!(
        whole.detail.contains("gives every token one and the same"),
        "{}",
        whole.detail
    );
    assert_eq!(found(950).unwrap().status, Status::Violated);
    // Rounding, or a server that cuts off: the others tell.
    assert!(found(600).is_none());
    assert!(of_texts("saturated-signals", Default::default()).is_none());
}

#[test]
fn log_probabilities_of_other_rows_decide_nothing() {
    let found = |predictions: usize, own: f64, other: f64| {
        let by_token = crate::lm::ByToken {
            predictions,
            own,
            other,
        };
        let tokens = crate::lm::TokenFacts {
            by_token: Some(by_token),
            ..crate::lm::TokenFacts::default()
        };
        of_texts("other-rows", tokens)
    };
    let wrong = found(95_000, 0.0003, 0.0001).unwrap();
    assert_eq!(
        (wrong.status, wrong.blocks),
        (Status::Violated, Blocks::Both)
    );
    assert!(wrong.detail.contains("Join them by id"), "{}", wrong.detail);
    assert!(found(95_000, 0.41, -0.0001).is_none());
    assert!(found(19_999, 0.0003, 0.0001).is_none());
    // Rows that are alike explain each other's.
    assert!(found(95_000, 0.4, 0.3).is_some());
    let reference = crate::lm::TokenFacts {
        reference_by_token: Some(crate::lm::ByToken {
            predictions: 30_000,
            own: 0.002,
            other: 0.0,
        }),
        ..crate::lm::TokenFacts::default()
    };
    let found = of_texts("other-rows", reference).unwrap();
    assert!(
        found.detail.contains("ref_logprob varies"),
        "{}",
        found.detail
    );
}

#[test]
fn features_that_records_share_block_a_pass_where_most_do() {
    let gate = Gate::default();
    let found = |units: &dyn Fn(usize) -> usize| {
        let records = (0..1000).map(|record| (units(record), record < 500));
        let facts = DuplicateFacts::new(records);
        let found = check(&Evidence {
            features: Some(&facts),
            ..Evidence::new(500, 500, &gate, &[])
        });
        let found = found.into_iter().find(|one| one.id == "saturated-signals");
        found.map(|one| one.status)
    };
    // All alike, all but one, three rows in turn; some; and copies on one side alone.
    assert_eq!(found(&|_| 0), Some(Status::Violated));
    assert_eq!(
        found(&|record| usize::from(record == 7)),
        Some(Status::Violated)
    );
    assert_eq!(found(&|record| record % 3), Some(Status::Violated));
    assert_eq!(
        found(&|record| if record % 10 == 0 { 0 } else { record }),
        Some(Status::Warn)
    );
    assert_eq!(found(&|record| record / 2), None);
    assert_eq!(found(&|record| record), None);
}

#[test]
fn an_id_on_both_sides_blocks_a_pass_where_many_are() {
    let gate = Gate::default();
    let found = |again: usize, divided: usize| {
        let found = check(&Evidence {
            repeated_ids: RepeatedIds { again, divided },
            ..Evidence::new(1000, 1000, &gate, &[])
        });
        found.into_iter().find(|one| one.id == "repeated-ids")
    };
    let both = found(1000, 2000).unwrap();
    assert_eq!(both.status, Status::Violated);
    assert!(
        both.detail.contains("that members and non-members share"),
        "{}",
        both.detail
    );
    assert_eq!(found(10, 20).unwrap().status, Status::Warn);
    assert_eq!(found(1000, 0).unwrap().status, Status::Warn);
    assert!(found(0, 0).is_none());
}

#[test]
fn a_reference_that_knows_the_members_blocks_a_pass() {
    let status = |auc: f64, low: f64, identical: bool| {
        let tokens = crate::lm::TokenFacts {
            identical,
            reference: Some(crate::lm::ReferenceAlone {
                auc,
                low,
                high: auc + 0.05,
            }),
            ..crate::lm::TokenFacts::default()
        };
        of_texts("reference-model", tokens).map(|finding| finding.status)
    };
    assert_eq!(status(0.7, 0.65, false), Some(Status::Violated));
    assert_eq!(status(0.53, 0.51, false), Some(Status::Warn));
    assert_eq!(status(0.6, 0.49, false), Some(Status::Ok));
    assert_eq!(status(0.7, 0.65, true), None, "weak-access speaks");
}

#[test]
fn answers_that_change_or_are_cut_off_are_warned_about() {
    use crate::rag::{CutShort, Repeats};
    let found = |id: &str, changed: usize, cut_short: usize| {
        let probes = ProbeFacts {
            repeats: Some(Repeats {
                asked: 20,
                changed,
                tells: None,
            }),
            cut_short: Some(CutShort {
                answers: 500,
                cut_short,
                shortened: 0,
            }),
            ..ProbeFacts::default()
        };
        let gate = Gate::default();
        let found = check(&Evidence {
            probes: Some(&probes),
            ..Evidence::new(100, 100, &gate, &[])
        });
        found.into_iter().find(|finding| finding.id == id).unwrap()
    };
    assert_eq!(found("repeatability", 4, 0).status, Status::Ok);
    assert_eq!(found("repeatability", 5, 0).status, Status::Warn);
    assert_eq!(found("cut-answers", 0, 5).status, Status::Ok);
    let cut = found("cut-answers", 0, 100);
    assert_eq!(cut.status, Status::Warn);
    assert!(cut.detail.contains("100 of 500 answers (20.0%)"));
}

#[test]
fn copies_of_records_add_no_power() {
    let attacks = vec![silent(400)];
    let gate = Gate::default();
    let status = |copies: usize| {
        let facts = DuplicateFacts::new((0..400).map(|record| (record / copies, record < 200)));
        let found = check(&Evidence {
            attacks: &attacks,
            gated: Some("silent"),
            duplicates: Some(&facts),
            ..Evidence::new(200, 200, &gate, &[])
        });
        let found = found
            .into_iter()
            .find(|finding| finding.id == "detectable-leak");
        found.unwrap().status
    };
    assert_eq!(status(1), Status::Ok);
    assert_eq!(status(5), Status::Violated);
}

/// Easier members are found without any memory, so that nothing fails by finding them; memory beside them does.
#[test]
fn sets_that_differ_by_themselves_block_a_fail_that_does_no_better() {
    let mut setup = setup(vec![leaky(2000)]);
    let auc = setup.attacks[0].auc.clone();
    let apart = |auc: f64| Apart {
        auc,
        low: auc - 0.03,
        high: auc + 0.03,
    };
    for (found, status) in [
        (0.51, Status::Ok),
        (0.55, Status::Warn),
        (auc.low - 0.05, Status::Warn),
        (auc.value, Status::Violated),
    ] {
        setup.shadows.outsiders = Some(apart(found));
        assert_eq!(setup.status("sets-differ"), status, "{found}");
    }
    assert_eq!(setup.outcome(false), Outcome::Inconclusive);
    setup.shadows.training_gain = 0.0;
    setup.shadows.labels = Some(apart(0.5));
    assert_eq!(
        setup.status("sets-differ"),
        Status::Ok,
        "shadows that gain nothing may be copies of the target, which know its members"
    );
    setup.shadows.labels = Some(apart(auc.value));
    assert_eq!(setup.status("sets-differ"), Status::Violated);
}

#[test]
fn answers_that_were_not_asked_again_block_a_pass_and_changed_ones_both_verdicts() {
    use crate::rag::StoredAnswers;
    let violated = |stored: StoredAnswers| -> Vec<(String, Blocks)> {
        let probes = ProbeFacts {
            stored: Some(stored),
            ..ProbeFacts::default()
        };
        let gate = Gate::default();
        let found = check(&Evidence {
            probes: Some(&probes),
            ..Evidence::new(100, 100, &gate, &[])
        });
        let of_stored = ["same-service", "asked-again"];
        let found = found.into_iter().filter(|finding| {
            of_stored.contains(&finding.id.as_str()) && finding.status == Status::Violated
        });
        found.map(|finding| (finding.id, finding.blocks)).collect()
    };
    let none = StoredAnswers {
        reused: 900,
        since: "2026-03-09".into(),
        wanted: 8,
        ..StoredAnswers::default()
    };
    let unseen = || ("asked-again".to_owned(), Blocks::Pass);
    assert_eq!(violated(none.clone()), [unseen()]);
    let few = StoredAnswers {
        asked_again: 7,
        ..none.clone()
    };
    assert_eq!(violated(few.clone()), [unseen()]);
    let enough = StoredAnswers {
        asked_again: 8,
        ..few
    };
    assert_eq!(violated(enough.clone()), []);
    let replayed = StoredAnswers {
        replayed: true,
        ..none.clone()
    };
    assert_eq!(violated(replayed), []);
    let other = || ("same-service".to_owned(), Blocks::Both);
    let changed = StoredAnswers {
        reworded: 5,
        ..enough
    };
    assert_eq!(violated(changed), [other()]);
    // Members were asked about then, and non-members are now.
    let tells = |stored: fn(usize) -> bool| {
        let stored = |record: usize| f64::from(u8::from(stored(record)));
        let measured = attack("stored", (0..200).map(|record| Ok(stored(record))), 200);
        Some(measured.auc)
    };
    let apart = StoredAnswers {
        stored_tells: tells(|record| record.is_multiple_of(2)),
        ..none.clone()
    };
    assert_eq!(violated(apart), [other(), unseen()]);
    let by_lot = StoredAnswers {
        stored_tells: tells(|record| record < 100),
        ..none
    };
    assert_eq!(violated(by_lot), [unseen()]);
}

#[test]
fn failures_of_one_kind_alone_are_named() {
    let probes = ProbeFacts {
        asked: 174,
        failed: [("without an answer".to_owned(), 82)].into(),
        failed_about: Some([82, 0]),
        ..ProbeFacts::default()
    };
    let gate = Gate::default();
    let evidence = Evidence {
        probes: Some(&probes),
        ..Evidence::new(12, 12, &gate, &[])
    };
    let (status, words) = super::failed_requests::check(&evidence).unwrap();
    assert_eq!(status, Status::Warn);
    assert!(
        words.contains("(47.1%), all about members, have no answer"),
        "{words}"
    );
}
