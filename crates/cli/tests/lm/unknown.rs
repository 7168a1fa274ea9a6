//! Texts of unknown membership: called, and no part of any measure.

use serde_json::json;

use crate::bench::Bench;

/// 60 members, 60 others and 20 of unknown membership, the first ten of them members.
fn lines(listed: bool) -> String {
    let row = |number: usize| {
        let member = match number {
            0..60 => Some(true),
            60..120 => Some(false),
            _ => None,
        };
        let is_member = member.unwrap_or(number < 130);
        let noise = (number * 7919 % 101) as f64 / 101.0;
        let level = if is_member { -1.0 } else { -3.0 } - noise;
        let text = format!("word {} and {}", number * 7919 % 1009, number * 31 % 997);
        let logprob: Vec<Option<f64>> = std::iter::once(None)
            .chain((0..120).map(|place| Some(level - (place % 5) as f64 / 10.0)))
            .collect();
        let mut row = json!({"id": format!("t{number}"), "text": text, "logprob": logprob});
        row["member"] = if listed && member.is_none() {
            json!(0)
        } else {
            json!(member)
        };
        format!("{row}\n")
    };
    (0..140).map(row).collect()
}

#[test]
fn texts_of_unknown_membership_are_called() {
    let bench = Bench::new();
    bench.write("tokens.jsonl", &lines(false));
    let said = bench.guestlist("audit tokens.jsonl --attacker target-only --out a");
    assert!(matches!(said.code, Some(1 | 3)), "{}", said.stderr);
    assert!(
        said.stdout.contains("20 records of unknown membership"),
        "{}",
        said.stdout
    );
    let report = bench.json("a/report.json");
    let unknown = &report["unknown"];
    assert_eq!(
        (&unknown["asked"], &unknown["calibration"]),
        (&20.into(), &60.into())
    );
    assert_eq!(unknown["called"], 10, "{unknown}");
    assert_eq!(report["provenance"]["data"]["judged_records"], 120);
    assert!(bench.path("a/calls.parquet").exists());
    // A list goes before what the rows say.
    bench.write("listed.jsonl", &lines(true));
    let ids: Vec<String> = (120..140).map(|number| format!("t{number}")).collect();
    bench.write("mine.txt", &ids.join("\n"));
    bench.guestlist("audit listed.jsonl --attacker target-only --unknown mine.txt --out b");
    let listed = bench.json("b/report.json");
    assert_eq!(listed["unknown"], *unknown);
    assert_eq!(listed["attacks"], report["attacks"]);
    bench.write("mine.txt", "t120\nnobody");
    let said = bench.guestlist("audit listed.jsonl --unknown mine.txt");
    said.complains(&["mine.txt: 1 listed ids are not among the texts, such as nobody"]);
}
