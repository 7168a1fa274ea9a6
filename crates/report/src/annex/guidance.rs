//! Where published guidance asks for what stands in the other parts, in our words.

use judge::AttackMeasures;
use judge::claim::ClaimOutcome;
use judge::gate::{Measure, Reading};
use judge::verdict::Outcome;

use super::attackers::plural;
use super::ground::Ground;
use super::{Family, Material, words};
use crate::blocks::{Block, Table, cells};
use crate::document::Report;
use crate::sections::percent;

pub fn blocks(material: &Material<'_>) -> Vec<Block> {
    let report = material.report;
    let rows = [
        ["EDPB Opinion 28/2024, summary of the first question", "a model counts as anonymous only where it is insignificantly likely that personal data of those it was trained on are extracted from it, or obtained by asking it, by any means reasonably likely to be used", &insignificant(report)].map(String::from),
        ["EDPB Opinion 28/2024, paragraph 46", "how much testing is right depends on who can reach the model and how", "part 3; the controller fills in who has access"].map(String::from),
        ["EDPB Opinion 28/2024, paragraph 55", "tests against known attacks, their scope and quality; a test is evidence about the attacks that were tried", &format!("parts 4, 5, 6, 8, 9; of the attacks it names, {}", tested(report))].map(String::from),
        ["EDPB Opinion 28/2024, paragraph 58", "documentation: threat model, what was tested by whom, when and how, and with what result, beside more", "parts 2, 3, 4, 7, 10, which are a part of what it lists; by whom is for the controller to fill in. Not here: an impact assessment, the advice of a data protection officer, measures taken, what data subjects and other controllers are told"].map(String::from),
        ["OWASP AI Testing Guide, AITG-MOD-04: analysis of outputs", "an attack that learns from how sure the model is should not be right much more often than guessing (50%), nor outputs differ significantly; above 60%, for example, it counts as vulnerable", &tried(material, Family::Outputs)].map(String::from),
        ["OWASP AI Testing Guide, AITG-MOD-04: shadow models", "can an attack that learns from shadow models tell them apart?", &tried(material, Family::Shadows)].map(String::from),
        ["OWASP AI Testing Guide, AITG-MOD-04: perturbations", "do answers to slightly changed inputs give members away?", &tried(material, Family::Perturbations)].map(String::from),
        ["OWASP AISVS 1.0, 11.3.1", "outputs are calibrated, so that a sure answer gives less away", "not looked at: a property of how the model is served"].map(String::from),
        ["OWASP AISVS 1.0, 11.3.2", "sensitive data are trained on with differential privacy and a documented ε", private(report)].map(String::from),
        ["OWASP AISVS 1.0, 11.3.3", "simulated attacks do not do meaningfully better than guessing", &attacks(report)].map(String::from),
    ];
    let heads = [
        "guidance",
        "what it asks, in our words",
        "part of this annex, and what is lacking",
    ];
    let rows = rows.iter().map(|row| cells(row)).collect();
    vec![
        Block::Remark(INTRODUCTION.to_owned()),
        Block::Table(Table::new("Guidance", &heads, rows)),
    ]
}

/// What AITG-MOD-04 names as an example of a vulnerability, of attacks on outputs alone.
const EXAMPLE: f64 = 0.6;

const INTRODUCTION: &str = "For finding one's way: which passage asks for what stands where. That a passage is \
    listed does not mean that it is satisfied. EDPB: European Data Protection Board, Opinion 28/2024 of 17 December \
    2024 on AI models. OWASP: AI Testing Guide, and Artificial Intelligence Security Verification Standard (AISVS).";

