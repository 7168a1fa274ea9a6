//! `guestlist diff`: rises fail, noise and falls do not.

use std::fs;

use crate::common::Desk;
use crate::signals::{Random, Signals};

/// Audits of a clean, a leaky and a far too small set of signals.
fn desk() -> Desk {
    let desk = Desk::new();
    for (name, signals, code) in [
        ("clean", Signals::clean(), 0),
        ("leaky", Signals::leaky(), 1),
        ("small", Signals::too_few_members(), 3),
    ] {
        signals.write(&desk.path("signals"));
        let attacks = "--attacks loss,lira,rmia --bootstrap 0";
        desk.guestlist(&format!("audit signals {attacks} --out {name} --quiet"))
            .exits(code);
    }
    desk
}

#[test]
fn equal_reports_pass() {
    let desk = desk();
    let said = desk.guestlist("diff leaky leaky").exits(0);
    assert!(said.stdout.starts_with("PASS"), "{}", said.stdout);
    desk.guestlist("diff leaky/report.json leaky").exits(0);
}

#[test]
fn more_leak_fails_and_less_passes() {
    let desk = desk();
    let said = desk.guestlist("diff clean leaky").exits(1);
    assert!(
        said.stdout.starts_with("FAIL") && said.stdout.contains('↑'),
        "{}",
        said.stdout
    );
    let first = said.stdout.lines().next().unwrap();
    let words = [
        " of ",
        " rose from 0.",
        " to 0.",
        "(p < 0.001); ",
        "beyond noise",
    ];
    assert!(words.iter().all(|part| first.contains(part)), "{first}");
    let said = desk.guestlist("diff leaky clean").exits(0);
    let first = said.stdout.lines().next().unwrap();
    assert!(
        first.starts_with("PASS: no measure rose beyond noise; "),
        "{first}"
    );
    assert!(first.contains(" fell from 0."), "{first}");
    let told = "leakage fell: the strongest attack is weaker than it was: AUC 0.";
    assert!(said.stdout.contains(told), "{}", said.stdout);
    assert!(
        said.stdout.contains('↓') && !said.stdout.contains('↑'),
        "{}",
        said.stdout
    );
}

/// The attack whose measure a report's gate looked at.
fn deciding(desk: &Desk, folder: &str) -> String {
    let bytes = desk.bytes(format!("{folder}/report.json"));
    let report: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    report["verdict"]["gate"]["attack"].as_str().unwrap().into()
}

#[test]
fn the_first_line_names_the_deciding_attack() {
    let desk = desk();
    let (clean, leaky) = (deciding(&desk, "clean"), deciding(&desk, "leaky"));
    for (command, code, words) in [
        (
            "diff clean leaky",
            1,
            format!("FAIL: auc of {leaky} rose from"),
        ),
        (
            "diff leaky clean",
            0,
            format!("beyond noise; auc of {clean} fell from"),
        ),
        (
            "diff leaky leaky",
            0,
            format!("auc of {leaky}, which decides, was 0."),
        ),
        ("diff leaky small", 3, ", which decides, was 0.".to_owned()),
    ] {
        let said = desk.guestlist(command).exits(code).stdout;
        let first = said.lines().next().unwrap();
        assert!(first.contains(&words), "{words:?} is not in {first:?}");
    }
}

#[test]
fn a_fall_is_an_event_and_a_line_of_a_pull_request() {
    let desk = desk();
    let events = desk.guestlist("diff leaky clean --json").exits(0).events();
    let falls = events.iter().filter(|event| event["fall"] == true);
    assert!(falls.clone().count() > 0, "{events:?}");
    for event in falls {
        assert_eq!(event["rise"], false);
        assert!(event["change"]["corrected_fall_p_value"].as_f64() <= Some(0.05));
    }
    let said = desk
        .guestlist("diff leaky clean --markdown")
        .exits(0)
        .stdout;
    let (open, _) = said.split_once("<details>").unwrap();
    assert!(open.contains("| ↓ |"), "{said}");
}

#[test]
fn an_inconclusive_audit_on_either_side_decides_nothing() {
    let desk = desk();
    desk.guestlist("diff small leaky").exits(3);
    desk.guestlist("diff leaky small").exits(3);
}

