//! Records that belong to people: judged at both levels, with people as the units of chance.

use std::fs;

use serde_json::Value;

use crate::common::Desk;
use crate::signals::{Random, Signals};

/// People with 1 to 20 records; those of members lie higher by `lift`.
struct World {
    lift: f64,
    /// How many of the people are members: those whose number is even.
    people: usize,
}

impl World {
    fn rows(&self) -> Vec<(usize, bool, f64)> {
        let mut random = Random(5);
        let mut rows = Vec::new();
        for person in 0..self.people {
            let member = person % 2 == 0;
            let records = 1 + (random.uniform() * 20.0) as usize;
            for _ in 0..records {
                let lift = if member { self.lift } else { 0.0 };
                rows.push((person, member, random.normal() + lift));
            }
        }
        rows
    }

    fn csv(&self) -> String {
        let rows = self.rows().into_iter().enumerate();
        let rows = rows.map(|(row, (person, member, score))| {
            format!("r{row},patient {person},{},{score}\n", u8::from(member))
        });
        "id,patient,member,mine\n".to_owned() + &rows.collect::<String>()
    }
}

fn finding<'a>(report: &'a Value, id: &str) -> Option<&'a Value> {
    let mut found = report["guardrails"].as_array().unwrap().iter();
    found.find(|finding| finding["id"] == id)
}

#[test]
fn a_leak_that_only_people_show_fails_and_nobody_is_named() {
    let desk = Desk::new();
    let world = World {
        lift: 0.3,
        people: 300,
    };
    fs::write(desk.path("scores.csv"), world.csv()).unwrap();
    desk.guestlist("audit scores.csv --kind scores --attacks mine --out records")
        .exits(0);
    let said = desk
        .guestlist("audit scores.csv --kind scores --group patient --markdown --out people")
        .exits(1);
    assert!(
        said.stdout.contains("by person, AUC of mine"),
        "{}",
        said.stdout
    );
    let (alone, report) = (
        desk.json("records/report.json"),
        desk.json("people/report.json"),
    );
    assert_eq!(report["verdict"]["gate"]["level"], "person");
    assert!(alone["verdict"]["gate"]["level"].is_null());
    let reasons = report["verdict"]["reasons"].to_string();
    assert!(reasons.contains("by record, AUC of mine"), "{reasons}");
    let persons = &report["persons"];
    assert_eq!(persons["group"], "patient");
    assert_eq!(persons["join"], "sum");
    assert_eq!(
        (&persons["members"], &persons["nonmembers"]),
        (&150.into(), &150.into())
    );
    assert_eq!(persons["mixed"], 0);
    let by_person = persons["attacks"][0]["auc"]["value"].as_f64().unwrap();
    assert!(by_person > 0.68, "{by_person}");
    // The value by record stays; its interval counts people.
    let (old, new) = (&alone["attacks"][0]["auc"], &report["attacks"][0]["auc"]);
    assert_eq!(old["value"], new["value"]);
    assert_eq!(new["method"], "delong-logit, by person");
    for name in ["report.json", "report.html", "report.md"] {
        let text = String::from_utf8(desk.bytes(format!("people/{name}"))).unwrap();
        assert!(!text.contains("patient 7"), "{name} names somebody");
        assert!(text.contains("patient"), "{name} says what the group is");
    }
    assert!(
        !report["notes"].to_string().contains("patient"),
        "{}",
        report["notes"]
    );
}

#[test]
fn joins_differ_and_the_recorded_command_keeps_them() {
    let desk = Desk::new();
    let world = World {
        lift: 0.4,
        people: 200,
    };
    fs::write(desk.path("scores.csv"), world.csv()).unwrap();
    let value = |join: &str| {
        desk.guestlist(&format!(
            "audit scores.csv --kind scores --group patient --join {join} --bootstrap 0 --out out -q"
        ));
        let report = desk.json("out/report.json");
        let command = report["provenance"]["command"].as_str().unwrap();
        assert!(
            command.contains(&format!("--group patient --join {join}")),
            "{command}"
        );
        assert_eq!(report["persons"]["join"], join);
        report["persons"]["attacks"][0]["auc"]["value"]
            .as_f64()
            .unwrap()
    };
    let [sum, mean, max] = ["sum", "mean", "max"].map(value);
    assert!(sum > max && sum != mean, "{sum} {mean} {max}");
}

#[test]
fn null_people_pass_with_power_counted_in_people() {
    let desk = Desk::new();
    let world = World {
        lift: 0.0,
        people: 300,
    };
    fs::write(desk.path("scores.csv"), world.csv()).unwrap();
    desk.guestlist("audit scores.csv --kind scores --group patient --out out")
        .exits(0);
    let report = desk.json("out/report.json");
    let power = finding(&report, "detectable-leak").unwrap()["detail"].to_string();
    assert!(
        power.contains("150 members and 150 non-members, counted in people"),
        "{power}"
    );
    // Thirty people are too few for the default threshold, however many records they have.
    let few = World {
        lift: 0.0,
        people: 30,
    };
    fs::write(desk.path("few.csv"), few.csv()).unwrap();
    desk.guestlist("audit few.csv --kind scores --group patient --out few")
        .exits(3);
    let report = desk.json("few/report.json");
    assert_eq!(
        finding(&report, "detectable-leak").unwrap()["status"],
        "violated"
    );
}

