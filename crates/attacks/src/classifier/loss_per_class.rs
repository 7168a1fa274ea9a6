//! `loss-per-class`: rank of the record's loss among the records of its own class.

use std::collections::BTreeMap;

use super::ShadowAttack;
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use base::{Error, Result};

pub struct LossPerClass;

static CARD: Card = Card {
    id: "loss-per-class",
    summary: "share of the records of the same class whose loss under the audited model is higher",
    asks: "Is the record's loss lower than that of most records of its class?",
    why_it_works: "Some classes are harder than others, and one threshold for all of them mistakes \
                   a hard class for non-members. A rank within the class is a threshold for each \
                   class. The paper tunes those thresholds on shadow models; this rank sees nobody's \
                   membership.",
    access: Access::TargetOnly,
    when_it_misleads: "Where the share of members differs between classes, the rank takes that away, \
                       and with it a part of the leak. A class of a few records has coarse ranks. It \
                       needs the true labels.",
    paper: "Song & Mittal 2021, arXiv:2003.10595 (class-dependent thresholds)",
    settings: &[],
};

impl ShadowAttack for LossPerClass {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let labels = view.signals.outputs.true_classes().ok_or_else(|| {
            Error::missing_access(
                "the true class of the records is not known",
                "store labels [records] beside the outputs",
            )
        })?;
        let phi: Vec<f64> = view.statistics.records.iter().map(|it| it.target).collect();
        Ok(ranks_by_class(&phi, labels).into_iter().map(Ok).collect())
    }
}

/// For every value the share of its class below it, those that equal it counting half. The mean
/// over any class is one half, so that no class stands above another by its size.
fn ranks_by_class(values: &[f64], labels: &[u32]) -> Vec<f64> {
    let mut classes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (record, &label) in labels.iter().enumerate() {
        classes.entry(label).or_default().push(record);
    }
    let mut ranks = vec![0.0; values.len()];
    for mut records in classes.into_values() {
        records.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
        rank(&records, values, &mut ranks);
    }
    ranks
}

/// Ranks of records in ascending order of their values.
fn rank(ascending: &[usize], values: &[f64], ranks: &mut [f64]) {
    let mut below = 0;
    for equal in ascending.chunk_by(|a, b| values[*a] == values[*b]) {
        let middle = below as f64 + equal.len() as f64 / 2.0;
        for &record in equal {
            ranks[record] = middle / ascending.len() as f64;
        }
        below += equal.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_compared_with_its_own_class_alone() {
        let values = [5.0, 6.0, -1.0, 7.0, -2.0, 6.0];
        let ranks = ranks_by_class(&values, &[0, 0, 1, 0, 1, 0]);
        assert_eq!(ranks, [0.125, 0.5, 0.75, 0.875, 0.25, 0.5]);
    }

    #[test]
    fn a_class_of_one_is_in_the_middle() {
        assert_eq!(ranks_by_class(&[3.0], &[9]), [0.5]);
    }
}
