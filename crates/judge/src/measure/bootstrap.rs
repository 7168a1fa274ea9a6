//! Stratified bootstrap: members and non-members are drawn anew, each with replacement, and the
//! measure is taken again; the middle of what comes out is the interval (Efron's percentiles).
//!
//! The scores are sorted once, before. A replicate is then only a count per record: how often it
//! was drawn. One walk over the sorted records turns the counts into the AUC (integer pairs, ties
//! one half) and into the step points of several false-positive rates. Neighbouring groups of one
//! class only are walked as one, which changes neither.
//!
//! Percentile convention: of B sorted replicates the p-quantile is the ⌈p·B⌉-th (the inverse of
//! the empirical distribution; no interpolation).

use base::{Cancel, Error};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stats::roc::Roc;
use stats::streams::Seed;

use crate::measure::draws::count_draws;
use crate::ranking::{false_positive_budget, groups};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BootstrapInterval {
    pub low: f64,
    pub high: f64,
    pub standard_error: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Bootstrap {
    pub auc: BootstrapInterval,
    /// In the order of the rates asked for.
    pub tpr_at_fpr: Vec<BootstrapInterval>,
    pub method: String,
    pub confidence: f64,
    pub replicates: usize,
    pub n_members: u64,
    pub n_nonmembers: u64,
}

impl BootstrapInterval {
    /// Reaches further from the measured value, and never beyond 0 or 1.
    fn widened(self, value: f64, times: f64) -> Self {
        BootstrapInterval {
            low: (value - times * (value - self.low)).max(0.0),
            high: (value + times * (self.high - value)).min(1.0),
            standard_error: times * self.standard_error,
        }
    }
}

impl Bootstrap {
    /// For scores that vary together, which drawing records one by one does not show: with so many times the
    /// variance, around what was measured.
    pub(crate) fn shared(mut self, roc: &Roc, fprs: &[f64], factor: f64) -> Self {
        if factor == 1.0 {
            return self;
        }
        let times = factor.sqrt();
        self.auc = self.auc.widened(roc.auc(), times);
        for (interval, &fpr) in self.tpr_at_fpr.iter_mut().zip(fprs) {
            let budget = false_positive_budget(fpr, roc.nonmembers());
            let caught = roc.point_at_false_positives(budget).true_positives;
            let rate = caught as f64 / roc.members() as f64;
            *interval = interval.widened(rate, times);
        }
        self.method += ", widened for scores that were fitted on each other";
        self
    }
}

/// Nothing when no replicate was asked for.
pub fn bootstrap(
    roc: &Roc,
    fprs: &[f64],
    replicates: usize,
    confidence: f64,
    seed: Seed,
) -> Option<Bootstrap> {
    // Nobody asks this one to stop.
    let until = bootstrap_until(&Cancel::new(), roc, fprs, replicates, confidence, seed);
    until.ok().flatten()
}

/// The same, until somebody asks to stop.
pub fn bootstrap_until(
    cancel: &Cancel,
    roc: &Roc,
    fprs: &[f64],
    replicates: usize,
    confidence: f64,
    seed: Seed,
) -> Result<Option<Bootstrap>, Error> {
    if replicates == 0 {
        return Ok(None);
    }
    let walk = Walk::new(roc, fprs);
    let outcomes: Vec<Outcome> = (0..replicates)
        .into_par_iter()
        .map_init(
            || walk.scratch(),
            |counts, replicate| {
                if cancel.requested() {
                    return Err(Error::interrupted());
                }
                let mut stream = seed.numbered("bootstrap", replicate as u64);
                count_draws(&mut stream, &mut counts.members);
                count_draws(&mut stream, &mut counts.nonmembers);
                Ok(walk.outcome(counts))
            },
        )
        .collect::<Result<_, Error>>()?;
    Ok(Some(summary(roc, &walk, &outcomes, confidence)))
}

fn summary(roc: &Roc, walk: &Walk, outcomes: &[Outcome], confidence: f64) -> Bootstrap {
    let (members, nonmembers) = (roc.members(), roc.nonmembers());
    let pairs = 2.0 * members as f64 * nonmembers as f64;
    let interval = |value: &dyn Fn(&Outcome) -> f64| {
        percentile_interval(outcomes.iter().map(value).collect(), confidence)
    };
    let rate = |outcome: &Outcome, slot: usize| outcome.caught[slot] as f64 / members as f64;
    Bootstrap {
        auc: interval(&|outcome| outcome.doubled_pairs as f64 / pairs),
        tpr_at_fpr: (walk.slots.iter())
            .map(|&slot| interval(&|outcome| rate(outcome, slot)))
            .collect(),
        method: "stratified bootstrap, percentile".to_owned(),
        confidence,
        replicates: outcomes.len(),
        n_members: members,
        n_nonmembers: nonmembers,
    }
}

/// Expects at least one value.
pub(crate) fn percentile_interval(mut values: Vec<f64>, confidence: f64) -> BootstrapInterval {
    values.sort_unstable_by(f64::total_cmp);
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let side = (1.0 - confidence) / 2.0;
    BootstrapInterval {
        low: percentile(&values, side),
        high: percentile(&values, 1.0 - side),
        standard_error: (squares / (count - 1.0).max(1.0)).sqrt(),
    }
}

/// The ⌈p·B⌉-th of sorted values, with room for the rounding of p·B.
fn percentile(sorted: &[f64], p: f64) -> f64 {
    let rank = (p * sorted.len() as f64 - 1e-9).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

/// How often each record was drawn, best score first within its class.
struct Counts {
    members: Vec<u16>,
    nonmembers: Vec<u16>,
}

/// Where a stretch of the sorted records ends in each class's own order.
struct Stretch {
    members_end: usize,
    nonmembers_end: usize,
}

struct Outcome {
    /// Pairs won twice plus pairs tied.
    doubled_pairs: u64,
    /// Members caught within each budget, budgets ascending.
    caught: Vec<u64>,
}

struct Walk {
    stretches: Vec<Stretch>,
    members: usize,
    nonmembers: usize,
    /// Ascending.
    budgets: Vec<u64>,
    /// For each rate asked for, its place among the budgets.
    slots: Vec<usize>,
}

impl Walk {
    fn new(roc: &Roc, fprs: &[f64]) -> Self {
        let asked: Vec<u64> = (fprs.iter())
            .map(|&fpr| false_positive_budget(fpr, roc.nonmembers()))
            .collect();
        let mut budgets = asked.clone();
        budgets.sort_unstable();
        let slots = (asked.iter())
            .map(|budget| budgets.partition_point(|other| other < budget))
            .collect();
        Walk {
            stretches: stretches(roc),
            members: roc.members() as usize,
            nonmembers: roc.nonmembers() as usize,
            budgets,
            slots,
        }
    }

    fn scratch(&self) -> Counts {
        Counts {
            members: vec![0; self.members],
            nonmembers: vec![0; self.nonmembers],
        }
    }

    /// One walk down the sorted records.
    fn outcome(&self, counts: &Counts) -> Outcome {
        let mut outcome = Outcome {
            doubled_pairs: 0,
            caught: vec![self.members as u64; self.budgets.len()],
        };
        let (mut open, mut caught, mut accused) = (0, 0, 0);
        let (mut member, mut nonmember) = (0, 0);
        let everyone = 2 * self.nonmembers as u64;
        for stretch in &self.stretches {
            let right = sum(&counts.members[member..stretch.members_end]);
            let wrong = sum(&counts.nonmembers[nonmember..stretch.nonmembers_end]);
            (member, nonmember) = (stretch.members_end, stretch.nonmembers_end);
            // Non-members below count twice, tied ones once.
            outcome.doubled_pairs += right * (everyone - 2 * accused - wrong);
            accused += wrong;
            while open < self.budgets.len() && accused > self.budgets[open] {
                outcome.caught[open] = caught;
                open += 1;
            }
            caught += right;
        }
        outcome
    }
}

fn sum(counts: &[u16]) -> u64 {
    counts.iter().map(|&count| u64::from(count)).sum()
}

/// Runs of groups of one class only become one stretch; a tie between classes stays its own.
fn stretches(roc: &Roc) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let (mut members_end, mut nonmembers_end) = (0, 0);
    let mut before = Kind::Both;
    for group in groups(roc) {
        members_end += group.members as usize;
        nonmembers_end += group.nonmembers as usize;
        let kind = Kind::new(group.members, group.nonmembers);
        if kind == before && kind != Kind::Both {
            stretches.pop();
        }
        stretches.push(Stretch {
            members_end,
            nonmembers_end,
        });
        before = kind;
    }
    stretches
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Members,
    Nonmembers,
    Both,
}

impl Kind {
    fn new(members: u64, nonmembers: u64) -> Self {
        match (members, nonmembers) {
            (_, 0) => Kind::Members,
            (0, _) => Kind::Nonmembers,
            _ => Kind::Both,
        }
    }
}

#[cfg(test)]
#[path = "bootstrap_tests.rs"]
mod tests;
