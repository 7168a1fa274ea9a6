//! Texts by author.

use serde_json::json;

use crate::bench::Bench;

/// Four texts per author; texts of members are a little likelier.
fn rows() -> String {
    let row = |place: usize| {
        let author = place / 4;
        let member = author.is_multiple_of(2);
        let noise = (place * 7919 % 1009) as f64 / 1009.0;
        let loss = -2.0 - noise + if member { 0.25 } else { 0.0 };
        let logprob: Vec<Option<f64>> = std::iter::once(None)
            .chain((0..120).map(|token| Some(loss - f64::from(token % 3) * 0.1)))
            .collect();
        json!({
            "id": format!("t{place}"), "member": member, "author": format!("Ana {author}"),
            "logprob": logprob,
        })
    };
    (0..480)
        .map(|place| row(place).to_string() + "\n")
        .collect()
}

#[test]
fn token_signals_are_judged_by_author_who_is_not_named() {
    let bench = Bench::new();
    bench.write("tokens.jsonl", &rows());
    let said = bench.guestlist(
        "audit tokens.jsonl --attacks lm-loss --attacker target-only --group author --out o",
    );
    assert!(
        said.stdout.contains("by person, AUC of lm-loss"),
        "{}{}",
        said.stdout,
        said.stderr
    );
    let report = bench.json("o/report.json");
    let persons = &report["persons"];
    assert_eq!(
        (&persons["members"], &persons["nonmembers"]),
        (&60.into(), &60.into())
    );
    let of = |attack: &serde_json::Value| attack["auc"]["value"].as_f64().unwrap();
    assert!(of(&persons["attacks"][0]) > of(&report["attacks"][0]) + 0.03);
    assert!(!report.to_string().contains("Ana 3"));
    let said = bench.guestlist("audit tokens.jsonl --group writer");
    said.complains(&["no line has a field writer"]);
}
