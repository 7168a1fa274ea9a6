//! The outcome in a sentence, what decided it, and what that means.

use judge::AttackMeasures;
use judge::gate::Measure;
use judge::verdict::{Decision, Level, Outcome};

use super::ground::Ground;
use super::{Material, words};
use crate::blocks::{Block, Cell};
use crate::caveats;
use crate::detail::Kind;
use crate::document::Report;
use crate::headline::{headline, sign};
use crate::sections::percent;

pub fn blocks(material: &Material<'_>) -> Vec<Block> {
    let report = material.report;
    let verdict = &report.verdict;
    let mut facts: Vec<(String, Cell)> = vec![
        ("Outcome".into(), outcome(report).into()),
        ("In one sentence".into(), sentence(&headline(report)).into()),
    ];
    facts.extend(had(report));
    facts.extend((verdict.gate.iter()).flat_map(|gate| decided(gate, verdict.outcome)));
    facts.extend(beside(report));
    let mut blocks = Vec::new();
    if report.provenance.command.starts_with("guestlist demo") {
        blocks.push(Block::Remark(DEMONSTRATION.to_owned()));
    }
    blocks.extend([Block::Facts(facts), Block::Remark(meaning(report))]);
    blocks.extend(warnings(report));
    if verdict.forced {
        blocks.push(Block::Remark(FORCED.to_owned()));
    }
    blocks.extend(
        verdict
            .gate
            .as_ref()
            .and_then(|gate| across(gate, verdict.outcome)),
    );
    blocks.push(Block::Heading(
        "What decided, and what stands beside it, in the words of the tool".into(),
    ));
    blocks.push(Block::List(verdict.reasons.clone()));
    if verdict
        .reasons
        .iter()
        .any(|reason| reason.contains(" leak)"))
    {
        blocks.push(Block::Remark(GRADES.to_owned()));
    }
    blocks
}

/// The sign, and by name what goes with a pass.
fn outcome(report: &Report) -> String {
    let sign = sign(report.verdict.outcome);
    match caveats::counted(report) {
        Some(found) => format!("{sign}, with {found}"),
        None => sign.to_owned(),
    }
}

/// What weakens a pass, where the pass stands and not eight parts further on.
fn warnings(report: &Report) -> Vec<Block> {
    let lines = caveats::lines(report);
    if lines.is_empty() {
        return Vec::new();
    }
    let heading = Block::Heading("Warnings that go with this pass".into());
    vec![heading, Block::List(lines)]
}

/// What else the deciding attack reaches: guidance speaks of accuracy, and a curve that is good in one place alone
/// hardly moves its area. Of an inconclusive test no number counts.
fn beside(report: &Report) -> Option<(String, Cell)> {
    let gate = report.verdict.gate.as_ref()?;
    if report.verdict.outcome == Outcome::Inconclusive {
        return None;
    }
    let people = report.persons.as_ref().map(|persons| &persons.attacks);
    let people = people.filter(|_| gate.level == Some(Level::Person));
    let mut judged = people.unwrap_or(&report.attacks).iter();
    let attack = judged.find(|one| one.id == gate.attack)?;
    // Records that went in or out together prove no ε.
    let proves = report.persons.is_none() || people.is_some();
    Some((
        "What else this attack reaches".into(),
        reached(attack, proves).into(),
    ))
}

fn reached(attack: &AttackMeasures, proves: bool) -> String {
    let (auc, accuracy) = (&attack.auc, &attack.balanced_accuracy);
    let bound = &attack.epsilon_lower_bound;
    let epsilon = match (proves, bound.value > 0.0) {
        (false, _) => String::new(),
        (true, true) => format!(
            "; it proves ε ≥ {:.2} at δ = {:e}",
            bound.value, bound.delta
        ),
        (true, false) => format!("; it proves no ε above 0 at δ = {:e}", bound.delta),
    };
    format!(
        "AUC {:.3} ({:.3} to {:.3}; guessing gives 0.5); accuracy {} ({} to {}; guessing gives 50%), that is an \
         advantage of {:.3}{epsilon}",
        auc.value,
        auc.low,
        auc.high,
        percent(accuracy.value),
        percent(accuracy.low),
        percent(accuracy.high),
        attack.advantage.value,
    )
}

const DEMONSTRATION: &str = "DEMONSTRATION: this report is of data and models that come with the tool. It is no \
    evidence about any model in use.";
const GRADES: &str = "Words such as “weak” or “strong” grade an AUC by its size (guestlist explain auc has the \
    scale). They do not assess what the finding means for the people concerned.";

/// What the attacker had, beside what the attacker reached.
fn had(report: &Report) -> Option<(String, Cell)> {
    let attacker = report.verdict.attacker.as_ref()?;
    let who = sentence(&format!("somebody who {}", attacker.who));
    let label = match report.verdict.outcome {
        Outcome::Fail => "Who could do that",
        Outcome::Pass | Outcome::Inconclusive => "The attacker",
    };
    Some((label.into(), who.into()))
}

