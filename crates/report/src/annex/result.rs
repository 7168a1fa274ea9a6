//! The outcome in a sentence, what decided it, and what that means.

use judge::AttackMeasures;
use judge::gate::Measure;
use judge::verdict::{Decision, Level, Outcome};

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
    blocks.extend([
        Block::Facts(facts),
        Block::Remark(meaning(report).to_owned()),
    ]);
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
        "What decided, in the words of the tool".into(),
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
    let words = match outcome {
        Outcome::Fail => {
            "The interval reaches below the threshold: with other records of the same kind the value might \
             have stayed below it. That the value lies above the threshold is therefore less certain than that it \
             lies above guessing."
        }
        Outcome::Pass => {
            "The interval reaches above the threshold: with other records of the same kind the value might \
             have come to lie above it."
        }
        Outcome::Inconclusive => return None,
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
fn meaning(report: &Report) -> &'static str {
    match report.verdict.outcome {
        Outcome::Pass if !caveats::caveats(report).is_empty() => {
            "Pass, with warnings: no attack that was tried told members from others better than the threshold \
             allows. The warnings below go with it: of what they speak of, the test may have missed a leak, though it \
             was large enough to have seen one of the size that part 5 states elsewhere. It holds for the attacker of \
             part 3 and for nobody stronger."
        }
        Outcome::Pass => {
            "Pass: no attack that was tried told members from others better than the threshold allows, and \
             the test was large enough to have seen a leak of the size that part 5 states. It holds for the \
             attacker of part 3 and for nobody stronger."
        }
        Outcome::Fail if matches!(report.kind(), Kind::Rag | Kind::Source) => {
            "Fail: somebody who has what the attacker of part 3 has can tell documents of the store from others \
             better than the threshold allows. Of some documents it is given away that they are there (to “name” \
             one is to say so rightly). Whether their contents can be obtained was not tested."
        }
        Outcome::Fail => {
            "Fail: somebody who has what the attacker of part 3 has can tell members from others better than \
             the threshold allows. Of some records it is given away that they were used (to “name” a record is to say \
             so rightly; it identifies nobody by itself). Whether the contents of records can be obtained was not \
             tested."
        }
        Outcome::Inconclusive => {
            "Inconclusive: this test decides nothing. Its numbers, high or low, are no evidence for or against \
             a leak; for the purpose of an assessment, treat the model as not tested."
        }
    }
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