#[test]
fn what_is_no_report_is_refused() {
    let desk = desk();
    let whole = String::from_utf8(desk.bytes("leaky/report.json")).unwrap();
    let texts = [
        ("not json", "is not a guestlist report"),
        ("{}", "is not a guestlist report"),
        (
            "{\"schema\": \"guestlist.report/1\"}",
            "is a damaged report",
        ),
        (
            "{\"schema\": \"guestlist.report/9\"}",
            "schema guestlist.report/9",
        ),
        (&whole[..whole.len() / 2], "is not a guestlist report"),
        ("", "is not a guestlist report"),
    ];
    for (text, words) in texts {
        fs::write(desk.path("garbage.json"), text).unwrap();
        for order in ["garbage.json leaky", "leaky garbage.json"] {
            let said = desk.guestlist(&format!("diff {order}")).exits(2);
            for part in ["garbage.json", words, "hint: "] {
                assert!(
                    said.stderr.contains(part),
                    "{part:?} is not in: {}",
                    said.stderr
                );
            }
        }
    }
    fs::write(desk.path("garbage.json"), [0xff, 0xfe, 0]).unwrap();
    desk.guestlist("diff leaky garbage.json").exits(2);
    desk.guestlist("diff leaky nowhere").exits(2);
}

#[test]
fn reports_without_a_common_attack_cannot_be_compared() {
    let desk = desk();
    desk.guestlist("audit signals --attacks base2 --out other --quiet")
        .exits(3);
    let said = desk.guestlist("diff leaky other").exits(2);
    assert!(
        said.stderr.contains("no attack in common"),
        "{}",
        said.stderr
    );
}

#[test]
fn events_name_every_change_and_the_verdict() {
    let events = desk()
        .guestlist("diff clean leaky --json")
        .exits(1)
        .events();
    let (verdict, changes) = events.split_last().unwrap();
    assert_eq!(
        (&verdict["event"], &verdict["outcome"]),
        (&"verdict".into(), &"fail".into())
    );
    assert!(changes.iter().all(|event| event["event"] == "change"));
    assert!(changes.iter().any(|event| event["rise"] == true));
    // AUC and the two rates that 200 non-members can show, for three attacks.
    assert_eq!(changes.len(), 9);
}

#[test]
fn the_level_must_be_a_probability() {
    let desk = desk();
    for level in ["0", "1", "NaN"] {
        let said = desk
            .guestlist(&format!("diff leaky leaky --level {level}"))
            .exits(2);
        assert!(said.stderr.contains("hint: "), "{}", said.stderr);
    }
}

/// The report of an audit, changed.
fn change(desk: &Desk, from: &str, to: &str, edit: impl Fn(&mut serde_json::Value)) {
    let mut report = serde_json::from_slice(&desk.bytes(format!("{from}/report.json"))).unwrap();
    edit(&mut report);
    fs::write(desk.path(to), report.to_string()).unwrap();
}

#[test]
fn what_only_one_report_has_is_said() {
    let desk = desk();
    Signals::leaky().write(&desk.path("signals"));
    let lone = "--attacks loss --attacker target-only --fpr 0.1 --threshold 0.99 --bootstrap 0 --out lone --quiet";
    desk.guestlist(&format!("audit signals {lone}")).exits(0);
    // The attack that decided is gone: a rise of it would not be seen.
    let said = desk.guestlist("diff leaky lone").exits(3);
    assert!(
        said.stdout.contains("missing from the current report"),
        "{}",
        said.stdout
    );
    // So is one of the attack that decides now.
    let said = desk.guestlist("diff lone leaky").exits(3);
    for words in [
        ", which decides the current audit, is missing from the baseline",
        "in the current report only, and not compared: lira (AUC 0.",
        "asked for in one report only, and not compared: tpr@0.01, tpr@0.001",
        "the gates differ: AUC below 0.99 (point) in the baseline, AUC below 0.65 (point) now",
        "the current audit fails its own gate all the same",
    ] {
        assert!(
            said.stdout.contains(words),
            "{words:?} is not in: {}",
            said.stdout
        );
    }
}

