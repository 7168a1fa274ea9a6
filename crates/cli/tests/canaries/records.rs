//! Records for classifiers: in the form of the data, and never beside the record that they are made of.

use std::collections::HashSet;
use std::fs;

use serde_json::{Value, json};

use crate::common::Desk;

/// Rows with an id, two features and a label; every fifth is a copy of the one before, but for its id.
fn row(n: usize) -> String {
    let like = if n % 5 == 4 { n - 1 } else { n };
    format!(
        "{n},{},{},{}",
        20 + like * 7 % 61,
        like * like % 97,
        ["no", "yes"][like % 2]
    )
}

fn features(line: &str) -> String {
    let cells: Vec<&str> = line.split(',').collect();
    cells[cells.len() - 3..cells.len() - 1].join(",")
}

fn written(rows: usize) -> Desk {
    let desk = Desk::new();
    let rows: String = (0..rows).map(|n| row(n) + "\n").collect();
    fs::write(desk.path("data.csv"), format!("id,age,pages,y\n{rows}")).unwrap();
    desk
}

fn lines(desk: &Desk, name: &str) -> Vec<String> {
    let text = fs::read_to_string(desk.path(name)).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn coins(desk: &Desk) -> serde_json::Map<String, Value> {
    desk.json("canaries/truth.json")["included"]
        .as_object()
        .unwrap()
        .clone()
}

#[test]
fn a_record_with_another_label_is_trained_on_without_itself() {
    let desk = written(200);
    let said = desk
        .guestlist("canaries classifier --data data.csv --ignore id --count 30 --tiers 1,3")
        .exits(0);
    assert!(
        said.stderr.contains("records are left out"),
        "{}",
        said.stderr
    );
    let training = lines(&desk, "canaries/training.csv");
    let canaries = lines(&desk, "canaries/canaries.csv");
    assert_eq!(
        (training[0].as_str(), canaries[0].as_str()),
        ("id,age,pages,y", "canary,id,age,pages,y")
    );
    let roster: Vec<Value> = lines(&desk, "canaries/canaries.jsonl")
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let coins = coins(&desk);
    let data: HashSet<String> = (0..200).map(row).collect();
    for (line, listed) in canaries[1..].iter().zip(&roster) {
        let (id, record) = line.split_once(',').unwrap();
        assert_eq!(listed["id"], id, "the order of both files is the same");
        assert!(!data.contains(record), "the label is another one: {record}");
        let alike: Vec<&String> = training
            .iter()
            .filter(|row| features(row) == features(record))
            .collect();
        let wanted = match coins[id].as_bool().unwrap() {
            true => listed["tier"].as_u64().unwrap() as usize,
            false => 0,
        };
        // Neither the record nor a copy of it is beside its canary.
        assert_eq!(alike.len(), wanted, "{record}");
        assert!(alike.iter().all(|row| *row == record));
    }
    assert_eq!(desk.json("canaries/manifest.json")["kind"], "classifier");
    desk.guestlist("canaries check canaries").exits(0);
    desk.guestlist("canaries check canaries --deduplicate exact")
        .exits(3);
}

#[test]
fn records_of_random_features_have_values_of_the_data_and_are_no_record_of_it() {
    let desk = written(200);
    desk.guestlist("canaries classifier --data data.csv --ignore id --label y --design random-features --count 50")
        .exits(0);
    let training = lines(&desk, "canaries/training.csv");
    let own: Vec<String> = (0..200).map(row).collect();
    let known: HashSet<String> = own.iter().map(|line| features(line)).collect();
    let kept: Vec<&String> = training.iter().filter(|line| own.contains(line)).collect();
    assert_eq!(kept, own.iter().collect::<Vec<_>>());
    let column = |place: usize| -> HashSet<&str> {
        own.iter()
            .filter_map(|line| line.split(',').nth(place))
            .collect()
    };
    let (ages, pages) = (column(1), column(2));
    let canaries = lines(&desk, "canaries/canaries.csv");
    let drawn: HashSet<String> = canaries[1..].iter().map(|line| features(line)).collect();
    assert_eq!(drawn.len(), 50);
    for line in &canaries[1..] {
        let cells: Vec<&str> = line.split(',').collect();
        assert!(
            ages.contains(cells[2]) && pages.contains(cells[3]),
            "{line}"
        );
        assert!(!known.contains(&features(line)), "{line}");
    }
}

#[test]
fn too_few_records_and_labels_that_are_not_there_are_refused() {
    let desk = written(20);
    for (arguments, words) in [
        ("--count 17 --ignore id", "different records"),
        ("--label salary", "there is no column salary"),
        ("--design random-labels", "did you mean random-label?"),
    ] {
        let said = desk.guestlist(&format!("canaries classifier --data data.csv {arguments}"));
        let said = said.exits(2);
        assert!(said.stderr.contains(words), "{arguments}: {}", said.stderr);
        assert!(!desk.path("canaries").exists(), "{arguments}");
    }
    fs::write(desk.path("data.csv"), "age,y\n1,no\n2,no\n").unwrap();
    let said = desk
        .guestlist("canaries classifier --data data.csv --count 1")
        .exits(2);
    assert!(said.stderr.contains("one label"), "{}", said.stderr);
    assert_eq!(json!(desk.names("")), json!(["data.csv"]));
}
