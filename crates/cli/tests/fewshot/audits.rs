//! Audits of features: what leaks is found, what does not is chance, and nothing depends on
//! threads.

use std::fs;

use serde_json::Value;

use crate::bench::Bench;
use crate::vectors::{Vectors, flags, floats, npz};

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn a_leak_is_found_and_grows_with_shots() {
    let desk = Bench::new();
    desk.write("leak.npz", &Vectors::new(400, 6, 3.0).npz());
    let said = desk
        .guestlist("audit leak.npz --kind fewshot --runs 100 --out out --junit --markdown --sarif --verbose")
        .exits(1);
    for words in [
        "Few-shot, Log-MIA regime A",
        "chance",
        "shuffled",
        "fes-tt-10-shot",
        "runs that ask about 15 + 15",
    ] {
        assert!(said.stdout.contains(words), "{words}: {}", said.stdout);
    }
    let report = desk.json("out/report.json");
    let attacks = report["attacks"].as_array().unwrap();
    assert_eq!(attacks.len(), 9);
    let few = report["detail"]["attacks"].as_array().unwrap();
    let of = |attack: &str, shots: u64| {
        let found = few
            .iter()
            .find(|one| one["attack"] == attack && one["shots"] == shots);
        found.unwrap()
    };
    for attack in ["fes-ss", "fes-ls", "fes-tt"] {
        let (one, ten) = (of(attack, 1), of(attack, 10));
        assert!(number(&ten["auc"]["mean"]) > number(&one["auc"]["mean"]) - 0.02);
        assert!(number(&ten["auc"]["mean"]) > 0.7, "{attack} {ten}");
        assert!((number(&ten["b"]["expected_by_chance"]) - 0.588364).abs() < 1e-4);
        assert!((number(&ten["a"]["expected_by_chance"]) - 0.178007).abs() < 1e-4);
    }
    assert_eq!(of("fes-ss", 10)["b"]["level"], "severe");
    for file in ["junit.xml", "results.sarif", "report.md", "scores.parquet"] {
        assert!(desk.path("out").join(file).is_file(), "{file}");
    }
    let page = fs::read_to_string(desk.path("out/report.md")).unwrap();
    assert!(page.contains("Log-MIA: no false positive (A)"), "{page}");
    assert!(
        page.contains("hyper-parameters that validation chose"),
        "{page}"
    );
    desk.guestlist("diff out out").exits(0);
    desk.guestlist("report out --format markdown").exits(0);
}

#[test]
fn without_a_leak_means_are_chance() {
    let desk = Bench::new();
    desk.write("clean.npz", &Vectors::new(600, 6, 0.0).npz());
    desk.guestlist("audit clean.npz --kind fewshot --runs 300 --attacks fes-ss,fes-ls --attacker few-shot --out out")
        .exits(0);
    let report = desk.json("out/report.json");
    for one in report["detail"]["attacks"].as_array().unwrap() {
        for regime in ["a", "b"] {
            let level = one[regime]["level"].as_str().unwrap();
            assert!(level == "chance" || level == "none", "{one}");
        }
        let auc = &one["auc"];
        assert!((number(&auc["mean"]) - 0.5).abs() < 3.0 * number(&auc["half_width"]) + 0.02);
    }
    assert_eq!(
        report["detail"]["design"]["thresholds"], "validation",
        "{report}"
    );
}

/// An attack is measured once for every number of shots, and is the same attack.
#[test]
fn the_annex_knows_attacks_by_any_number_of_shots() {
    let desk = Bench::new();
    desk.write("leak.npz", &Vectors::new(400, 6, 3.0).npz());
    desk.guestlist(
        "audit leak.npz --kind fewshot --runs 10 --shots 1,5 --attacks fes-ss,fes-ls --out out",
    );
    let annex = desk.guestlist("report out --format annex").exits(0).stdout;
    let (parts, appendix) = annex.split_once("## 13. Appendix").expect("an appendix");
    for (text, words) in [
        (parts, "| fes-tt | "),
        (appendix, "| fes-ss-1-shot | "),
        (appendix, "| fes-ls-5-shot | "),
    ] {
        assert!(text.contains(words), "{words}: {annex}");
    }
    for wrong in ["made elsewhere", "| fes-ss | ", "| fes-ls | "] {
        assert!(!annex.contains(wrong), "{wrong}: {annex}");
    }
}

