//! The demonstration finds the leak, and its guardrails are in order.

use crate::bench::Bench;
use crate::page;

#[test]
fn the_demonstration_ends_with_a_verdict() {
    let bench = Bench::new();
    bench.guestlist("demo lm --out d").exits(0).is_one_screen();
    let report = bench.json("d/report.json");
    assert_eq!(report["verdict"]["outcome"], "fail");
    let attacks = report["attacks"].as_array().unwrap();
    assert_eq!(attacks.len(), 11);
    page::says_the_verdict("guestlist demo lm", &report);
    let ez = attacks.iter().find(|attack| attack["id"] == "ez").unwrap();
    let auc = ez["auc"]["value"].as_f64().unwrap();
    // 0.9587 by transformers in float32 on the same files.
    assert!((auc - 0.9587).abs() < 2e-4, "{auc}");
    for finding in report["guardrails"].as_array().unwrap() {
        let status = finding["status"].as_str().unwrap();
        // 600 non-members are few for a rate of 0.1%.
        let expected = if finding["id"] == "enough-nonmembers" {
            "warn"
        } else {
            "ok"
        };
        assert_eq!(status, expected, "{finding}");
    }
    for file in [
        "tokens.parquet",
        "scores.parquet",
        "report.md",
        "audit.sqlite",
    ] {
        assert!(bench.path(format!("d/{file}")).exists(), "{file}");
    }
    assert_eq!(bench.three_criteria("d", 1), ["fail"; 3]);
    bench
        .guestlist("audit d/tokens.parquet --policy policy.toml --out judged")
        .exits(1);
    let judged = bench.json("judged/report.json");
    let criteria = judged["policy"]["criteria"].as_array().unwrap();
    assert_eq!(criteria.len(), 3);
    assert!(
        criteria.iter().all(|one| one["outcome"] == "fail"),
        "{criteria:?}"
    );
    assert_eq!(judged["attacks"], report["attacks"]);
    // What was written can be audited again, to the same numbers.
    bench
        .guestlist("audit d/tokens.parquet --out again")
        .exits(1);
    assert_eq!(
        bench.json("again/report.json")["attacks"],
        report["attacks"]
    );
}
