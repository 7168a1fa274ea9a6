//! The difference of two AUCs on the same records (DeLong, DeLong and Clarke-Pearson 1988): what
//! one gains over the other, with the records' own difficulty taken out.

use attacks::scores::Scores;
use serde::{Deserialize, Serialize};
use stats::normal::{normal_quantile, normal_sf};
use stats::roc::Roc;

use super::auc::{AucScale, auc};
use crate::Truth;
use crate::abstained::placed;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PairedDifference {
    /// First AUC less the second, over all records; where one abstains, it knows nothing.
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub first: f64,
    pub second: f64,
    /// One-sided: the chance of so large a difference when the first is no better.
    pub p_value: f64,
    pub confidence: f64,
    pub n_members: usize,
    pub n_nonmembers: usize,
}

/// Nothing where fewer than two records of a kind have both scores. Abstentions stand where the attack's
/// scores carry no evidence, as in its AUC.
pub fn paired(
    first: &Scores,
    second: &Scores,
    truth: &Truth,
    confidence: f64,
) -> Option<PairedDifference> {
    let both = |first: &Scores, second: &Scores, kind: bool| -> Vec<(f64, f64)> {
        let records = (0..truth.len()).filter(|&record| truth.is_member(record) == Some(kind));
        let pair = |record: usize| Some((first.get(record)?, second.get(record)?));
        records.filter_map(pair).collect()
    };
    if both(first, second, true).len() < 2 || both(first, second, false).len() < 2 {
        return None;
    }
    let (first, second) = (truth.masked(first), truth.masked(second));
    let (first, second) = (placed(&first), placed(&second));
    let (members, nonmembers) = (both(&first, &second, true), both(&first, &second, false));
    let one = placements(&members, &nonmembers, |pair| pair.0);
    let two = placements(&members, &nonmembers, |pair| pair.1);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (a, b) = (mean(&one.members), mean(&two.members));
    let part = |x: &[f64], y: &[f64]| {
        let differences: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
        let centre = mean(&differences);
        let squares: f64 = differences
            .iter()
            .map(|value| (value - centre).powi(2))
            .sum();
        let n = differences.len() as f64;
        squares / (n - 1.0) / n
    };
    let variance = part(&one.members, &two.members) + part(&one.nonmembers, &two.nonmembers);
    let error = variance.sqrt();
    let value = a - b;
    let (low, high) = match error > 0.0 {
        true => {
            let reach = -normal_quantile((1.0 - confidence) / 2.0) * error;
            (value - reach, value + reach)
        }
        // No spread at all is no certainty: what each AUC alone leaves open.
        false => {
            let own = |pick: fn(&(f64, f64)) -> f64| {
                let members = members.iter().map(|pair| (pick(pair), true));
                let others = nonmembers.iter().map(|pair| (pick(pair), false));
                Roc::new(members.chain(others)).map(|roc| auc(&roc, confidence, AucScale::Logit))
            };
            let (one, two) = (own(|pair| pair.0)?, own(|pair| pair.1)?);
            (one.low - two.high, one.high - two.low)
        }
    };
    Some(PairedDifference {
        value,
        low: low.max(-1.0),
        high: high.min(1.0),
        first: a,
        second: b,
        p_value: match error > 0.0 {
            true => normal_sf(value / error),
            // Both order every pair alike, or differ without any spread.
            false => f64::from(u8::from(value <= 0.0)),
        },
        confidence,
        n_members: members.len(),
        n_nonmembers: nonmembers.len(),
    })
}

/// For each record the share of the other kind that it is on the right side of.
struct Placements {
    members: Vec<f64>,
    nonmembers: Vec<f64>,
}