#[test]
fn constant_and_duplicate_features_tie_and_do_not_break() {
    let desk = Bench::new();
    let members: Vec<bool> = (0..100).map(|record| record < 50).collect();
    desk.write(
        "constant.npz",
        &npz(&[
            ("features", floats(&[100, 3], &[1.0; 300])),
            ("member", flags(&[100], &members)),
        ]),
    );
    desk.guestlist("audit constant.npz --kind fewshot --runs 10 --out out");
    let report = desk.json("out/report.json");
    for attack in report["attacks"].as_array().unwrap() {
        let auc = number(&attack["auc"]["value"]);
        assert!((auc - 0.5).abs() < 0.2, "{attack}");
    }
    let twice: Vec<f64> = (0..50).flat_map(|i| [f64::from(i % 5), 1.0]).collect();
    let twice = [twice.clone(), twice].concat();
    desk.write(
        "twice.npz",
        &npz(&[
            ("features", floats(&[100, 2], &twice)),
            ("member", flags(&[100], &members)),
        ]),
    );
    let said = desk.guestlist("audit twice.npz --kind fewshot --runs 10 --out out");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    let text = fs::read_to_string(desk.path("out/report.json")).unwrap();
    assert!(!text.contains("NaN"));
}

#[test]
fn thresholds_come_from_where_they_are_asked_from() {
    let desk = Bench::new();
    desk.write("leak.npz", &Vectors::new(300, 4, 1.0).npz());
    let mut means = Vec::new();
    for thresholds in ["validation", "query", "published"] {
        let arguments = format!(
            "audit leak.npz --kind fewshot --attacks fes-ss --shots 5 --runs 60 --thresholds \
             {thresholds} --out {thresholds}"
        );
        desk.guestlist(&arguments);
        let report = desk.json(&format!("{thresholds}/report.json"));
        let one = &report["detail"]["attacks"][0];
        let found = number(&one["a"]["false_positives"]["mean"]);
        match thresholds {
            // The query set's own threshold allows none, by construction.
            "query" | "published" => assert_eq!(found, 0.0),
            _ => assert!(found > 0.0),
        }
        let design = &report["detail"]["design"];
        let selection = match thresholds {
            "published" => "published",
            _ => "both-regimes",
        };
        assert_eq!(design["selection"], selection);
        let command = report["provenance"]["command"].as_str().unwrap();
        assert!(
            command.contains(&format!("--thresholds {thresholds}")),
            "{command}"
        );
        means.push(number(&one["a"]["value"]["mean"]));
    }
    assert!(means[0] != means[1]);
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let desk = Bench::new();
    desk.write("leak.npz", &Vectors::new(200, 4, 1.0).npz());
    let mut files = Vec::new();
    for threads in [1, 2, 5] {
        let arguments = format!(
            "audit leak.npz --kind fewshot --runs 25 --threads {threads} --out out{threads}"
        );
        desk.guestlist(&arguments);
        let read = |name: &str| fs::read(desk.path(format!("out{threads}/{name}"))).unwrap();
        files.push((read("report.json"), read("scores.parquet")));
    }
    assert!(files.iter().all(|other| *other == files[0]));
}

#[test]
fn the_three_are_listed_and_explained() {
    let desk = Bench::new();
    let listed = desk.guestlist("attacks").exits(0).stdout;
    for attack in ["fes-ss", "fes-ls", "fes-tt"] {
        assert!(listed.contains(attack), "{listed}");
        let text = desk.guestlist(&format!("explain {attack}")).exits(0).stdout;
        assert!(text.contains("When it misleads"), "{text}");
    }
}
