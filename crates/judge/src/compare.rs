//! Two audits side by side: did a measure really rise or fall, or is it noise?
//!
//! Every p-value is one-sided and multiplied by the number of measures compared in its direction
//! (Bonferroni), so that the chance of any false rise between two audits of equal leakage stays below
//! the level, however the attacks depend on each other; and so does that of any false fall.

pub(crate) mod fisher;
mod rates;
mod strongest;

use serde::{Deserialize, Serialize};
use stats::student::student_t_sf;

pub use self::strongest::{Leader, Strongest, strongest};

use crate::AttackMeasures;
use crate::diagnostics::Slices;
use crate::diagnostics::slices::SliceFinding;
use crate::measure::Auc;

/// One measure of one attack, before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Change {
    pub attack: String,
    /// `auc`, or `tpr@` with the false-positive rate.
    pub measure: String,
    /// Of people, or of a slice; of all records where nothing is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    pub before: f64,
    pub after: f64,
    /// The chance of such a rise, or a larger one, between two audits of equal leakage; nothing
    /// where there are too few non-members to tell.
    pub p_value: Option<f64>,
    /// The same after correcting for the number of measures compared (Bonferroni).
    pub corrected_p_value: Option<f64>,
    /// The chance of such a fall, or a larger one.
    #[serde(default)]
    pub fall_p_value: Option<f64>,
    #[serde(default)]
    pub corrected_fall_p_value: Option<f64>,
}

/// What a measure is of, where not of all records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    Person,
    /// A column and one of its values, as reports show them.
    Slice(String, String),
}

impl std::fmt::Display for Scope {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Scope::Person => out.write_str("by person"),
            Scope::Slice(column, value) => write!(out, "where {column} = {value}"),
        }
    }
}

/// What is compared of an audit.
#[derive(Clone, Copy, Default)]
pub struct Audited<'a> {
    pub attacks: &'a [AttackMeasures],
    /// By person, where records belong to somebody.
    pub persons: Option<&'a [AttackMeasures]>,
    pub slices: Option<&'a Slices>,
}

impl<'a> From<&'a [AttackMeasures]> for Audited<'a> {
    fn from(attacks: &'a [AttackMeasures]) -> Self {
        Audited {
            attacks,
            ..Audited::default()
        }
    }
}

impl Change {
    /// The measure and what it is of.
    pub fn measured(&self) -> String {
        match &self.scope {
            None => self.measure.clone(),
            Some(scope) => format!("{} {scope}", self.measure),
        }
    }

    pub fn is_rise(&self, level: f64) -> bool {
        self.corrected_p_value.is_some_and(|p| p <= level)
    }

    pub fn is_fall(&self, level: f64) -> bool {
        self.corrected_fall_p_value.is_some_and(|p| p <= level)
    }

    /// The corrected p-value of the direction in which the measure went.
    pub fn corrected(&self) -> Option<f64> {
        match self.after < self.before {
            true => self.corrected_fall_p_value,
            false => self.corrected_p_value,
        }
    }
}

/// Every measure that both audits have: of all records, by person, and of slices. The two audits are
/// taken as independent; where they share records this overstates the noise, never the change.
pub fn compare(before: &Audited, after: &Audited) -> Vec<Change> {
    let by_person = before.persons.zip(after.persons);
    let people = pairs(by_person);
    let records = pairs(Some((before.attacks, after.attacks)));
    let slices = slice_pairs(before.slices, after.slices);
    let measures = |(old, _): &(&AttackMeasures, &AttackMeasures)| 1 + old.tpr_at_fpr.len();
    let all = people.iter().chain(&records);
    let candidates = all.map(measures).sum::<usize>() + slices.len();
    let mut changes: Vec<Change> = Vec::new();
    for (old, new) in records {
        changes.push(auc(old, new));
        // Records of one person are caught together: their rates are compared by person alone.
        if by_person.is_none() {
            changes.extend(rates::changes(old, new, candidates));
        }
    }
    for (old, new) in people {
        let own = std::iter::once(auc(old, new)).chain(rates::changes(old, new, candidates));
        changes.extend(own.map(|change| Change {
            scope: Some(Scope::Person),
            ..change
        }));
    }
    let attack = after.slices.map_or("", |slices| slices.attack.as_str());
    changes.extend(slices.into_iter().map(|(old, new, scope)| Change {
        scope: Some(scope),
        ..area(attack, &old, &new)
    }));
    let rises = told(&changes) as f64;
    let falls = (changes.iter().filter(|one| one.fall_p_value.is_some())).count() as f64;
    for change in &mut changes {
        change.corrected_p_value = change.p_value.map(|p| (p * rises).min(1.0));
        change.corrected_fall_p_value = change.fall_p_value.map(|p| (p * falls).min(1.0));
    }
    changes
}

