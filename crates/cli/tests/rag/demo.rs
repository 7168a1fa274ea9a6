//! The demonstration finds the leak, and its defences close it.

use crate::bench::Bench;
use crate::page;

fn status<'a>(report: &'a serde_json::Value, id: &str) -> &'a str {
    let findings = report["guardrails"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["id"] == id).unwrap();
    found["status"].as_str().unwrap()
}

/// The names of the threat specification, with the numbers of the attack that decides.
fn specified(report: &serde_json::Value) {
    let named = &report["detail"]["specification"];
    let attacks = report["attacks"].as_array().unwrap();
    let gated = &report["verdict"]["gate"]["attack"];
    let deciding = attacks
        .iter()
        .find(|attack| attack["id"] == *gated)
        .unwrap();
    assert_eq!(named["membership_auc"], deciding["auc"]["value"]);
    assert_eq!(named["delong"][0], deciding["auc"]["low"]);
    assert_eq!(named["bootstrap"][1], deciding["bootstrap"]["auc"]["high"]);
    assert_eq!(
        (&named["threshold"], &named["pass"]),
        (&0.65.into(), &false.into())
    );
    for signal in [
        "response_length",
        "confidence_phrases",
        "specificity_score",
        "citation_present",
    ] {
        let auc = named[signal]["auc"]["value"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&auc), "{signal}: {auc}");
    }
    let cited = &named["citation_present"];
    assert!(
        cited["members"].as_f64() > cited["non_members"].as_f64(),
        "{cited}"
    );
}

#[test]
fn the_demonstration_ends_with_a_verdict_and_can_be_judged_again() {
    let bench = Bench::new();
    bench.guestlist("demo rag --out d").exits(0).is_one_screen();
    let report = bench.json("d/report.json");
    assert_eq!(report["verdict"]["outcome"], "fail");
    specified(&report);
    page::says_the_verdict("guestlist demo rag", &report);
    for attack in report["detail"]["attacks"].as_array().unwrap() {
        let without = attack["without_retrieval"]["value"].as_f64().unwrap();
        assert!((0.4..0.6).contains(&without), "{attack}");
    }
    for id in [
        "blind-baseline",
        "store-contents",
        "without-retrieval",
        "detectable-leak",
        "repeatability",
    ] {
        assert_eq!(status(&report, id), "ok", "{id}");
    }
    let outcomes = bench.three_criteria("d", 1);
    assert_eq!(outcomes[0], "fail", "{outcomes:?}");
    // The transcript and the store both give the same numbers again.
    bench
        .guestlist("audit d/transcript.jsonl --out again")
        .exits(1);
    assert_eq!(
        bench.json("again/report.json")["attacks"],
        report["attacks"]
    );
    bench
        .guestlist("run d/guestlist.toml --replay --policy policy.toml")
        .exits(1);
    let judged = bench.json("d/report.json");
    assert_eq!(judged["policy"]["criteria"].as_array().unwrap().len(), 3);
    assert_eq!(judged["policy"]["criteria"][0]["outcome"], "fail");
    bench.guestlist("run d/guestlist.toml --replay").exits(1);
    assert_eq!(bench.json("d/report.json")["attacks"], report["attacks"]);
}

#[test]
fn defences_change_the_verdict_for_the_right_reason() {
    let bench = Bench::new();
    let defences = "hide-citations,refuse-verbatim,detect-probing";
    bench
        .guestlist(&format!("demo rag --out d --defence {defences}"))
        .exits(0);
    let report = bench.json("d/report.json");
    // Nothing is broken: the same documents, the same questions, as many answers.
    for id in ["blind-baseline", "failed-requests", "class-balance"] {
        assert_eq!(status(&report, id), "ok", "{id}");
    }
    let auc = |id: &str| {
        let attacks = report["attacks"].as_array().unwrap();
        let attack = attacks.iter().find(|attack| attack["id"] == id).unwrap();
        attack["auc"]["value"].as_f64().unwrap()
    };
    assert!(
        auc("citation") < 0.6 && auc("s2") < 0.65,
        "{}",
        report["verdict"]
    );
    // They hide most of it, and not all: questions that do not quote still tell some documents.
    let strongest = report["verdict"]["gate"]["value"].as_f64().unwrap();
    assert!(strongest < 0.85, "{}", report["verdict"]);
}
