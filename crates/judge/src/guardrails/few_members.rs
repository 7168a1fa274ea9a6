//! Are a few members exposed, though the average over all is not?
//!
//! A leak that is spread evenly over the members and lies just below an AUC's threshold catches a few
//! of them without false accusations, too. What is caught beyond that is no part of what the threshold
//! allows, and there a pass would say the opposite of what was found.
//!
//! A score turned round is an attack like any other: members that score lower than everybody else, as those do
//! that a model was made to forget, are exposed as well, and no gate looks there. Both ends share the error.

use stats::beta::clopper_pearson_upper;
use stats::binomial::binomial_sf;

use super::{Evidence, Status, turned};
use crate::gate::Measure;
use crate::measure::log_mia::SIGNIFICANCE;
use crate::measure::{Level, log_mia::LogMia, log_mia::Regime};
use crate::{AttackMeasures, even, p_value as words};

/// For the rate of false accusations, and for what is caught at that rate, over all attacks.
const SURE: f64 = 0.01;
/// Ends of the scores that are looked at.
const ENDS: f64 = 2.0;
/// Regimes of Log-MIA.
const REGIMES: f64 = 2.0;

/// Members that one attack catches at one end of its scores.
struct Caught<'a> {
    attack: &'a str,
    regime: &'a Regime,
    turned: bool,
}

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let gated = evidence.gated_attack()?;
    let levels = [Some(gated), evidence.gated_by_person()];
    let read = |attack| (evidence.gate.measure).read(attack, evidence.gate.confidence);
    read(gated)?;
    let mut readings = levels.into_iter().flatten().filter_map(read);
    if readings.any(|reading| evidence.gate.fails(&reading)) {
        return None;
    }
    if let Some(found) = verbatim(evidence) {
        return Some((Status::Violated, found));
    }
    // The records of a person are caught together: with persons, chance is that of people.
    let attacks: Vec<&AttackMeasures> = match evidence.persons {
        // However their records are joined: one loud record shows in the largest, and not in a mean.
        Some(persons) => {
            let others = persons.others.iter().flat_map(|(_, attacks)| attacks);
            persons.attacks.iter().chain(others).collect()
        }
        None => evidence.attacks.iter().collect(),
    };
    let tried = attacks.len();
    let found = attacks
        .into_iter()
        .flat_map(|attack| exposed(evidence, attack));
    let beyond = |caught: &Caught| caught.beyond_threshold(evidence, tried);
    let surest = found.min_by(|a, b| {
        let order = beyond(b).cmp(&beyond(a));
        order.then(p_value(a.regime).total_cmp(&p_value(b.regime)))
    })?;
    let found = surest.describe(evidence);
    Some(match (beyond(&surest), surest.turned) {
        (true, false) => {
            let detail = format!(
                "{found}, more than an even leak at the threshold {} would expose; gate on a rate, such as \
                 --measure tpr@0.01, to have that judged",
                evidence.gate.threshold
            );
            (Status::Violated, detail)
        }
        (true, true) => {
            let detail = format!(
                "{found}, more than an even leak at the threshold {} would expose; {LOW}",
                evidence.gate.threshold
            );
            (Status::Violated, detail)
        }
        (false, false) => (
            Status::Warn,
            format!("{found}; gate on a rate too, such as tpr@0.01"),
        ),
        (false, true) => (Status::Warn, format!("{found}; {LOW}")),
    })
}

/// Documents of members that a service hands out as they are, while it hands out none of the others': however few they
/// are, that is no even leak below a threshold.
fn verbatim(evidence: &Evidence) -> Option<String> {
    let verbatim = evidence.probes?.reach.as_ref()?.verbatim?;
    let chance = verbatim.chance_of_members_alone()?;
    (evidence.gate.measure == Measure::Auc && chance <= SURE).then(|| {
        format!(
            "documents of {} of {} members came back word for word, and of {} non-members none did, which chance \
             explains with {}: a few members are exposed, although the gate's measure is below its \
             threshold; see why the service answers about these, and gate on a rate too, such as tpr@0.01",
            verbatim.members_seen, verbatim.members, verbatim.nonmembers,
            words(chance, 1)
        )
    })
}

const LOW: &str = "turned round, a score is an attack like any other: find out why the model is less sure of these \
                   members than of anybody else, as where it was made to forget them";

