//! Are some of the members found at once, and all others not at all?
//!
//! A store that holds a part of the members gives these away and cannot give away the others: the average over all
//! then lies below the threshold, and says nothing of the service. So does one that answers about some
//! of its documents alone. Either way, members that anybody may find do not go with a pass.

use super::{Evidence, Status, fails_anyway};
use crate::AttackMeasures;
use crate::measure::log_mia::Regime;
use crate::power::hanley_mcneil;

/// Above this chance, after correction for all attacks, it may be luck.
const SURE: f64 = 0.01;
/// Fewer than so many of the members are `few-members`' to tell.
const SOME: f64 = 0.1;
/// Standard deviations within which the others look as non-members do.
const ALIKE: f64 = 2.0;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    // Of audits of sources nobody is a member.
    if evidence.probes?.echoes.is_some() || fails_anyway(evidence) {
        return None;
    }
    let found = evidence.attacks.iter().filter_map(found_at_once);
    let (attack, regime) = found.max_by_key(|(_, regime)| regime.tp)?;
    let others = regime.n_members - regime.tp;
    let detail = format!(
        "{} tells {} of {} members from every non-member, and the other {others} look as non-members do: the store \
         may hold some of the members alone, or answer about some alone, and an average over all of them says little; \
         see that every member is indexed, or leave out those that are not, and run again",
        attack.id, regime.tp, regime.n_members
    );
    Some((Status::Violated, detail))
}

/// Where an attack catches so many members without a false accusation, and finds nothing in the others.
fn found_at_once(attack: &AttackMeasures) -> Option<(&AttackMeasures, &Regime)> {
    let regime = &attack.log_mia.a;
    let chance = regime.corrected_p_value.unwrap_or(regime.p_value);
    let (caught, members) = (regime.tp as f64, regime.n_members as f64);
    let some = chance <= SURE && regime.fp == 0 && caught >= SOME * members;
    (some && regime.tp < regime.n_members && others_look_alike(attack, caught))
        .then_some((attack, regime))
}

/// The caught ones win every pair, so that what they leave of the AUC is that of the others.
fn others_look_alike(attack: &AttackMeasures, caught: f64) -> bool {
    let members = attack.n_members as f64;
    let others = members - caught;
    let area = (attack.auc.value * members - caught) / others;
    let deviation = hanley_mcneil(0.5, others, attack.n_nonmembers as f64).sqrt();
    area - 0.5 <= ALIKE * deviation
}

#[cfg(test)]
mod tests {
    use attacks::scores::Scores;
    use stats::streams::{Seed, standard_normal};

    use super::*;
    use crate::gate::Gate;
    use crate::rag::ProbeFacts;
    use crate::{Options, Truth, correct_levels, measure};

    /// Of sixty members and sixty others.
    fn status(score: impl FnMut(usize) -> f64) -> Option<Status> {
        let truth = Truth::new((0..120).map(|place| place < 60)).unwrap();
        let scores: Scores = (0..120).map(score).map(Ok).collect();
        let options = Options {
            bootstrap_replicates: 0,
            ..Options::default()
        };
        let mut attacks = [measure("facts", &scores, &truth, &options).unwrap()];
        correct_levels(&mut attacks);
        let (gate, facts) = (Gate::default(), ProbeFacts::default());
        let evidence = Evidence {
            probes: Some(&facts),
            attacks: &attacks,
            ..Evidence::new(60, 60, &gate, &[])
        };
        check(&evidence).map(|(status, _)| status)
    }

    #[test]
    fn a_store_that_holds_a_quarter_of_the_members_gets_no_pass() {
        let held = |count: usize| move |place: usize| f64::from(u8::from(place < count));
        assert_eq!(status(held(15)), Some(Status::Violated));
        assert_eq!(status(held(2)), None);
        assert_eq!(status(held(60)), None, "a leak of all is no part");
    }

    #[test]
    fn an_even_leak_is_seldom_taken_for_a_part() {
        let said = |run: u64| {
            let mut rng = Seed(9).numbered("even", run);
            status(move |place| standard_normal(&mut rng) + f64::from(u8::from(place < 60)) * 0.5)
        };
        let wrongly = (0..200).filter(|run| said(*run).is_some()).count();
        // At an AUC of 0.64 on average, so near the threshold, a few lose a pass (about one in twenty), which is the safe side.
        assert!(wrongly <= 20, "{wrongly} of 200");
    }
}
