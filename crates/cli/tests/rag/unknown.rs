//! Documents of unknown membership: asked about, called, and no part of any measure.

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::service::text;

fn row(number: usize, member: Option<bool>, held: bool) -> String {
    let answer = match held {
        true => text(number),
        // Some are answered in passing, so that non-members differ from each other.
        false => format!("Nothing is known of {}.", number % 13),
    };
    let row = json!({
        "document": format!("paper-{number}"), "member": member, "strategy": "content",
        "text": text(number), "query": "What is said about it?", "answer": answer, "citations": [],
    });
    format!("{row}\n")
}

fn talk(known_members: bool) -> String {
    let members = (0..50).filter(|_| known_members);
    let members = members.map(|number| row(2 * number, Some(true), true));
    let others = (0..50).map(|number| row(2 * number + 1, Some(false), false));
    let asked = (0..20).map(|number| row(1000 + number, None, number < 10));
    members.chain(others).chain(asked).collect()
}

#[test]
fn documents_of_unknown_membership_are_called() {
    let bench = Bench::new();
    bench.write("talk.jsonl", &talk(true));
    let said = bench.guestlist("audit talk.jsonl --out a").exits(1);
    assert!(
        said.stdout.contains("records of unknown membership"),
        "{}",
        said.stdout
    );
    let report = bench.json("a/report.json");
    let unknown = &report["unknown"];
    assert_eq!(
        (&unknown["asked"], &unknown["calibration"]),
        (&20.into(), &50.into())
    );
    assert_eq!(unknown["called"], 10, "{unknown}");
    let attacks = report["attacks"].as_array().unwrap().iter();
    for attack in attacks {
        assert_eq!(
            (&attack["n_members"], &attack["n_nonmembers"]),
            (&50.into(), &50.into())
        );
    }
    assert_ne!(unknown["attack"], "cross-fitted");
}

#[test]
fn the_owner_of_documents_needs_no_known_member() {
    let bench = Bench::new();
    bench.write("talk.jsonl", &talk(false));
    let said = bench.guestlist("audit talk.jsonl --out a").exits(3);
    assert!(
        said.stdout.contains("no member is known"),
        "{}",
        said.stdout
    );
    let report: Value = bench.json("a/report.json");
    assert_eq!(report["unknown"]["called"], 10, "{}", report["unknown"]);
    assert!(bench.path("a/calls.parquet").exists());
}
