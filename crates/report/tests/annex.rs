//! The annex, the model card and the bill of materials: what must stand in them, and what never may.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

extern crate guestlist_report as report;

use judge::verdict::Outcome;
use report::{AnnexContext, Family, KnownAttack, Report, Skipped};

const STORED: [&str; 3] = [
    include_str!("data/leaky.json"),
    include_str!("data/diagnosed.json"),
    include_str!("data/source.json"),
];
const EVIL: &str = "<b>|`*[x](y)\u{1b}[2J\u{202e}\"\n---\n# x";

fn known(id: &str, usual: bool) -> KnownAttack {
    KnownAttack {
        id: id.into(),
        summary: format!("how {id} does it"),
        needs: format!("what {id} needs"),
        paper: "a paper".into(),
        family: Family::Shadows,
        usual,
    }
}

fn context(report: &Report) -> AnnexContext {
    AnnexContext {
        attacks: vec![
            known("lira", true),
            known("rmia", true),
            known("population", true),
            known("rare", false),
            known("loss", true),
        ],
        version: report.provenance.version.clone(),
        report_sha256: Some("ab".repeat(32)),
    }
}

fn with_outcome(outcome: Outcome) -> Report {
    let mut report = Report::from_json(STORED[0]).unwrap();
    report.verdict.outcome = outcome;
    report.skipped.push(Skipped {
        id: "population".into(),
        reason: "needs a population".into(),
    });
    report
}

fn forms(report: &Report) -> [String; 4] {
    [
        report::annex(report, &context(report)),
        report::annex_html(report, &context(report)),
        report::model_card(report),
        report::cyclonedx(report).unwrap(),
    ]
}

#[test]
fn every_outcome_says_what_it_means_and_claims_nothing() {
    for (outcome, words) in [
        (Outcome::Pass, "no attack that was tried"),
        (Outcome::Fail, "can tell members from others"),
        (Outcome::Inconclusive, "treat the model as not tested"),
    ] {
        let report = with_outcome(outcome);
        let [markdown, page, card, bill] = forms(&report);
        for text in [&markdown, &page] {
            assert!(text.contains(words), "{words} is not in {text}");
            assert!(text.contains("not a statement of compliance"));
            assert!(text.contains("That the model is anonymous, or that it is not"));
            assert!(text.contains(&"ab".repeat(32)));
        }
        assert!(card.contains("no statement of compliance"));
        assert!(bill.contains("no statement of compliance"));
        let decided = outcome != Outcome::Inconclusive;
        assert_eq!(card.contains("model-index"), decided);
        assert_eq!(bill.contains("lowerBound"), decided);
    }
}

#[test]
fn what_was_not_tried_is_named_with_why() {
    let report = with_outcome(Outcome::Fail);
    let text = report::annex(&report, &context(&report));
    for line in [
        "| population | what population needs | needs a population |",
        "| rare | what rare needs | it runs only where it is named, and nobody named it |",
        "| loss | what loss needs | whoever ran the audit named the attacks to be tried, and not this one |",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
    let older = AnnexContext {
        version: "9.9.9".into(),
        ..context(&report)
    };
    assert!(report::annex(&report, &older).contains("or not known to version"));
    // Nothing that ran is called untried.
    assert!(!text.contains("| lira | what lira needs |"));
}

#[test]
fn every_stored_report_has_every_form() {
    for stored in STORED {
        let report = Report::from_json(stored).unwrap();
        let [markdown, page, card, bill] = forms(&report);
        for number in 1..=12 {
            assert!(markdown.contains(&format!("\n## {number}. ")), "{number}");
        }
        assert_eq!(page.matches("<section ").count(), 12);
        assert!(!page.contains("<details") && !page.contains("<script"));
        assert!(card.starts_with("---\n"));
        let bill: serde_json::Value = serde_json::from_str(&bill).unwrap();
        assert_eq!(bill["bomFormat"], "CycloneDX");
        assert!(bill.get("serialNumber").is_none());
    }
}

#[test]
fn nothing_hostile_acts_and_no_record_is_named() {
    for stored in STORED {
        let mut report = Report::from_json(stored).unwrap();
        report.verdict.outcome = Outcome::Fail;
        report.provenance.subject = Some(EVIL.into());
        report.provenance.command = EVIL.into();
        report.verdict.reasons = vec![EVIL.into()];
        report.notes = vec![EVIL.into()];
        for finding in &mut report.guardrails {
            finding.detail = EVIL.into();
        }
        for input in &mut report.provenance.inputs {
            input.path = EVIL.into();
        }
        for record in report.records.iter_mut().flat_map(|all| &mut all.listed) {
            record.id = Some("somebody-in-particular".into());
        }
        let [markdown, page, card, bill] = forms(&report);
        // What stands between four marks is shown as it is.
        let around: Vec<&str> = markdown.split("\n````").step_by(2).collect();
        for text in [&around.concat(), &page, &card] {
            assert!(!text.contains("<b>"), "{text}");
        }
        for text in [&markdown, &page, &card, &bill] {
            assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
            assert!(!text.contains("somebody-in-particular"), "{text}");
        }
        // The front matter ends once.
        assert_eq!(card.lines().filter(|line| *line == "---").count(), 2);
    }
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    let report = with_outcome(Outcome::Fail);
    assert_eq!(forms(&report), forms(&report));
}