/// Where the interval lies on both sides of the threshold, the reader is told what is sure and what is not.
fn across(gate: &Decision, outcome: Outcome) -> Option<Block> {
    let straddles = gate.low < gate.threshold && gate.high >= gate.threshold;
    if !straddles || matches!(gate.measure, Measure::Epsilon(_)) {
        return None;
    }
    let words = match (outcome, gate.value >= gate.threshold) {
        (Outcome::Inconclusive, _) => return None,
        (Outcome::Fail, true) => {
            "The interval reaches below the threshold: with other records of the same kind the value might \
             have stayed below it. That the value lies above the threshold is therefore less certain than that it \
             lies above guessing."
        }
        (Outcome::Pass, true) => {
            "The value lies at or above the threshold, and the interval reaches below it: with other records of the \
             same kind the value might have stayed below it."
        }
        (Outcome::Pass | Outcome::Fail, false) => {
            "The interval reaches above the threshold: with other records of the same kind the value might \
             have come to lie above it."
        }
    };
    Some(Block::Remark(words.to_owned()))
}

/// What is said where the user overruled a guardrail.
const FORCED: &str = "A guardrail that would have left this test without a decision was overruled by \
    whoever ran it (--force). The outcome rests on that decision; part 8 names the guardrail.";

fn decided(gate: &Decision, outcome: Outcome) -> Vec<(String, Cell)> {
    // Where nothing is decided, no attack decides.
    let attack = match outcome {
        Outcome::Inconclusive => "Highest attack",
        Outcome::Pass | Outcome::Fail => "Deciding attack",
    };
    let value = |value: f64| words::value(gate.measure, value);
    let whom = match (gate.scope.is_whole(), gate.level) {
        (true, None) => String::new(),
        (true, Some(level)) => format!(", by {}", level.word()),
        (false, _) => format!(", of {}", gate.scope.word()),
    };
    let chosen = match gate.holdout {
        true => format!(
            "{}, chosen on other records than it is judged on",
            gate.attack
        ),
        false if gate.tried > 1 => format!(
            "{}, which reaches the highest value of this measure among {} attacks on the same records; the interval \
             allows for that choice",
            gate.attack, gate.tried
        ),
        false => gate.attack.clone(),
    };
    vec![
        (attack.into(), chosen.into()),
        (
            "Measured".into(),
            format!(
                "{}{whom}: {} ({}% interval {} to {}); guessing gives {}",
                words::measure(gate.measure),
                value(gate.value),
                (1e4 * gate.confidence).round() / 1e2,
                value(gate.low),
                value(gate.high),
                words::chance(gate.measure)
            )
            .into(),
        ),
        (
            "Threshold".into(),
            format!(
                "{}; {}",
                words::threshold(gate.measure, gate.threshold),
                words::rule(gate.rule)
            )
            .into(),
        ),
    ]
}

/// What follows from an outcome, and for whom.
fn meaning(report: &Report) -> String {
    match report.verdict.outcome {
        Outcome::Pass => passed(report),
        Outcome::Fail => failed(report),
        Outcome::Inconclusive => {
            "Inconclusive: this test decides nothing. Its numbers, high or low, are no evidence for or against \
             a leak; for the purpose of an assessment, treat the model as not tested."
                .to_owned()
        }
    }
}

fn passed(report: &Report) -> String {
    let found = match Ground::of(report) {
        Ground::NotProven => {
            "it is not proven of any attack that was tried that it tells members from others better than the \
             threshold allows, though the measured value lies at or above the threshold. The rule of part 7 fails \
             what is proven alone"
        }
        _ => "no attack that was tried told members from others better than the threshold allows",
    };
    let (pass, warned) = match caveats::caveats(report).is_empty() {
        true => ("Pass", ""),
        false => (
            "Pass, with warnings",
            " The warnings below go with it: of what they speak of, the test may have missed a leak.",
        ),
    };
    let seen = match (report.verdict.detectable, warned) {
        (None, _) => "How small a leak would have been seen is not stated",
        (Some(_), "") => "A leak of the size that part 5 states would most likely have been seen",
        (Some(_), _) => {
            "Apart from that, a leak of the size that part 5 states would most likely have been seen"
        }
    };
    format!(
        "{pass}: {found}.{warned} {seen}; what lies below the threshold passes, seen or not. It holds for the attacker \
         of part 3 and for nobody stronger."
    )
}

fn failed(report: &Report) -> String {
    let documents = matches!(report.kind(), Kind::Rag | Kind::Source);
    let members = match documents {
        true => "documents of the store",
        false => "members",
    };
    let attacker = "somebody who has what the attacker of part 3 has";
    let found = match Ground::of(report) {
        Ground::Value | Ground::NotProven => format!(
            "{attacker} can tell {members} from others better than the threshold allows"
        ),
        Ground::Slice => format!(
            "in a part of the records (part 6), {attacker} can tell {members} from others better than the threshold \
             allows"
        ),
        Ground::Claim => "an attack proves a larger ε than was claimed (part 7), so that the claim does not hold. \
                          Held against the threshold alone, the test would not have failed"
            .to_owned(),
        Ground::NotExcluded => {
            return format!(
                "Fail: it is not proven that {attacker} cannot tell {members} from others better than the threshold \
                 allows. The measured value lies below the threshold and its interval reaches it; the rule of part 7 \
                 passes only what is proven."
            );
        }
    };
    let given_away = match documents {
        true => {
            "Of some documents it is given away that they are there (to “name” one is to say so rightly). Whether \
             their contents can be obtained was not tested."
        }
        false => {
            "Of some records it is given away that they were used (to “name” a record is to say so rightly; it \
             identifies nobody by itself). Whether the contents of records can be obtained was not tested."
        }
    };
    format!("Fail: {found}. {given_away}")
}

/// With a capital letter and a full stop.
pub fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters
        .next()
        .map_or(String::new(), |first| first.to_uppercase().collect());
    let stop = if words.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    format!("{first}{}{stop}", letters.as_str())
}