/// How many attacks of a family ran, and how often the best of them is right.
fn tried(material: &Material<'_>, family: Family) -> String {
    let ran = material.report.attacks.iter().filter(|attack| {
        let known = material.known(&attack.id);
        known.is_some_and(|known| known.family == family)
    });
    // From the strongest by AUC; accuracy is what that guide speaks of.
    let ran: Vec<&AttackMeasures> = ran.collect();
    let accuracy = ran.iter().map(|attack| attack.balanced_accuracy.value);
    let accuracy = accuracy.fold(0.0, f64::max);
    let unknown = material.context.attacks.is_empty();
    match ran.len() {
        0 if unknown => "not known: the scores were made elsewhere (part 4)".to_owned(),
        0 => "not tried".to_owned(),
        count if material.report.verdict.outcome == Outcome::Inconclusive => format!(
            "part 4: {} of this kind; the test is inconclusive, so that their accuracy proves nothing",
            plural(count, "attack", "attacks")
        ),
        count => {
            format!(
                "part 4: {} of this kind; the best accuracy is {}{} (guessing: 50%)",
                plural(count, "attack", "attacks"),
                percent(accuracy),
                match (family, accuracy > EXAMPLE) {
                    (Family::Outputs, true) => ", above that example",
                    (Family::Outputs, false) => {
                        ", not above that example, which is not to say that nothing differs: the last row has what is sure"
                    }
                    (_, true) =>
                        ", more than the 60% that the guide gives as an example for analyses of outputs",
                    (_, false) => "",
                }
            ) + weaker(material.report)
        }
    }
}

/// A row of a guide is not met by somebody who was given little.
fn weaker(report: &Report) -> &'static str {
    let attacker = report.verdict.attacker.as_ref();
    match attacker.is_some_and(|attacker| attacker.stronger.is_some()) {
        true => ". The attacker could have been stronger: see part 3",
        false => "",
    }
}

/// What the test has to say of the opinion's own criterion: one piece of evidence.
fn insignificant(report: &Report) -> String {
    let found = match report.verdict.outcome {
        Outcome::Pass => {
            "the attacker of part 3 reached no more here than the threshold of part 7 allows, which is not to say nothing"
        }
        Outcome::Fail if Ground::of(report) == Ground::NotExcluded => {
            "it is not shown here that the attacker of part 3 reaches no more than the threshold of part 7 allows"
        }
        Outcome::Fail => "the outcome here speaks against it",
        Outcome::Inconclusive => "this test decides nothing",
    };
    format!(
        "parts 1, 4, 9: membership inference is one of the attacks by which that is tested, and {found}. Whether \
         the likelihood is insignificant is not for this test to say: {}",
        tested(report)
    )
}

/// Which of the attacks that the opinion names were tried.
fn tested(report: &Report) -> &'static str {
    match super::attackers::looked_at_regurgitation(report) {
        true => {
            "membership inference was tested, regurgitation of canaries alone, and nothing else"
        }
        false => "membership inference alone was tested",
    }
}

fn private(report: &Report) -> &'static str {
    match report.claim.as_ref().map(|claim| claim.outcome) {
        None => "no ε was claimed of the model",
        Some(ClaimOutcome::Refuted) => "part 7: an ε was claimed, and an attack refutes it",
        Some(ClaimOutcome::NotRefuted) => {
            "part 7: an ε was claimed; no attack refutes it, which is no proof of it"
        }
        Some(ClaimOutcome::Untested) => {
            "part 7: an ε was claimed; so few records could not have refuted it"
        }
    }
}

/// By every measure that the report has, for an attack that is good in one place alone hardly moves an AUC.
fn attacks(report: &Report) -> String {
    let attacks = judged(report);
    if report.verdict.outcome == Outcome::Inconclusive || attacks.is_empty() {
        return "nothing was decided".into();
    }
    let measures = measures(report);
    // What is sure is sure of all that is said here together; the numbers shown are the report's own.
    let said = (attacks.len() * measures.len()) as f64;
    let confidence = 1.0 - (1.0 - report.provenance.measuring.confidence) / said;
    let found = measures.iter();
    let found = found.filter_map(|measure| surest(attacks, *measure, confidence));
    let (better, others): (Vec<Surest>, Vec<Surest>) = found.partition(Surest::is_better);
    // Of rates that tell nothing, one by one is too much.
    let others = others
        .iter()
        .filter(|one| !matches!(one.measure, Measure::TprAtFpr(_)));
    let all = [
        ("surely better than guessing", listed(better.iter())),
        (
            "not shown to be better than guessing, which does not show that it is no better",
            listed(others),
        ),
    ];
    let all = all.iter().filter(|(_, those)| !those.is_empty());
    let all: Vec<String> = all
        .map(|(what, those)| format!("{what}: {those}"))
        .collect();
    format!(
        "parts 1, 4: {}. Intervals are those of one attack by itself; “surely” allows for {} and {}. What is meaningful \
         is for the assessor to say",
        all.join(". "),
        plural(attacks.len(), "attack", "attacks"),
        plural(measures.len(), "measure", "measures")
    )
}

