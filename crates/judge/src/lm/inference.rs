//! Dataset inference: was the set of members, taken together, trained on? Many weak hints add up
//! where no single text can be called (Maini et al. 2024, "LLM dataset inference").

use attacks::scores::Scores;
use serde::{Deserialize, Serialize};
use stats::streams::{Seed, shuffle};
use stats::student::student_t_sf;

use crate::Truth;

/// Share of the scores at either end that are drawn in, so that one text cannot decide and an
/// infinite score has a value.
const TAIL: f64 = 0.025;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Inference {
    /// Chosen on one half of the texts, tested on the other.
    pub attack: String,
    /// One-sided: the chance of scores so much higher for members when they were not trained on.
    pub p_value: f64,
    pub t: f64,
    pub members: usize,
    pub nonmembers: usize,
}

/// Nothing where a half has fewer than two texts of a kind.
pub fn infer(scores: &[(String, Scores)], truth: &Truth, seed: Seed) -> Option<Inference> {
    let mut order: Vec<usize> = truth.known().map(|(record, _)| record).collect();
    shuffle(&mut seed.stream("dataset-inference"), &mut order);
    let (choosing, testing) = order.split_at(order.len() / 2);
    let best = scores
        .iter()
        .filter_map(|(id, scores)| Some((id, scores, Half::new(scores, truth, choosing)?.t()?)))
        .max_by(|a, b| a.2.total_cmp(&b.2));
    let (attack, chosen, _) = best?;
    let half = Half::new(chosen, truth, testing)?;
    let t = half.t()?;
    Some(Inference {
        attack: attack.clone(),
        p_value: student_t_sf(t, half.degrees()?),
        t,
        members: half.members.len(),
        nonmembers: half.nonmembers.len(),
    })
}

struct Half {
    members: Vec<f64>,
    nonmembers: Vec<f64>,
}

impl Half {
    fn new(scores: &Scores, truth: &Truth, records: &[usize]) -> Option<Self> {
        let judged: Vec<(f64, bool)> = records
            .iter()
            .filter_map(|&record| Some((scores.get(record)?, truth.is_member(record)?)))
            .collect();
        let (low, high) = limits(judged.iter().map(|(score, _)| *score).collect())?;
        let of = |kind: bool| {
            let chosen = judged.iter().filter(|(_, member)| *member == kind);
            chosen.map(|(score, _)| score.clamp(low, high)).collect()
        };
        let half = Self {
            members: of(true),
            nonmembers: of(false),
        };
        (half.members.len() > 1 && half.nonmembers.len() > 1).then_some(half)
    }

    /// Welch's statistic. Nothing when all scores are equal.
    fn t(&self) -> Option<f64> {
        let (a, b) = (Moments::new(&self.members), Moments::new(&self.nonmembers));
        let error = (a.error + b.error).sqrt();
        (error > 0.0).then(|| (a.mean - b.mean) / error)
    }

    /// The Welch–Satterthwaite degrees of freedom.
    fn degrees(&self) -> Option<f64> {
        let (a, b) = (Moments::new(&self.members), Moments::new(&self.nonmembers));
        let part = |moments: &Moments| moments.error * moments.error / (moments.n - 1.0);
        let degrees = (a.error + b.error).powi(2) / (part(&a) + part(&b));
        degrees.is_finite().then_some(degrees)
    }
}

/// The scores at the tails, drawn in to finite ones.
fn limits(mut scores: Vec<f64>) -> Option<(f64, f64)> {
    scores.sort_unstable_by(f64::total_cmp);
    let cut = (TAIL * scores.len() as f64) as usize;
    let inner = scores.get(cut..scores.len() - cut)?;
    let mut finite = inner.iter().copied().filter(|score| score.is_finite());
    let low = finite.next()?;
    Some((low, finite.next_back().unwrap_or(low)))
}

struct Moments {
    n: f64,
    mean: f64,
    /// The squared standard error of the mean.
    error: f64,
}

impl Moments {
    fn new(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self {
            n,
            mean,
            error: squares / (n - 1.0) / n,
        }
    }
}
