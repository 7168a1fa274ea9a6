//! The tables of the BaVarIA paper (`attacks` has its citation in the cards of `bavaria-n` and `bavaria-t`): how
//! the attacks of the exponential family do with few shadows and with many, and whether φ is as normal as
//! they take it to be.

mod measured;
mod page;
mod published;

use std::path::Path;

use attacks::classifier::ShadowAttack;
use base::Progress;
use formats::shadow::ShadowTable;
use serde::{Deserialize, Serialize};

pub use measured::{Against, Point, SetMeasured};

use super::{Studied, doubts};
use crate::kinds::classifier::Classifier;
use crate::pipeline::AuditRequest;
use crate::pipeline::{Unfinished, found};
use crate::{Error, Result};

/// Shadow budgets of the paper.
pub const BUDGETS: [usize; 7] = [4, 8, 16, 32, 64, 128, 254];
/// Targets of the paper.
pub const TARGETS: usize = 32;
/// What differences are taken from.
pub const BASELINE: &str = "lira";
/// The false-positive rates of its tables.
pub const FPRS: [f64; 2] = [0.01, 0.001];

/// The paper's attacks: the hierarchy, the families, the Bayesian ones, the learned ones, and offline.
const ATTACKS: [&str; 22] = [
    "lira",
    "rmia",
    "base1",
    "base2",
    "base3",
    "base4",
    "bavaria-n",
    "bavaria-t",
    "exponential",
    "gamma",
    "beta",
    "elsa1",
    "elsa2-phi",
    "elsa3-beta",
    "elsa3-gamma",
    "elsa3-phi",
    "elsa-full",
    "lira-offline",
    "rmia-offline",
    "bavaria-n-offline",
    "bavaria-t-offline",
    "understudy",
];

/// Whom audits of the data ask, before the study does.
const DOUBTED: [&str; 2] = ["loss", "lira"];

/// Trees for every target and budget take longer than everything else: only where asked for.
const COSTLY: &str = "understudy";

/// What is to be studied, and how thoroughly.
#[derive(Clone, Debug)]
pub struct BavariaRequest {
    pub sets: Vec<Studied>,
    /// How many models take the target's place in turn.
    pub targets: usize,
    pub budgets: Vec<usize>,
    /// Whether `understudy`, which the paper does not have, is measured too.
    pub understudy: bool,
    pub seed: u64,
    /// What makes the page again.
    pub command: String,
}

/// All that was measured. `report.detail` of nothing: a study has its own page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bavaria {
    pub schema: String,
    pub version: String,
    pub command: String,
    pub seed: u64,
    pub sets: Vec<SetMeasured>,
}

const SCHEMA: &str = "guestlist.study.bavaria/1";

impl Bavaria {
    /// The page, in Markdown.
    pub fn to_markdown(&self) -> String {
        page::markdown(self)
    }
}

/// Reads every set first, so that a mistake is told before anything slow.
pub fn run(request: &BavariaRequest, progress: Progress<'_>) -> Result<Bavaria> {
    super::check_names(&request.sets)?;
    let attacks = attacks_of(request)?;
    let tables = request.sets.iter().map(|set| read(set, request, progress));
    let tables: Vec<ShadowTable> = tables.collect::<Result<_>>()?;
    let mut sets = Vec::new();
    for (set, table) in request.sets.iter().zip(&tables) {
        let doubts = doubts::audited::<Classifier>(&set.path, &DOUBTED, request.seed, progress)?;
        doubts::tell(&set.name, &doubts, progress);
        let measured = measured::measure(set, table, &attacks, request, progress)?;
        sets.push(SetMeasured { doubts, ..measured });
    }
    Ok(Bavaria {
        schema: SCHEMA.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        command: request.command.clone(),
        seed: request.seed,
        sets,
    })
}

fn attacks_of(request: &BavariaRequest) -> Result<Vec<&'static dyn ShadowAttack>> {
    let wanted = ATTACKS
        .iter()
        .filter(|id| request.understudy || **id != COSTLY);
    wanted.map(|id| attacks::classifier::find(id)).collect()
}

fn read(set: &Studied, request: &BavariaRequest, progress: Progress<'_>) -> Result<ShadowTable> {
    let asked = AuditRequest {
        kind: Some(report::Kind::Classifier),
        ..AuditRequest::default()
    };
    let input = found::within(&set.path, &asked, progress)?;
    let table = formats::shadow::read(&input, None)?;
    if let Some(unfinished) = Unfinished::of(&input) {
        progress.note(&format!("{}: {}", set.path.display(), unfinished.note()));
    }
    check(&set.path, &table, request)?;
    Ok(table)
}

/// Every target must have a truth of its own and the least budget of shadows.
fn check(path: &Path, table: &ShadowTable, request: &BavariaRequest) -> Result<()> {
    let (models, least) = (table.models(), request.budgets.iter().min().copied());
    let Some(least) = least.filter(|least| *least > 0 && request.targets > 0) else {
        return Err(Error::usage(
            "a study needs at least one target and one number of shadows above 0",
            "leave out --targets and --shadows for those of the paper",
        ));
    };
    if !table.members_known {
        return Err(Error::usage(
            format!("{}: it does not say who was a member", path.display()),
            "a study takes every model as the target in turn: store keep [models, records]",
        ));
    }
    let most = match models {
        0 | 1 => 0,
        _ => measured::most_shadows(table, request.targets.min(models))
            .map_err(|error| error.within_file(path))?,
    };
    match most < least {
        true => Err(Error::usage(
            format!(
                "{}: has {models} models, of which a target has {most} as shadows at the most, and the fewest shadows asked \
                 for are {least}",
                path.display()
            ),
            "train more models, or ask for fewer with --shadows",
        )),
        false => Ok(()),
    }
}
