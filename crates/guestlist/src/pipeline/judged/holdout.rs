//! Choosing the attack on one half of the records and reporting on the other.

use attacks::scores::Scores;
use judge::gate::Measure;
use judge::persons::Groups;
use judge::{Options, Truth, verdict};
use rayon::prelude::*;
use stats::streams::{Seed, shuffle};

use super::Judged;
use crate::Error;
use crate::pipeline::AuditContext;

/// Splits by the seed, never by the scores; people as a whole where records belong to somebody.
pub fn judge(
    scores: &[(String, Scores)],
    truth: &Truth,
    groups: Option<&Groups>,
    context: &AuditContext,
    measures: &[Measure],
) -> Result<Judged, Error> {
    let options = &context.measuring;
    let (choosing, reporting) = halves(truth, groups, options.seed);
    let quick = Options {
        bootstrap_replicates: 0,
        ..options.clone()
    };
    let chosen = Part::new(scores, truth, groups, &choosing)?.measured(&quick)?;
    let part = Part::new(scores, truth, groups, &reporting)?;
    let mut attacks = part.measured(options)?;
    judge::correct_levels(&mut attacks);
    let best = |measure: Measure| Some((measure, verdict::best(&chosen, measure)?.id.clone()));
    let held = measures
        .iter()
        .filter_map(|&measure| best(measure))
        .collect();
    Ok(Judged {
        attacks,
        persons: context.by_person(&part.scores, &part.truth, part.groups.as_ref()),
        truth: part.truth,
        records: reporting,
        held,
        attacker: None,
        slices: None,
        further_slices: Vec::new(),
        canaries: None,
    })
}

/// The records to choose on, and those to report on.
fn halves(truth: &Truth, groups: Option<&Groups>, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let units = groups.map_or(truth.len(), Groups::people);
    let mut order: Vec<usize> = (0..units).collect();
    shuffle(&mut Seed(seed).stream("holdout"), &mut order);
    let Some(groups) = groups else {
        let reporting = order.split_off(units / 2);
        return (order, reporting);
    };
    let mut choosing = vec![false; units];
    order[..units / 2]
        .iter()
        .for_each(|&person| choosing[person] = true);
    (0..truth.len()).partition(|&record| choosing[groups.person(record)])
}

/// Some of the records.
struct Part {
    scores: Vec<(String, Scores)>,
    truth: Truth,
    groups: Option<Groups>,
}

impl Part {
    fn new(
        scores: &[(String, Scores)],
        truth: &Truth,
        groups: Option<&Groups>,
        records: &[usize],
    ) -> Result<Self, Error> {
        let members = records.iter().filter_map(|&record| truth.is_member(record));
        let part = |(id, scores): &(String, Scores)| {
            let part = records.iter().map(|&record| scores.answer(record));
            (id.clone(), part.collect())
        };
        Ok(Part {
            truth: Truth::new(members)?,
            scores: scores.iter().map(part).collect(),
            groups: groups.map(|groups| groups.of_rows(records)),
        })
    }

    fn measured(&self, options: &Options) -> Result<Vec<judge::AttackMeasures>, Error> {
        let groups = self.groups.as_ref();
        let cancel = base::Cancel::default();
        self.scores
            .par_iter()
            .map(|(id, scores)| super::measure(&cancel, id, scores, &self.truth, groups, options))
            .collect()
    }
}