/// The attacks of an audit that another lacks and that lie above every one which both have, beyond noise.
pub fn newly_strongest<'a>(
    before: &[AttackMeasures],
    after: &'a [AttackMeasures],
    level: f64,
) -> Vec<&'a AttackMeasures> {
    let has = |one: &&AttackMeasures| before.iter().any(|old| old.id == one.id);
    let (both, new): (Vec<_>, Vec<_>) = after.iter().partition(has);
    let area = |one: &AttackMeasures| Area::new(&one.auc, one.n_members, one.n_nonmembers);
    let level = level / new.len().max(1) as f64;
    let exceeds = |one: &&AttackMeasures| {
        let mut both = both.iter();
        both.all(|old| above(&area(old), &area(one)) <= level)
    };
    new.into_iter().filter(exceeds).collect()
}

/// How many of the measures could have risen: what the p-values of rises are corrected for.
pub fn told(changes: &[Change]) -> usize {
    changes.iter().filter(|one| one.p_value.is_some()).count()
}

/// The attacks that both have, in the order of the earlier audit.
fn pairs<'a>(
    both: Option<(&'a [AttackMeasures], &'a [AttackMeasures])>,
) -> Vec<(&'a AttackMeasures, &'a AttackMeasures)> {
    let Some((before, after)) = both else {
        return Vec::new();
    };
    let pair = |old: &'a AttackMeasures| Some((old, after.iter().find(|new| new.id == old.id)?));
    before.iter().filter_map(pair).collect()
}

/// The slices that both have, of the attack that each was cut by, with an AUC in both.
fn slice_pairs(before: Option<&Slices>, after: Option<&Slices>) -> Vec<(Area, Area, Scope)> {
    let (Some(before), Some(after)) = (before, after) else {
        return Vec::new();
    };
    let pair = |old: &SliceFinding| {
        let same = |new: &&SliceFinding| new.column == old.column && new.value == old.value;
        let new = after.slices.iter().find(same)?;
        let scope = Scope::Slice(old.column.clone(), old.value.clone());
        Some((Area::of_slice(old)?, Area::of_slice(new)?, scope))
    };
    before.slices.iter().filter_map(pair).collect()
}

/// An AUC, and how well it is known.
struct Area {
    value: f64,
    /// The standard error, or a quarter of the interval where there is none (AUC of 0 or 1).
    spread: f64,
    /// How well the spread is known: no better than by the smaller class.
    degrees: f64,
}

impl Area {
    fn new(auc: &Auc, members: u64, nonmembers: u64) -> Self {
        let quarter = (auc.high - auc.low) / 4.0;
        let error = auc.standard_error.filter(|error| *error > 0.0);
        // With persons, people are what there is more or less of.
        let people = auc
            .persons
            .map(|people| people.members.min(people.nonmembers));
        let smaller = people.unwrap_or(members.min(nonmembers));
        Area {
            value: auc.value,
            spread: error.unwrap_or(quarter),
            degrees: smaller.saturating_sub(1).max(1) as f64,
        }
    }

    fn of_slice(slice: &SliceFinding) -> Option<Self> {
        let auc = &slice.measures.as_ref()?.auc;
        Some(Self::new(auc, slice.members, slice.nonmembers))
    }
}

