//! Are a few members exposed, though the average over all is not?
//!
//! A leak that is spread evenly over the members and lies just below an AUC's threshold catches a few
//! of them without false accusations, too. What is caught beyond that is no part of what the threshold
//! allows, and there a pass would say the opposite of what was found.

use stats::beta::clopper_pearson_upper;
use stats::binomial::binomial_sf;
use stats::normal::{normal_cdf, normal_quantile};

use super::{Evidence, Status};
use crate::AttackMeasures;
use crate::gate::Measure;
use crate::measure::{Level, log_mia::Regime};

/// For the rate of false accusations, and for what is caught at that rate, over all attacks.
const SURE: f64 = 0.01;

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
    let regimes = attacks
        .into_iter()
        .flat_map(|attack| exposed(attack).map(move |r| (attack, r)));
    let p_value = |regime: &Regime| regime.corrected_p_value.unwrap_or(regime.p_value);
    let beyond = |regime: &Regime| beyond_threshold(evidence, regime, tried);
    let (surest, regime) = regimes.min_by(|(_, a), (_, b)| {
        let order = beyond(b).cmp(&beyond(a));
        order.then(p_value(a).total_cmp(&p_value(b)))
    })?;
    let who = match evidence.persons {
        Some(_) => "people who are members",
        None => "members",
    };
    let found = format!(
        "although the gate's measure is below its threshold, {} catches {} of {} {} with {} false \
         accusations, which chance explains with p = {:.1e} at the most: a few members are exposed",
        surest.id,
        regime.tp,
        regime.n_members,
        who,
        regime.fp,
        p_value(regime),
    );
    Some(match beyond(regime) {
        true => {
            let detail = format!(
                "{found}, more than an even leak at the threshold {} would expose; gate on a rate, such as \
                 --measure tpr@0.01, to have that judged",
                evidence.gate.threshold
            );
            (Status::Violated, detail)
        }
        false => (
            Status::Warn,
            format!("{found}; gate on a rate too, such as tpr@0.01"),
        ),
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
             explains with p = {chance:.1e}: a few members are exposed, although the gate's measure is below its \
             threshold; see why the service answers about these, and gate on a rate too, such as tpr@0.01",
            verbatim.members_seen, verbatim.members, verbatim.nonmembers
        )
    })
}

/// The regimes of Log-MIA in which an attack is severe beyond chance.
fn exposed(attack: &AttackMeasures) -> impl Iterator<Item = &Regime> {
    let regimes = [&attack.log_mia.a, &attack.log_mia.b].into_iter();
    regimes.filter(|regime| regime.level == Level::Severe)
}

/// Whether more members are caught than by two normals of equal spread whose AUC is the threshold, at
/// the largest false-positive rate that the non-members leave open.
fn beyond_threshold(evidence: &Evidence, regime: &Regime, tried: usize) -> bool {
    if evidence.gate.measure != Measure::Auc || evidence.gate.threshold >= 1.0 {
        return false;
    }
    let apart = std::f64::consts::SQRT_2 * normal_quantile(evidence.gate.threshold.max(0.5));
    let allowed = regime.fp_allowed.min(regime.n_nonmembers);
    let rate = clopper_pearson_upper(allowed, regime.n_nonmembers, SURE);
    if rate >= 1.0 {
        return false;
    }
    let expected = normal_cdf(normal_quantile(rate) + apart);
    binomial_sf(regime.tp, regime.n_members, expected) * 2.0 * tried as f64 <= SURE
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
