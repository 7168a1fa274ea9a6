//! Signals, tokens, exchanges, features and scores that exist already.

use serde_json::json;

use crate::bench::Bench;
use crate::npy::texts;
use crate::searched::{MARK, audit_both_ways, id};
use crate::service::text;
use crate::signals::Signals;
use crate::vectors::{Vectors, flags, floats, npz};

#[test]
fn no_record_of_a_classifier_is_named() {
    let bench = Bench::new();
    let signals = Signals::leaky().with_ids(id);
    signals.write(&bench.path("signals"));
    audit_both_ways(&bench, "signals");
    let counted = bench.json("plain/report.json");
    let exposed = &counted["diagnostics"]["vulnerability"]["most_exposed"][0];
    assert!(exposed["row"].is_number() && exposed["mean_percentile"].is_number());
    assert!(exposed["times_member"].is_null(), "{exposed}");
}

#[test]
fn several_targets_do_not_tell_who_was_a_member_of_which() {
    let bench = Bench::new();
    Signals::leaky().with_ids(id).write(&bench.path("signals"));
    audit_both_ways(&bench, "signals --replicates 2");
    let exposed = |folder: &str| {
        let report = bench.json(&format!("{folder}/report.json"));
        report["diagnostics"]["vulnerability"]["most_exposed"][0].clone()
    };
    assert!(exposed("plain")["catch_rate_low"].is_number());
    assert!(exposed("plain")["times_member"].is_null());
    assert!(exposed("shown")["times_member"].is_number());
}

/// Texts of which every member has a word that no other has, so that words alone tell them apart.
#[test]
fn no_text_is_quoted_and_no_word_of_one() {
    let bench = Bench::new();
    let row = |number: usize| {
        let member = number.is_multiple_of(2);
        let word = if member { MARK } else { "else" };
        let shift = if member { 0.5 } else { 0.0 };
        let logprob = |place: usize| -1.0 - ((number * 7 + place * 3) % 11) as f64 / 5.0 + shift;
        let mut logprobs = vec![json!(null)];
        logprobs.extend((0..40).map(|place| json!(logprob(place))));
        // Names that stand twice, dates that nobody can read, and copies of members.
        let copied = if number % 20 == 1 { number - 1 } else { number };
        json!({
            "id": id(number / 2), "member": member, "logprob": logprobs, "ref_logprob": logprobs,
            "token_ids": vec![1; 41], "ref_token_ids": vec![2; 41],
            "text": format!("{word} {MARK}{number} {}", text(copied)),
            "date": format!("{MARK} of May"),
        })
        .to_string()
            + "\n"
    };
    bench.write("tokens.jsonl", &(0..200).map(row).collect::<String>());
    audit_both_ways(&bench, "tokens.jsonl");
    let report = bench.json("plain/report.json");
    let details: String = report["guardrails"].to_string() + &report["notes"].to_string();
    for part in [
        "share half of their runs of eight words with members, such as records 1, 21, 41 (from 0, in",
        "100 texts have the id of an earlier one, such as record 1 (from 0, in",
        "200 dates cannot be read, such as that of record 0 (from 0, in",
        "shows what is typical of either",
    ] {
        assert!(details.contains(part), "{part}: {details}");
    }
    let shown = bench.json("shown/report.json");
    let typical = shown["typical"]["of_members"].as_array();
    assert!(
        typical.is_some_and(|words| !words.is_empty()),
        "{}",
        shown["typical"]
    );
}

#[test]
fn no_exchange_with_a_service_is_quoted() {
    let bench = Bench::new();
    let row = |number: usize| {
        let member = number.is_multiple_of(2);
        let answer = match member {
            true => format!("{MARK} {}", text(number)),
            false => "I don't know.".into(),
        };
        json!({
            "document": id(number), "member": member, "strategy": "content",
            "query": format!("What is said about {MARK}{number}?"), "answer": answer,
            // The service shows a document that it is said not to hold.
            "citations": [if number == 3 { id(3) } else { "other".into() }],
        })
        .to_string()
            + "\n"
    };
    bench.write("talk.jsonl", &(0..120).map(row).collect::<String>());
    let document = |number: usize| {
        json!({"id": id(number), "text": format!("{MARK}{number} {}", text(number))}).to_string()
            + "\n"
    };
    bench.write("texts.jsonl", &(0..120).map(document).collect::<String>());
    audit_both_ways(&bench, "talk.jsonl --documents texts.jsonl");
    let report = bench.json("plain/report.json");
    assert_eq!(report["detail"]["exposed"], json!([]));
    let details = report["guardrails"].to_string();
    assert!(
        details.contains("non-members such as record 3 (from 0, in"),
        "{details}"
    );
    let shown = bench.json("shown/report.json");
    let exposed = shown["detail"]["exposed"][0].to_string();
    assert!(exposed.contains(MARK), "{exposed}");
}

#[test]
fn no_record_of_features_or_scores_is_named() {
    let bench = Bench::new();
    let vectors = Vectors::new(200, 3, 2.0);
    let names: Vec<String> = (0..200).map(id).collect();
    bench.write(
        "features.npz",
        &npz(&[
            ("features", floats(&vectors.shape(), &vectors.values)),
            ("member", flags(&[200], &vectors.members)),
            ("ids", texts(&names)),
        ]),
    );
    audit_both_ways(&bench, "features.npz --kind fewshot --runs 20");
    let bench = Bench::new();
    let line = |number: usize| {
        let score = (number * 37) % 200 + 90 * usize::from(number < 100);
        format!("{},{},{score}\n", id(number), number < 100)
    };
    let lines: String = (0..200).map(line).collect();
    bench.write("scores.csv", &format!("id,member,mine\n{lines}"));
    audit_both_ways(&bench, "scores.csv --kind scores");
}
