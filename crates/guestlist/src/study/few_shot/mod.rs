//! What is published about few-shot attacks and Log-MIA, recomputed beside what chance gives, and what the
//! attacks reach on data of the user's (`attacks` has the paper in the cards of `fes-ss`, `fes-ls` and `fes-tt`).

mod given;
mod measured;
mod page;
mod readied;

use base::Progress;
use judge::Truth;
use judge::fewshot::Design;
use judge::measure::FalsePositiveRule;
use serde::{Deserialize, Serialize};

pub use self::given::{Given, Subject};
pub use self::measured::{LayerMeasured, Pooled, SetMeasured};
pub use self::readied::{Readied, read};

use crate::Result;
use crate::kinds::fewshot::EpisodeSettings;

/// Known records of each kind.
pub const SHOTS: [usize; 4] = [1, 5, 10, 50];
/// Runs of the paper, for each number of shots.
pub const RUNS: usize = 500;

/// What is to be studied of all data, and how thoroughly.
#[derive(Clone, Debug)]
pub struct FewShotRequest {
    pub shots: Vec<usize>,
    pub runs: usize,
    pub seed: u64,
    /// What makes the page again.
    pub command: String,
}

impl FewShotRequest {
    /// Refuses what cannot be run on so many records, before models of them are trained.
    pub fn check(&self, members: usize, nonmembers: usize) -> Result<()> {
        let records = members + nonmembers;
        let truth = Truth::new((0..records).map(|record| record < members))?;
        self.design().check(&truth)
    }

    fn design(&self) -> Design {
        let episodes = EpisodeSettings {
            shots: self.shots.clone(),
            runs: self.runs,
            ..EpisodeSettings::default()
        };
        episodes.design(FalsePositiveRule::Ceil, self.seed)
    }
}

/// All that was measured. What is published is on the page alone: it needs no data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FewShot {
    pub schema: String,
    pub version: String,
    pub command: String,
    pub seed: u64,
    pub runs: usize,
    pub sets: Vec<SetMeasured>,
}

const SCHEMA: &str = "guestlist.study.few-shot/1";

impl FewShot {
    /// The page, in Markdown.
    pub fn to_markdown(&self) -> String {
        page::markdown(self)
    }
}

/// Measures what was read.
pub fn run(
    readied: Vec<Readied>,
    request: &FewShotRequest,
    progress: Progress<'_>,
) -> Result<FewShot> {
    let sets = readied.into_iter();
    let sets = sets.map(|one| measured::measure(one, progress));
    Ok(FewShot {
        schema: SCHEMA.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        command: request.command.clone(),
        seed: request.seed,
        runs: request.runs,
        sets: sets.collect::<Result<_>>()?,
    })
}
