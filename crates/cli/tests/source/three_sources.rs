//! A service with a known training set and a known store.

use std::fs;

use serde_json::Value;

use crate::bench::Bench;
use crate::world::{World, configure, confusion, report};

const FEW: &str = "[source]\nperturbations = 32\n";

#[test]
fn pretrained_retrieved_and_fresh_texts_are_told_apart() {
    let world = World::new(12, 32);
    let service = world.serve();
    let bench = Bench::new();
    world.write(&bench, true);
    configure(&bench, service.address, FEW);
    bench.guestlist("run --junit --sarif").exits(1);
    let report = report(&bench);
    let table = confusion(&report);
    let right: u64 = (0..3).map(|class| table[class][class]).sum();
    assert!(right >= 34, "{table:?}");
    let source = &report["detail"];
    let accuracy = source["evaluation"]["accuracy"]["value"].as_f64().unwrap();
    let shuffled = source["shuffled"]["mean"].as_f64().unwrap();
    assert!(accuracy > 0.9 && (shuffled - 1.0 / 3.0).abs() < 0.1);
    for measure in ["acc", "coverage"] {
        let value = source["paper"][measure]["value"].as_f64().unwrap();
        assert!(value > 0.1, "{measure} {value}");
    }
    assert_eq!(source["off_arm"]["by"], "switch");
    let ids: Vec<&str> = report["attacks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attack| attack["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        [
            "sma-retrieved",
            "sma-pretrained",
            "words-retrieved",
            "words-pretrained"
        ]
    );
    for attack in report["attacks"].as_array().unwrap() {
        assert_eq!(attack["n_members"], 12, "{}", attack["id"]);
        assert!(attack["auc"]["value"].as_f64().unwrap() > 0.95);
    }
    for file in [
        "scores.parquet",
        "report.md",
        "junit.xml",
        "results.sarif",
        "transcript.jsonl",
        "attributions.jsonl",
    ] {
        assert!(bench.path("guestlist-run").join(file).exists(), "{file}");
    }
    words_have_labels(&bench);
}

fn words_have_labels(bench: &Bench) {
    let rows = fs::read_to_string(bench.path("guestlist-run/attributions.jsonl")).unwrap();
    let rows: Vec<Value> = rows
        .lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect();
    assert_eq!(rows.len(), 36);
    for row in &rows {
        assert_eq!(row["tokens"].as_array().unwrap().len(), 32);
        assert!(row["totals"]["ads_p"].as_f64().unwrap() > 0.0);
    }
    let retrieved = rows.iter().find(|row| row["id"] == "ret-0").unwrap();
    assert_eq!(retrieved["label"], "retrieved");
    assert!(retrieved["tokens"][0]["word"].is_string());
}

#[test]
fn the_same_answers_give_the_same_report_and_a_replay_asks_nobody() {
    let world = World::new(4, 24);
    let service = world.serve();
    let bench = Bench::new();
    world.write(&bench, true);
    configure(&bench, service.address, FEW);
    bench.guestlist("run");
    let asked = service.count();
    let first = fs::read(bench.path("guestlist-run/attributions.jsonl")).unwrap();
    bench.guestlist("run --replay");
    bench.guestlist("run --threads 1");
    assert_eq!(service.count(), asked, "nothing is asked twice");
    let again = fs::read(bench.path("guestlist-run/attributions.jsonl")).unwrap();
    assert!(first == again);
    let empty = Bench::new();
    world.write(&empty, true);
    configure(&empty, service.address, FEW);
    empty
        .guestlist("run --replay")
        .complains(&["holds no answer"]);
    assert_eq!(service.count(), asked);
}

