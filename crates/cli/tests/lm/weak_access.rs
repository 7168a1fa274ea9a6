//! A pass is a claim about an attacker: what was not tried, or could not be seen, does not pass.

use serde_json::{Value, json};

use crate::bench::{Bench, Output};
use crate::shelf;

/// Random numbers that are the same everywhere.
struct Draws(u64);

impl Draws {
    fn uniform(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as f64 / f64::from(1u32 << 31)
    }
}

/// Token signals of so many texts of each kind: how likely a token is varies far more than what
/// training added to members, which shows beside the reference alone.
fn signals(texts: usize, tokens: usize, gain: f64) -> Vec<Value> {
    let mut draws = Draws(11);
    let mut row = |id: usize| {
        let member = id.is_multiple_of(2);
        let hard = 1.0 + 6.0 * draws.uniform();
        let (mut own, mut reference) = (vec![Value::Null], vec![Value::Null]);
        let mut rank = vec![Value::Null];
        for _ in 0..tokens {
            let base = -hard * (0.5 + draws.uniform());
            let learned = if member { gain } else { 0.0 };
            let moved = base + learned + 0.4 * (draws.uniform() - 0.5);
            own.push(json!(moved.min(-0.01)));
            reference.push(json!(base));
            rank.push(json!(1 + (draws.uniform() * 4.0) as u32));
        }
        json!({
            "id": id, "member": member, "logprob": own, "ref_logprob": reference, "rank": rank,
        })
    };
    (0..2 * texts).map(&mut row).collect()
}

fn without(rows: &[Value], fields: &[&str]) -> Vec<Value> {
    let mut rows = rows.to_vec();
    for row in &mut rows {
        for field in fields {
            row.as_object_mut().unwrap().remove(*field);
        }
    }
    rows
}

fn audit(rows: &[Value], flags: &str) -> (Output, Value) {
    let bench = Bench::new();
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    bench.write("tokens.jsonl", &lines.join("\n"));
    let said = bench.guestlist(&format!("audit tokens.jsonl --out o {flags}"));
    let report = match bench.path("o/report.json").exists() {
        true => bench.json("o/report.json"),
        false => panic!("no report: {}{}", said.stdout, said.stderr),
    };
    (said, report)
}

fn guardrail<'a>(report: &'a Value, id: &str) -> &'a Value {
    let found = report["guardrails"].as_array().unwrap();
    found.iter().find(|finding| finding["id"] == id).unwrap()
}

#[test]
fn the_same_tokens_fail_with_a_reference_and_never_pass_without() {
    let rows = signals(300, 120, 0.1);
    let (said, _) = audit(&rows, "");
    said.exits(1);
    let alone = without(&rows, &["ref_logprob"]);
    let (said, report) = audit(&alone, "--verbose");
    let said = said.exits(3);
    assert!(said.stdout.contains("ref_logprob"), "{}", said.stdout);
    let access = guardrail(&report, "weak-access");
    assert_eq!(access["status"], "violated");
    let detail = access["detail"].as_str().unwrap();
    assert!(detail.contains("asks the audited model alone"), "{detail}");
    let (said, report) = audit(&alone, "--attacker target-only");
    said.exits(0);
    assert_eq!(guardrail(&report, "weak-access")["status"], "warn");
}

#[test]
fn a_reference_that_nobody_used_or_that_is_the_target_counts_for_nothing() {
    let rows = signals(300, 120, 0.1);
    let (said, report) = audit(&rows, "--attacks lm-loss,min-k");
    said.exits(3);
    let detail = guardrail(&report, "weak-access")["detail"].as_str();
    assert!(detail.unwrap().contains("such as ez, wbc or ratio"));

    let mut same = rows.clone();
    for row in &mut same {
        row["ref_logprob"] = row["logprob"].clone();
    }
    let (said, report) = audit(&same, "");
    said.exits(3);
    let detail = guardrail(&report, "weak-access")["detail"].as_str();
    assert!(detail.unwrap().contains("the audited model itself"));

    let mut few = rows;
    for row in few.iter_mut().skip(100) {
        row.as_object_mut().unwrap().remove("ref_logprob");
    }
    let (said, report) = audit(&few, "--attacks lm-loss,ratio --gate proven");
    said.exits(3);
    let detail = guardrail(&report, "weak-access")["detail"].as_str();
    let detail = detail.unwrap();
    assert!(detail.contains("100 of 600 texts have one"), "{detail}");
}

