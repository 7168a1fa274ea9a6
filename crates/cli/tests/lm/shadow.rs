//! A shadow of the user's own teaches `understudy-lm`, unless it knows the audited members.

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::drawn::{mixed, normal};

const TEXTS: usize = 240;

fn member(place: usize, seed: u64) -> bool {
    mixed(place, seed) & 1 == 1
}

/// A fine-tune that leaves its mark where nobody who was taught elsewhere looks: every fourth token of a
/// member falls, all others rise, and the other way round for a text that it never saw.
fn tokens(name: &str, seed: u64, truth: u64) -> String {
    (0..TEXTS)
        .map(|place| {
            let sign = if member(place, truth) { 1.0 } else { -1.0 };
            let (mut own, mut reference) = (vec![Value::Null], vec![Value::Null]);
            for position in 0..40 {
                let spot = place * 64 + position;
                let before = -3.0 + normal(spot, seed);
                let mark = if position % 4 == 0 { -3.0 } else { 1.0 };
                let gain = sign * mark * 0.35 + 0.3 * normal(spot, seed + 500);
                reference.push(json!(before.min(-0.05)));
                own.push(json!((before + gain).min(-0.01)));
            }
            let row = json!({
                "id": format!("{name}-{place}"), "member": member(place, truth), "logprob": own, "ref_logprob": reference,
            });
            format!("{row}\n")
        })
        .collect()
}

fn auc(bench: &Bench, folder: &str) -> f64 {
    let report = bench.json(&format!("{folder}/report.json"));
    let attacks = report["attacks"].as_array().unwrap();
    let ours = attacks
        .iter()
        .find(|attack| attack["id"] == "understudy-lm");
    ours.unwrap()["auc"]["value"].as_f64().unwrap()
}

#[test]
fn a_shadow_teaches_what_its_fine_tune_does() {
    let bench = Bench::new();
    bench.write("tokens.jsonl", &tokens("audited", 1, 11));
    bench.write("shadow.jsonl", &tokens("shadow", 2, 22));
    bench.guestlist("audit tokens.jsonl --out alone");
    bench.guestlist("audit tokens.jsonl --shadow shadow.jsonl --out taught");
    let (alone, taught) = (auc(&bench, "alone"), auc(&bench, "taught"));
    assert!(taught > 0.9 && taught > alone + 0.05, "{alone} {taught}");
    let report = bench.json("taught/report.json").to_string();
    assert!(report.contains("learnt further from a shadow"), "{report}");
}

#[test]
fn a_shadow_that_knows_the_audited_members_is_refused() {
    let bench = Bench::new();
    bench.write("tokens.jsonl", &tokens("audited", 1, 11));
    bench
        .guestlist("audit tokens.jsonl --shadow tokens.jsonl --out o")
        .complains(&["tokens.jsonl", "who is a member of the audited model"]);
    // The audited members alone, among texts that are not audited.
    let audited = tokens("audited", 1, 11);
    let members = audited
        .lines()
        .filter(|line| line.contains("\"member\":true"));
    let others = tokens("other", 3, 33);
    let others = others
        .lines()
        .filter(|line| line.contains("\"member\":false"));
    let lines: Vec<&str> = members.chain(others).collect();
    bench.write("half.jsonl", &lines.join("\n"));
    bench
        .guestlist("audit tokens.jsonl --shadow half.jsonl --out o")
        .complains(&["half.jsonl", "who is a member of the audited model"]);
    assert!(!bench.path("o/report.json").exists());
}

#[test]
fn a_shadow_without_members_or_a_pupil_is_refused() {
    let bench = Bench::new();
    bench.write("tokens.jsonl", &tokens("audited", 1, 11));
    let shadow = tokens("shadow", 2, 22);
    let few: Vec<&str> = shadow.lines().take(60).collect();
    bench.write("few.jsonl", &few.join("\n"));
    bench
        .guestlist("audit tokens.jsonl --shadow few.jsonl --out o")
        .complains(&["few.jsonl", "at least 50"]);
    bench.write("shadow.jsonl", &shadow);
    bench
        .guestlist("audit tokens.jsonl --shadow shadow.jsonl --attacks ez --out o")
        .complains(&["shadow.jsonl", "none of the attacks learns"]);
}

/// The same texts under other tokens and names: what the reference says of them is the same.
#[test]
fn a_shadow_of_the_audited_texts_is_known_by_what_the_reference_says() {
    let bench = Bench::new();
    bench.write("tokens.jsonl", &tokens("audited", 1, 11));
    bench.write("renamed.jsonl", &tokens("renamed", 1, 11));
    bench
        .guestlist("audit tokens.jsonl --shadow renamed.jsonl --out o")
        .complains(&["renamed.jsonl", "who is a member of the audited model"]);
}

#[test]
fn a_shadow_whose_members_were_drawn_anew_teaches_nothing_and_says_so() {
    let bench = Bench::new();
    bench.write("tokens.jsonl", &tokens("audited", 1, 11));
    let relabelled = |line: (usize, &str)| {
        let mut row: Value = serde_json::from_str(line.1).unwrap();
        row["member"] = member(line.0, 77).into();
        row.to_string()
    };
    let shadow = tokens("shadow", 2, 22);
    let shadow: Vec<String> = shadow.lines().enumerate().map(relabelled).collect();
    bench.write("shadow.jsonl", &shadow.join("\n"));
    bench
        .guestlist("audit tokens.jsonl --shadow shadow.jsonl --out o")
        .complains(&["shadow.jsonl", "nothing in the shadow tells"]);
}
