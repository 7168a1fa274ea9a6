//! The measuring: every attack on every target with every number of shadows, and the differences target by
//! target, so that what a target and its draw of shadows have in common cancels.

use attacks::classifier::ShadowAttack;
use attacks::classifier::engine::{self, Request};
use attacks::settings::Settings;
use attacks::signals::shadow::ShadowSignals;
use base::{Progress, Unit};
use formats::shadow::ShadowTable;
use judge::Truth;
use judge::diagnostics::{Classes, normality::ClassNormality};
use judge::summary::{AttackSummary, Brief, MeanOver, TprSummary, brief, summarise};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stats::streams::Seed;

use super::{BASELINE, BavariaRequest, FPRS, Studied};
use crate::Result;
use crate::kinds::classifier::attack::{draw, normality_of};
use crate::study::Doubt;

/// One data set's models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetMeasured {
    pub name: String,
    pub records: usize,
    pub models: usize,
    pub targets: usize,
    pub points: Vec<Point>,
    /// Of the records' φ under all shadows of the first target.
    pub normality: Classes<ClassNormality>,
    /// What an audit of the first target finds against the data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
}

/// With so many shadows, mean over the targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub shadows: usize,
    pub attacks: Vec<AttackSummary>,
    pub against: Vec<Against>,
    /// Attacks that could not judge a target, and why.
    pub skipped: Vec<(String, String)>,
}

/// One attack less LiRA, target by target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Against {
    pub id: String,
    pub auc: MeanOver,
    pub tpr_at_fpr: Vec<TprSummary>,
}

type Briefs = Vec<(String, Vec<Brief>)>;

pub fn measure(
    set: &Studied,
    table: &ShadowTable,
    attacks: &[&'static dyn ShadowAttack],
    request: &BavariaRequest,
    progress: Progress<'_>,
) -> Result<SetMeasured> {
    let targets = request.targets.min(table.models());
    let most = most_shadows(table, targets)?;
    let mut budgets = request.budgets.clone();
    budgets.sort_unstable();
    budgets.dedup();
    let (budgets, beyond): (Vec<usize>, Vec<usize>) =
        budgets.into_iter().partition(|budget| *budget <= most);
    if !beyond.is_empty() {
        let beyond: Vec<String> = beyond.iter().map(usize::to_string).collect();
        progress.note(&format!(
            "{}: left out with {} shadows, for every target has {most} at the most",
            set.name,
            beyond.join(", ")
        ));
    }
    progress.phase(
        &format!("studying {}", set.name),
        budgets.len() * targets * table.records(),
        Unit::Records,
    );
    let mut points = Vec::new();
    for &shadows in &budgets {
        points.push(point(
            table,
            targets,
            shadows,
            attacks,
            request.seed,
            progress,
        )?);
    }
    let (signals, _) = table.signals(0, table.models() - 1)?;
    let unwatched = progress.quietly();
    Ok(SetMeasured {
        name: set.name.clone(),
        records: table.records(),
        models: table.models(),
        targets,
        points,
        normality: normality_of(table, &signals, request.seed, unwatched)?.classes,
        doubts: Vec::new(),
    })
}

/// What every target has at least: its opposite is no shadow of it.
pub fn most_shadows(table: &ShadowTable, targets: usize) -> Result<usize> {
    let mut most = table.models() - 1;
    for target in 0..targets {
        let (signals, _) = table.signals(target, table.models() - 1)?;
        most = most.min(signals.shadows.len());
    }
    Ok(most)
}

fn point(
    table: &ShadowTable,
    targets: usize,
    shadows: usize,
    attacks: &[&'static dyn ShadowAttack],
    seed: u64,
    progress: Progress<'_>,
) -> Result<Point> {
    let mut briefs: Briefs = Vec::new();
    let mut skipped: Vec<(String, String)> = Vec::new();
    for target in 0..targets {
        let (signals, row) = draw::signals(table, target, shadows, Seed(seed))?;
        let open = table.unknown_of(target);
        let known = |record: usize| !open.is_some_and(|open| open.get(record));
        let members = (0..row.len()).map(|record| known(record).then(|| row.get(record)));
        let truth = Truth::partly(members)
            .map_err(|error| error.within(&format!("keep of model {target}")))?;
        for (id, found) in attacked(attacks, &signals, &truth, seed, progress)? {
            match found {
                Ok(found) => match briefs.iter_mut().find(|(known, _)| *known == id) {
                    Some((_, list)) => list.push(found),
                    None => briefs.push((id, vec![found])),
                },
                Err(why) if !skipped.iter().any(|(known, _)| *known == id) => {
                    skipped.push((id, why))
                }
                Err(_) => {}
            }
        }
        progress.advance(table.records());
    }
    // A mean over some of the targets would not compare.
    briefs.retain(|(id, _)| !skipped.iter().any(|(other, _)| other == id));
    Ok(Point {
        shadows,
        attacks: briefs
            .iter()
            .filter_map(|(id, briefs)| summarise(id, briefs, &FPRS))
            .collect(),
        against: against(&briefs),
        skipped,
    })
}

fn attacked(
    attacks: &[&'static dyn ShadowAttack],
    signals: &ShadowSignals,
    truth: &Truth,
    seed: u64,
    progress: Progress<'_>,
) -> Result<Vec<(String, std::result::Result<Brief, String>)>> {
    let request = Request {
        signals,
        population: None,
        settings: &Settings::default(),
        seed: Seed(seed),
        progress: progress.quietly(),
    };
    let outcomes = engine::run(attacks, &request)?;
    outcomes
        .into_par_iter()
        .map(|outcome| {
            let id = outcome.attack.card().id.to_owned();
            let found = match outcome.scores {
                Ok(scores) if scores.abstained() < scores.len() => {
                    Ok(brief(&scores, truth, &FPRS)?)
                }
                Ok(_) => Err("abstained on every record".to_owned()),
                Err(error) => Err(error.to_string()),
            };
            Ok((id, found))
        })
        .collect()
}

fn against(briefs: &Briefs) -> Vec<Against> {
    let Some((_, baseline)) = briefs.iter().find(|(id, _)| id == BASELINE) else {
        return Vec::new();
    };
    let others = briefs.iter().filter(|(id, _)| id != BASELINE);
    others
        .filter_map(|(id, briefs)| {
            let pairs = || briefs.iter().zip(baseline);
            let at = |place: usize| {
                MeanOver::new(pairs().filter_map(|(own, lira)| {
                    Some(own.tpr_at_fpr[place]? - lira.tpr_at_fpr[place]?)
                }))
            };
            let rates = FPRS.iter().enumerate();
            Some(Against {
                id: id.clone(),
                auc: MeanOver::new(pairs().map(|(own, lira)| own.auc - lira.auc))?,
                tpr_at_fpr: rates
                    .map(|(place, &fpr)| TprSummary {
                        fpr,
                        over: at(place),
                    })
                    .collect(),
            })
        })
        .collect()
}