#[test]
fn a_reference_without_ranks_is_a_reference() {
    let rows = without(&signals(300, 120, 0.0), &["rank"]);
    let (said, report) = audit(&rows, "");
    said.exits(0);
    assert_eq!(guardrail(&report, "weak-access")["status"], "ok");
    let holds = report["verdict"].to_string();
    assert!(holds.contains("those of the reference model"), "{holds}");
}

#[test]
fn a_reference_that_was_trained_on_the_members_hides_nothing() {
    let mut rows = signals(300, 120, 0.0);
    for row in &mut rows {
        if row["member"] == true {
            for field in ["logprob", "ref_logprob"] {
                for value in row[field].as_array_mut().unwrap().iter_mut().skip(1) {
                    *value = json!(0.8 * value.as_f64().unwrap());
                }
            }
        }
    }
    let (said, report) = audit(&rows, "--attacks ratio,ez,wbc");
    let said = said.exits(3);
    assert_eq!(guardrail(&report, "reference-model")["status"], "violated");
    assert!(
        said.stdout.contains("trained on them too"),
        "{}",
        said.stdout
    );
}

#[test]
fn texts_of_a_few_tokens_do_not_pass() {
    for tokens in [1, 3, 12] {
        let (said, report) = audit(&signals(300, tokens, 0.02), "");
        let said = said.exits(3);
        assert_eq!(guardrail(&report, "short-texts")["status"], "violated");
        let words = format!("no more than {tokens} tokens to predict");
        assert!(said.stdout.contains(&words), "{}", said.stdout);
    }
    // A leak that shows all the same is one.
    let (said, _) = audit(&signals(300, 12, 1.0), "");
    said.exits(1);
    let (said, report) = audit(&signals(300, 40, 0.0), "");
    said.exits(0);
    assert_eq!(guardrail(&report, "short-texts")["status"], "warn");
}

#[test]
fn constant_log_probabilities_do_not_pass() {
    let mut rows = signals(200, 120, 0.0);
    for row in &mut rows {
        for field in ["logprob", "ref_logprob"] {
            for value in row[field].as_array_mut().unwrap().iter_mut().skip(1) {
                *value = json!(-1.5);
            }
        }
    }
    audit(&rows, "").0.exits(3);
}

#[test]
fn a_run_without_a_reference_says_so_before_it_begins_and_does_not_pass() {
    let bench = shelf::ready(40, "");
    let config = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let alone = config.replace("[reference]\nmodel = \"base\"\n", "");
    bench.write("guestlist.toml", &alone);
    let said = bench.guestlist("plan").exits(0);
    assert!(said.stderr.contains("weak-access"), "{}", said.stderr);
    let said = bench.guestlist("run");
    assert!(matches!(said.code, Some(1 | 3)), "{}", said.stdout);
    let report = bench.json("guestlist-run/report.json");
    assert_eq!(guardrail(&report, "weak-access")["status"], "violated");
    bench.write(
        "guestlist.toml",
        &format!("{alone}[audit]\nattacker = \"target-only\"\n"),
    );
    bench.guestlist("run");
    let report = bench.json("guestlist-run/report.json");
    assert_eq!(guardrail(&report, "weak-access")["status"], "warn");
}

#[test]
fn init_names_no_reference_that_was_not_given_and_what_is_not_there() {
    let bench = Bench::new();
    bench.write("in.jsonl", "");
    bench.write("out.jsonl", "");
    std::fs::create_dir(bench.path("tuned")).unwrap();
    let init = "init lm --members in.jsonl --nonmembers out.jsonl --target";
    let said = bench.guestlist(&format!("{init} tuned")).exits(0);
    let words = "It names no reference model";
    assert!(said.stderr.contains(words), "{}", said.stderr);
    let config = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    assert!(config.contains("\n# [reference]\n# model = \"base\"\n"));
    let missing = [
        (format!("{init} gone"), "--target gone: is not there"),
        (
            format!("{init} tuned --reference base"),
            "--reference base: is not there",
        ),
        (
            format!("{init} http://localhost:8000").replace("in.jsonl", "no.jsonl"),
            "--members no.jsonl: is not there",
        ),
    ];
    for (command, words) in missing {
        bench
            .guestlist(&format!("{command} --out other.toml"))
            .complains(&[words]);
        assert!(!bench.path("other.toml").exists());
    }
    bench
        .guestlist(&format!("{init} http://localhost:8000 --out other.toml"))
        .exits(0);
}
