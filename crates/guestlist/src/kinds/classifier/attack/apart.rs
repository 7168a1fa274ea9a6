//! What tells the target's members from others without a look at the target.

use std::collections::BTreeMap;

use attacks::signals::shadow::ShadowSignals;
use judge::Truth;
use judge::guardrails::Apart;
use judge::measure::auc::delong_variance;
use rayon::prelude::*;
use stats::normal::normal_quantile;
use stats::roc::Roc;

use super::facts::{SAMPLE_RUN, SAMPLE_RUNS};

/// With fewer of either, chance sets records apart.
const FEW: u64 = 20;

/// What shadows say of a record: the sum of their φ, and the mean of those that did not train on it.
struct Said {
    member: bool,
    all: f64,
    outside: Option<f64>,
}

/// On a sample of the records: how many standard errors the mean φ of all shadows lies higher where the target
/// trained, by ranks; and how well the mean of those tells members apart that did not train on a record.
pub fn by_shadows(signals: &ShadowSignals, truth: &Truth) -> (f64, Option<Apart>) {
    if signals.shadows.is_empty() {
        return (0.0, None);
    }
    let firsts: Vec<usize> = firsts(signals.records()).collect();
    let said: Vec<Said> = firsts
        .into_par_iter()
        .flat_map_iter(|first| said(signals, truth, first))
        .collect();
    let all = said.iter().map(|said| (said.all, said.member));
    let outside = said
        .iter()
        .filter_map(|said| Some((said.outside?, said.member)));
    let known = Roc::new(all).map_or(0.0, |roc| standard_errors(&roc));
    (known, Roc::new(outside).as_ref().and_then(apart))
}

fn said(signals: &ShadowSignals, truth: &Truth, first: usize) -> Vec<Said> {
    let last = signals.records().min(first + SAMPLE_RUN);
    let (mut all, mut outside) = ([0.0; SAMPLE_RUN], [(0.0, 0_u32); SAMPLE_RUN]);
    let mut values = [0.0; SAMPLE_RUN];
    for (&model, members) in signals.shadows.iter().zip(&signals.members) {
        signals.outputs.mean_phi(model, first..last, &mut values);
        for (place, record) in (first..last).enumerate() {
            all[place] += values[place];
            if !members.get(record) {
                outside[place].0 += values[place];
                outside[place].1 += 1;
            }
        }
    }
    let of = |(place, record)| {
        let (sum, count) = outside[place];
        Some(Said {
            member: truth.is_member(record)?,
            all: all[place],
            outside: (count > 0).then(|| sum / f64::from(count)),
        })
    };
    (first..last).enumerate().filter_map(of).collect()
}

fn standard_errors(roc: &Roc) -> f64 {
    let (members, others) = (roc.members() as f64, roc.nonmembers() as f64);
    let error = ((members + others + 1.0) / (12.0 * members * others)).sqrt();
    (roc.auc() - 0.5) / error
}

/// By the share of members among the *other* records of a class, so that no record speaks for itself; on the same
/// sample.
pub fn by_labels(labels: &[i64], truth: &Truth) -> Option<Apart> {
    let known: Vec<(i64, bool)> = firsts(labels.len())
        .flat_map(|first| first..labels.len().min(first + SAMPLE_RUN))
        .filter_map(|record| Some((labels[record], truth.is_member(record)?)))
        .collect();
    let mut counts = BTreeMap::<i64, [f64; 2]>::new();
    for (label, member) in &known {
        counts.entry(*label).or_default()[usize::from(*member)] += 1.0;
    }
    let share = |&(label, member): &(i64, bool)| {
        let [others, members] = counts[&label];
        let rest = others + members - 1.0;
        let own = f64::from(u8::from(member));
        (rest > 0.0).then(|| ((members - own) / rest, member))
    };
    Roc::new(known.iter().filter_map(share))
        .as_ref()
        .and_then(apart)
}

/// Where the runs of records begin that stand for all.
fn firsts(records: usize) -> impl Iterator<Item = usize> {
    (0..records).step_by((records / SAMPLE_RUNS).max(SAMPLE_RUN))
}

fn apart(roc: &Roc) -> Option<Apart> {
    if roc.members().min(roc.nonmembers()) < FEW {
        return None;
    }
    let (value, error) = (roc.auc(), delong_variance(roc)?.sqrt());
    let far = error * normal_quantile(0.5 + Apart::CONFIDENCE / 2.0);
    Some(Apart {
        auc: value,
        low: (value - far).max(0.0),
        high: (value + far).min(1.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth(members: impl Iterator<Item = bool>) -> Truth {
        Truth::new(members).unwrap()
    }

    #[test]
    fn classes_that_hold_members_alone_tell_and_random_ones_do_not() {
        let labels: Vec<i64> = (0..4000).map(|record| record % 10).collect();
        let followed = truth(labels.iter().map(|&label| label < 5));
        let found = by_labels(&labels, &followed).unwrap();
        assert!(found.low > 0.99, "{found:?}");
        let mut stream = stats::streams::Seed(1).stream("members");
        let drawn = truth((labels.iter()).map(|_| stats::streams::below(&mut stream, 2) == 1));
        let found = by_labels(&labels, &drawn).unwrap();
        assert!(found.low < 0.5, "{found:?}");
        assert!(by_labels(&labels[..30], &truth((0..30).map(|record| record < 15))).is_none());
    }
}
