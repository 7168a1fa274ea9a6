//! Leaks that lie where nobody looked, and signals that hold nothing: neither goes with a pass.

use std::fmt::Write;
use std::fs;

use serde_json::{Value, json};

use crate::common::Desk;
use crate::npy::floats;
use crate::signals::{Random, Signals};

const MEMBERS: usize = 2000;

/// Of each record its number, whether it is a member, and a score that says nothing.
fn records() -> impl Iterator<Item = (usize, bool, f64)> {
    let mut random = Random(11);
    (0..2 * MEMBERS).map(move |record| (record, record < MEMBERS, random.normal()))
}

/// A table of scores with a column beside.
fn table(desk: &Desk, column: &str, row: impl Fn(usize, bool, f64) -> (String, f64)) {
    let mut text = format!("{column},member,s\n");
    for (record, member, noise) in records() {
        let (beside, score) = row(record, member, noise);
        writeln!(text, "{beside},{},{score}", u8::from(member)).unwrap();
    }
    fs::write(desk.path("scores.csv"), text).unwrap();
}

/// The violated guardrails of an audit that decides nothing, with their words.
fn in_the_way(desk: &Desk, arguments: &str) -> Vec<(String, String)> {
    desk.guestlist(&format!("audit {arguments} --bootstrap 0 --out out"))
        .exits(3);
    let report = desk.json("out/report.json");
    let word = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let findings = report["guardrails"].as_array().unwrap().iter();
    let violated = findings.filter(|finding| finding["status"] == "violated");
    violated
        .map(|finding| (word(finding, "id"), word(finding, "detail")))
        .collect()
}

fn only(found: &[(String, String)], id: &str) -> String {
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, id, "{found:?}");
    found[0].1.clone()
}

#[test]
fn members_at_the_low_end_of_a_score_get_no_pass() {
    let desk = Desk::new();
    for (low, lift) in [(60, 0.1), (400, 0.85)] {
        table(&desk, "place", |record, member, noise| {
            let score = match record < low {
                true => -10.0 - noise.abs(),
                false if member => noise + lift,
                false => noise,
            };
            (format!("p{record}"), score)
        });
        let said = in_the_way(&desk, "scores.csv --kind scores --attacks s");
        let words = format!("by its lowest scores, catches {low} of 2000 members");
        assert!(only(&said, "few-members").contains(&words), "{said:?}");
    }
}

#[test]
fn a_slice_below_one_half_gets_no_pass_and_is_named() {
    let desk = Desk::new();
    table(&desk, "town", |record, member, noise| {
        let rare = record % 40 == 0;
        let town = if rare {
            "rare"
        } else {
            ["a", "b", "c"][record % 3]
        };
        let lift = match (member, rare) {
            (true, true) => -3.0,
            (true, false) => 0.1,
            (false, _) => 0.0,
        };
        (town.to_owned(), noise + lift)
    });
    let said = in_the_way(&desk, "scores.csv --kind scores --attacks s --slice town");
    let words = only(&said, "below-chance");
    assert!(words.contains("s where town = rare (0.0"), "{words}");
    let report = desk.json("out/report.json");
    let first = &report["diagnostics"]["slices"]["slices"][0];
    assert_eq!(
        (&first["value"], &first["below"]["attack"]),
        (&"rare".into(), &"s".into())
    );
}

#[test]
fn members_between_the_others_get_no_pass_from_a_gate_on_a_rate() {
    let desk = Desk::new();
    table(&desk, "place", |record, member, noise| {
        (
            format!("p{record}"),
            if member { 0.05 * noise } else { noise },
        )
    });
    let gate = "--measure tpr@0.01 --threshold 0.04";
    let said = in_the_way(
        &desk,
        &format!("scores.csv --kind scores --attacks s {gate}"),
    );
    assert!(
        only(&said, "best-threshold").contains("than an even leak"),
        "{said:?}"
    );
}

#[test]
fn ids_of_members_and_non_members_get_no_pass() {
    let desk = Desk::new();
    table(&desk, "id", |record, _, noise| {
        (format!("r{}", record % MEMBERS), noise)
    });
    let said = in_the_way(&desk, "scores.csv --kind scores --attacks s");
    let words = only(&said, "repeated-ids");
    assert!(
        words.contains("4000 records (100.0%) have an id that members and non-members share"),
        "{words}"
    );
}

#[test]
fn a_language_model_that_says_the_same_of_every_token_was_not_tested() {
    let desk = Desk::new();
    for constant in [0.0, -1.0, -9999.0] {
        let mut random = Random(12);
        let mut text = String::new();
        for record in 0..600 {
            let reference: Vec<f64> = (0..120).map(|_| -random.normal().abs()).collect();
            let row = json!({"id": format!("t{record}"), "member": record % 2 == 0, "text": words(&mut random),
                "logprob": vec![constant; 120], "ref_logprob": reference});
            writeln!(text, "{row}").unwrap();
        }
        fs::write(desk.path("tokens.jsonl"), text).unwrap();
        let said = in_the_way(&desk, "tokens.jsonl --kind lm");
        let found = said.iter().find(|(id, _)| id == "saturated-signals");
        assert!(
            found.is_some_and(|(_, words)| words.contains("nothing of it was tested")),
            "{said:?}"
        );
    }
}

fn words(random: &mut Random) -> String {
    let word = |_| format!("w{} ", (random.uniform() * 2000.0) as usize);
    (0..120).map(word).collect()
}

#[test]
fn features_that_are_the_same_for_all_records_were_not_tested() {
    let desk = Desk::new();
    let shapes: [&dyn Fn(usize) -> usize; 3] =
        [&|_| 0, &|record| usize::from(record == 7), &|record| {
            record % 3
        }];
    for shape in shapes {
        let value = |place: usize| shape(place / 2) as f32;
        let values: Vec<f32> = (0..2400).map(value).collect();
        let members: String = (0..600).map(|record| format!("{record}\n")).collect();
        fs::write(desk.path("features.npy"), floats(&[1200, 2], &values)).unwrap();
        fs::write(desk.path("members.txt"), members).unwrap();
        let said = in_the_way(
            &desk,
            "features.npy --members members.txt --kind fewshot --attacker few-shot --runs 20",
        );
        let found = said.iter().find(|(id, _)| id == "saturated-signals");
        assert!(
            found.is_some_and(|(_, words)| words.contains("no attack can tell them apart")),
            "{said:?}"
        );
    }
}

#[test]
fn who_looked_at_no_shadow_is_not_said_to_train_any() {
    let audit =
        "audit signals --bootstrap 0 --quiet --attacks loss --attacker target-only --out out";
    for (signals, threshold, code) in [(Signals::clean(), 0.65, 0), (Signals::leaky(), 0.55, 1)] {
        let desk = Desk::with(&signals);
        let said = desk
            .guestlist(&format!("{audit} --threshold {threshold}"))
            .exits(code)
            .stdout;
        assert!(said.contains("an attacker who may ask the model"), "{said}");
        assert!(!said.contains("trains models like it"), "{said}");
    }
}