/// Of people, where records belong to them: records that went in or out together prove less.
fn judged(report: &Report) -> &[AttackMeasures] {
    let people = report.persons.as_ref().map(|persons| &persons.attacks);
    people
        .filter(|attacks| !attacks.is_empty())
        .unwrap_or(&report.attacks)
}

fn measures(report: &Report) -> Vec<Measure> {
    let measuring = &report.provenance.measuring;
    let usual = [
        Measure::Auc,
        Measure::Advantage,
        Measure::Epsilon(measuring.delta),
    ];
    let rates = measuring.fprs.iter().map(|fpr| Measure::TprAtFpr(*fpr));
    usual.into_iter().chain(rates).collect()
}

/// The attack whose value of a measure lies highest beyond doubt.
struct Surest<'a> {
    measure: Measure,
    attack: &'a AttackMeasures,
    /// What it reaches at the least, all attacks and measures counted.
    least: f64,
    /// As it stands in the report.
    stored: Reading,
}

fn surest(attacks: &[AttackMeasures], measure: Measure, confidence: f64) -> Option<Surest<'_>> {
    let read = attacks.iter().filter_map(|attack| {
        let stored = stored(attack, measure)?;
        let least = measure.read(attack, confidence);
        Some(Surest {
            measure,
            attack,
            least: least.map_or(stored.low, |least| least.low),
            stored,
        })
    });
    read.max_by(|a, b| a.least.total_cmp(&b.least))
}

fn stored(attack: &AttackMeasures, measure: Measure) -> Option<Reading> {
    let reading = |value, low, high| Reading { value, low, high };
    match measure {
        Measure::Auc => Some(reading(attack.auc.value, attack.auc.low, attack.auc.high)),
        Measure::Advantage => {
            let found = &attack.advantage;
            Some(reading(found.value, found.low, found.high))
        }
        Measure::Epsilon(_) => Some(Reading::bound(attack.epsilon_lower_bound.value)),
        Measure::TprAtFpr(fpr) => {
            let found = attack.tpr_at_fpr.iter().find(|found| found.fpr == fpr)?;
            Some(reading(found.value?, found.low?, found.high?))
        }
    }
}

impl Surest<'_> {
    fn is_better(&self) -> bool {
        let guessing = match self.measure {
            Measure::Auc => 0.5,
            Measure::TprAtFpr(fpr) => fpr,
            Measure::Advantage | Measure::Epsilon(_) => 0.0,
        };
        self.least > guessing
    }

    fn words(&self) -> String {
        if let Measure::Epsilon(delta) = self.measure {
            let (bound, attack) = (self.stored.value, &self.attack.id);
            return format!("ε ≥ {bound:.2} at δ = {delta:e} of {attack}");
        }
        let name = words::measure(self.measure);
        let number = |value: f64| words::value(self.measure, value);
        let Reading { value, low, high } = self.stored;
        let accuracy = match self.measure {
            Measure::Advantage => {
                let accuracy = self.attack.balanced_accuracy.value;
                format!(
                    ", an accuracy of {} where guessing has 50%",
                    percent(accuracy)
                )
            }
            _ => String::new(),
        };
        let [value, low, high] = [value, low, high].map(number);
        format!(
            "{name} {value} ({low} to {high}) of {}{accuracy}",
            self.attack.id
        )
    }
}

fn listed<'a, 'b: 'a>(all: impl Iterator<Item = &'a Surest<'b>>) -> String {
    let words: Vec<String> = all.map(Surest::words).collect();
    words.join("; ")
}
