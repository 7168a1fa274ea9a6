//! What a comparison of two reports leaves open: what only one of them has, and what changed
//! beside the measures.

use judge::gate::Rule;
use judge::guardrails::{Finding, Status};
use judge::verdict::{Decision, Outcome};
use report::Report;

/// In the order of importance.
pub fn remarks(baseline: &Report, current: &Report, outcome: Outcome) -> Vec<String> {
    let mut remarks = Vec::new();
    remarks.extend(own_verdict(current, outcome));
    remarks.extend(gates(baseline, current));
    remarks.extend(lost_attacks(baseline, current));
    remarks.extend(new_attacks(baseline, current));
    remarks.extend(rates(baseline, current));
    remarks.extend(settings(baseline, current));
    remarks.extend(forced(current));
    remarks.extend(guardrails(baseline, current));
    remarks
}

/// Noise may still carry an audit over its threshold.
fn own_verdict(current: &Report, outcome: Outcome) -> Option<String> {
    let fails = current.verdict.outcome == Outcome::Fail && outcome != Outcome::Fail;
    fails.then(|| "the current audit fails its own gate all the same".into())
}

fn gates(baseline: &Report, current: &Report) -> Option<String> {
    let (old, new) = (
        baseline.verdict.gate.as_ref()?,
        current.verdict.gate.as_ref()?,
    );
    let same = old.measure == new.measure && old.threshold == new.threshold && old.rule == new.rule;
    (!same).then(|| {
        format!(
            "the gates differ: {} in the baseline, {} now; rises are told from the measures, \
             whatever the gates",
            gate(old),
            gate(new)
        )
    })
}

fn gate(decision: &Decision) -> String {
    let rule = match decision.rule {
        Rule::Point => "point",
        Rule::Conservative => "conservative",
        Rule::Proven => "proven",
    };
    format!("{} below {} ({rule})", decision.measure, decision.threshold)
}

fn lost_attacks(baseline: &Report, current: &Report) -> Option<String> {
    let ids: Vec<&str> = only_in(baseline, current).map(|(id, _)| id).collect();
    (!ids.is_empty()).then(|| format!("in the baseline only, and not compared: {}", ids.join(", ")))
}

fn new_attacks(baseline: &Report, current: &Report) -> Option<String> {
    let words: Vec<String> = only_in(current, baseline)
        .map(|(id, auc)| format!("{id} (AUC {auc:.4})"))
        .collect();
    (!words.is_empty()).then(|| {
        format!(
            "in the current report only, and not compared: {}",
            words.join(", ")
        )
    })
}

/// Attacks of one report that the other lacks.
fn only_in<'a>(one: &'a Report, other: &'a Report) -> impl Iterator<Item = (&'a str, f64)> {
    let lacks = |id: &str| other.attacks.iter().all(|attack| attack.id != id);
    let attacks = one.attacks.iter().filter(move |attack| lacks(&attack.id));
    attacks.map(|attack| (attack.id.as_str(), attack.auc.value))
}

/// False-positive rates that only one report asked for.
fn rates(baseline: &Report, current: &Report) -> Option<String> {
    let asked = |report: &Report| report.provenance.measuring.fprs.clone();
    let (old, new) = (asked(baseline), asked(current));
    let either = old.iter().chain(&new);
    let lone = either.filter(|rate| !(old.contains(rate) && new.contains(rate)));
    let words: Vec<String> = lone.map(|rate| format!("tpr@{rate}")).collect();
    (!words.is_empty()).then(|| {
        format!(
            "asked for in one report only, and not compared: {}",
            words.join(", ")
        )
    })
}

fn settings(baseline: &Report, current: &Report) -> Option<String> {
    let now = &current.provenance.settings;
    let changed = baseline
        .provenance
        .settings
        .iter()
        .filter_map(|(key, old)| {
            let new = now.get(key).filter(|new| *new != old)?;
            Some(format!("{key} = {old} before, {new} now"))
        });
    let words: Vec<String> = changed.collect();
    (!words.is_empty()).then(|| format!("settings of attacks differ: {}", words.join("; ")))
}

fn forced(current: &Report) -> Option<String> {
    let forced = current.verdict.forced;
    forced.then(|| "the current verdict was forced past a violated guardrail".into())
}

/// Guardrails that stand worse than they did, the worst first.
fn guardrails<'a>(baseline: &'a Report, current: &'a Report) -> Vec<String> {
    let before = |id: &str| {
        let mut findings = baseline.guardrails.iter();
        findings.find(|finding| finding.id == id)
    };
    let worse = |finding: &&Finding| {
        rank(finding.status) > before(&finding.id).map_or(0, |old| rank(old.status))
    };
    let mut worse: Vec<&Finding> = current.guardrails.iter().filter(worse).collect();
    worse.sort_by_key(|finding| std::cmp::Reverse(rank(finding.status)));
    worse
        .into_iter()
        .map(|finding| {
            let word = match finding.status {
                Status::Violated => "is violated now",
                _ => "warns now",
            };
            format!("guardrail {} {word}: {}", finding.id, finding.detail)
        })
        .collect()
}

fn rank(status: Status) -> u8 {
    match status {
        Status::Ok => 0,
        Status::Warn => 1,
        Status::Violated => 2,
    }
}