#[test]
fn people_on_both_sides_are_left_out_and_decide_nothing_where_most_are() {
    let desk = Desk::new();
    let rows = World {
        lift: 0.0,
        people: 200,
    };
    let mut text = String::from("patient,member,mine\n");
    for (row, (person, _, score)) in rows.rows().into_iter().enumerate() {
        text += &format!("{person},{},{score}\n", row % 2);
    }
    fs::write(desk.path("split.csv"), &text).unwrap();
    desk.guestlist("audit split.csv --kind scores --group patient --out out")
        .exits(3);
    let report = desk.json("out/report.json");
    let found = finding(&report, "persons").unwrap();
    assert_eq!(found["status"], "violated");
    assert!(
        found["detail"].to_string().contains("not drawn by person"),
        "{found}"
    );
    assert!(report["persons"]["mixed"].as_u64().unwrap() > 100);
    // Its number is the group's and no score.
    assert_eq!(report["attacks"].as_array().unwrap().len(), 1);
}

#[test]
fn numbers_of_records_that_tell_members_are_no_leak() {
    let desk = Desk::new();
    let mut random = Random(9);
    let mut text = String::from("patient,member,mine\n");
    for person in 0..200 {
        let member = person % 2 == 0;
        let records = if member { 10 } else { 2 };
        for _ in 0..records {
            text += &format!("{person},{},{}\n", u8::from(member), random.normal());
        }
    }
    fs::write(desk.path("counts.csv"), &text).unwrap();
    let said =
        desk.guestlist("audit counts.csv --kind scores --group patient --join max --out out");
    said.exits(3);
    let report = desk.json("out/report.json");
    let found = finding(&report, "record-counts").unwrap();
    assert_eq!(
        (&found["status"], &found["blocks"]),
        (&"violated".into(), &"fail".into())
    );
}

#[test]
fn repeated_ids_without_a_group_are_a_warning_that_says_so() {
    let desk = Desk::new();
    let world = World {
        lift: 0.3,
        people: 200,
    };
    let text = world.csv();
    let lines = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>());
    let rows: String = lines
        .map(|row| format!("{},{},{}\n", row[1], row[2], row[3]))
        .collect();
    fs::write(desk.path("scores.csv"), format!("id,member,mine\n{rows}")).unwrap();
    let said = desk
        .guestlist("audit scores.csv --kind scores --out out")
        .exits(0);
    let report = desk.json("out/report.json");
    let found = finding(&report, "repeated-ids").unwrap();
    assert_eq!(found["status"], "warn");
    assert!(
        found["detail"].to_string().contains("--group id"),
        "{found}"
    );
    assert!(said.stdout.contains("repeated-ids"), "{}", said.stdout);
    desk.guestlist("audit scores.csv --kind scores --group id --out people")
        .exits(1);
    let report = desk.json("people/report.json");
    assert!(finding(&report, "repeated-ids").is_none());
    assert_eq!(report["persons"]["members"], 100);
}

#[test]
fn shadow_signals_take_people_from_a_file_of_records() {
    let mut signals = Signals::new(9, 600, 0.6);
    // People of five records, in or out of each model as a whole.
    for model in 0..signals.models {
        for record in 0..signals.records {
            let first = model * signals.records + record / 5 * 5;
            let place = model * signals.records + record;
            let (before, after) = (signals.keep[place], signals.keep[first]);
            let shift = f32::from(u8::from(after)) - f32::from(u8::from(before));
            signals.phi[place] += 0.6 * shift;
            signals.keep[place] = after;
        }
    }
    let desk = Desk::with(&signals);
    let rows: String = (0..600)
        .map(|record| format!("{},{}\n", record / 5, record % 3))
        .collect();
    fs::write(desk.path("records.csv"), format!("person,site\n{rows}")).unwrap();
    let arguments = "audit signals --attacks lira,loss --bootstrap 200";
    desk.guestlist(&format!("{arguments} --out plain"));
    let said = desk.guestlist(&format!(
        "{arguments} --group person --records records.csv --slice site --out out"
    ));
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    let (plain, report) = (desk.json("plain/report.json"), desk.json("out/report.json"));
    assert_eq!(
        report["attacks"][0]["auc"]["value"],
        plain["attacks"][0]["auc"]["value"]
    );
    let persons = &report["persons"];
    let people = persons["members"].as_u64().unwrap() + persons["nonmembers"].as_u64().unwrap();
    assert_eq!((people, &persons["mixed"]), (120, &0.into()));
    let inputs = report["provenance"]["inputs"].to_string();
    assert!(inputs.contains("records.csv"), "{inputs}");
    // And with the choice on other people.
    let held = desk.guestlist(&format!(
        "{arguments} --group person --records records.csv --holdout --out held"
    ));
    assert!(matches!(held.code, Some(0 | 1 | 3)), "{}", held.stderr);
    let held = desk.json("held/report.json");
    let persons = &held["persons"];
    let half = persons["members"].as_u64().unwrap() + persons["nonmembers"].as_u64().unwrap();
    assert_eq!((half, &persons["mixed"]), (60, &0.into()));
}

