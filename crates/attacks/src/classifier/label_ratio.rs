//! `label-ratio`: the named class alone, held against what shadows name.

use rayon::prelude::*;

use super::ShadowAttack;
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use crate::signals::outputs::ClassOutputs;
use base::Result;

pub struct LabelRatio;

static CARD: Card = Card {
    id: "label-ratio",
    summary: "whether the audited model is right, likelier with the record or without",
    asks: "Is the audited model right about the record, and would it have been without training on it?",
    why_it_works: "Being right about an easy record says nothing, being right about one that only models \
                   with it get right says much. It needs the named class alone, which every service gives; \
                   asked about altered copies of a record as well, it counts votes.",
    access: Access::InAndOutShadows,
    when_it_misleads: "Few shadows tell little of how hard a record is: shares of right answers are drawn \
                       towards those of all records. It needs the outputs for all classes or whether each answer was right, and says nothing \
                       where models are always right.",
    paper: "Choquette-Choo et al. 2021, arXiv:2007.14321 (labels alone, votes over augmented queries); \
            likelihood ratio after Carlini et al. 2022",
    settings: &[],
};

/// So many answers of all records count with those of one.
const PRIOR: f64 = 2.0;

/// Right answers and all answers, of models without the record and with it.
#[derive(Clone, Copy, Default)]
struct Tally {
    right: [f64; 2],
    all: [f64; 2],
}

impl Tally {
    /// The share of right answers of one kind of models, drawn towards what all records have.
    fn share(&self, kind: usize, usual: f64) -> f64 {
        (self.right[kind] + PRIOR * usual) / (self.all[kind] + PRIOR)
    }
}

impl ShadowAttack for LabelRatio {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let target = view.per_right_answer()?;
        let tallies = tallies(view);
        let usual = [0, 1].map(|kind| {
            let right: f64 = tallies.iter().map(|tally| tally.right[kind]).sum();
            let all: f64 = tallies.iter().map(|tally| tally.all[kind]).sum();
            (right + 0.5) / (all + 1.0)
        });
        let ratio = |(right, tally): (f64, &Tally)| {
            let [out, inside] = [0, 1].map(|kind| tally.share(kind, usual[kind]));
            Ok(match right > 0.5 {
                true => inside.ln() - out.ln(),
                false => (-inside).ln_1p() - (-out).ln_1p(),
            })
        };
        let right = (0..target.len()).map(|record| target.get(record).unwrap_or(0.0));
        Ok(right.zip(&tallies).map(ratio).collect())
    }
}

/// What shadows answer, record by record.
fn tallies(view: &View) -> Vec<Tally> {
    let signals = view.signals;
    let records = (0..signals.records()).into_par_iter().with_min_len(64);
    let tally = |output: &mut ClassOutputs, record: usize| {
        let mut tally = Tally::default();
        for (model, members) in signals.shadows.iter().zip(&signals.members) {
            let outputs = &signals.outputs;
            let right = outputs.is_right(*model, record, view.augmentation, output);
            let kind = usize::from(members.get(record));
            tally.all[kind] += 1.0;
            tally.right[kind] += f64::from(u8::from(right.unwrap_or(false)));
        }
        tally
    };
    records.map_init(ClassOutputs::default, tally).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_drawn_towards_the_usual_one() {
        let tally = Tally {
            right: [1.0, 6.0],
            all: [4.0, 6.0],
        };
        // By hand: (1 + 2 · 0.5)/(4 + 2), and (6 + 2 · 0.8)/(6 + 2).
        assert!((tally.share(0, 0.5) - 1.0 / 3.0).abs() < 1e-15);
        assert!((tally.share(1, 0.8) - 0.95).abs() < 1e-15);
        assert_eq!(Tally::default().share(0, 0.7), 0.7);
    }
}
