//! The verdict as SARIF 2.1.0, which code-scanning servers turn into alerts.
//!
//! A leak is one alert, and so is every guardrail that has something to say; a pass leaves none,
//! so that the server closes what was open. An inconclusive audit keeps the leak's alert open, as
//! a warning: nothing shows that the leak is gone.

mod log;
mod place;

use judge::gate::{Measure, band};
use judge::glossary;
use judge::guardrails::{Finding as GuardrailFinding, Status};
use judge::verdict::{Decision, Outcome};
use serde_json::{Map, Value, json};

use crate::document::Report;
use crate::text::{printable, printable_json};
use log::{
    ArtifactLocation, AutomationDetails, Configuration, Driver, Finding, Fingerprints, Level,
    Location, Log, PhysicalLocation, Region, Rule, Run, Text, Tool,
};
use place::place;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

const LEAK: &str = "membership-leak";

/// SARIF 2.1.0 that code-scanning servers read.
pub fn sarif(report: &Report) -> Result<String, serde_json::Error> {
    let place = place(report);
    let rules = std::iter::once(leak_rule(report)).chain(asked(report).into_iter().map(rule));
    let driver = Driver {
        name: "guestlist",
        version: report.provenance.version.clone(),
        rules: rules.collect(),
    };
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver },
            automation_details: AutomationDetails {
                id: format!("guestlist/{place}/"),
            },
            column_kind: "unicodeCodePoints",
            results: findings(report, &place),
        }],
    };
    let text = serde_json::to_string_pretty(&log)?;
    let lines: Vec<String> = text.lines().map(printable_json).collect();
    Ok(lines.join("\n") + "\n")
}

fn findings(report: &Report, place: &str) -> Vec<Finding> {
    let forced = report.verdict.forced;
    let asked = asked(report);
    let guardrails = report.guardrails.iter().filter_map(|finding| {
        let index = asked.iter().position(|other| other.id == finding.id)?;
        // What is said of some criteria of a policy alone is an alert of its own.
        let criteria: String = (finding.criteria.iter())
            .map(|place| format!("#{}", place + 1))
            .collect();
        Some(Finding {
            rule_id: rule_id(finding),
            rule_index: index + 1,
            level: level(finding.status, forced)?,
            message: message(&finding.detail),
            locations: [location(place)],
            partial_fingerprints: fingerprints(&(rule_id(finding) + &criteria), place),
            properties: Map::new(),
        })
    });
    leak(report, place).into_iter().chain(guardrails).collect()
}

/// Every guardrail once: it may have spoken of several criteria of a policy.
fn asked(report: &Report) -> Vec<&GuardrailFinding> {
    let mut asked: Vec<&GuardrailFinding> = Vec::new();
    for finding in &report.guardrails {
        if !asked.iter().any(|other| other.id == finding.id) {
            asked.push(finding);
        }
    }
    asked
}

/// The gate's alert, unless the audit passed.
fn leak(report: &Report, place: &str) -> Option<Finding> {
    let verdict = &report.verdict;
    let (level, word) = match verdict.outcome {
        Outcome::Pass => return None,
        Outcome::Fail => (Level::Error, "Membership leaks"),
        Outcome::Inconclusive => (Level::Warning, "The audit is inconclusive"),
    };
    let decided = verdict.gate.as_ref();
    Some(Finding {
        rule_id: LEAK.into(),
        rule_index: 0,
        level,
        message: message(&format!("{word}: {}", verdict.reasons.join("; "))),
        locations: [location(place)],
        partial_fingerprints: fingerprints(LEAK, place),
        properties: decided.map_or_else(Map::new, |gate| evidence(report, gate)),
    })
}

/// The numbers that decided, for programs.
fn evidence(report: &Report, gate: &Decision) -> Map<String, Value> {
    let attack = report.attacks.iter().find(|one| one.id == gate.attack);
    let pairs = [
        ("attack", json!(gate.attack)),
        ("measure", json!(gate.measure.to_string())),
        ("value", json!(gate.value)),
        ("low", json!(gate.low)),
        ("high", json!(gate.high)),
        ("confidence", json!(gate.confidence)),
        ("threshold", json!(gate.threshold)),
        ("rule", json!(gate.rule)),
        ("auc", json!(attack.map(|attack| attack.auc.value))),
    ];
    let named = pairs.map(|(name, value)| (name.to_owned(), value));
    named.into_iter().collect()
}

