//! `fes-ss`: the nearest known records vote.

use super::prototypes::{NORMALISE, Normalise, Points, Prototypes, chosen};
use super::{Candidate, EpisodeAttack, Fitted, Task};
use crate::card::{Access, Card};
use crate::settings::{Kind, Setting, Settings};
use base::Result;

pub struct SimpleShot;

static NEIGHBOURS: Setting = Setting {
    key: "fes.ss.neighbours",
    kind: Kind::Choice {
        default: "half",
        choices: &["half", "all"],
    },
    help: "how far fes-ss's number of neighbours is tried: odd numbers up to half of the points \
           there are, or up to all",
};

static WEIGHTS: Setting = Setting {
    key: "fes.ss.weights",
    kind: Kind::Choice {
        default: "squared",
        choices: &["squared", "distance"],
    },
    help: "how fes-ss weighs its neighbours: by the inverse of the squared distance, as the published \
           code does, or of the distance itself, as the paper has it",
};

static CARD: Card = Card {
    id: "fes-ss",
    summary: "vote of the nearest known records",
    asks: "Does the model's output for the record lie nearer to those of known members or to \
           those of known non-members?",
    why_it_works: "Training pushes the outputs of the records trained on towards a corner of \
                   their own; where that corner is, a few known records show.",
    access: Access::Features,
    when_it_misleads: "With one shot there are only two points and every score is 0 or 1. Outputs \
                       lie by class first and by membership second, so a few known records of \
                       other classes say little. Its published results are those of chance: read \
                       it beside the control.",
    paper: "Jiménez-López et al. 2025, \"Membership Inference Attacks fueled by Few-Shot Learning \
            to detect privacy leakage tackling data integrity\"; Wang et al. 2019, SimpleShot, \
            arXiv:1911.04623",
    settings: &[&NORMALISE, &NEIGHBOURS, &WEIGHTS],
};

impl EpisodeAttack for SimpleShot {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn candidates(&self, shots: usize, settings: &Settings) -> Vec<Candidate> {
        let numbers = numbers_of_neighbours(shots, settings).map(|k| Candidate {
            values: vec![("k", k as f64)],
        });
        numbers.collect()
    }

    fn fit(&self, task: &Task, settings: &Settings) -> Result<Box<dyn Fitted>> {
        let as_coded = [Normalise::Nothing, Normalise::CentredLength];
        let [known, others] = chosen(settings, as_coded);
        let prototypes = Prototypes::new(task, known);
        let weights = Weights::chosen(settings);
        let look = |points: Points| Neighbours::new(&points, &prototypes, weights);
        let validation = task.validation.iter().map(|one| one.row);
        let asked = task.asked.iter().copied();
        let shots = task.support.len() / 2;
        Ok(Box::new(FittedSimpleShot {
            numbers: numbers_of_neighbours(shots, settings).collect(),
            validation: look(Points::new(task, validation, others)),
            asked: look(Points::new(task, asked, others)),
        }))
    }
}

/// Odd numbers up to half of, or all, 2K + 2 points; K = 1 has only its two points.
fn numbers_of_neighbours(shots: usize, settings: &Settings) -> impl Iterator<Item = usize> {
    let points = 2 * shots + 2;
    let most = match settings.choice(&NEIGHBOURS) {
        "all" => points,
        _ => points / 2,
    };
    let there = if shots > 1 { points } else { 2 };
    (1..=most.min(there)).step_by(2)
}

struct FittedSimpleShot {
    numbers: Vec<usize>,
    validation: Neighbours,
    asked: Neighbours,
}

impl Fitted for FittedSimpleShot {
    fn validation(&self, candidate: usize) -> Vec<f64> {
        self.validation.votes(self.numbers[candidate])
    }

    fn asked(&self, candidate: usize) -> Vec<f64> {
        self.asked.votes(self.numbers[candidate])
    }
}

/// What a neighbour's vote weighs.
#[derive(Clone, Copy)]
enum Weights {
    InverseSquaredDistance,
    InverseDistance,
}

impl Weights {
    fn chosen(settings: &Settings) -> Self {
        match settings.choice(&WEIGHTS) {
            "distance" => Weights::InverseDistance,
            _ => Weights::InverseSquaredDistance,
        }
    }

    /// Relative to the nearest, so that no weight overflows; both distances squared.
    fn weight(self, nearest: f64, distance: f64) -> f64 {
        match self {
            Weights::InverseSquaredDistance => nearest / distance,
            Weights::InverseDistance => (nearest / distance).sqrt(),
        }
    }
}

/// For each record the squared distance and kind of every prototype, nearest first.
struct Neighbours {
    prototypes: usize,
    weights: Weights,
    ordered: Vec<(f64, bool)>,
}

impl Neighbours {
    fn new(points: &Points, prototypes: &Prototypes, weights: Weights) -> Self {
        let width = prototypes.member.len();
        let mut ordered = Vec::with_capacity(points.len() * width);
        for row in points.distances(&prototypes.points).chunks_exact(width) {
            let start = ordered.len();
            ordered.extend(row.iter().copied().zip(prototypes.member.iter().copied()));
            // A stable sort: equally near points stay in their order.
            ordered[start..].sort_by(|a: &(f64, bool), b| a.0.total_cmp(&b.0));
        }
        Self {
            prototypes: width,
            weights,
            ordered,
        }
    }

    fn votes(&self, number: usize) -> Vec<f64> {
        let rows = self.ordered.chunks_exact(self.prototypes);
        rows.map(|row| vote(row, number, self.weights)).collect()
    }
}

/// The members' share of the weights of the k nearest. Points at no distance at all decide alone and
/// equally, however many they are.
fn vote(ordered: &[(f64, bool)], number: usize, weights: Weights) -> f64 {
    let nearest = ordered[0].0;
    let share = |weight: &dyn Fn(f64) -> f64, voters: &[(f64, bool)]| {
        let all: f64 = voters.iter().map(|voter| weight(voter.0)).sum();
        let members = voters.iter().filter(|voter| voter.1);
        members.map(|voter| weight(voter.0)).sum::<f64>() / all
    };
    if nearest == 0.0 {
        let same = ordered.partition_point(|voter| voter.0 == 0.0);
        return share(&|_| 1.0, &ordered[..same]);
    }
    let weight = |distance| weights.weight(nearest, distance);
    share(&weight, &ordered[..number])
}
