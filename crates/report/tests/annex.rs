//! The annex, the model card and the bill of materials: what must stand in them, and what never may.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

extern crate guestlist_report as report;

use judge::attacker::Attacker;
use judge::claim::{ClaimFinding, ClaimOutcome};
use judge::gate::Rule;
use judge::guardrails::{Blocks, Status};
use judge::verdict::Outcome;
use report::{AnnexContext, Family, KnownAttack, Report, Skipped};

const STORED: [&str; 3] = [
    include_str!("data/leaky.json"),
    include_str!("data/diagnosed.json"),
    include_str!("data/source.json"),
];
const EVIL: &str = "<b>|`*[x](y)\u{1b}[2J\u{202e}\u{2028}\u{ffff}\"\n---\n# x";

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
    report.verdict.detectable = Some(0.58);
    report.verdict.attacker = Some(Attacker {
        who: "has shadow models".into(),
        stronger: None,
        name: None,
        named: false,
    });
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
        assert_eq!(bill.contains("guestlist:smallest-detectable"), decided);
        assert_eq!(markdown.contains("- Deciding attack: "), decided);
        let failed = outcome == Outcome::Fail;
        assert_eq!(markdown.contains("- Who could do that: "), failed);
    }
}

/// A card that leaves numbers out does not say that it shows them.
#[test]
fn a_card_shows_the_strongest_only_where_it_shows_any() {
    for (outcome, shows) in [(Outcome::Fail, true), (Outcome::Inconclusive, false)] {
        let mut report = with_outcome(outcome);
        while report.attacks.len() < 5 {
            report.attacks.push(report.attacks[0].clone());
        }
        let card = report::model_card(&report);
        assert_eq!(card.contains("attacks are shown"), shows, "{card}");
    }
}

