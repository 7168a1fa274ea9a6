//! `fes-tt`: a head on the model's outputs, tuned on the known records and on the unlabelled ones.

use stats::head::{Constant, Recipe, tune};

use super::{Candidate, EpisodeAttack, Fitted, Lesson, Task, Tuned};
use crate::card::{Access, Card};
use crate::settings::{Kind, Setting, Settings};
use base::Result;

pub struct TransductiveTuning;

/// The published grid for the temperature of the entropy.
const TEMPERATURES: [f64; 6] = [7.0, 8.0, 9.0, 10.0, 11.0, 13.0];

static STYLE: Setting = Setting {
    key: "fes.tt.style",
    kind: Kind::Choice {
        default: "published",
        choices: &["published", "dhillon"],
    },
    help: "how fes-tt tunes: published chooses a temperature by validation and uses Keras's Adam; \
           dhillon holds the head's inputs to length 1, at temperature 1, with PyTorch's Adam",
};

static CARD: Card = Card {
    id: "fes-tt",
    summary: "a two-way head, tuned on known and unlabelled records",
    asks: "What does a head say of the record that was started from the known records' outputs, \
           tuned on them, and made sure of itself on the records asked about?",
    why_it_works: "Members' outputs differ in direction from non-members'; tuning turns the head, \
                   and with the weights given the model itself, along that direction.",
    access: Access::FeaturesAndWeights,
    when_it_misleads: "At the published learning rate and number of epochs the weights hardly \
                       move: the head stays near the class means that it started from. Lowering \
                       the entropy makes it surer, not righter, and only of the records asked \
                       about: a threshold from validation may let more of them through. Without \
                       the weights only the head is tuned.",
    paper: "Jiménez-López et al. 2025, \"Membership Inference Attacks fueled by Few-Shot Learning \
            to detect privacy leakage tackling data integrity\"; Dhillon et al. 2020, \
            arXiv:1909.02729",
    settings: &[&STYLE],
};

impl EpisodeAttack for TransductiveTuning {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn candidates(&self, _: usize, settings: &Settings) -> Vec<Candidate> {
        let (_, temperatures) = style(settings);
        let candidate = |temperature: &f64| Candidate {
            values: vec![("temperature", *temperature)],
        };
        temperatures.iter().map(candidate).collect()
    }

    /// Every temperature is tuned here: one tuning scores both sets of records.
    fn fit(&self, task: &Task, settings: &Settings) -> Result<Box<dyn Fitted>> {
        let (recipe, temperatures) = style(settings);
        let tuned = match task.model {
            Some(model) => model.fine_tune(&Lesson {
                support: task.support,
                validation: task.validation,
                asked: task.asked,
                temperatures,
                recipe: &recipe,
            })?,
            None => tune_head(task, temperatures, &recipe),
        };
        Ok(Box::new(FittedTuning(tuned)))
    }

    fn trains(&self) -> bool {
        true
    }
}

fn style(settings: &Settings) -> (Recipe, &'static [f64]) {
    match settings.choice(&STYLE) {
        "dhillon" => (Recipe::DHILLON, &[1.0]),
        _ => (Recipe::PUBLISHED, &TEMPERATURES),
    }
}

/// Without the model's weights: the outputs stay as they are.
fn tune_head(task: &Task, temperatures: &[f64], recipe: &Recipe) -> Vec<Tuned> {
    let gather = |rows: &mut dyn Iterator<Item = usize>| -> Vec<f64> {
        rows.flat_map(|row| task.features.row(row))
            .copied()
            .collect()
    };
    let mut body = Constant {
        width: task.features.width(),
        support: gather(&mut task.support.iter().map(|one| one.row)),
        validation: gather(&mut task.validation.iter().map(|one| one.row)),
        asked: gather(&mut task.asked.iter().copied()),
    };
    let support: Vec<bool> = task.support.iter().map(|one| one.member).collect();
    let validation: Vec<bool> = task.validation.iter().map(|one| one.member).collect();
    let tune_at = |&temperature: &f64| {
        let head = tune(&mut body, &support, &validation, temperature, recipe);
        Tuned {
            validation: head.probabilities(&body.validation),
            asked: head.probabilities(&body.asked),
        }
    };
    temperatures.iter().map(tune_at).collect()
}

struct FittedTuning(Vec<Tuned>);

impl Fitted for FittedTuning {
    fn validation(&self, candidate: usize) -> Vec<f64> {
        self.0[candidate].validation.clone()
    }

    fn asked(&self, candidate: usize) -> Vec<f64> {
        self.0[candidate].asked.clone()
    }
}
