//! The population that was given, and whether it tells what shadows did not see of the audited records.

use std::collections::HashSet;

use attacks::signals::shadow::{Rescale, ShadowSignals};

use super::{ShadowRequest, source_name};
use crate::Error;

impl ShadowRequest {
    /// The population under the same models and with as many augmentations.
    pub(super) fn check_population(&self) -> Result<(), Error> {
        let Some(population) = &self.population else {
            return Ok(());
        };
        let counts = [
            (population.models(), self.table.models(), "models"),
            (
                population.augmentations(),
                self.table.augmentations(),
                "augmentations",
            ),
        ];
        for (given, wanted, what) in counts {
            if given != wanted {
                return Err(Error::usage(
                    format!(
                        "{}the population has {given} {what} but the signals have {wanted}",
                        source_name(population)
                    ),
                    "query the same models, in the same order and manner, on the population records",
                ));
            }
        }
        Ok(())
    }

    /// The reference records of an offline audit: no shadow trained on an audited record, and shadows
    /// trained on some of these.
    pub(super) fn references(&self, signals: &ShadowSignals) -> Option<ShadowSignals> {
        let population = self.population.as_ref().filter(|_| signals.is_offline())?;
        let seen = population.seen_from(self.target, &signals.shadows);
        (!seen.is_offline()).then_some(seen)
    }

    /// Reference records are known non-members of the audited model, and every shadow trained on some of
    /// them and not on others.
    pub(super) fn check_references(&self, signals: &ShadowSignals) -> Result<(), Error> {
        let (Some(seen), Some(population)) = (self.references(signals), &self.population) else {
            return Ok(());
        };
        let (source, records) = (source_name(population), population.records());
        let known = population.members_known;
        let own = &population.members[self.target];
        if let Some(member) = (0..records).find(|&record| known && own.get(record)) {
            return Err(Error::usage(
                format!(
                    "{source}keep of model {}, record {member} is 1: the audited model trained on a reference \
                     record",
                    self.target
                ),
                "reference records are known non-members of the audited model: leave out those it trained \
                 on",
            ));
        }
        for (&shadow, row) in seen.shadows.iter().zip(&seen.members) {
            let words = match row.count() {
                0 => "none",
                all if all == records => "all",
                _ => continue,
            };
            return Err(Error::usage(
                format!(
                    "{source}keep of model {shadow}: it trained on {words} of the {records} reference records"
                ),
                "train each shadow on its own random half of the reference records, or leave this model out \
                 with --shadows",
            ));
        }
        check_numbers(signals, &seen, &source)
    }
}

/// So many models are looked at, and so many reference records.
const MODELS: usize = 8;
const SAMPLED: usize = 1000;

/// Reference records differ from each other, and from the audited ones.
fn check_numbers(audited: &ShadowSignals, seen: &ShadowSignals, source: &str) -> Result<(), Error> {
    let models: Vec<usize> = std::iter::once(seen.target)
        .chain(seen.shadows.iter().copied())
        .take(MODELS)
        .collect();
    let given = rows(seen, &models);
    if given.windows(2).all(|pair| pair[0] == pair[1]) {
        return Err(Error::usage(
            format!("{source}every reference record has the same numbers"),
            "query the models on the reference records, and store what each puts out",
        ));
    }
    let known: HashSet<Vec<u64>> = rows(audited, &models).into_iter().collect();
    let step = (given.len() / SAMPLED).max(1);
    let sampled: Vec<&Vec<u64>> = given.iter().step_by(step).collect();
    let same = sampled.iter().filter(|row| known.contains(**row)).count();
    match 20 * same > sampled.len() {
        false => Ok(()),
        true => Err(Error::usage(
            format!(
                "{source}{same} of {} reference records that were looked at have the numbers of audited records \
                 under every model",
                sampled.len()
            ),
            "reference records are other records than the audited ones, and shadows trained on them alone",
        )),
    }
}

/// What some models put out for each record, bit by bit.
fn rows(signals: &ShadowSignals, models: &[usize]) -> Vec<Vec<u64>> {
    let records = signals.records();
    let mut rows = vec![Vec::with_capacity(models.len()); records];
    let mut phi = vec![0.0; records];
    for &model in models {
        let outputs = &signals.outputs;
        outputs.phi(model, 0..records, 0, Rescale::Exact, &mut phi);
        let each = rows.iter_mut().zip(&phi);
        each.for_each(|(row, phi)| row.push(phi.to_bits()));
    }
    rows
}