#[test]
fn without_known_sources_labels_are_given_and_nothing_is_judged() {
    let world = World::new(4, 24);
    let service = world.serve();
    let bench = Bench::new();
    world.write(&bench, false);
    configure(&bench, service.address, FEW);
    let said = bench.guestlist("run").exits(3);
    assert!(said.stdout.contains("no item says where it came from"));
    let report = report(&bench);
    assert!(report["detail"]["evaluation"].is_null());
    let labels: Vec<u64> = report["detail"]["labels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|count| count["documents"].as_u64().unwrap())
        .collect();
    assert_eq!(labels, [4, 4, 4]);
}

#[test]
fn a_stand_in_answers_for_a_service_without_a_switch() {
    let world = World::new(10, 24);
    let service = world.serve();
    let bench = Bench::new();
    world.write(&bench, true);
    let address = service.address;
    bench.write(
        "guestlist.toml",
        &format!(
            "kind = \"source\"\n[items]\npath = \"items.jsonl\"\n\
             [target]\npreset = \"openai-chat\"\nurl = \"http://{address}\"\n\
             values = {{ model = \"rag\" }}\n\
             [stand_in]\npreset = \"openai-chat\"\nurl = \"http://{address}\"\n\
             values = {{ model = \"base\" }}\n{FEW}"
        ),
    );
    bench.guestlist("plan").exits(0);
    let said = bench.guestlist("run --verbose").exits(1);
    assert!(
        said.stdout.contains("looks like retrieval"),
        "{}",
        said.stdout
    );
    let report = report(&bench);
    assert_eq!(report["detail"]["off_arm"]["by"], "stand-in");
    let table = confusion(&report);
    let right: u64 = (0..3).map(|class| table[class][class]).sum();
    assert!(right >= 28, "{table:?}");
    bench.guestlist("probe --without-retrieval").exits(0);
}

#[test]
fn the_papers_constants_and_other_perturbations_run() {
    let world = World::new(4, 16);
    let service = world.serve();
    for more in [
        "[source]\nperturbations = 16\nmode = \"paper\"\n",
        "[source]\nperturbations = 16\ntau = 0.02\nband = 0.02\n",
        "[source]\nperturbations = 16\nperturbation = \"replace\"\n",
        "[source]\nperturbations = 16\nperturbation = \"homoglyph\"\nearly_stopping = false\n",
        "[source]\nperturbations = 16\nperturbation = \"delete\"\nreference = \"output\"\n",
        "[source]\nperturbations = 16\nreference = \"input\"\nquestion = \"Go on: {text}\"\n",
    ] {
        let bench = Bench::new();
        world.write(&bench, true);
        configure(&bench, service.address, more);
        let said = bench.guestlist("run");
        assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
        let report = report(&bench);
        assert_eq!(report["detail"]["evaluation"]["n"], 12, "{more}");
        let mode = report["detail"]["method"]["mode"].as_str().unwrap();
        let wanted = match more {
            more if more.contains("paper") => "paper",
            more if more.contains("tau") => "fixed",
            _ => "calibrated",
        };
        assert_eq!(mode, wanted);
    }
}

#[test]
fn a_budget_is_kept_and_leaves_pairs_of_answers() {
    let world = World::new(12, 24);
    let service = world.serve();
    let bench = Bench::new();
    world.write(&bench, true);
    configure(&bench, service.address, FEW);
    let said = bench.guestlist("run --max-requests 1100");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    assert!(service.count() <= 1100);
    let report = report(&bench);
    // The first 32 texts have 16 answers in both arms.
    assert!(report["detail"]["evaluation"]["n"].as_u64().unwrap() >= 32);
    assert!(report["detail"]["requests"]["not_asked"].as_u64().unwrap() > 0);
}

#[test]
fn texts_are_cut_by_topic_and_what_they_cannot_be_cut_by_is_refused_first() {
    let world = World::new(24, 32);
    let service = world.serve();
    let bench = Bench::new();
    world.write(&bench, true);
    let sliced = |name: &str| format!("{FEW}[audit]\nslices = [\"{name}\"]\n");
    configure(&bench, service.address, &sliced("author"));
    bench
        .guestlist("run")
        .complains(&["audit.slices has author", "length or topic"]);
    assert_eq!(service.count(), 0);
    let items = fs::read_to_string(bench.path("items.jsonl")).unwrap();
    let with_topic = items.lines().enumerate().map(|(row, line)| {
        let mut item: Value = serde_json::from_str(line).unwrap();
        item["topic"] = ["law", "art"][row % 2].into();
        format!("{item}\n")
    });
    bench.write("items.jsonl", &with_topic.collect::<String>());
    configure(&bench, service.address, &sliced("topic"));
    let said = bench.guestlist("run");
    assert!(matches!(said.code, Some(1 | 3)), "{}", said.stderr);
    let slices = report(&bench)["diagnostics"]["slices"].clone();
    assert_eq!(slices["slices"][0]["column"], "topic", "{slices}");
}
