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
    let columns = 2 * scores + 1;
    (MOST_WORK / (columns * columns)).clamp(1000, MOST_RECORDS)
}

/// Each score as the place that a record has among the others, from −1 to 1, and its square: members may lie at one end,
/// at both or between.
fn features(scores: &[(String, Scores)], rows: &[usize]) -> Features {
    let columns: Vec<Vec<Option<f64>>> = scores
        .iter()
        .map(|(_, scores)| standing(&rows.iter().map(|&row| scores.get(row)).collect::<Vec<_>>()))
        .collect();
    let row = |place: usize| {
        let stands = columns.iter().map(|column| column[place]);
        let row: Vec<Option<f64>> = stands
            .flat_map(|stands| [stands, stands.map(|stands| stands * stands)])
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

    #[test]
    fn many_scores_are_joined_on_fewer_records() {
        assert_eq!(most_records(2), MOST_RECORDS);
        assert!(most_records(100) < 3000 && most_records(200) == 1000);
    }
}