#[test]
fn what_names_nobody_is_refused_with_what_to_do() {
    let desk = Desk::with(&Signals::leaky());
    fs::write(desk.path("records.csv"), "person,site\na,1\nb,2\n").unwrap();
    for (arguments, words) in [
        ("--group person", "groups"),
        (
            "--group persn --records records.csv",
            "did you mean person?",
        ),
        (
            "--group person --records records.csv",
            "2 records, but there are 400",
        ),
        ("--records records.csv", "--group"),
        ("--join sum", "nothing says whose a record is"),
    ] {
        let said = desk
            .guestlist(&format!("audit signals --attacks loss {arguments}"))
            .exits(2);
        assert!(said.stderr.contains(words), "{arguments}: {}", said.stderr);
    }
    fs::write(desk.path("features.csv"), "member,a\n1,2\n0,3\n").unwrap();
    let said = desk
        .guestlist("audit features.csv --kind fewshot --group a")
        .exits(2);
    assert!(
        said.stderr.contains("--group is for kind"),
        "{}",
        said.stderr
    );
}

/// 300 + 300 people of twenty records; one record of every tenth member stands out.
fn loud() -> String {
    let mut random = Random(7);
    let mut text = String::from("id,patient,member,mine\n");
    for person in 0..600 {
        for record in 0..20 {
            let told = person < 300 && person % 10 == 0 && record == 0;
            let score = random.normal() + if told { 11.0 } else { 0.0 };
            let member = u8::from(person < 300);
            text += &format!("r{person}-{record},p{person},{member},{score}\n");
        }
    }
    text
}

#[test]
fn one_loud_record_of_a_person_fails_by_every_join_or_takes_the_pass() {
    let desk = Desk::new();
    fs::write(desk.path("loud.csv"), loud()).unwrap();
    let audit = "audit loud.csv --kind scores --group patient --measure tpr@0.01 --threshold 0.05";
    for join in ["sum", "max"] {
        let said = desk.guestlist(&format!("{audit} --join {join} --out {join}"));
        assert_eq!(said.code, Some(1), "{join}: {}", said.stdout);
        let report = desk.json(format!("{join}/report.json"));
        let caught = report["persons"]["attacks"][0]["tpr_at_fpr"]
            .as_array()
            .unwrap()
            .iter()
            .find(|rate| rate["fpr"] == 0.01)
            .unwrap()["value"]
            .as_f64()
            .unwrap();
        assert!(caught > 0.09, "{join}: {caught}");
        // People decide, and the sentence is of people.
        assert!(
            said.stdout.contains("of the people who are members"),
            "{}",
            said.stdout
        );
    }
}

#[test]
fn a_join_that_hides_what_another_shows_does_not_pass() {
    let desk = Desk::new();
    let world = World {
        lift: 0.3,
        people: 300,
    };
    fs::write(desk.path("scores.csv"), world.csv()).unwrap();
    let audit = "audit scores.csv --kind scores --group patient --join max --threshold 0.7";
    let said = desk.guestlist(&format!("{audit} --out max"));
    let report = desk.json("max/report.json");
    let found = finding(&report, "other-joins").unwrap();
    assert_eq!(found["status"], "violated", "{found}");
    assert_eq!(said.code, Some(3), "{}", said.stdout);
    assert!(found["detail"].as_str().unwrap().contains("--join sum"));
}

#[test]
fn a_rise_by_person_is_told_of_people() {
    let desk = Desk::new();
    for (name, lift) in [("before", 0.0), ("after", 0.3)] {
        let world = World { lift, people: 400 };
        fs::write(desk.path(format!("{name}.csv")), world.csv()).unwrap();
        desk.guestlist(&format!(
            "audit {name}.csv --kind scores --group patient --out {name}"
        ));
    }
    let said = desk.guestlist("diff before after").exits(1);
    let first = said.stdout.lines().next().unwrap();
    assert!(first.contains("by person rose"), "{first}");
    let back = desk.guestlist("diff after before").exits(0);
    let first = back.stdout.lines().next().unwrap();
    assert!(first.contains("by person fell"), "{first}");
}

#[test]
fn scores_that_were_judged_by_person_do_not_pass_by_record() {
    let desk = Desk::new();
    let world = World {
        lift: 0.3,
        people: 300,
    };
    fs::write(desk.path("scores.csv"), world.csv()).unwrap();
    desk.guestlist("audit scores.csv --kind scores --group patient --out people --quiet")
        .exits(1);
    let said = desk
        .guestlist("audit people/scores.parquet --out again")
        .exits(3);
    assert!(
        said.stdout.contains("judged persons, too (by patient)"),
        "{}",
        said.stdout
    );
    let report = desk.json("again/report.json");
    assert_eq!(
        finding(&report, "earlier-levels").unwrap()["status"],
        "violated"
    );
}
