//! The embedded service: its store holds some texts, and its reader knows nothing by itself.

use rehearsal::Document;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::service::serve;
use crate::world::{configure, confusion, report, text};

/// Texts with even numbers are in the store. Each is one sentence: the reader quotes sentences.
fn texts(count: usize) -> Vec<(usize, String)> {
    let sentence = |n: usize| text(n, 40).replace(". The ", ", the ");
    (0..2 * count).map(|n| (n, sentence(n))).collect()
}

#[test]
fn what_the_store_holds_and_what_is_fresh_are_told_apart() {
    let texts = texts(15);
    let held = texts.iter().filter(|(n, _)| n % 2 == 0);
    let store = held.map(|(n, text)| Document {
        id: format!("paper-{n}"),
        title: None,
        text: text.clone(),
    });
    let running = serve(store.collect(), &[]);
    let bench = Bench::new();
    for (name, rest) in [("in.jsonl", 0), ("out.jsonl", 1)] {
        let of = texts.iter().filter(|(n, _)| n % 2 == rest);
        let rows = of.map(|(n, text)| json!({"id": format!("paper-{n}"), "text": text}));
        let rows: String = rows.map(|row| row.to_string() + "\n").collect();
        bench.write(name, &rows);
    }
    configure(
        &bench,
        running.address(),
        "[source]\nperturbations = 32\n[audit]\nattacks = \"sma-retrieved\"\n",
    );
    let config = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let config = config.replace(
        "path = \"items.jsonl\"",
        "retrieved = \"in.jsonl\"\nnonmembers = \"out.jsonl\"",
    );
    bench.write("guestlist.toml", &config);
    bench.guestlist("run").exits(1);
    let found = report(&bench);
    let table = confusion(&found);
    assert!(table[1][1] + table[2][2] >= 28, "{table:?}");
    assert_eq!(found["attacks"][0]["id"], "sma-retrieved");
    assert!(found["attacks"][0]["auc"]["value"].as_f64().unwrap() > 0.9);
    // The texts were looked at without the service.
    let guardrails = found["guardrails"].as_array().unwrap();
    let about_texts = |finding: &&Value| finding["id"] == "near-duplicates";
    assert_eq!(guardrails.iter().find(about_texts).unwrap()["status"], "ok");
    running.stop();
}
