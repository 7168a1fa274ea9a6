//! Audits that train models and ask services.

use serde_json::{Value, json};

use crate::bench::{Bench, table};
use crate::searched::{MARK, assert_named, assert_nameless, id};
use crate::service::{self, Odd, said, text};
use crate::world;

/// The configuration as it is, and then with records shown.
#[track_caller]
fn run_both_ways(bench: &Bench) {
    let heard = bench.guestlist("run --junit --sarif --figures");
    assert_nameless(bench, "guestlist-run", &heard);
    let heard = bench.guestlist("run --junit --sarif --json");
    assert_nameless(bench, "guestlist-run", &heard);
    let configuration = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let shown = match configuration.contains("[audit]\n") {
        true => configuration.replace("[audit]\n", "[audit]\nshow_records = true\n"),
        false => configuration + "[audit]\nshow_records = true\n",
    };
    bench.write("guestlist.toml", &shown);
    let heard = bench.guestlist("run --junit --sarif");
    assert_ne!(heard.code, Some(2), "{}", heard.stderr);
    assert_named(bench, "guestlist-run");
}

#[test]
fn no_person_is_named_by_a_run_that_trains() {
    let bench = Bench::new();
    let data = table(240);
    let mut lines = data.lines();
    let mut named = format!("email,{}\n", lines.next().unwrap());
    for (row, line) in lines.enumerate() {
        named += &format!("{},{line}\n", id(row));
    }
    bench.write("data.csv", &named);
    bench.configure(6, "epochs = 3");
    let configuration = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let label = "label = \"class\"\n";
    let with_ids = configuration.replace(label, &format!("{label}id = \"email\"\n"));
    bench.write("guestlist.toml", &with_ids);
    run_both_ways(&bench);
}

/// Answers with the document that a question has most of, where it is an even one.
fn answer(body: &Value) -> Vec<u8> {
    let asked = body["messages"][0]["content"].as_str().unwrap_or_default();
    let held = (0..40)
        .step_by(2)
        .find(|number| asked.contains(&format!("{MARK}{number} ")));
    match held {
        Some(number) => said(&format!("{MARK}{number} {}", text(number))),
        None => said("I don't know."),
    }
}

#[test]
fn no_document_is_named_or_quoted_by_a_run_that_asks() {
    let odd = Odd::start(|_, body, _| answer(body));
    let bench = Bench::new();
    for (name, odd) in [("in.jsonl", 0), ("out.jsonl", 1)] {
        let row = |number: usize| {
            let text = format!("{MARK}{number} {}", text(number));
            json!({"id": id(number), "text": text}).to_string() + "\n"
        };
        let rows: String = (0..40).skip(odd).step_by(2).map(row).collect();
        bench.write(name, &rows);
    }
    service::configure(
        &bench,
        odd.address,
        "[audit]\nattacks = \"content,yes-no\"\n",
    );
    run_both_ways(&bench);
}

#[test]
fn no_text_is_named_or_quoted_by_a_run_about_sources() {
    let mut world = world::World::new(8, 24);
    for texts in [
        &mut world.pretrained,
        &mut world.retrieved,
        &mut world.fresh,
    ] {
        for text in texts {
            *text = format!("The {MARK}ox of {text}");
        }
    }
    let served = world.serve();
    let bench = Bench::new();
    world.write(&bench, true);
    let items = std::fs::read_to_string(bench.path("items.jsonl")).unwrap();
    bench.write(
        "items.jsonl",
        &items.replace("{\"id\":\"", &format!("{{\"id\":\"{MARK}-")),
    );
    world::configure(&bench, served.address, "[source]\nperturbations = 16\n");
    run_both_ways(&bench);
    let report = bench.json("guestlist-run/report.json");
    let document = &report["detail"]["documents"][0];
    assert!(
        document["id"].is_string() && document["source"].is_string(),
        "{document}"
    );
    assert!(document["tokens"].to_string().contains(MARK), "{document}");
}
