//! A text as one short vector: what its token signals look like as a whole. For audits that learn from
//! a handful of known records, where every text needs as many numbers as every other.

use crate::Scored;

/// Where each list of signals is looked at.
const QUANTILES: [f64; 7] = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0];

/// Lists of one entry per position that every list has.
struct Series(Vec<Vec<f64>>);

/// The lists that both models' scores have, so that texts of one audit get vectors of one length:
/// `None` where the text has no position with all of them.
pub fn statistics(target: &Scored, reference: Option<&Scored>) -> Option<Vec<f32>> {
    let series = Series::new(target, reference);
    let count = series.0.first().map_or(0, Vec::len);
    if count == 0 {
        return None;
    }
    let mut features = vec![(count as f64).ln() as f32];
    for list in series.0 {
        features.extend(described(list).map(|value| value as f32));
    }
    Some(features)
}

impl Series {
    fn new(target: &Scored, reference: Option<&Scored>) -> Self {
        let mut columns = vec![column(&target.logprob)];
        if let Some(rank) = target.rank.as_ref().filter(|_| target.rank_cap.is_none()) {
            columns.push(rank.iter().map(|r| r.map(|r| f64::from(r).ln())).collect());
        }
        if let (Some(mean), Some(variance)) = (&target.mean, &target.variance) {
            columns.push(standardised(&target.logprob, mean, variance));
        }
        if let Some(reference) = reference {
            let pairs = target.logprob.iter().zip(&reference.logprob);
            let gain = |(own, other): (&Option<f32>, &Option<f32>)| {
                Some(f64::from((*own)?) - f64::from((*other)?))
            };
            columns.push(pairs.map(gain).collect());
        }
        let whole = |place: &usize| {
            let entries = columns.iter();
            entries
                .map(|list| list.get(*place).copied().flatten())
                .all(|entry| entry.is_some_and(f64::is_finite))
        };
        let kept: Vec<usize> = (0..target.logprob.len()).filter(whole).collect();
        let keep = |list: Vec<Option<f64>>| kept.iter().filter_map(|place| list[*place]).collect();
        Self(columns.into_iter().map(keep).collect())
    }
}

fn column(list: &[Option<f32>]) -> Vec<Option<f64>> {
    list.iter().map(|entry| entry.map(f64::from)).collect()
}

/// How far a token's log-probability lies from what the model expects of itself, as Min-K%++ has it
/// (Zhang et al. 2025, equation 3). Without any spread there is no distance.
fn standardised(
    logprob: &[Option<f32>],
    mean: &[Option<f32>],
    variance: &[Option<f32>],
) -> Vec<Option<f64>> {
    let rows = logprob.iter().zip(mean).zip(variance);
    rows.map(|((own, mean), variance)| {
        let spread = f64::from((*variance)?).sqrt();
        let off = f64::from((*own)?) - f64::from((*mean)?);
        Some(if spread > 0.0 { off / spread } else { 0.0 })
    })
    .collect()
}

/// Mean, standard deviation, and quantiles between neighbouring order statistics.
fn described(mut list: Vec<f64>) -> impl Iterator<Item = f64> {
    let count = list.len() as f64;
    let mean = list.iter().sum::<f64>() / count;
    let variance = list.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
    list.sort_by(f64::total_cmp);
    let quantile = move |level: f64| {
        let place = level * (list.len() - 1) as f64;
        let (below, above) = (place.floor() as usize, place.ceil() as usize);
        list[below] + (list[above] - list[below]) * (place - below as f64)
    };
    [mean, variance.sqrt()]
        .into_iter()
        .chain(QUANTILES.into_iter().map(quantile))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(logprob: &[f32]) -> Scored {
        let list = |values: &[f32]| {
            let values = values.iter().map(|value| Some(*value));
            std::iter::once(None).chain(values).collect::<Vec<_>>()
        };
        let of = |value: f32| list(&vec![value; logprob.len()]);
        Scored {
            logprob: list(logprob),
            rank: Some(
                (0..=logprob.len() as u32)
                    .map(|r| (r > 0).then_some(r))
                    .collect(),
            ),
            mean: Some(of(-2.0)),
            variance: Some(of(4.0)),
            ..Scored::default()
        }
    }

    #[test]
    fn numbers_are_those_of_the_definitions() {
        let target = scored(&[-1.0, -2.0, -3.0, -6.0]);
        let reference = scored(&[-2.0, -2.0, -2.0, -2.0]);
        let features = statistics(&target, Some(&reference)).unwrap();
        assert_eq!(features.len(), 1 + 4 * 9);
        let close = |place: usize, value: f32| {
            assert!(
                (features[place] - value).abs() < 1e-5,
                "{place}: {features:?}"
            );
        };
        close(0, 4f32.ln());
        // Log-probabilities: mean, deviation, smallest, median, largest.
        close(1, -3.0);
        close(2, 3.5f32.sqrt());
        close(3, -6.0);
        close(6, -2.5);
        close(9, -1.0);
        // Ranks 1 to 4, standardised log-probabilities, gains over the reference.
        close(10, 24f32.ln() / 4.0);
        close(19, -0.5);
        close(28, -1.0);
    }

    #[test]
    fn gaps_leave_positions_out_and_a_cap_leaves_ranks_out() {
        let mut target = scored(&[-1.0, -2.0, -3.0, -6.0]);
        target.mean.as_mut().unwrap()[4] = None;
        let features = statistics(&target, None).unwrap();
        assert_eq!(features.len(), 1 + 3 * 9);
        assert!((features[1] + 2.0).abs() < 1e-6);
        target.rank_cap = Some(2);
        assert_eq!(statistics(&target, None).unwrap().len(), 1 + 2 * 9);
        assert_eq!(statistics(&Scored::default(), None), None);
    }
}
