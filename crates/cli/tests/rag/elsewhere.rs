//! Questions that others ask, and programs that answer.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::service::{holder, text, texts_of_members, write_documents};

const AUDIT: &str = "[probes]\nrepeats = 4\n[audit]\nattacks = \"content,facts\"\nbootstrap = 0\n";

fn configure(bench: &Bench, members: &str, nonmembers: &str, target: &str) {
    bench.write(
        "guestlist.toml",
        &format!(
            "kind = \"rag\"\n[documents]\nmembers = \"{members}\"\nnonmembers = \"{nonmembers}\"\n\
             [target]\n{target}\n{AUDIT}"
        ),
    );
}

/// So many of each, whose questions are written.
fn handed_out(count: usize) -> (Bench, Vec<Value>) {
    let bench = Bench::new();
    write_documents(&bench, count);
    configure(&bench, "in.jsonl", "out.jsonl", "elsewhere = true");
    bench.guestlist("plan --questions questions.jsonl").exits(0);
    let rows = rows(&bench, "questions.jsonl");
    (bench, rows)
}

fn rows(bench: &Bench, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(bench.path(name)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn write_rows(bench: &Bench, rows: &[Value]) {
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    bench.write("answers.jsonl", &lines);
}

/// With the document itself where the store has it.
fn answered(mut row: Value, count: usize) -> Value {
    let texts = texts_of_members(count);
    let found = holder(row["question"].as_str().unwrap(), &texts);
    row["answer"] = match found {
        Some(number) => json!(text(number)),
        None => json!("I don't know."),
    };
    row
}

#[test]
fn nothing_in_the_questions_tells_who_is_a_member() {
    let (bench, rows) = handed_out(12);
    assert!(rows.len() > 24);
    for row in &rows {
        let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["id", "question", "retrieval"]);
    }
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert!(ids.is_sorted());
    // The same file to the byte, whoever is a member, and whatever the seed.
    configure(&bench, "out.jsonl", "in.jsonl", "elsewhere = true");
    bench.guestlist("plan --questions swapped.jsonl").exits(0);
    let read = |name: &str| std::fs::read(bench.path(name)).unwrap();
    assert!(read("questions.jsonl") == read("swapped.jsonl"));
    bench
        .guestlist("plan --questions swapped.jsonl")
        .complains(&["is there already"]);
}

#[test]
fn answers_of_others_are_judged_by_the_configuration() {
    let (bench, rows) = handed_out(50);
    let rows: Vec<Value> = rows.into_iter().map(|row| answered(row, 50)).collect();
    write_rows(&bench, &rows);
    bench
        .guestlist("audit answers.jsonl --config guestlist.toml --out a")
        .exits(1);
    let report = bench.json("a/report.json");
    assert_eq!(report["kind"], "rag");
    let inputs = report["provenance"]["inputs"].to_string();
    for name in ["answers.jsonl", "guestlist.toml", "in.jsonl", "out.jsonl"] {
        assert!(inputs.contains(name), "{inputs}");
    }
    bench
        .guestlist("audit answers.jsonl --out b")
        .complains(&["--config"]);
    bench.guestlist("run").complains(&["plan --questions"]);
}

#[test]
fn answers_that_do_not_say_what_they_answer_are_refused() {
    let (bench, rows) = handed_out(12);
    let bare = |mut row: Value| {
        row.as_object_mut().unwrap().remove("question");
        row
    };
    let rows = rows.into_iter().map(|row| bare(answered(row, 12)));
    write_rows(&bench, &rows.collect::<Vec<_>>());
    bench
        .guestlist("audit answers.jsonl --config guestlist.toml --out a")
        .complains(&["answers.jsonl", "row 1", "keep `question` in every row"]);
}

#[test]
fn an_answer_of_the_other_arm_is_refused() {
    let (bench, rows) = handed_out(12);
    let other = |mut row: Value| {
        row["retrieval"] = json!(false);
        row
    };
    let rows = rows.into_iter().map(|row| other(answered(row, 12)));
    write_rows(&bench, &rows.collect::<Vec<_>>());
    bench
        .guestlist("audit answers.jsonl --config guestlist.toml --out a")
        .complains(&[
            "answers.jsonl",
            "row 1",
            "\"retrieval\": true",
            "came back with false",
        ]);
}

/// Where nobody can read the sources, nobody can say that they give nothing away.
#[test]
fn sources_that_cannot_be_read_are_no_pass() {
    let (bench, rows) = handed_out(12);
    let odd = |mut row: Value| {
        row["answer"] = json!("See the sources.");
        row["sources"] = json!([{"score": 0.5, "page": 3}]);
        row
    };
    let rows: Vec<Value> = rows.into_iter().map(odd).collect();
    write_rows(&bench, &rows);
    bench
        .guestlist("audit answers.jsonl --config guestlist.toml --out a")
        .complains(&["answers.jsonl", "row 1", "none can be read", "source_id"]);
}

/// A service that cites members whatever it is asked shows nothing of what it would give away.
#[test]
fn sources_that_have_nothing_to_do_with_the_questions_are_no_pass() {
    let (bench, rows) = handed_out(50);
    let members = std::fs::read_to_string(bench.path("in.jsonl")).unwrap();
    let members: Vec<Value> = members
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let rows = rows.into_iter().enumerate().map(|(place, mut row)| {
        row["answer"] = json!("It is discussed in the literature.");
        let cited = |step: usize| members[place * step % members.len()]["id"].clone();
        row["sources"] = json!([cited(7), cited(11), cited(13)]);
        row
    });
    write_rows(&bench, &rows.collect::<Vec<_>>());
    let text = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    bench.write(
        "guestlist.toml",
        &text.replace("content,facts", "citation,content,facts"),
    );
    let said = bench
        .guestlist("audit answers.jsonl --config guestlist.toml --out a")
        .code;
    assert_ne!(said, Some(0));
}

#[test]
fn a_leak_stays_one_where_answers_are_missing() {
    let (bench, rows) = handed_out(50);
    // A third of them, and the rest as it was handed out.
    let some = rows.iter().cloned().enumerate();
    let some = some.map(|(place, row)| match place % 3 {
        0 => answered(row, 50),
        _ => row,
    });
    write_rows(&bench, &some.collect::<Vec<_>>());
    let said = bench
        .guestlist("audit answers.jsonl --config guestlist.toml --out a")
        .exits(1);
    assert!(
        said.stdout.contains("not among the answers"),
        "{}",
        said.stdout
    );
    assert!(
        said.stderr.contains("have no answer, such as"),
        "{}",
        said.stderr
    );
    write_rows(&bench, &rows);
    let none = bench.guestlist("audit answers.jsonl --config guestlist.toml --out b");
    none.complains(&["none of"]);
}

const CONTROL: &str = r#"{"id": "c", "text": "The mill of Velmor is kept by Breido Zaur.", "facts": [{"question": "Who keeps the mill of Velmor?", "answer": "Breido Zaur"}]}"#;

/// Knows of the control, and of nothing else.
fn knows_nothing(mut row: Value) -> Value {
    let control = row["question"].as_str().unwrap().contains("Velmor");
    row["answer"] = match control {
        true => json!("Breido Zaur does."),
        false => json!("I don't know."),
    };
    row
}

#[test]
fn a_pass_needs_controls_and_most_of_the_answers() {
    let (bench, rows) = handed_out(50);
    let judged = |rows: Vec<Value>, out: &str| {
        write_rows(&bench, &rows);
        bench.guestlist(&format!(
            "audit answers.jsonl --config guestlist.toml --out {out} --verbose"
        ))
    };
    let same = |rows: &[Value]| rows.iter().cloned().map(knows_nothing).collect::<Vec<_>>();
    let said = judged(same(&rows), "without").exits(3);
    assert!(said.stdout.contains("reached"), "{}", said.stdout);
    bench.write("controls.jsonl", CONTROL);
    let config = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let config = config.replace("[target]", "controls = \"controls.jsonl\"\n[target]");
    bench.write("guestlist.toml", &config);
    bench
        .guestlist("plan --questions controlled.jsonl")
        .exits(0);
    let rows = self::rows(&bench, "controlled.jsonl");
    judged(same(&rows), "whole").exits(0);
    let few = same(&rows).into_iter().enumerate();
    let few = few.filter(|(place, row)| place % 3 == 0 || row["answer"] != "I don't know.");
    let said = judged(few.map(|(_, row)| row).collect(), "few").exits(3);
    assert!(said.stdout.contains("failed-requests"), "{}", said.stdout);
}

#[test]
fn rows_that_do_not_belong_are_named() {
    let (bench, rows) = handed_out(6);
    let rows: Vec<Value> = rows.into_iter().map(|row| answered(row, 6)).collect();
    let judged = |rows: &[Value]| {
        write_rows(&bench, rows);
        bench.guestlist("audit answers.jsonl --config guestlist.toml --out a")
    };
    let changed = |key: &str, value: Value| {
        let mut rows = rows.clone();
        rows[2][key] = value;
        rows
    };
    judged(&changed("id", json!("0123456789abcdef"))).complains(&["row 3", "no question of"]);
    judged(&changed("question", json!("Who?"))).complains(&["row 3", "another question"]);
    judged(&changed("id", rows[0]["id"].clone())).complains(&["row 3"]);
    let twice: Vec<Value> = rows.iter().chain(&rows[..1]).cloned().collect();
    judged(&twice).complains(&["was answered in row 1 already"]);
    judged(&changed("id", Value::Null)).complains(&["row 3", "has no id"]);
    let said = bench.guestlist("audit answers.jsonl --config guestlist.toml --attacks facts");
    assert_eq!(said.code, Some(2), "{}", said.stderr);
}

#[test]
fn flags_go_before_the_configuration() {
    let (bench, _) = handed_out(12);
    let planned = |flags: &str| {
        let said = bench
            .guestlist(&format!("plan --json {flags}"))
            .exits(0)
            .stdout;
        let last = said.lines().next_back().unwrap();
        serde_json::from_str::<Value>(last).unwrap()
    };
    let every = planned("");
    let some = planned("--limit 3 --attacks facts --seed 7");
    assert_eq!(
        (every["documents"].as_u64(), some["documents"].as_u64()),
        (Some(24), Some(6))
    );
    assert_eq!(some["strategies"].as_array().unwrap().len(), 1);
    bench.guestlist("plan --attacks lira").complains(&["lira"]);
    bench.write(
        "classifier.toml",
        "kind = \"classifier\"\n[data]\npath = \"a.csv\"\nlabel = \"y\"\n",
    );
    bench
        .guestlist("plan classifier.toml --limit 3")
        .complains(&["--limit is for kind rag"]);
}

#[cfg(unix)]
#[test]
fn a_program_that_says_one_thing_does_not_pass_and_is_not_asked_twice() {
    let bench = Bench::new();
    write_documents(&bench, 50);
    let script = r#"sed -u -E 's/.*"id":([0-9]+).*/{"id":\1,"answer":"I do not know."}/'"#;
    configure(
        &bench,
        "in.jsonl",
        "out.jsonl",
        &format!("command = [\"sh\", \"-c\", '''{script}''']"),
    );
    let said = bench.guestlist("run").exits(3);
    assert!(said.stdout.contains("reached"), "{}", said.stdout);
    bench.guestlist("run").exits(3);
    let requests = bench.json("guestlist-run/report.json")["detail"]["requests"].clone();
    assert_eq!(requests["from_store"], requests["questions"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_ends_with_a_run_that_is_killed() {
    let bench = Bench::new();
    write_documents(&bench, 6);
    let script = "echo $$ > pid.part; mv pid.part pid; while read -r line; do :; done; sleep 100";
    configure(
        &bench,
        "in.jsonl",
        "out.jsonl",
        &format!("command = [\"sh\", \"-c\", \"{script}\"]"),
    );
    let mut run = bench
        .command("run")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let wait_until = |done: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while !done() {
            assert!(begun.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    wait_until(&|| bench.path("pid").exists());
    let pid = std::fs::read_to_string(bench.path("pid")).unwrap();
    let place = std::path::PathBuf::from(format!("/proc/{}", pid.trim()));
    assert!(place.exists());
    run.kill().unwrap();
    run.wait().unwrap();
    let state =
        |place: &std::path::Path| std::fs::read_to_string(place.join("stat")).unwrap_or_default();
    wait_until(&|| !place.exists() || state(&place).contains(") Z "));
}