fn auc(old: &AttackMeasures, new: &AttackMeasures) -> Change {
    let of = |one: &AttackMeasures| Area::new(&one.auc, one.n_members, one.n_nonmembers);
    area(&old.id, &of(old), &of(new))
}

fn area(attack: &str, old: &Area, new: &Area) -> Change {
    Change {
        attack: attack.to_owned(),
        measure: "auc".into(),
        scope: None,
        before: old.value,
        after: new.value,
        p_value: Some(above(old, new)),
        corrected_p_value: None,
        fall_p_value: Some(above(new, old)),
        corrected_fall_p_value: None,
    }
}

/// The chance that equal leaks differ so far in this direction.
fn above(lower: &Area, upper: &Area) -> f64 {
    let variance = lower.spread.powi(2) + upper.spread.powi(2);
    let by = upper.value - lower.value;
    if by <= 0.0 {
        1.0
    } else if variance == 0.0 {
        0.0
    } else {
        student_t_sf(by / variance.sqrt(), lower.degrees + upper.degrees)
    }
}

#[cfg(test)]
mod tests {
    use attacks::scores::Scores;
    use stats::streams::{Seed, standard_normal};

    use super::*;
    use crate::{Options, Truth};

    fn audit(seed: u64, leak: f64) -> AttackMeasures {
        let mut rng = Seed(seed).stream("compare");
        let member = |record: usize| record.is_multiple_of(2);
        let score = |record| standard_normal(&mut rng) + if member(record) { leak } else { 0.0 };
        let scores: Scores = (0..1000).map(score).map(Ok).collect();
        let truth = Truth::new((0..1000).map(member)).unwrap();
        let options = Options {
            bootstrap_replicates: 0,
            ..Options::default()
        };
        crate::measure("test", &scores, &truth, &options).unwrap()
    }

    fn rises(leak_before: f64, leak_after: f64) -> usize {
        count(leak_before, leak_after, Change::is_rise)
    }

    fn count(leak_before: f64, leak_after: f64, told: fn(&Change, f64) -> bool) -> usize {
        let pairs = (0..100).map(|pair| {
            (
                audit(2 * pair, leak_before),
                audit(2 * pair + 1, leak_after),
            )
        });
        pairs
            .filter(|(old, new)| {
                let changes = compare(
                    &std::slice::from_ref(old).into(),
                    &std::slice::from_ref(new).into(),
                );
                changes.iter().any(|change| told(change, 0.05))
            })
            .count()
    }

    #[test]
    fn equal_leaks_rarely_look_like_a_rise_and_a_rise_is_seen() {
        // 5% of 100 are 5, with a deviation of 2.
        assert!(rises(0.7, 0.7) <= 11, "{}", rises(0.7, 0.7));
        assert!(rises(0.0, 0.0) <= 11, "{}", rises(0.0, 0.0));
        assert!(rises(0.3, 0.9) > 95);
    }

    #[test]
    fn an_attack_that_only_the_later_audit_has_is_told_where_it_is_stronger() {
        let named = |id: &str, seed: u64, leak: f64| AttackMeasures {
            id: id.into(),
            ..audit(seed, leak)
        };
        let before = [named("a", 1, 0.0)];
        let after = [named("a", 2, 0.0), named("b", 3, 0.9), named("c", 4, 0.0)];
        let found = newly_strongest(&before, &after, 0.05);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].id, "b");
        assert!(newly_strongest(&after, &after, 0.05).is_empty());
    }

    #[test]
    fn a_fall_is_told_as_a_rise_is() {
        assert!(count(0.9, 0.3, Change::is_fall) > 95);
        assert_eq!(count(0.3, 0.9, Change::is_fall), 0);
        let equal = count(0.7, 0.7, Change::is_fall);
        assert!(equal <= 11, "{equal}");
        let (old, new) = (audit(1, 0.3), audit(2, 0.9));
        let (there, back) = (auc(&old, &new), auc(&new, &old));
        assert_eq!(there.p_value, back.fall_p_value);
        assert_eq!(there.fall_p_value, back.p_value);
    }
}