#[test]
fn guardrails_and_settings_that_changed_are_said() {
    let desk = desk();
    change(&desk, "leaky", "worse.json", |report| {
        report["guardrails"][0]["status"] = "warn".into();
        report["provenance"]["settings"]["rmia.gamma"] = "2".into();
    });
    let said = desk.guestlist("diff leaky worse.json").exits(0);
    assert!(
        said.stdout.contains("guardrail class-balance warns now"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout.contains("rmia.gamma = 1 before, 2 now"),
        "{}",
        said.stdout
    );
    let said = desk.guestlist("diff worse.json leaky").exits(0);
    assert!(!said.stdout.contains("class-balance"), "{}", said.stdout);
}

#[test]
fn reports_of_different_kinds_cannot_be_compared() {
    let desk = desk();
    change(&desk, "leaky", "texts.json", |report| {
        report["kind"] = "lm".into();
        report["detail"]["tokens"] = 5.into();
    });
    let said = desk.guestlist("diff leaky texts.json").exits(2);
    assert!(
        said.stderr.contains("a classifier") && said.stderr.contains("hint: "),
        "{}",
        said.stderr
    );
}

#[test]
fn a_pull_request_gets_markdown() {
    let desk = desk();
    let said = desk.guestlist("diff clean leaky --markdown").exits(1);
    assert!(
        said.stdout.starts_with("## guestlist diff: ❌ fail\n"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout
            .contains("<details><summary>All 9 measures</summary>"),
        "{}",
        said.stdout
    );
}

/// A thousand of each kind; so many members stand out.
fn exposed(desk: &Desk, name: &str, loud: usize) {
    let mut random = Random(3);
    let mut text = String::from("id,member,mine\n");
    for record in 0..2000 {
        let lead = if record < loud { 9.0 } else { 0.0 };
        let score = random.normal() + lead;
        text += &format!("r{record},{},{score}\n", u8::from(record < 1000));
    }
    fs::write(desk.path(format!("{name}.csv")), text).unwrap();
    desk.guestlist(&format!(
        "audit {name}.csv --kind scores --out {name} --quiet"
    ));
}

#[test]
fn a_rise_of_a_few_members_is_told_though_the_later_audit_decides_nothing() {
    let desk = Desk::new();
    exposed(&desk, "before", 0);
    exposed(&desk, "after", 160);
    assert_eq!(
        desk.json("after/report.json")["verdict"]["outcome"],
        "inconclusive"
    );
    let said = desk.guestlist("diff before after").exits(1);
    assert!(said.stdout.contains("tpr@0.01"), "{}", said.stdout);
    let said = desk.guestlist("diff after before").exits(0);
    let first = said.stdout.lines().next().unwrap();
    assert!(first.contains(" fell from 0."), "{first}");
}

/// Scores by column, members so far above the others in each, and the audit of them.
fn columns(desk: &Desk, name: &str, leaks: &[(&str, f64)], more: &str) {
    let mut random = Random(5);
    let names: Vec<&str> = leaks.iter().map(|(column, _)| *column).collect();
    let towns = more.contains("town");
    let mut text = format!("member,{}", names.join(","));
    text += if towns { ",town\n" } else { "\n" };
    for record in 0..2000 {
        let member = record % 2;
        let town = ["north", "south"][usize::from(record % 10 > 1)];
        text += &member.to_string();
        for (_, leak) in leaks {
            // Of south alone, where that is what leaks.
            let lead = if *leak < 0.0 && town == "south" {
                0.0
            } else {
                leak.abs()
            };
            text += &format!(",{}", random.normal() + lead * f64::from(member));
        }
        text += &if towns {
            format!(",{town}\n")
        } else {
            "\n".to_owned()
        };
    }
    fs::write(desk.path(format!("{name}.csv")), text).unwrap();
    desk.guestlist(&format!(
        "audit {name}.csv --kind scores --bootstrap 0 --out {name} --quiet {more}"
    ));
}

#[test]
fn what_only_the_later_audit_has_hides_no_leak() {
    let desk = Desk::new();
    let high = "--threshold 0.9";
    columns(&desk, "a", &[("a", 0.0)], high);
    columns(&desk, "ab", &[("a", 0.0), ("b", 0.0)], high);
    columns(&desk, "leak", &[("a", 0.0), ("c", 1.0)], high);
    assert_eq!(desk.json("leak/report.json")["verdict"]["outcome"], "pass");
    for before in ["a", "ab"] {
        let said = desk.guestlist(&format!("diff {before} leak")).stdout;
        // Where both audits lack what decided the other, either says so.
        let words = match before {
            "a" => "INCONCLUSIVE: c, which decides the current audit, is missing",
            _ => "is missing from the",
        };
        assert!(said.lines().next().unwrap().contains(words), "{said}");
        desk.guestlist(&format!("diff {before} leak")).exits(3);
    }
    desk.guestlist("diff leak leak").exits(0);
}

#[test]
fn a_leak_in_a_slice_that_only_the_later_audit_looked_at_is_no_pass() {
    let desk = Desk::new();
    columns(&desk, "whole", &[("a", -1.0)], "");
    columns(&desk, "cut", &[("a", -1.0)], "--slice town");
    assert_eq!(desk.json("whole/report.json")["verdict"]["outcome"], "pass");
    assert_eq!(desk.json("cut/report.json")["verdict"]["outcome"], "fail");
    let said = desk.guestlist("diff whole cut").exits(3).stdout;
    assert!(said.contains("the slice town = north, in which"), "{said}");
    desk.guestlist("diff cut cut").exits(0);
}