/// The regimes of Log-MIA in which an attack is severe beyond chance, at both ends of its scores.
fn exposed<'a>(
    evidence: &Evidence,
    attack: &'a AttackMeasures,
) -> impl Iterator<Item = Caught<'a>> {
    let turned = turned(evidence, attack);
    let ends = [
        Some((&attack.log_mia, false)),
        turned.map(|turned| (&turned.log_mia, true)),
    ];
    let regimes = ends.into_iter().flatten().flat_map(both);
    let severe = |(regime, _): &(&Regime, bool)| {
        regime.level == Level::Severe && p_value(regime) <= SIGNIFICANCE
    };
    let attack = attack.id.as_str();
    regimes.filter(severe).map(move |(regime, turned)| Caught {
        attack,
        regime,
        turned,
    })
}

fn both((found, turned): (&LogMia, bool)) -> [(&Regime, bool); 2] {
    [(&found.a, turned), (&found.b, turned)]
}

/// Corrected for attacks, regimes and ends.
fn p_value(regime: &Regime) -> f64 {
    let corrected = regime.corrected_p_value.unwrap_or(regime.p_value);
    (ENDS * corrected).min(1.0)
}

impl Caught<'_> {
    fn describe(&self, evidence: &Evidence) -> String {
        let who = match evidence.persons {
            Some(_) => "people who are members",
            None => "members",
        };
        let how = match self.turned {
            true => " turned round, by its lowest scores,",
            false => "",
        };
        format!(
            "although the gate's measure is below its threshold, {}{how} catches {} of {} {who} with {} false \
             accusations, which chance explains with {} at the most: a few members are exposed",
            self.attack,
            self.regime.tp,
            self.regime.n_members,
            self.regime.fp,
            words(p_value(self.regime), 1),
        )
    }

    /// Whether more members are caught than by an even leak at the threshold, at the largest
    /// false-positive rate that the non-members leave open. Who gates on a rate has judged the high end.
    fn beyond_threshold(&self, evidence: &Evidence, tried: usize) -> bool {
        let (gate, regime) = (evidence.gate, self.regime);
        if gate.measure != Measure::Auc && !self.turned {
            return false;
        }
        let allowed = regime.fp_allowed.min(regime.n_nonmembers);
        let rate = clopper_pearson_upper(allowed, regime.n_nonmembers, SURE);
        if rate >= 1.0 {
            return false;
        }
        let Some(expected) = even::caught(gate, rate) else {
            return false;
        };
        let chance = binomial_sf(regime.tp, regime.n_members, expected);
        chance * REGIMES * ENDS * tried as f64 <= SURE
    }
}

#[cfg(test)]
mod tests {
    use attacks::scores::Scores;

    use super::*;
    use crate::gate::Gate;
    use crate::rag::{ProbeFacts, Reach, Verbatim};
    use crate::{Options, Truth, measure};

    /// Of 110 members and 110 others, so many of which come back as they are.
    fn status(members_seen: usize, nonmembers_seen: usize) -> Option<Status> {
        let truth = Truth::new((0..220).map(|place| place < 110)).unwrap();
        let scores: Scores = (0..220).map(|place| Ok(f64::from(place % 2))).collect();
        let options = Options {
            bootstrap_replicates: 0,
            ..Options::default()
        };
        let attacks = [measure("facts", &scores, &truth, &options).unwrap()];
        let facts = ProbeFacts {
            reach: Some(Reach {
                verbatim: Some(Verbatim {
                    members: 110,
                    members_seen,
                    nonmembers: 110,
                    nonmembers_seen,
                }),
                ..Reach::default()
            }),
            ..ProbeFacts::default()
        };
        let gate = Gate::default();
        let evidence = Evidence {
            probes: Some(&facts),
            attacks: &attacks,
            gated: Some("facts"),
            ..Evidence::new(110, 110, &gate, &[])
        };
        check(&evidence).map(|(status, _)| status)
    }

    #[test]
    fn members_that_alone_come_back_word_for_word_get_no_pass_however_few_they_are() {
        assert_eq!(status(8, 0), Some(Status::Violated));
        assert_eq!(status(7, 0), None, "p = 0.014");
        assert_eq!(status(9, 1), None, "others come back as well");
        assert_eq!(status(0, 0), None);
    }
}
