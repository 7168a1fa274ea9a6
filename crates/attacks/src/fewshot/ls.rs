//! `fes-ls`: distances to known records, smoothed over the records asked about.

use super::laplacian::Graph;
use super::prototypes::{NORMALISE, Normalise, Points, Prototypes, chosen};
use super::{Candidate, EpisodeAttack, Fitted, Task};
use crate::card::{Access, Card};
use crate::settings::Settings;
use base::Result;

pub struct LaplacianShot;

/// Neighbours with the record itself among them, and the weight of their pull: the published grid.
const NEIGHBOURS: [usize; 7] = [3, 5, 7, 9, 11, 13, 15];
const LAMBDAS: [f64; 7] = [1.5, 1.7, 2.0, 2.2, 2.5, 2.7, 2.9];

static CARD: Card = Card {
    id: "fes-ls",
    summary: "nearness to known records, smoothed over those asked about",
    asks: "Do the record and its nearest fellows lie nearer to known members or to known \
           non-members?",
    why_it_works: "Members lie near other members; judged together, the records asked about steady \
                   each other's scores.",
    access: Access::Features,
    when_it_misleads: "Near records are near because of their class as much as of their \
                       membership, and smoothing then spreads errors. Scores depend on who else is \
                       asked about. Without normalisation the result hangs on the features' scale.",
    paper: "Jiménez-López et al. 2025, \"Membership Inference Attacks fueled by Few-Shot Learning \
            to detect privacy leakage tackling data integrity\"; Ziko et al. 2020, LaplacianShot, \
            arXiv:2006.15486",
    settings: &[&NORMALISE],
};

impl EpisodeAttack for LaplacianShot {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn candidates(&self, _: usize, _: &Settings) -> Vec<Candidate> {
        let candidate = |(neighbours, lambda)| Candidate {
            values: vec![("knn", neighbours as f64), ("lambda", lambda)],
        };
        grid().map(candidate).collect()
    }

    fn fit(&self, task: &Task, settings: &Settings) -> Result<Box<dyn Fitted>> {
        let [known, others] = chosen(settings, [Normalise::Nothing; 2]);
        let prototypes = Prototypes::new(task, known);
        let look = |rows: &mut dyn Iterator<Item = usize>| {
            graph(&Points::new(task, rows, others), &prototypes)
        };
        Ok(Box::new(FittedLaplacianShot {
            validation: look(&mut task.validation.iter().map(|one| one.row)),
            asked: look(&mut task.asked.iter().copied()),
            member: prototypes.member,
        }))
    }
}

fn grid() -> impl Iterator<Item = (usize, f64)> {
    NEIGHBOURS
        .into_iter()
        .flat_map(|neighbours| LAMBDAS.map(|lambda| (neighbours, lambda)))
}

/// Unaries and neighbours of one set of records.
pub(super) fn graph(points: &Points, prototypes: &Prototypes) -> Graph {
    let most = NEIGHBOURS[NEIGHBOURS.len() - 1] - 1;
    Graph::new(
        &points.distances(&prototypes.points),
        prototypes.member.len(),
        &points.distances(points),
        most,
    )
}

/// P(member): what the records give to members' prototypes.
pub(super) fn member_shares(shares: &[f64], member: &[bool]) -> Vec<f64> {
    let of_members = |row: &[f64]| {
        let sum: f64 = row
            .iter()
            .zip(member)
            .filter_map(|(share, member)| member.then_some(share))
            .sum();
        sum.min(1.0)
    };
    shares.chunks_exact(member.len()).map(of_members).collect()
}

struct FittedLaplacianShot {
    member: Vec<bool>,
    validation: Graph,
    asked: Graph,
}

impl FittedLaplacianShot {
    fn scores(&self, graph: &Graph, candidate: usize) -> Vec<f64> {
        let neighbours = NEIGHBOURS[candidate / LAMBDAS.len()];
        let lambda = LAMBDAS[candidate % LAMBDAS.len()];
        member_shares(&graph.settle(neighbours - 1, lambda), &self.member)
    }
}

impl Fitted for FittedLaplacianShot {
    fn validation(&self, candidate: usize) -> Vec<f64> {
        self.scores(&self.validation, candidate)
    }

    fn asked(&self, candidate: usize) -> Vec<f64> {
        self.scores(&self.asked, candidate)
    }
}
