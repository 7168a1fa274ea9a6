//! ROC counts: true and false positives at every distinct score.
//!
//! Ties move together: records with equal scores enter at one point, and in
//! the area a tied pair is worth one half. All counts are integers; division
//! comes last. The curve is a staircase of these points; nothing here
//! interpolates between them (except [`Roc::auc_hull`], by definition).

/// One point: what "score at or above the threshold" catches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RocPoint {
    /// The smallest score counted as positive. `None` at the origin, where no
    /// record is: +∞ would not do, because it is a legal score.
    pub threshold: Option<f64>,
    pub true_positives: u64,
    pub false_positives: u64,
}

/// The whole curve, from the origin to "everything is a member".
#[derive(Clone, Debug, PartialEq)]
pub struct Roc {
    points: Vec<RocPoint>,
    members: u64,
    nonmembers: u64,
}

impl Roc {
    /// Counts (score, is a member) pairs. `None` when a class is empty or a
    /// score is NaN. Infinite scores are allowed; −0 and 0 are one score.
    pub fn new(scores: impl Iterator<Item = (f64, bool)>) -> Option<Roc> {
        // Room for all in either: what is not written takes no memory, and growing would leave old copies behind.
        let most = scores.size_hint().1.unwrap_or(0);
        let (mut members, mut nonmembers) = (Vec::with_capacity(most), Vec::with_capacity(most));
        for (score, member) in scores {
            if score.is_nan() {
                return None;
            }
            let class = if member {
                &mut members
            } else {
                &mut nonmembers
            };
            class.push(descending_key(score));
        }
        if members.is_empty() || nonmembers.is_empty() {
            return None;
        }
        members.sort_unstable();
        nonmembers.sort_unstable();
        Some(Roc {
            points: merge(&members, &nonmembers),
            members: members.len() as u64,
            nonmembers: nonmembers.len() as u64,
        })
    }

    /// The origin, then one point per distinct score, thresholds descending.
    pub fn points(&self) -> &[RocPoint] {
        &self.points
    }

    pub fn members(&self) -> u64 {
        self.members
    }

    pub fn nonmembers(&self) -> u64 {
        self.nonmembers
    }

    /// P[member's score > non-member's] + ½ P[equal], by exact pair count.
    pub fn auc(&self) -> f64 {
        self.area(&self.points)
    }

    /// Area under the upper convex hull of the points.
    pub fn auc_hull(&self) -> f64 {
        let mut hull: Vec<RocPoint> = Vec::new();
        for &point in &self.points {
            while hull.len() >= 2 && !turns_right(hull[hull.len() - 2], hull[hull.len() - 1], point)
            {
                hull.pop();
            }
            hull.push(point);
        }
        self.area(&hull)
    }

    /// Twice the pairs won is an integer below 2¹²⁸ for any counts.
    fn area(&self, points: &[RocPoint]) -> f64 {
        let twice: u128 = points.windows(2).map(twice_trapezium).sum();
        let pairs = u128::from(self.members) * u128::from(self.nonmembers);
        twice as f64 / (2 * pairs) as f64
    }

    /// Step rule: the largest true-positive count with FP ≤ fpr·nonmembers.
    /// A false-positive rate that is negative or NaN allows none.
    pub fn point_at_fpr(&self, fpr: f64) -> RocPoint {
        // The slack makes 0.29 · 100 the 29 it was meant to be.
        let budget = fpr * self.nonmembers as f64 * (1.0 + 1e-12) + 1e-9;
        self.point_at_false_positives(budget as u64)
    }

    /// The last point with at most this many false positives.
    pub fn point_at_false_positives(&self, max: u64) -> RocPoint {
        let beyond = self
            .points
            .partition_point(|point| point.false_positives <= max);
        // The origin has no false positive, so `beyond` is at least one.
        self.points[beyond - 1]
    }

    /// The same of the scores turned round: what "score at or below the threshold" catches with at most this
    /// many false positives.
    pub fn turned_point_at_false_positives(&self, max: u64) -> RocPoint {
        let above = |point: &RocPoint| self.nonmembers - point.false_positives > max;
        self.turned(self.points.partition_point(above))
    }

    /// The point of the scores turned round with the largest TPR − FPR; the lowest threshold among equals.
    pub fn turned_best_balanced(&self) -> RocPoint {
        let places = (0..self.points.len()).rev();
        let best = places.reduce(|best, place| {
            let better = self.advantage(self.points[place]) < self.advantage(self.points[best]);
            if better { place } else { best }
        });
        self.turned(best.unwrap_or(0))
    }

    /// What lies below a point, counted from the low end of the scores.
    fn turned(&self, place: usize) -> RocPoint {
        let point = self.points[place];
        RocPoint {
            threshold: self.points.get(place + 1).and_then(|next| next.threshold),
            true_positives: self.members - point.true_positives,
            false_positives: self.nonmembers - point.false_positives,
        }
    }

    /// The point with the largest TPR − FPR; the highest threshold among equals.
    pub fn best_balanced(&self) -> RocPoint {
        let mut best = self.points[0];
        for &point in &self.points {
            if self.advantage(point) > self.advantage(best) {
                best = point;
            }
        }
        best
    }

    /// (TPR − FPR) · members · nonmembers.
    fn advantage(&self, point: RocPoint) -> i128 {
        i128::from(point.true_positives) * i128::from(self.nonmembers)
            - i128::from(point.false_positives) * i128::from(self.members)
    }
}

/// An integer that sorts ascending as scores sort descending; −0 joins 0.
fn descending_key(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    if bits >> 63 == 0 {
        !bits ^ (1 << 63)
    } else {
        bits
    }
}

fn score_of(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 0 {
        !key ^ (1 << 63)
    } else {
        key
    })
}

fn merge(members: &[u64], nonmembers: &[u64]) -> Vec<RocPoint> {
    let (mut taken, mut fooled) = (0, 0);
    // At once: growing would hold two copies of the largest thing that there is of an attack.
    let mut points = Vec::with_capacity(members.len() + nonmembers.len() + 1);
    points.push(RocPoint {
        threshold: None,
        true_positives: 0,
        false_positives: 0,
    });
    loop {
        let next = match (members.get(taken), nonmembers.get(fooled)) {
            (Some(&a), Some(&b)) => a.min(b),
            (Some(&key), None) | (None, Some(&key)) => key,
            (None, None) => return points,
        };
        taken += run_length(&members[taken..], next);
        fooled += run_length(&nonmembers[fooled..], next);
        points.push(RocPoint {
            threshold: Some(score_of(next)),
            true_positives: taken as u64,
            false_positives: fooled as u64,
        });
    }
}

fn run_length(keys: &[u64], key: u64) -> usize {
    keys.iter().take_while(|&&other| other == key).count()
}

/// Twice the area under the segment between two points.
fn twice_trapezium(pair: &[RocPoint]) -> u128 {
    let width = pair[1].false_positives - pair[0].false_positives;
    u128::from(width) * (u128::from(pair[0].true_positives) + u128::from(pair[1].true_positives))
}

/// Whether the path a → b → c bends strictly to the right.
fn turns_right(a: RocPoint, b: RocPoint, c: RocPoint) -> bool {
    let step = |from: RocPoint, to: RocPoint| {
        let across = i128::from(to.false_positives) - i128::from(from.false_positives);
        let up = i128::from(to.true_positives) - i128::from(from.true_positives);
        (across, up)
    };
    let ((across1, up1), (across2, up2)) = (step(a, b), step(b, c));
    across1 * up2 < across2 * up1
}
