//! What two reports come to, in a sentence that names the measure and the attack that decided.

use judge::compare::{Change, Strongest};
use judge::guardrails::Status;
use judge::verdict::{Decision, Outcome};
use report::Report;

use super::uncompared::{is_gated, uncompared};

/// Only a rise fails; a fall is told.
pub fn decide(
    baseline: &Report,
    current: &Report,
    changes: &[Change],
    level: f64,
) -> (Outcome, String) {
    let decided = decisions(baseline, current);
    if let Some(name) = undecided(baseline, current) {
        let reason = format!("the {name} audit is inconclusive, so no rise can be told");
        let standing = standing(current, &decided, changes);
        return (Outcome::Inconclusive, reason + &standing);
    }
    let rises: Vec<&Change> = changes.iter().filter(|one| one.is_rise(level)).collect();
    let falls: Vec<&Change> = changes.iter().filter(|one| one.is_fall(level)).collect();
    if let Some(first) = foremost(&rises, &decided) {
        let mut reason = format!("{}; {}", moved(first), counted(&rises, changes, "rose"));
        if let Some(fallen) = foremost(&falls, &decided) {
            reason += &format!(", {} fell, {} first", falls.len(), name(fallen));
        }
        return (Outcome::Fail, reason);
    }
    // What decided nothing may hide a rise, and so never goes with a pass.
    if current.verdict.outcome == Outcome::Inconclusive {
        let reason = "the current audit is inconclusive, so that a rise may be hidden";
        return (
            Outcome::Inconclusive,
            reason.to_owned() + &standing(current, &decided, changes),
        );
    }
    let lost = baseline.verdict.gate.as_ref();
    match lost.filter(|gate| current.attacks.iter().all(|one| one.id != gate.attack)) {
        Some(gate) => {
            let reason = format!(
                "{}, which decided the baseline, is missing from the current report, so a rise \
                 may be hidden",
                gate.attack
            );
            (Outcome::Inconclusive, reason)
        }
        None => match uncompared(baseline, current, changes, level) {
            Some(reason) => (Outcome::Inconclusive, reason),
            None => (Outcome::Pass, passed(current, &falls, changes, &decided)),
        },
    }
}

/// Which of the two reports decided nothing, and has measures that may mean nothing.
pub fn undecided(baseline: &Report, current: &Report) -> Option<&'static str> {
    let both = [("baseline", baseline), ("current", current)];
    let decides_nothing =
        |report: &Report| report.verdict.outcome == Outcome::Inconclusive && !is_comparable(report);
    let mut found = both.into_iter();
    found
        .find(|(_, report)| decides_nothing(report))
        .map(|(name, _)| name)
}

/// What may have tested nothing shows no fall either.
pub fn untold(name: &str) -> String {
    format!("measures fell, and whether leakage did is not known: the {name} audit is inconclusive")
}

/// Guardrails that keep a verdict from passing and leave the measures what they are.
const OF_THE_VERDICT: [&str; 7] = [
    "few-members",
    "detectable-leak",
    "slices",
    "weak-access",
    "raised-threshold",
    "policy-sizes",
    "policy-attackers",
];

/// Whether measures can be compared though the audit decided nothing.
fn is_comparable(report: &Report) -> bool {
    let violated = report.guardrails.iter();
    let mut violated = violated.filter(|finding| finding.status == Status::Violated);
    let measured = !report.attacks.is_empty() && report.verdict.gate.is_some();
    measured && violated.all(|finding| OF_THE_VERDICT.contains(&finding.id.as_str()))
}

fn passed(
    current: &Report,
    falls: &[&Change],
    changes: &[Change],
    decided: &[&Decision],
) -> String {
    match foremost(falls, decided) {
        Some(first) => format!(
            "no measure rose beyond noise; {}; {}",
            moved(first),
            counted(falls, changes, "fell")
        ),
        None => {
            let standing = standing(current, decided, changes);
            "no measure rose or fell beyond noise".to_owned() + &standing
        }
    }
}

/// Whether falls amount to less leakage.
pub fn improved(leaders: &Strongest, level: f64) -> String {
    let Strongest { before, after, .. } = leaders;
    let p_value = likely(Some(leaders.fall_p_value));
    let verdict = match leaders.is_fall(level) {
        true => "leakage fell: the strongest attack is weaker than it was",
        false => "some attacks fell, but the strongest is not weaker beyond noise",
    };
    format!(
        "{verdict}: AUC {:.4} ({}) after {:.4} ({}), {p_value}",
        after.auc, after.attack, before.auc, before.attack
    )
}

/// What decided the current audit, then what decided the baseline.
fn decisions<'a>(baseline: &'a Report, current: &'a Report) -> Vec<&'a Decision> {
    let gates = [current, baseline].map(|report| report.verdict.gate.as_ref());
    gates.into_iter().flatten().collect()
}

/// The change that a reader should hear of: the gated measure of a deciding attack, else any of its
/// measures, else the surest of all and among equally sure ones the largest.
fn foremost<'a>(changes: &[&'a Change], decided: &[&Decision]) -> Option<&'a Change> {
    let rank = |change: &Change| {
        let by = decided.iter().position(|one| one.attack == change.attack);
        let gated = decided.iter().any(|one| is_gated(one, change));
        let p_value = change.corrected().unwrap_or(1.0);
        let size = (change.after - change.before).abs();
        (by.unwrap_or(decided.len()) as f64, !gated, p_value, -size)
    };
    let ranked = changes.iter().copied();
    ranked.min_by(|a, b| {
        let (a, b) = (rank(a), rank(b));
        a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal)
    })
}

fn name(change: &Change) -> String {
    let scope = change.scope.as_ref().map(|scope| format!(" {scope}"));
    let (measure, attack) = (&change.measure, &change.attack);
    format!("{measure} of {attack}{}", scope.unwrap_or_default())
}

fn moved(change: &Change) -> String {
    let verb = match change.after < change.before {
        true => "fell",
        false => "rose",
    };
    let p_value = likely(change.corrected());
    let (name, before, after) = (name(change), change.before, change.after);
    format!("{name} {verb} from {before:.4} to {after:.4} ({p_value})")
}

fn likely(p_value: Option<f64>) -> String {
    match p_value {
        Some(p) if p < 0.001 => "p < 0.001".into(),
        Some(p) => format!("p = {p:.3}"),
        None => "untested".into(),
    }
}

fn counted(some: &[&Change], changes: &[Change], verb: &str) -> String {
    let tested = |one: &&Change| one.p_value.or(one.fall_p_value).is_some();
    let (count, of) = (some.len(), changes.iter().filter(tested).count());
    format!("{count} of {of} compared measures {verb} beyond noise")
}

/// Where the deciding attack stood and stands.
fn standing(current: &Report, decided: &[&Decision], changes: &[Change]) -> String {
    let gate = current.verdict.gate.as_ref();
    let decides =
        |decision: &Decision| match gate.is_some_and(|gate| gate.attack == decision.attack) {
            true => "decides",
            false => "decided the baseline",
        };
    let gated = |decision: &&Decision| changes.iter().find(|one| is_gated(decision, one));
    let both = |decision: &&Decision| Some((decides(decision), gated(decision)?));
    let told = decided.iter().find_map(both).map(|(decides, change)| {
        let (name, before, after) = (name(change), change.before, change.after);
        format!("; {name}, which {decides}, was {before:.4} and is {after:.4}")
    });
    let attack = |decision: &&Decision| format!("; {} {}", decision.attack, decides(decision));
    told.or_else(|| decided.first().map(attack))
        .unwrap_or_default()
}
