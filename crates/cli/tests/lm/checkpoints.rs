//! Several checkpoints in one audit, and token signals of them side by side.

use crate::bench::Bench;
use crate::shelf;

#[test]
fn the_leak_is_drawn_over_training_steps() {
    let more = "[[checkpoints]]\nlabel = 0\nmodel = \"base\"\n[scoring]\nlowercase = false\n\
                [run]\ntokens = \"jsonl\"";
    let bench = shelf::ready(60, more);
    let config = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let labelled = config.replace(
        "model = \"fine-tuned\"",
        "model = \"fine-tuned\"\nlabel = 76",
    );
    bench.write("guestlist.toml", &labelled);
    let said = bench.guestlist("run --verbose").exits(1);
    assert!(
        said.stdout.contains("Leakage by checkpoint"),
        "{}",
        said.stdout
    );
    assert!(said.stdout.contains("76 *"), "{}", said.stdout);
    let report = bench.json("guestlist-run/report.json");
    let points = report["detail"]["checkpoints"].as_array().unwrap();
    let labels: Vec<&str> = points
        .iter()
        .map(|p| p["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["0", "76"]);
    let auc = |point: usize| {
        let attacks = points[point]["attacks"].as_array().unwrap();
        let ratio = attacks
            .iter()
            .find(|attack| attack["id"] == "ratio")
            .unwrap();
        ratio["auc"]["value"].as_f64().unwrap()
    };
    // The base model is its own reference: no text stands out.
    assert_eq!(auc(0), 0.5);
    assert!(auc(1) > 0.75, "{}", auc(1));
    let markdown = std::fs::read_to_string(bench.path("guestlist-run/report.md")).unwrap();
    assert!(markdown.contains("````text"), "{markdown}");

    // Texts, models and configuration are what was read.
    let said = bench.guestlist("verify guestlist-run").exits(0).stdout;
    for file in [
        "in.jsonl",
        "out.jsonl",
        "guestlist.toml",
        "base/model.safetensors",
    ] {
        assert!(
            said.contains(&format!("ok            input {file}\n")),
            "{said}"
        );
    }
    bench.write("guestlist.toml", &(labelled.clone() + "# later\n"));
    let said = bench.guestlist("verify guestlist-run").exits(1).stdout;
    assert!(
        said.contains("changed       input guestlist.toml: "),
        "{said}"
    );
    bench.write("guestlist.toml", &labelled);

    // The same from the files.
    let audit = "audit guestlist-run/tokens.jsonl --label 76 --checkpoint \
                 0=guestlist-run/tokens-0.jsonl --out again";
    bench.guestlist(audit).exits(1);
    assert_eq!(
        bench.json("again/report.json")["detail"]["checkpoints"],
        report["detail"]["checkpoints"]
    );
    bench
        .guestlist("audit guestlist-run/tokens.jsonl --checkpoint 0=in.jsonl")
        .complains(&["its texts are not those of"]);
    bench
        .guestlist("audit guestlist-run/tokens.jsonl --checkpoint in.jsonl")
        .complains(&["is not a label and a file"]);
}

#[test]
fn labels_tell_checkpoints_apart() {
    let bench = shelf::ready(
        20,
        "[[checkpoints]]\nlabel = \"a\"\nmodel = \"base\"\n[[checkpoints]]\nlabel = \"a\"\n\
         model = \"base\"",
    );
    bench
        .guestlist("plan")
        .complains(&["\"a\" is empty, or stands for two checkpoints"]);
}

/// Texts of 40 tokens each, every second a member; the members' are likelier by so much.
fn signals(lift: f64, member: impl Fn(usize) -> bool) -> String {
    let row = |row: usize| {
        let likely = if row.is_multiple_of(2) { lift } else { 0.0 };
        let logprob: Vec<String> = (0..40)
            .map(|place| match place {
                0 => "null".to_owned(),
                _ => format!(
                    "{:.3}",
                    likely - 4.0 - ((row * 7919 + row * row * 31 + place * 37) % 101) as f64 / 40.0
                ),
            })
            .collect();
        let list = logprob.join(",");
        format!(
            "{{\"id\":\"t{row}\",\"member\":{},\"logprob\":[{list}]}}\n",
            member(row)
        )
    };
    (0..400).map(row).collect()
}

#[test]
fn a_checkpoint_that_leaks_is_named_beside_the_verdict() {
    let bench = Bench::new();
    let even = |row: usize| row.is_multiple_of(2);
    bench.write("last.jsonl", &signals(0.0, even));
    bench.write("first.jsonl", &signals(3.0, even));
    let said = bench.guestlist(
        "audit last.jsonl --label 3000 --checkpoint 1000=first.jsonl --attacks lm-loss --markdown --out o",
    );
    let words = "checkpoint 1000 leaks: AUC of lm-loss is 1.000";
    assert!(said.stdout.contains("other-checkpoints"), "{}", said.stdout);
    let said_by = |name: &str| {
        let page = std::fs::read_to_string(bench.path(name)).unwrap();
        assert!(page.contains(words), "{name}");
    };
    said_by("o/report.json");
    said_by("o/report.md");
    said_by("o/report.html");
    bench.write("first.jsonl", &signals(0.0, even));
    let said =
        bench.guestlist("audit last.jsonl --label 3000 --checkpoint 1000=first.jsonl --out p");
    assert!(
        !said.stdout.contains("other-checkpoints"),
        "{}",
        said.stdout
    );
    bench.write("first.jsonl", &signals(3.0, |row| row % 2 == 1));
    bench
        .guestlist("audit last.jsonl --label 3000 --checkpoint 1000=first.jsonl --out q")
        .complains(&["member of row 1 (\"t0\") is not what last.jsonl says"]);
}
