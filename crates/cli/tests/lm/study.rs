//! `guestlist study ez`: the paper's tables of token signals.

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::drawn::{mixed, normal};

const TEXTS: usize = 400;

/// Token signals of a fine-tune that lifts its members' tokens by so much, and lifts errors more.
fn tokens(seed: u64, gain: f64) -> String {
    let row = |place: usize| {
        let member = mixed(place, seed) & 1 == 1;
        let (mut own, mut reference) = (vec![Value::Null], vec![Value::Null]);
        let mut rank = vec![Value::Null];
        for position in 0..30 {
            let spot = place * 64 + position;
            let erred = mixed(spot, seed + 1).is_multiple_of(2);
            let learnt = match (member, erred) {
                (true, true) => gain,
                (true, false) => gain / 4.0,
                (false, _) => 0.0,
            };
            let before = -4.0 + normal(spot, seed);
            let moved = before + learnt + 0.5 * normal(spot, seed + 500);
            reference.push(json!(before.min(-0.01)));
            own.push(json!(moved.min(-0.01)));
            rank.push(json!(1 + 5 * u32::from(erred)));
        }
        json!({"member": member, "logprob": own, "ref_logprob": reference, "rank": rank})
    };
    (0..TEXTS)
        .map(|place| format!("{}\n", row(place)))
        .collect()
}

fn named<'a>(list: &'a Value, field: &str, name: &str) -> &'a Value {
    let list = list.as_array().unwrap();
    list.iter().find(|one| one[field] == name).expect(name)
}

#[test]
fn a_study_measures_what_an_audit_of_the_same_signals_does() {
    let bench = Bench::new();
    bench.write("full.jsonl", &tokens(1, 0.4));
    bench.write("lora.jsonl", &tokens(2, 0.1));
    let said = bench.guestlist("study ez full-3=full.jsonl lora-3=lora.jsonl --out study");
    let page = said.exits(0).stdout;
    let written = std::fs::read_to_string(bench.path("study/study-ez.md"));
    assert_eq!(page, written.unwrap());
    for words in [
        "`guestlist study ez full-3=full.jsonl lora-3=lora.jsonl`",
        "## Full fine-tuning beside LoRA",
        "| full-3, lora-3 | ",
        "66.3%",
        // Nobody gave moments.
        "`min-k-plus-plus` of full-3",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
    assert!(!page.contains("A distilled reference beside"), "{page}");
    let study = bench.json("study/study-ez.json");
    for (set, file) in [("full-3", "full.jsonl"), ("lora-3", "lora.jsonl")] {
        let ours = named(&study["sets"], "name", set);
        bench.guestlist(&format!("audit {file} --fpr 0.01,0.001 --out all"));
        let report = bench.json("all/report.json");
        for id in ["lm-loss", "ratio", "wbc", "ez", "ez-smoothed"] {
            let (ours, theirs) = (
                named(&ours["attacks"], "name", id),
                named(&report["attacks"], "id", id),
            );
            for part in ["value", "low", "high"] {
                assert_eq!(ours["auc"][part], theirs["auc"][part], "{id}");
            }
            assert_eq!(ours["tpr"][0], theirs["tpr_at_fpr"][0]["value"], "{id}");
            assert_eq!(ours["tpr"][1], Value::Null, "200 non-members show no 0.1%");
        }
        for (name, setting) in [
            ("successes only", "ez.positions=successes"),
            ("error = not among the first 5", "ez.top=5"),
            ("rises less falls", "ez.aggregate=difference"),
            ("first position counted", "ez.skip=0"),
        ] {
            let change = format!("audit {file} --attacks ez --set {setting} --out one");
            bench.guestlist(&change);
            let report = bench.json("one/report.json");
            let theirs = named(&report["attacks"], "id", "ez");
            let ours = named(&ours["ablations"], "name", name);
            assert_eq!(ours["auc"]["value"], theirs["auc"]["value"], "{name}");
        }
    }
}

#[test]
fn names_and_words_of_the_user_are_no_markup() {
    let bench = Bench::new();
    bench.write("tokens.jsonl", &tokens(1, 0.4));
    let said = bench.guestlist("study ez a|<b>=tokens.jsonl --about=<img/src=x>");
    let page = said.exits(0).stdout;
    let (_, below) = page.split_once("own tables.").unwrap();
    assert!(below.contains("a\\|&lt;b&gt;"), "{page}");
    assert!(below.contains("&lt;img/src=x&gt;"), "{page}");
    assert!(!below.contains("<b>") && !below.contains("<img"), "{page}");
}

#[test]
fn what_ez_cannot_judge_is_refused() {
    let bench = Bench::new();
    let rows = tokens(1, 0.4);
    let without = |field: &str| -> String {
        let row = |line: &str| {
            let mut row: Value = serde_json::from_str(line).unwrap();
            row.as_object_mut().unwrap().remove(field);
            format!("{row}\n")
        };
        rows.lines().map(row).collect()
    };
    bench.write("tokens.jsonl", &rows);
    bench.write("unknown.jsonl", &without("member"));
    bench.write("alone.jsonl", &without("ref_logprob"));
    bench.write("unranked.jsonl", &without("rank"));
    let one_kind = rows.lines().filter(|line| line.contains("\"member\":true"));
    bench.write("one.jsonl", &one_kind.collect::<Vec<_>>().join("\n"));
    for (arguments, words) in [
        ("unknown.jsonl", "unknown.jsonl: no text says whether"),
        ("alone.jsonl", "alone.jsonl: ez judges no text of it"),
        ("unranked.jsonl", "unranked.jsonl: ez judges no text of it"),
        ("one.jsonl", "one.jsonl"),
        ("tokens.jsonl missing.parquet", "missing.parquet"),
        (
            "tokens.jsonl tokens=tokens.jsonl",
            "two data sets are called",
        ),
        ("=tokens.jsonl", "names no data"),
    ] {
        let said = bench.guestlist(&format!("study ez {arguments}")).exits(2);
        assert!(said.stderr.contains(words), "{arguments}: {}", said.stderr);
        assert!(!bench.path("guestlist-study/study-ez.md").exists());
    }
}

#[test]
fn speeches_are_read_once() {
    let bench = Bench::new();
    let page = bench.guestlist("study ez").exits(0).stdout;
    assert!(page.contains("| speeches | 600 | 600 |"), "{page}");
    let signals = bench.path("guestlist-study/speeches/tokens.parquet");
    let made = std::fs::read(&signals).unwrap();
    let said = bench.guestlist("study ez").exits(0);
    assert_eq!(said.stdout, page);
    assert!(!said.stderr.contains("tokens/s"), "{}", said.stderr);
    assert_eq!(std::fs::read(&signals).unwrap(), made);
}
