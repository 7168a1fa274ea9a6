//! What the largest of several correlated statistics does by chance.

use stats::correlated::CorrelatedNormals;
use stats::roc::Roc;
use stats::streams::Seed;

/// Draws of all statistics together: enough to tell 0.1% from 0.05%.
const DRAWS: usize = 20_000;

/// How each record of a slice is placed among those of the other class by one attack, less the
/// attack's AUC, divided by the size of its class: the record's part in the error of the AUC, by row.
pub(super) struct Placements(Vec<(usize, f64)>);

impl Placements {
    /// Of (row, score, is a member), rows ascending.
    pub(super) fn new(records: impl Iterator<Item = (usize, f64, bool)>, roc: &Roc) -> Self {
        let area = roc.auc();
        let (members, nonmembers) = (roc.members() as f64, roc.nonmembers() as f64);
        let part = |score: f64, member: bool| {
            let (above, here) = around(roc, score);
            match member {
                true => {
                    let beaten = (nonmembers - above.1 - here.1 / 2.0) / nonmembers;
                    (beaten - area) / members
                }
                false => ((above.0 + here.0 / 2.0) / members - area) / nonmembers,
            }
        };
        Self(
            records
                .map(|(row, score, member)| (row, part(score, member)))
                .collect(),
        )
    }

    #[cfg(test)]
    pub(super) fn parts(&self) -> impl Iterator<Item = (usize, f64)> {
        self.0.iter().copied()
    }

    /// The sum of products over the records that both attacks judged.
    fn dot(&self, other: &Self) -> f64 {
        let mut others = other.0.iter().peekable();
        let mut sum = 0.0;
        for &(row, part) in &self.0 {
            while others.next_if(|other| other.0 < row).is_some() {}
            sum += others
                .next_if(|other| other.0 == row)
                .map_or(0.0, |other| part * other.1);
        }
        sum
    }
}

/// Members and non-members above a score, and those that share it.
fn around(roc: &Roc, score: f64) -> ((f64, f64), (f64, f64)) {
    let points = roc.points();
    let place = points.partition_point(|point| point.threshold.is_none_or(|other| other > score));
    let (before, here) = (&points[place - 1], &points[place.min(points.len() - 1)]);
    let above = (before.true_positives as f64, before.false_positives as f64);
    let same = (
        here.true_positives as f64 - above.0,
        here.false_positives as f64 - above.1,
    );
    (above, same)
}

/// The chance that the largest of so many standard normal variables, correlated as the attacks' AUCs
/// are, reaches a value. Attacks whose error is nil count as independent of the others.
pub(super) fn chance_of_largest(attacks: &[&Placements], value: f64, seed: Seed) -> f64 {
    let size = attacks.len();
    let scale: Vec<f64> = attacks.iter().map(|one| one.dot(one).sqrt()).collect();
    let mut correlation = vec![0.0; size * size];
    for row in 0..size {
        correlation[row * size + row] = 1.0;
        for column in 0..row {
            let scales = scale[row] * scale[column];
            if scales > 0.0 {
                correlation[row * size + column] = attacks[row].dot(attacks[column]) / scales;
            }
        }
    }
    let Some(mut normals) = CorrelatedNormals::new(correlation, size) else {
        return 1.0;
    };
    let mut rng = seed.stream("slices");
    let mut reached = 0;
    for _ in 0..DRAWS {
        let largest = normals
            .draw(&mut rng)
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        reached += usize::from(largest >= value);
    }
    (reached + 1) as f64 / (DRAWS + 1) as f64
}
