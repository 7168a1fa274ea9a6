//! Few-shot audits: many small episodes drawn from the records, each attack run on each of them,
//! and what that comes to beside what chance gives.
//!
//! An episode is K known members and K known non-members (the support), a labelled validation set
//! and an unlabelled query set. The validation set chooses hyper-parameters and, by default, the
//! thresholds; the query set is then judged at them. Jiménez-López et al. (FeS-MIA) describe this
//! and publish results that a score without information reaches too, so every mean here stands
//! beside the exact expectation under chance and beside a control: the same procedure with
//! shuffled membership.

mod design;
mod draw;
mod summarise;
mod summary;
mod trial;

pub use design::{Design, Entrant, Selection, Thresholds};
pub use summary::{Chosen, RegimeSummary, Spread, Summary};

use attacks::fewshot::{Features, WhiteBox};
use attacks::scores::{Abstention, Answer, Scores};
use attacks::settings::Settings;
use base::Progress;
use base::{Error, Result};
use rayon::prelude::*;

use crate::Truth;
use draw::Episode;
use summarise::Series;
use trial::{Court, Trial};

/// The records that episodes are drawn from.
#[derive(Clone, Copy)]
pub struct Records<'a> {
    pub features: &'a Features,
    pub truth: &'a Truth,
    /// The audited model itself, for attacks that can use its weights.
    pub model: Option<&'a dyn WhiteBox>,
}

/// One attack with one number of shots.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub summary: Summary,
    /// Each record's score in the first run that asked about it; an abstention where none did.
    /// Scores of one run share a support set, so they are not quite independent.
    pub pooled: Scores,
}

/// How many steps [`run`] tells its progress of.
pub fn steps(entrants: &[Entrant], design: &Design) -> usize {
    let of_each = entrants.iter().map(|one| one.runs + one.control_runs);
    design.shots.len() * of_each.sum::<usize>()
}

/// Every attack with every number of shots, in that order. The same seed gives the same bytes on
/// any number of threads.
pub fn run(
    records: Records,
    entrants: &[Entrant],
    design: &Design,
    settings: &Settings,
    progress: Progress<'_>,
) -> Result<Vec<Outcome>> {
    check(records, entrants, design)?;
    let most = |of: fn(&Entrant) -> usize| entrants.iter().map(of).max().unwrap_or(0);
    let episodes = draw::episodes(design, records.truth, most(|one| one.runs));
    let controls = draw::controls(design, records.truth, most(|one| one.control_runs));
    let court = Court {
        records,
        centre: records.features.centre(),
        design,
        settings,
    };
    let jobs = jobs(entrants, design, &episodes, &controls);
    let one = |job: &Job| {
        if progress.cancelled() {
            return Err(Error::interrupted());
        }
        let trial = court.trial(job.entrant.attack, job.episode, job.shots);
        progress.advance(1);
        trial
    };
    let trials: Vec<Trial> = jobs.par_iter().map(one).collect::<Result<_>>()?;
    court.outcomes(entrants, &trials, &episodes)
}

fn check(records: Records, entrants: &[Entrant], design: &Design) -> Result<()> {
    let (features, truth) = (records.features.records(), records.truth.len());
    if features != truth {
        return Err(Error::setting(
            format!("features of {features} records, but the membership of {truth}"),
            "both must be of the same records",
        ));
    }
    design.check(records.truth)?;
    let idle = entrants.iter().find(|entrant| entrant.runs < 2);
    idle.map_or(Ok(()), |entrant| {
        Err(Error::setting(
            format!("{} with {} runs", entrant.attack.card().id, entrant.runs),
            "ask for at least 2",
        ))
    })
}

/// One attack on one episode.
struct Job<'a> {
    entrant: &'a Entrant,
    shots: usize,
    episode: &'a Episode,
}

/// In the order of the outcomes: the runs of each series, then its controls.
fn jobs<'a>(
    entrants: &'a [Entrant],
    design: &Design,
    episodes: &'a [Episode],
    controls: &'a [Episode],
) -> Vec<Job<'a>> {
    let mut jobs = Vec::with_capacity(steps(entrants, design));
    for entrant in entrants {
        for &shots in &design.shots {
            let own = &episodes[..entrant.runs];
            let shuffled = &controls[..entrant.control_runs];
            jobs.extend(own.iter().chain(shuffled).map(|episode| Job {
                entrant,
                shots,
                episode,
            }));
        }
    }
    jobs
}

impl Court<'_> {
    fn outcomes(
        &self,
        entrants: &[Entrant],
        mut trials: &[Trial],
        episodes: &[Episode],
    ) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        for entrant in entrants {
            for &shots in &self.design.shots {
                let (own, rest) = trials.split_at(entrant.runs);
                let (controls, rest) = rest.split_at(entrant.control_runs);
                trials = rest;
                let candidates = entrant.attack.candidates(shots, self.settings);
                let series = Series {
                    entrant,
                    shots,
                    trials: own,
                    controls,
                    candidates: candidates.iter().map(ToString::to_string).collect(),
                };
                let too_few = || Error::setting("too few runs", "ask for at least 2");
                let summary = series.summary(self.design, self.records.truth);
                outcomes.push(Outcome {
                    summary: summary.ok_or_else(too_few)?,
                    pooled: pooled(self.records.truth.len(), own, episodes),
                });
            }
        }
        summarise::correct(outcomes.iter_mut().map(|outcome| &mut outcome.summary));
        Ok(outcomes)
    }
}

/// Each record's score in the first run that asked about it.
fn pooled(records: usize, trials: &[Trial], episodes: &[Episode]) -> Scores {
    let mut answers: Vec<Answer> = vec![Err(Abstention::NotAsked); records];
    for (trial, episode) in trials.iter().zip(episodes) {
        for (&row, &score) in episode.asked.iter().zip(&trial.scores) {
            if answers[row].is_err() {
                answers[row] = Ok(score);
            }
        }
    }
    answers.into_iter().collect()
}
