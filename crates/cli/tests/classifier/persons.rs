//! A column that says whose a record is: people are in or out as a whole, and it is never learned from.

use std::fs;

use crate::bench::{Bench, table};

/// The usual table with four records per person, in a column of its own.
fn with_people(records: usize) -> String {
    let text = table(records);
    let mut lines = text.lines();
    let mut out = format!("person,{}\n", lines.next().unwrap());
    for (row, line) in lines.enumerate() {
        out += &format!("p{},{line}\n", row / 4);
    }
    out
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", &with_people(320));
    bench.configure(6, "epochs = 5");
    let config = fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let config = config.replace("[models]", "group = \"person\"\n[models]");
    bench.write("guestlist.toml", &config);
    bench
}

#[test]
fn people_are_drawn_as_a_whole_and_judged() {
    let bench = bench();
    let plan = bench.guestlist("plan").exits(0).stdout;
    assert!(plan.contains("320 records are of 80 people"), "{plan}");
    let said = bench.guestlist("run");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    for model in 0..7 {
        let path = bench.path(format!("guestlist-run/models/{model:05}/keep.npy"));
        let bytes = fs::read(path).unwrap();
        let keep = &bytes[bytes.len() - 320..];
        let whole = keep
            .chunks(4)
            .all(|own| own.iter().all(|kept| *kept == own[0]));
        assert!(whole, "model {model} splits a person");
    }
    let report = bench.json("guestlist-run/report.json");
    let persons = &report["persons"];
    assert_eq!(
        (&persons["members"], &persons["nonmembers"]),
        (&40.into(), &40.into())
    );
    assert_eq!(
        (&persons["mixed"], &persons["group"]),
        (&0.into(), &"person".into())
    );
    assert!(report["verdict"]["gate"]["level"].is_string());
    // Never learned from: as many features as without the column.
    let columns = report["detail"]["training"]["columns"].as_array().unwrap();
    let person = columns
        .iter()
        .find(|column| column["name"] == "person")
        .unwrap();
    assert_eq!(person["treatment"], "left out");
    // Another group is another split: models are trained again.
    let config = fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    bench.write(
        "guestlist.toml",
        &config.replace("group = \"person\"\n", ""),
    );
    let plan = bench.guestlist("run");
    assert!(plan.stderr.contains("data.group"), "{}", plan.stderr);
}

#[test]
fn a_group_that_cannot_be_is_refused_before_anything_is_trained() {
    let bench = bench();
    let config = fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    for (group, words) in [
        ("group = \"persom\"", "did you mean person?"),
        (
            "group = \"class\"",
            "data.group and data.label are both class",
        ),
    ] {
        bench.write(
            "guestlist.toml",
            &config.replace("group = \"person\"", group),
        );
        let said = bench.guestlist("plan").exits(2);
        assert!(said.stderr.contains(words), "{}", said.stderr);
    }
    let moved = config.replace("group = \"person\"\n", "");
    let moved = moved.replace("[audit]\n", "[audit]\ngroup = \"person\"\n");
    bench.write("guestlist.toml", &moved);
    let said = bench.guestlist("plan").exits(2);
    assert!(said.stderr.contains("set data.group"), "{}", said.stderr);
}