#[test]
fn what_was_not_tried_is_named_with_why() {
    let report = with_outcome(Outcome::Fail);
    let text = report::annex(&report, &context(&report));
    // Whoever was given little is told of what he would have had.
    let mut weak = with_outcome(Outcome::Pass);
    weak.skipped.clear();
    weak.verdict.attacker.as_mut().unwrap().stronger = Some("one who trains models".into());
    let nothing_left = AnnexContext {
        attacks: Vec::new(),
        ..context(&weak)
    };
    let told = report::annex(&weak, &nothing_left);
    assert!(
        told.contains("Those of a stronger one were not: one who trains models."),
        "{told}"
    );
    assert!(!told.contains("None: every attack"), "{told}");
    for line in [
        "| population | what population needs | needs a population |",
        "| rare | what rare needs | it runs only where it is named, and nobody named it |",
        "| loss | what loss needs | whoever ran the test named the attacks to be tried, and not this one |",
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

/// A reader of part 4 sees what each kind of access is worth; the list of attacks is for specialists.
#[test]
fn every_attack_stands_once_and_in_the_appendix_where_its_needs_are_known() {
    let report = with_outcome(Outcome::Fail);
    let text = report::annex(&report, &context(&report));
    let (before, appendix) = text.split_once("\n## 13. Appendix").unwrap();
    assert!(before.contains("| what lira needs | 1 | lira |"), "{text}");
    assert!(before.contains("part 13"));
    assert!(!before.contains("how lira does it"));
    assert!(appendix.contains("| lira | how lira does it |"));

    let unknown = report::annex(&report, &AnnexContext::default());
    assert!(!unknown.contains("part 13") && !unknown.contains("\n## 13."));
    assert!(unknown.contains("| lira | made elsewhere |"));
}

/// "Audit" is the tool's word. In the annex a test is a test, and its outcome is no mishap of the test.
#[test]
fn the_annex_calls_a_test_a_test() {
    for stored in STORED {
        let report = Report::from_json(stored).unwrap();
        let text = report::annex(&report, &context(&report));
        assert!(text.contains("- Test, audit: "));
        for wrong in [
            "The audit was",
            "the audit fails",
            "this audit decides",
            "the test fails",
        ] {
            assert!(!text.contains(wrong), "{wrong}: {text}");
        }
    }
}

#[test]
fn every_stored_report_has_every_form() {
    for stored in STORED {
        let report = Report::from_json(stored).unwrap();
        let [markdown, page, card, bill] = forms(&report);
        for number in 1..=12 {
            assert!(markdown.contains(&format!("\n## {number}. ")), "{number}");
        }
        let appended = markdown.contains("\n## 13. Appendix");
        assert_eq!(
            page.matches("<section ").count(),
            12 + usize::from(appended)
        );
        assert!(!page.contains("<details") && !page.contains("<script"));
        assert!(card.starts_with("---\n"));
        let bill: serde_json::Value = serde_json::from_str(&bill).unwrap();
        assert_eq!(bill["bomFormat"], "CycloneDX");
        assert!(bill.get("serialNumber").is_none());
    }
}

#[test]
fn a_folder_of_files_gives_its_name_to_what_was_audited() {
    let mut report = Report::from_json(STORED[0]).unwrap();
    report.provenance.subject = None;
    report.provenance.inputs[0].path = "hive/day=mon/p.parquet".into();
    report.provenance.inputs[0].folder = Some("hive".into());
    let [_, _, _, bill] = forms(&report);
    let bill: serde_json::Value = serde_json::from_str(&bill).unwrap();
    let name = bill["components"][0]["name"].as_str().unwrap();
    assert!(name.ends_with(": hive"), "{name}");
    assert_eq!(bill["components"][1]["name"], "hive/day=mon/p.parquet");
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
            assert!(
                !text.contains(['\u{1b}', '\u{202e}', '\u{2028}', '\u{ffff}']),
                "{text}"
            );
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

/// A pass is handed on with what weakens it, or not at all.
#[test]
fn a_pass_is_shown_nowhere_without_its_warnings() {
    let mut report = with_outcome(Outcome::Pass);
    let named = "2 warnings: enough-nonmembers, shadow-coverage";
    let detail = "185 non-members cannot show a false-positive rate";
    let [markdown, page, card, bill] = forms(&report);
    let (first, _) = markdown.split_once("\n## 2. ").unwrap();
    for text in [first, &page, &card, &bill] {
        assert!(text.contains(named) && text.contains(detail), "{text}");
    }
    assert!(first.contains("Pass, with warnings: "), "{first}");
    assert!(
        first.contains("Apart from that, a leak of the size"),
        "{first}"
    );
    let line = report::verdict_line(&report);
    assert!(line.ends_with(&format!("; with {named}")), "{line}");
    assert!(report::markdown(&report).contains("- warning: enough-nonmembers: "));
    let bill: serde_json::Value = serde_json::from_str(&bill).unwrap();
    let properties = bill["components"][0]["modelCard"]["properties"].as_array();
    let warnings = properties.unwrap().iter();
    let warnings = warnings.filter(|one| one["name"] == "guestlist:warning");
    assert_eq!(warnings.count(), 2);
    // What a guardrail says may quote a file.
    for finding in &mut report.guardrails {
        finding.detail = EVIL.into();
    }
    let [markdown, page, card, bill] = forms(&report);
    for text in [&markdown, &page, &card, &bill] {
        assert!(
            !text.contains(['\u{1b}', '\u{202e}', '\u{2028}', '\u{ffff}']),
            "{text}"
        );
    }
    report.guardrails.clear();
    for text in forms(&report) {
        assert!(!text.contains("Warnings that go with"), "{text}");
        assert!(!text.contains("warnings: "), "{text}");
    }
}

/// Guidance speaks of accuracy, and an AUC of one half beside a threshold that tells members apart is no guessing.
#[test]
fn every_measure_is_looked_at_before_anything_is_called_guessing() {
    let mut report = with_outcome(Outcome::Pass);
    let annexed = |report: &Report| report::annex(report, &AnnexContext::default());
    let text = annexed(&report);
    for words in [
        "parts 1, 4: surely better than guessing: AUC 0.8813",
        "; ε ≥ 1.44 at δ = 1e-5 of lira",
        "; advantage 0.6218 (0.4111 to 0.8324) of lira, an accuracy of 81.1% where guessing has 50%",
        "What else this attack reaches: AUC 0.881",
        "accuracy 81.1%",
        "it proves ε ≥ 1.44 at δ = 1e-5",
        "| 81.1% | 1.44 | ",
    ] {
        assert!(text.contains(words), "{words} is not in {text}");
    }
    for attack in &mut report.attacks {
        (attack.auc.value, attack.auc.low, attack.auc.high) = (0.5, 0.48, 0.52);
        attack.tpr_at_fpr.clear();
    }
    let text = annexed(&report);
    let row = text
        .lines()
        .find(|line| line.contains("simulated attacks"))
        .unwrap();
    let (better, others) = row
        .split_once("not shown to be better than guessing")
        .unwrap();
    assert!(better.contains("advantage 0.6218") && !better.contains("AUC"));
    assert!(
        others.contains("AUC 0.5000 (0.4800 to 0.5200) of "),
        "{row}"
    );
}

#[test]
fn what_is_handed_on_does_not_say_where_files_lie() {
    let mut report = with_outcome(Outcome::Fail);
    let path = "/home/ada/xylophone music/phi.npy";
    report.provenance.inputs[0].path = path.into();
    report.provenance.command = format!("guestlist audit '{path}' --out /home/ada/out");
    let mut texts = forms(&report).to_vec();
    texts.extend([report::markdown(&report), report::html(&report)]);
    for text in texts {
        assert!(text.contains("phi.npy"), "{text}");
        assert!(
            !text.contains("/home") && !text.contains("xylophone"),
            "{text}"
        );
    }
    assert!(report.to_json().unwrap().contains(path));
}

/// Parts that nobody looked at are named with their size, also where nothing else is said of them.
#[test]
fn parts_that_were_not_judged_are_named() {
    let mut report = Report::from_json(STORED[1]).unwrap();
    let words = "Not judged, being too small: site = the islands: 4 members, 4 non-members.";
    let screen = |report: &Report| {
        let lines = report::terminal(report, report::Style::plain(120));
        lines.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(report::annex(&report, &context(&report)).contains(words));
    assert!(!screen(&report).contains(words), "a fail needs no more");
    report.verdict.outcome = Outcome::Pass;
    assert!(screen(&report).contains(words), "{}", screen(&report));
    let slices = report.diagnostics.slices.as_mut().unwrap();
    slices.slices.retain(|slice| slice.measures.is_some());
    assert!(!screen(&report).contains("Not judged"));
    report.diagnostics.slices.as_mut().unwrap().unlisted = 2;
    let unnamed = "2 parts are not named and not judged by themselves";
    assert!(screen(&report).contains(unnamed));
    assert!(report::annex(&report, &context(&report)).contains(unnamed));
}

/// What is said of an outcome is what it rests on: a value on the other side of the threshold, a claim that does not
/// hold, a guardrail that was overruled.
#[test]
fn an_outcome_is_told_by_what_it_rests_on() {
    let told = |report: &Report, words: &[&str], never: &[&str]| {
        let text = report::annex(report, &context(report));
        for words in words {
            assert!(text.contains(words), "{words} is not in {text}");
        }
        for words in never {
            assert!(!text.contains(words), "{words} is in {text}");
        }
    };
    let with_rule = |outcome: Outcome, rule: Rule, threshold: f64| {
        let mut report = with_outcome(outcome);
        let gate = report.verdict.gate.as_mut().unwrap();
        (gate.rule, gate.threshold) = (rule, threshold);
        report.guardrails.clear();
        report
    };
    // 0.8813, from 0.8378 to 0.9143.
    let mut unproven = with_rule(Outcome::Pass, Rule::Proven, 0.85);
    let above = [
        "though the measured value lies at or above",
        "the value might have stayed below it",
    ];
    told(
        &unproven,
        &above,
        &[
            "told members from others better than the threshold allows",
            "have come to lie above",
        ],
    );
    unproven.verdict.detectable = None;
    told(
        &unproven,
        &["How small a leak would have been seen is not stated"],
        &["of the size that part 5"],
    );
    let not_excluded = with_rule(Outcome::Fail, Rule::Conservative, 0.9);
    let below = [
        "it is not proven that somebody",
        "though the measured value lies below it",
    ];
    told(
        &not_excluded,
        &below,
        &[
            "membership was told better",
            "lies above the threshold",
            "the outcome here speaks against it",
        ],
    );
    let mut refuted = with_rule(Outcome::Fail, Rule::Point, 0.95);
    refuted.claim = Some(ClaimFinding {
        epsilon: 1.0,
        delta: 1e-5,
        by: "as claimed by somebody".into(),
        bound: 2.0,
        attack: Some("lira".into()),
        method: "a method".into(),
        confidence: 0.95,
        largest: 4.0,
        outcome: ClaimOutcome::Refuted,
        note: "a note".into(),
        canaries: None,
    });
    told(
        &refuted,
        &["a larger ε than was claimed", "proves a larger ε"],
        &["membership was told better"],
    );
    let mut feigned = with_outcome(Outcome::Fail);
    feigned.guardrails.truncate(1);
    feigned.guardrails[0].status = Status::Warn;
    feigned.guardrails[0].blocks = Blocks::Fail;
    let sound = "found no reason to think that the test itself";
    told(
        &feigned,
        &["may have added to it, not that it made it: class-balance"],
        &[sound],
    );
    feigned.verdict.forced = true;
    told(&feigned, &["were overruled: class-balance"], &[sound]);
    feigned.guardrails[0].blocks = Blocks::Pass;
    told(&feigned, &[sound], &[]);
}
