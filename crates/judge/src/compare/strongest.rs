//! Did the best that an attacker can do get worse? One attack that fell means little where another is as strong as
//! it was.

use serde::{Deserialize, Serialize};

use super::{Area, above};
use crate::AttackMeasures;

/// The strongest attack of either audit, by AUC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Strongest {
    pub before: Leader,
    pub after: Leader,
    /// The chance of such a fall, or a larger one, where the strongest attack is as strong as it was.
    pub fall_p_value: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Leader {
    pub attack: String,
    pub auc: f64,
}

impl Strongest {
    pub fn is_fall(&self, level: f64) -> bool {
        self.fall_p_value <= level
    }
}

/// The leaders of two audits. That an attack of the earlier one is above all of the later ones is told where it is above
/// each of them (an intersection-union test: Berger, Technometrics 1982, theorem 1), so that the largest p-value counts;
/// that it was chosen among its like is paid for by Bonferroni's correction.
pub fn strongest(before: &[AttackMeasures], after: &[AttackMeasures]) -> Option<Strongest> {
    let (old, new) = (leading(before)?, leading(after)?);
    let least_sure = |old: &AttackMeasures| {
        let each = after.iter().map(|new| above(&area(new), &area(old)));
        each.fold(0.0, f64::max)
    };
    let surest = before.iter().map(least_sure).fold(1.0, f64::min);
    Some(Strongest {
        before: leader(old),
        after: leader(new),
        fall_p_value: (surest * before.len() as f64).min(1.0),
    })
}

fn leading(attacks: &[AttackMeasures]) -> Option<&AttackMeasures> {
    attacks
        .iter()
        .max_by(|a, b| a.auc.value.total_cmp(&b.auc.value))
}

fn area(attack: &AttackMeasures) -> Area {
    Area::new(&attack.auc, attack.n_members, attack.n_nonmembers)
}

fn leader(attack: &AttackMeasures) -> Leader {
    Leader {
        attack: attack.id.clone(),
        auc: attack.auc.value,
    }
}

#[cfg(test)]
mod tests {
    use attacks::scores::Scores;
    use stats::streams::{Seed, standard_normal};

    use super::*;
    use crate::{Options, Truth, measure};

    /// Attacks whose scores of members lie so far above those of others.
    fn audit(gains: &[(&str, f64)], seed: u64) -> Vec<AttackMeasures> {
        let truth = Truth::new((0..200).map(|row| row % 2 == 0)).unwrap();
        let options = Options {
            bootstrap_replicates: 0,
            ..Options::default()
        };
        let one = |(place, (id, gain)): (usize, &(&str, f64))| {
            let mut stream = Seed(seed).numbered("audit", place as u64);
            let score = |row: usize| -> attacks::scores::Answer {
                let noise = standard_normal(&mut stream);
                Ok(noise + if row.is_multiple_of(2) { *gain } else { 0.0 })
            };
            let scores: Scores = (0..200).map(score).collect();
            measure(id, &scores, &truth, &options).unwrap()
        };
        gains.iter().enumerate().map(one).collect()
    }

    #[test]
    fn a_fall_is_one_of_the_best_attack() {
        let before = audit(&[("citation", 3.0), ("facts", 0.3)], 1);
        let after = audit(&[("citation", 0.0), ("facts", 0.3)], 2);
        let found = strongest(&before, &after).unwrap();
        assert_eq!(found.before.attack, "citation");
        assert!(found.is_fall(0.001), "{found:?}");
        // Another one is as strong: nothing is gained.
        let after = audit(&[("citation", 0.0), ("facts", 3.0)], 3);
        let found = strongest(&before, &after).unwrap();
        assert_eq!(found.after.attack, "facts");
        assert!(!found.is_fall(0.2), "{found:?}");
        assert!(!strongest(&before, &before).unwrap().is_fall(0.5));
        assert_eq!(strongest(&before, &[]), None);
    }

    #[test]
    fn audits_of_equal_leakage_seldom_seem_to_improve() {
        let leaks = [("a", 1.0), ("b", 1.0), ("c", 0.5), ("d", 0.0)];
        let falls = (0..200).filter(|at| {
            let (before, after) = (audit(&leaks, 1000 + at), audit(&leaks, 5000 + at));
            strongest(&before, &after).unwrap().is_fall(0.05)
        });
        // 200 audits at 5%: 18 or more have a chance of 1%.
        assert!(falls.count() < 18);
    }
}
