//! How often the best of many attacks that know nothing lies above a threshold of TPR.

use attacks::scores::Scores;
use judge::{Options, Truth, measure};
use rayon::prelude::*;
use serde_json::{Value, json};
use stats::streams::{Seed, standard_normal};

const DRAWS: u64 = 1_000;
const OF_EACH: usize = 300;
const ATTACKS: usize = 25;
const FPR: f64 = 0.01;
/// Of the preset `internal-release`.
const THRESHOLD: f64 = 0.04;

pub fn of_the_best() -> Result<Value, judge::Error> {
    let draws = (0..DRAWS).into_par_iter().map(is_above);
    let above: Vec<bool> = draws.collect::<Result<_, _>>()?;
    let share = above.iter().filter(|above| **above).count() as f64 / DRAWS as f64;
    Ok(
        json!({"draws": DRAWS, "of_each": OF_EACH, "attacks": ATTACKS, "threshold": THRESHOLD, "above": share}),
    )
}

fn is_above(draw: u64) -> Result<bool, judge::Error> {
    let mut rng = Seed(draw).stream("noise");
    let truth = Truth::new((0..2 * OF_EACH).map(|row| row < OF_EACH))?;
    let options = Options {
        bootstrap_replicates: 0,
        fprs: vec![FPR],
        ..Options::default()
    };
    for id in 0..ATTACKS {
        let scores = (0..2 * OF_EACH).map(|_| Ok(standard_normal(&mut rng)));
        let scores: Scores = scores.collect();
        let found = measure(&format!("attack-{id}"), &scores, &truth, &options)?;
        if found.tpr_at_fpr[0]
            .value
            .is_some_and(|rate| rate >= THRESHOLD)
        {
            return Ok(true);
        }
    }
    Ok(false)
}