fn placements(
    members: &[(f64, f64)],
    nonmembers: &[(f64, f64)],
    pick: impl Fn(&(f64, f64)) -> f64,
) -> Placements {
    let sorted = |list: &[(f64, f64)]| {
        let mut values: Vec<f64> = list.iter().map(&pick).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    // Ties count half: the mean of what is below and what is not above.
    let below = |values: &[f64], score: f64| {
        let under = values.partition_point(|value| *value < score);
        let upto = values.partition_point(|value| *value <= score);
        (under + upto) as f64 / 2.0 / values.len() as f64
    };
    let (own, others) = (sorted(members), sorted(nonmembers));
    Placements {
        members: members
            .iter()
            .map(|pair| below(&others, pick(pair)))
            .collect(),
        nonmembers: nonmembers
            .iter()
            .map(|pair| 1.0 - below(&own, pick(pair)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::streams::{Seed, standard_normal};

    fn scores(values: &[f64]) -> Scores {
        values.iter().map(|value| Ok(*value)).collect()
    }

    #[test]
    fn agrees_with_pairs_counted_one_by_one() {
        let truth = Truth::new([true, true, true, false, false, false, false]).unwrap();
        let (a, b) = (
            [3.0, 2.0, 2.0, 1.0, 2.0, 0.0, 2.5],
            [1.0, 2.0, 0.0, 1.0, 2.0, 3.0, 0.5],
        );
        let found = paired(&scores(&a), &scores(&b), &truth, 0.95).unwrap();
        let psi = |x: f64, y: f64| f64::from(u8::from(x > y)) + 0.5 * f64::from(u8::from(x == y));
        let area = |s: &[f64]| {
            let mut sum = 0.0;
            for i in 0..3 {
                for j in 3..7 {
                    sum += psi(s[i], s[j]);
                }
            }
            sum / 12.0
        };
        assert!((found.value - (area(&a) - area(&b))).abs() < 1e-12);
        // The variance by its definition.
        let v10 = |s: &[f64], i: usize| (3..7).map(|j| psi(s[i], s[j])).sum::<f64>() / 4.0;
        let v01 = |s: &[f64], j: usize| (0..3).map(|i| psi(s[i], s[j])).sum::<f64>() / 3.0;
        let sample = |d: Vec<f64>| {
            let mean = d.iter().sum::<f64>() / d.len() as f64;
            d.iter().map(|x| (x - mean).powi(2)).sum::<f64>()
                / (d.len() - 1) as f64
                / d.len() as f64
        };
        let variance = sample((0..3).map(|i| v10(&a, i) - v10(&b, i)).collect())
            + sample((3..7).map(|j| v01(&a, j) - v01(&b, j)).collect());
        let reach = 1.959963984540054 * variance.sqrt();
        assert!((found.high - (found.value + reach).min(1.0)).abs() < 1e-9);
    }

    #[test]
    fn equal_arms_reject_no_more_often_than_claimed() {
        let truth = Truth::new((0..80).map(|place| place < 40)).unwrap();
        let mut rejected = 0;
        for run in 0..400 {
            let mut rng = Seed(7).numbered("paired", run);
            let mut draw = || -> Vec<f64> { (0..80).map(|_| standard_normal(&mut rng)).collect() };
            let (common, one, two) = (draw(), draw(), draw());
            let mix = |own: &[f64]| -> Scores {
                let lift = |place: usize| if place < 40 { 0.8 } else { 0.0 };
                (0..80)
                    .map(|place| Ok(common[place] + own[place] + lift(place)))
                    .collect()
            };
            let found = paired(&mix(&one), &mix(&two), &truth, 0.95).unwrap();
            rejected += usize::from(found.p_value < 0.05);
        }
        // 20 expected, standard deviation 4.4.
        assert!((7..=34).contains(&rejected), "{rejected}");
    }

    #[test]
    fn no_spread_is_no_certainty() {
        let truth = Truth::new([true, true, false, false]).unwrap();
        let same = scores(&[1.0, 2.0, 3.0, 0.0]);
        let found = paired(&same, &same, &truth, 0.95).unwrap();
        assert_eq!((found.value, found.p_value), (0.0, 1.0));
        assert!(found.low < 0.0 && found.high > 0.0);
        let truth = Truth::new((0..100).map(|place| place < 50)).unwrap();
        let perfect: Scores = (0..100)
            .map(|place| Ok(f64::from(u8::from(place < 50))))
            .collect();
        let silent: Scores = (0..100).map(|_| Ok(0.0)).collect();
        let found = paired(&perfect, &silent, &truth, 0.95).unwrap();
        assert_eq!((found.value, found.p_value), (0.5, 0.0));
        assert!(
            found.low > 0.3 && found.low < 0.5 && found.high > 0.5,
            "{found:?}"
        );
    }
}
