//! Choosing the attack on one half of the records and reporting on the other.

use attacks::scores::Scores;
use judge::gate::Gate;
use judge::{Options, Truth, verdict};
use rayon::prelude::*;
use stats::streams::{Seed, shuffle};

use super::Judged;
use crate::Error;

/// Splits by the seed, never by the scores.
pub fn judge(
    scores: &[(String, Scores)],
    truth: &Truth,
    options: &Options,
    gate: &Gate,
) -> Result<Judged, Error> {
    let mut order: Vec<usize> = (0..truth.len()).collect();
    shuffle(&mut Seed(options.seed).stream("holdout"), &mut order);
    let (choosing, reporting) = order.split_at(truth.len() / 2);
    let quick = Options {
        bootstrap_replicates: 0,
        ..options.clone()
    };
    let chosen = measure_part(scores, truth, choosing, &quick)?;
    let mut attacks = measure_part(scores, truth, reporting, options)?;
    judge::correct_levels(&mut attacks);
    let held = verdict::best(&chosen, gate.measure).map(|attack| attack.id.clone());
    Ok(Judged {
        attacks,
        truth: part(truth, reporting)?,
        records: reporting.to_vec(),
        held,
        attacker: None,
        slices: None,
    })
}

fn part(truth: &Truth, records: &[usize]) -> Result<Truth, Error> {
    let members = records.iter().filter_map(|&record| truth.is_member(record));
    Truth::new(members)
}

fn measure_part(
    scores: &[(String, Scores)],
    truth: &Truth,
    records: &[usize],
    options: &Options,
) -> Result<Vec<judge::AttackMeasures>, Error> {
    let truth = part(truth, records)?;
    scores
        .par_iter()
        .map(|(id, scores)| {
            let part: Scores = records
                .iter()
                .map(|&record| scores.answer(record))
                .collect();
            judge::measure(id, &part, &truth, options)
        })
        .collect()
}
