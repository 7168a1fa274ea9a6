//! Renderings of one small report, as people and servers will see them.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

extern crate guestlist_report as report;

use judge::diagnostics::vulnerability::Times;
use judge::guardrails::Status;
use judge::verdict::Outcome;
use report::{Report, Skipped, Style};

/// From `guestlist audit signals --attacks lira,rmia --bootstrap 0 --replicates 2 --scaling 4,8`
/// on 9 models × 400 synthetic records; the version is blanked.
const STORED: &str = include_str!("data/leaky.json");

/// From `guestlist audit signals.npz --attacks lira,rmia --bootstrap 0 --replicates 6 --scaling 4,8
/// --slice site,label --records people.csv` on 41 models × 400 synthetic records that leak more at
/// one site; the version is blanked.
const DIAGNOSED: &str = include_str!("data/diagnosed.json");

/// Everything.
const PLAIN: Style = Style {
    colour: false,
    width: 100,
    verbose: true,
};

fn stored() -> Report {
    Report::from_json(STORED).unwrap()
}

fn inconclusive() -> Report {
    let mut report = stored();
    report.verdict.outcome = Outcome::Inconclusive;
    report.guardrails[0].status = Status::Violated;
    report.guardrails[0].detail = "5 members and 395 non-members: too few".into();
    report
        .verdict
        .reasons
        .insert(0, "class-balance: 5 members and 395 non-members".into());
    report.skipped.push(Skipped {
        id: "population".into(),
        reason: "needs a population".into(),
    });
    report.notes.push("these signals are synthetic".into());
    report
}

fn passing() -> Report {
    let mut report = stored();
    report.verdict.outcome = Outcome::Pass;
    report.replicates = None;
    report.scaling.clear();
    report
}

#[test]
fn a_leak_on_the_terminal() {
    insta::assert_snapshot!(report::terminal(&stored(), PLAIN));
}

#[test]
fn a_pass_on_the_terminal() {
    insta::assert_snapshot!(report::terminal(&passing(), PLAIN));
}

#[test]
fn an_inconclusive_audit_on_a_narrow_terminal() {
    let narrow = Style { width: 60, ..PLAIN };
    insta::assert_snapshot!(report::terminal(&inconclusive(), narrow));
}

/// One screen of a usual terminal.
const SCREEN: Style = Style {
    colour: false,
    width: 80,
    verbose: false,
};

#[test]
fn a_leak_on_one_screen() {
    insta::assert_snapshot!(report::terminal(&stored(), SCREEN));
}

#[test]
fn a_pass_on_one_screen() {
    insta::assert_snapshot!(report::terminal(&passing(), SCREEN));
}

#[test]
fn an_inconclusive_audit_on_one_screen() {
    insta::assert_snapshot!(report::terminal(&inconclusive(), SCREEN));
}

/// However much there is to say, it stays one screen, at the width that the terminal has.
#[test]
fn one_screen_is_one_screen() {
    let mut much = Report::from_json(DIAGNOSED).unwrap();
    let long = "this was found, and it takes many words to say what exactly was found there; and more of it; \
                give so many more records that the finding goes away, of either kind";
    much.verdict.reasons = vec![long.into(); 9];
    much.notes = vec![long.into(); 9];
    for finding in &mut much.guardrails {
        (finding.status, finding.detail) = (Status::Warn, long.into());
    }
    let step = report::NextStep {
        what: "Do something about it".into(),
        why: long.into(),
        measured: None,
    };
    much.next_steps = vec![step; 9];
    much.provenance.subject = Some("digits, as they were released in spring".into());
    for width in [60, 80, 120] {
        for report in [&much, &stored(), &passing(), &inconclusive()] {
            let text = report::terminal(report, Style { width, ..SCREEN });
            let lines = text.lines().count();
            let most = if width < 80 { 55 } else { 51 };
            assert!(lines <= most, "{lines} lines at {width}:\n{text}");
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest.unwrap() <= width, "{widest:?} at {width}:\n{text}");
        }
    }
}

#[test]
fn nothing_is_missing_from_the_whole() {
    let report = Report::from_json(DIAGNOSED).unwrap();
    for width in [60, 80, 120] {
        let text = report::terminal(&report, Style { width, ..PLAIN });
        let words: String = text.split_whitespace().collect();
        let said =
            |sentence: &str| words.contains(&sentence.split_whitespace().collect::<String>());
        for finding in &report.guardrails {
            assert!(said(&finding.detail), "{} at {width}", finding.id);
        }
        assert!(report.verdict.reasons.iter().all(|reason| said(reason)));
        assert!(report.attacks.iter().all(|attack| said(&attack.id)));
    }
}