/// A violated guardrail stops the gate; where the user overruled it, it warns.
fn level(status: Status, forced: bool) -> Option<Level> {
    match status {
        Status::Ok => None,
        Status::Warn => Some(Level::Note),
        Status::Violated if forced => Some(Level::Warning),
        Status::Violated => Some(Level::Error),
    }
}

fn leak_rule(report: &Report) -> Rule {
    let measure = report.verdict.gate.as_ref().map(|gate| gate.measure);
    let entry = match measure {
        Some(Measure::TprAtFpr(_)) => "tpr-at-fpr",
        Some(Measure::Advantage) => "advantage",
        Some(Measure::Epsilon(_)) => "epsilon",
        Some(Measure::Auc) | None => "auc",
    };
    let properties = [
        ("tags".to_owned(), json!(["security", "privacy"])),
        ("security-severity".to_owned(), json!(severity(report))),
    ];
    Rule {
        id: LEAK.into(),
        name: "MembershipLeak".into(),
        short_description: text("Who was in the data can be told from the answers"),
        full_description: text(meaning("verdict")),
        help: text(&format!("{} {}", meaning("verdict"), meaning(entry))),
        default_configuration: Configuration {
            level: Level::Error,
        },
        properties: properties.into_iter().collect(),
    }
}

/// GitHub's scale from 0 to 10 (from 7 high, from 4 medium): by the band of an AUC that failed;
/// high for other measures, whose thresholds are the user's own; medium where nobody can tell.
fn severity(report: &Report) -> &'static str {
    let verdict = &report.verdict;
    match (verdict.outcome, &verdict.gate) {
        (Outcome::Inconclusive, _) | (_, None) => "4.0",
        (_, Some(gate)) if gate.measure == Measure::Auc => match band(gate.value) {
            "strong" => "8.0",
            "moderate" => "7.0",
            _ => "5.0",
        },
        _ => "7.0",
    }
}

fn rule(finding: &GuardrailFinding) -> Rule {
    Rule {
        id: rule_id(finding),
        name: pascal(&finding.id),
        short_description: text(&format!("Guardrail {}", finding.id)),
        full_description: text(meaning(&finding.id)),
        help: text(meaning(&finding.id)),
        default_configuration: Configuration {
            level: Level::Warning,
        },
        properties: Map::from_iter([("tags".to_owned(), json!(["audit-quality"]))]),
    }
}

fn rule_id(finding: &GuardrailFinding) -> String {
    format!("guardrail-{}", finding.id)
}

/// `class-balance` as `ClassBalance`.
fn pascal(id: &str) -> String {
    let capital = |word: &str| {
        let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
        first.to_ascii_uppercase() + rest
    };
    id.split('-').map(capital).collect()
}

fn meaning(id: &str) -> &'static str {
    glossary::find(id).map_or("A guardrail of another version of guestlist.", |entry| {
        entry.meaning
    })
}

/// The same from run to run, so that an alert is followed rather than opened anew.
fn fingerprints(rule: &str, place: &str) -> Fingerprints {
    Fingerprints {
        primary_location_line_hash: format!("{rule}:{place}:1"),
    }
}

fn location(place: &str) -> Location {
    Location {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation { uri: place.into() },
            region: Region { start_line: 1 },
        },
    }
}

/// Words of the glossary.
fn text(words: &str) -> Text {
    Text { text: words.into() }
}

/// Words from a report. Brackets and backslashes would make links (§ 3.11.6), braces
/// placeholders (§ 3.11.5).
fn message(words: &str) -> Text {
    let mut text = String::with_capacity(words.len());
    for character in printable(words).chars() {
        match character {
            '[' | ']' | '\\' => text.extend(['\\', character]),
            '{' | '}' => text.extend([character, character]),
            other => text.push(other),
        }
    }
    Text { text }
}
