//! The attack that compares both arms, and runs only when it is named.

use rehearsal::Document;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::service::{Odd, configure, said, serve, write_documents};

#[test]
fn without_the_other_arm_it_is_refused_before_anything_is_sent() {
    let odd = Odd::start(|_, _, _| said("I don't know."));
    let bench = Bench::new();
    write_documents(&bench, 4);
    let off = "[probes]\nwithout_retrieval = false\n";
    configure(
        &bench,
        odd.address,
        &format!("{off}[audit]\nattacks = \"sma\""),
    );
    for command in ["run", "plan"] {
        bench.guestlist(command).complains(&["sma", "[target.off]"]);
    }
    assert_eq!(odd.count(), 0);
    configure(&bench, odd.address, off);
    let planned = bench.guestlist("plan --json").exits(0).stdout;
    let requests = planned.lines().find_map(|line| {
        let event: Value = serde_json::from_str(line).unwrap();
        event["requests"].as_u64()
    });
    assert!(
        requests.unwrap() < 8 * 64,
        "all does not hold sma: {requests:?}"
    );
}

/// Two sentences of words that no other document has.
fn own_words(number: usize) -> Document {
    let word = |sentence: usize, place: usize| {
        let first = "bcdfghklmnprst".as_bytes()[number % 14] as char;
        let middle = ["abo", "ede", "igu", "oka", "uli"][place % 5];
        format!("{first}{middle}x{sentence}{place}{number}")
    };
    let sentence = |sentence: usize| {
        let words: Vec<String> = (0..9).map(|place| word(sentence, place)).collect();
        format!("The {}.", words.join(" "))
    };
    Document {
        id: format!("paper-{number:05}"),
        title: None,
        text: [sentence(1), sentence(2)].join(" "),
    }
}

#[test]
fn stored_documents_are_told_from_others() {
    let (stored, others): (Vec<Document>, Vec<Document>) = (
        (0..8).map(own_words).collect(),
        (8..16).map(own_words).collect(),
    );
    let bench = Bench::new();
    for (name, documents) in [("in.jsonl", &stored), ("out.jsonl", &others)] {
        let row = |document: &Document| {
            json!({"id": document.id, "text": document.text}).to_string() + "\n"
        };
        bench.write(name, &documents.iter().map(row).collect::<String>());
    }
    let running = serve(stored, &[]);
    configure(
        &bench,
        running.address(),
        "\"sma.perturbations\" = 16\n[probes]\nrepeats = 0\n[audit]\nattacks = \"sma\"",
    );
    let said = bench.guestlist("run");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    let report = bench.json("guestlist-run/report.json");
    let guardrails = report["guardrails"].as_array().unwrap();
    let arms = guardrails
        .iter()
        .find(|finding| finding["id"] == "without-retrieval");
    assert_eq!(arms.unwrap()["status"], "ok");
    let attack = &report["attacks"][0];
    assert_eq!(attack["id"], "sma");
    assert_eq!(attack["abstained"], 0, "{attack}");
    let auc = attack["auc"]["value"].as_f64().unwrap();
    assert!(auc > 0.8, "{auc}");
}
