//! All scores of an audit in one, for a guardrail: what they tell together.

use attacks::rag::Features;
use attacks::scores::{Abstention, Scores};
use base::Cancel;
use judge::guardrails::Joined;
use judge::{Options, Truth, cross_fitted};
use stats::streams::{Seed, some_of};

use super::AuditContext;
use super::judged::{Judged, measure};
use crate::Error;

/// More records than this make no difference to what is seen.
const MOST_RECORDS: usize = 20_000;
/// What a step of the fit multiplies, records by squared columns: a moment's work.
const MOST_WORK: usize = 100_000_000;
/// Fewer columns than this are wide enough for any audit; of more, the first are taken.
const MOST_SCORES: usize = 200;
/// Products of two are taken of the first columns, so that there are 28 of them at the most, and no more than one to so
/// many records: more would drown what single columns tell.
const MOST_MULTIPLIED: usize = 8;
const RECORDS_TO_A_PRODUCT: usize = 20;

impl Judged {
    /// Joins the scores of the records that count; nothing where there is one score alone, or too few records.
    pub fn joined(
        &self,
        context: &AuditContext,
        scores: &[(String, Scores)],
    ) -> Result<Option<Joined>, Error> {
        if scores.len() < 2 || !self.truth.decides() {
            return Ok(None);
        }
        let scores = &scores[..scores.len().min(MOST_SCORES)];
        let all = self.records.len();
        let most = most_records(scores.len());
        let seed = Seed(context.measuring.seed);
        let places = match all > most {
            true => some_of(&mut seed.stream("joined scores"), all, most),
            false => (0..all).collect(),
        };
        let rows: Vec<usize> = places.iter().map(|&place| self.records[place]).collect();
        let member = |&place: &usize| self.truth.is_member(place);
        let truth = Truth::partly(places.iter().map(member))?;
        let groups = context.groups()?.map(|groups| groups.of_rows(&rows));
        let joined = cross_fitted(&features(scores, &rows), &truth, seed);
        if joined.iter().flatten().next().is_none() {
            return Ok(None);
        }
        let options = Options {
            bootstrap_replicates: 0,
            ..context.measuring.clone()
        };
        let measures = measure(
            &Cancel::new(),
            "joined",
            &joined,
            &truth,
            groups.as_ref(),
            &options,
        )?;
        Ok(Some(Joined {
            scores: scores.len(),
            drawn: (all > most).then_some(most),
            measures,
        }))
    }
}

fn most_records(scores: usize) -> usize {
    let multiplied = scores.min(MOST_MULTIPLIED);
    let products = multiplied * multiplied.saturating_sub(1) / 2;
    let columns = 2 * scores + products + 1;
    (MOST_WORK / (columns * columns)).clamp(1000, MOST_RECORDS)
}

/// Each score as the place that a record has among the others, from −1 to 1, and its square: members may lie at one end,
/// at both or between. Products of two: members may be those for whom two scores agree.
fn features(scores: &[(String, Scores)], rows: &[usize]) -> Features {
    let columns: Vec<Vec<Option<f64>>> = scores
        .iter()
        .map(|(_, scores)| standing(&rows.iter().map(|&row| scores.get(row)).collect::<Vec<_>>()))
        .collect();
    let most = rows.len() / RECORDS_TO_A_PRODUCT;
    let pairs: Vec<(usize, usize)> = (1..columns.len().min(MOST_MULTIPLIED))
        .flat_map(|right| (0..right).map(move |left| (left, right)))
        .take(most)
        .collect();
    let row = |place: usize| {
        let product =
            |&(left, right): &(usize, usize)| Some(columns[left][place]? * columns[right][place]?);
        let stands = columns.iter().map(|column| column[place]);
        let row: Vec<Option<f64>> = stands
            .flat_map(|stands| [stands, stands.map(|stands| stands * stands)])
            .chain(pairs.iter().map(product))
            .collect();
        match row.iter().any(Option::is_some) {
            true => Ok(row),
            false => Err(Abstention::Undefined),
        }
    };
    Features {
        rows: (0..rows.len()).map(row).collect(),
    }
}

/// The share of values below less the share above.
fn standing(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut sorted: Vec<f64> = values.iter().copied().flatten().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let stands = |value: f64| {
        let below = sorted.partition_point(|other| *other < value);
        let above = sorted.len() - sorted.partition_point(|other| *other <= value);
        (below as f64 - above as f64) / sorted.len() as f64
    };
    values.iter().map(|value| value.map(stands)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_stands_where_it_lies_among_the_others() {
        let stands = standing(&[
            Some(3.0),
            None,
            Some(f64::NEG_INFINITY),
            Some(3.0),
            Some(9.0),
        ]);
        assert_eq!(
            stands,
            [Some(0.0), None, Some(-0.75), Some(0.0), Some(0.75)]
        );
    }

    /// So many columns by place, joined; whether they tell beyond chance at the 1% level.
    fn tells(
        records: usize,
        columns: usize,
        seed: u64,
        column: impl Fn(&[f64], bool) -> Vec<f64>,
    ) -> bool {
        let mut rng = Seed(seed).stream("test");
        let mut scores = vec![(String::new(), Scores::default()); columns];
        let member = |place: usize| place.is_multiple_of(2);
        for place in 0..records {
            let drawn: Vec<f64> = (0..columns)
                .map(|_| stats::streams::standard_normal(&mut rng))
                .collect();
            let values = column(&drawn, member(place));
            for ((_, scores), value) in scores.iter_mut().zip(values) {
                scores.extend([Ok(value)]);
            }
        }
        let rows: Vec<usize> = (0..records).collect();
        let truth = Truth::new(rows.iter().map(|&place| member(place))).unwrap();
        let joined = cross_fitted(&features(&scores, &rows), &truth, Seed(seed));
        let options = Options {
            bootstrap_replicates: 0,
            calibrate: false,
            ..Options::default()
        };
        let measures = judge::measure("joined", &joined, &truth, &options).unwrap();
        measures.auc.at_confidence(0.99).low > 0.5
    }

    #[test]
    fn two_scores_tell_members_by_whether_they_agree() {
        let agreeing = |drawn: &[f64], member: bool| {
            let sign = if member { 1.0 } else { -1.0 };
            vec![drawn[0], drawn[1].abs() * drawn[0].signum() * sign]
        };
        assert!(tells(600, 2, 1, agreeing));
    }

    #[test]
    fn scores_that_tell_nothing_tell_nothing_together() {
        let nulls = |columns| {
            let seeds = 0..100;
            seeds
                .filter(|seed| tells(200, columns, *seed, |drawn, _| drawn.to_vec()))
                .count()
        };
        // Half of a hundredth lies above; 4 of 100 or more once in 600 times.
        assert!(nulls(3) < 4, "{}", nulls(3));
        assert!(nulls(8) < 4, "{}", nulls(8));
    }

    #[test]
    fn many_scores_are_joined_on_fewer_records() {
        assert_eq!(most_records(2), MOST_RECORDS);
        assert!(most_records(100) < 3000 && most_records(200) == 1000);
    }
}
