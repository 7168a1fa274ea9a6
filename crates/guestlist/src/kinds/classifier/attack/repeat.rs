//! The same audit with other targets and with fewer shadows.

use attacks::scores::Scores;
use attacks::signals::membership::MemberRow;
use attacks::signals::shadow::ShadowSignals;
use base::Progress;
use judge::Truth;
use judge::diagnostics::Exposures;
use judge::summary::{AttackSummary, Brief, brief, summarise};
use rayon::prelude::*;
use report::{Replicates, ScalingPoint};
use stats::streams::Seed;

use super::{ShadowRequest, draw};
use crate::Error;

/// What replicates and scaling add to a report.
pub struct Repeated {
    pub replicates: Option<Replicates>,
    pub scaling: Vec<ScalingPoint>,
    /// Of the gated attack over the replicates.
    pub exposures: Option<Exposures>,
}

pub fn run(
    request: &ShadowRequest,
    gated: Option<&str>,
    progress: Progress<'_>,
) -> Result<Repeated, Error> {
    let targets: Vec<usize> = match request.replicates {
        0 => vec![request.target],
        replicates => (0..replicates).collect(),
    };
    let (mut replicates, mut exposures) = (None, None);
    if request.replicates > 0 {
        let shadows = request.shadow_count();
        let mut gathered = Exposures::new(request.table.records());
        let seen = |target| request.table.signals(target, shadows);
        let attacks = over(request, &targets, seen, progress, |id, scores, truth| {
            if gated == Some(id) {
                gathered.add(scores, truth)?;
            }
            Ok(())
        })?;
        replicates = Some(Replicates {
            attacks,
            targets: (targets.iter())
                .map(|&target| request.table.number(target))
                .collect(),
            shadows: fewest_shadows(request, &targets, shadows)?,
        });
        exposures = gated.map(|_| gathered);
    }
    let mut scaling = Vec::new();
    let seed = Seed(request.context.measuring.seed);
    for &shadows in &request.scaling {
        let seen = |target| draw::signals(&request.table, target, shadows, seed);
        scaling.push(ScalingPoint {
            shadows,
            attacks: over(request, &targets, seen, progress, |_, _, _| Ok(()))?,
        });
    }
    Ok(Repeated {
        replicates,
        scaling,
        exposures,
    })
}

/// How many shadows every target had at least: a target's opposite is not among its shadows.
fn fewest_shadows(
    request: &ShadowRequest,
    targets: &[usize],
    asked: usize,
) -> Result<usize, Error> {
    let mut fewest = asked;
    for &target in targets {
        let (signals, _) = request.table.signals(target, asked)?;
        fewest = fewest.min(signals.shadows.len());
    }
    Ok(fewest)
}

/// Every attack's mean over the targets, each with what is seen of it. `look` sees the scores before
/// they are dropped.
fn over(
    request: &ShadowRequest,
    targets: &[usize],
    seen: impl Fn(usize) -> Result<(ShadowSignals, MemberRow), Error>,
    progress: Progress<'_>,
    mut look: impl FnMut(&str, &Scores, &Truth) -> Result<(), Error>,
) -> Result<Vec<AttackSummary>, Error> {
    let fprs = &request.context.measuring.fprs;
    let mut briefs: Vec<(String, Vec<Brief>)> = request
        .attacks
        .iter()
        .map(|attack| (attack.card().id.to_string(), Vec::new()))
        .collect();
    for &target in targets {
        let (signals, own_truth) = seen(target)?;
        let truth = request.truth_of(target, &own_truth)?;
        let (scores, _) = request.attack(target, &signals, &truth, progress)?;
        for (id, scores) in &scores {
            look(id, scores, &truth)?;
        }
        for (id, found) in judge_briefly(&scores, &truth, fprs)? {
            if let Some((_, list)) = briefs.iter_mut().find(|(known, _)| *known == id) {
                list.push(found);
            }
        }
    }
    Ok(briefs
        .iter()
        .filter_map(|(id, briefs)| summarise(id, briefs, fprs))
        .collect())
}

fn judge_briefly(
    scores: &[(String, Scores)],
    truth: &Truth,
    fprs: &[f64],
) -> Result<Vec<(String, Brief)>, Error> {
    scores
        .par_iter()
        .map(|(id, scores)| Ok((id.clone(), brief(scores, truth, fprs)?)))
        .collect()
}