#[test]
fn a_leak_in_markdown() {
    insta::assert_snapshot!(report::markdown(&stored()));
}

#[test]
fn an_inconclusive_audit_in_markdown() {
    insta::assert_snapshot!(report::markdown(&inconclusive()));
}

/// From the first section below the replicates on.
fn diagnostics(text: &str, first: &str) -> String {
    let start = text.find(first).unwrap();
    text[start..].to_owned()
}

#[test]
fn diagnostics_on_the_terminal() {
    let report = Report::from_json(DIAGNOSED).unwrap();
    let text = report::terminal(&report, PLAIN);
    insta::assert_snapshot!(diagnostics(&text, "AUC by number of shadows"));
}

#[test]
fn diagnostics_on_a_narrow_terminal() {
    let report = Report::from_json(DIAGNOSED).unwrap();
    let narrow = Style { width: 60, ..PLAIN };
    let text = report::terminal(&report, narrow);
    insta::assert_snapshot!(diagnostics(&text, "AUC by number of shadows"));
}

#[test]
fn diagnostics_in_markdown() {
    let report = Report::from_json(DIAGNOSED).unwrap();
    let text = report::markdown(&report);
    insta::assert_snapshot!(diagnostics(&text, "### AUC by number of shadows"));
}

#[test]
fn exposed_records_of_one_target() {
    let mut report = Report::from_json(DIAGNOSED).unwrap();
    report.diagnostics.qq = None;
    report.diagnostics.normality = None;
    report.diagnostics.slices = None;
    report.scaling.clear();
    let found = report.diagnostics.vulnerability.as_mut().unwrap();
    found.targets = 1;
    found.most_exposed.truncate(3);
    for (place, record) in found.most_exposed.iter_mut().enumerate() {
        let member = u32::from(place != 1);
        let caught = u32::from(place < 2);
        record.times = Some(Times {
            times_member: member,
            times_nonmember: 1 - member,
            caught: caught * member,
            flagged: caught * (1 - member),
        });
        record.catch_rate_low = None;
        record.as_exposed = None;
        record.as_exposed_by_chance = None;
    }
    let text = report::terminal(&report, PLAIN);
    insta::assert_snapshot!(diagnostics(&text, "Highest scores"));
}

#[test]
fn a_leak_in_junit() {
    insta::assert_snapshot!(report::junit(&stored()).unwrap());
}

#[test]
fn a_pass_in_junit() {
    insta::assert_snapshot!(report::junit(&passing()).unwrap());
}

#[test]
fn an_inconclusive_audit_in_junit() {
    insta::assert_snapshot!(report::junit(&inconclusive()).unwrap());
}

#[test]
fn colour_adds_escapes_and_changes_nothing_else() {
    let coloured = report::terminal(
        &inconclusive(),
        Style {
            colour: true,
            ..PLAIN
        },
    );
    assert!(coloured.starts_with("\u{1b}[1;33m? INCONCLUSIVE\u{1b}[0m"));
    let mut plain = coloured.clone();
    for code in ["1;33", "31", "32", "33", "1", "0"] {
        plain = plain.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_eq!(plain, report::terminal(&inconclusive(), PLAIN));
}

#[test]
fn a_forced_verdict_says_so() {
    let mut report = stored();
    report.verdict.forced = true;
    let first = report::terminal(&report, PLAIN)
        .lines()
        .next()
        .unwrap()
        .to_owned();
    assert!(
        first.contains("forced past a violated guardrail"),
        "{first}"
    );
}

/// Reports of earlier versions name records too, and may be rendered today.
#[test]
fn what_is_posted_never_shows_a_record() {
    let mut report = Report::from_json(DIAGNOSED).unwrap();
    let found = report.diagnostics.vulnerability.as_mut().unwrap();
    found.most_exposed[0].id = Some("ada@example.org".into());
    report.typical = Some(report::Typical {
        by: "words alone".into(),
        of_members: vec!["ada".into()],
        of_nonmembers: vec![],
    });
    assert!(report::terminal(&report, PLAIN).contains("ada@example.org"));
    assert!(report::html(&report).contains("ada@example.org"));
    let posted = [
        report::markdown(&report),
        report::junit(&report).unwrap(),
        report::sarif(&report).unwrap(),
    ];
    assert!(posted.iter().all(|text| !text.contains("ada")));
    let withheld = report.without_records();
    assert!(!report::terminal(&withheld, PLAIN).contains("ada"));
    assert!(!withheld.to_json().unwrap().contains("times_member"));
}
