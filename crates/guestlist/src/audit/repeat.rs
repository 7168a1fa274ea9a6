//! The same audit with other targets and with fewer shadows.

use attacks::scores::Scores;
use judge::Truth;
use judge::summary::{AttackSummary, Brief, brief, summarise};
use rayon::prelude::*;
use report::{Replicates, ScalingPoint};

use super::{Progress, Request};
use crate::Error;

/// What replicates and scaling add to a report.
pub struct Repeated {
    pub replicates: Option<Replicates>,
    pub scaling: Vec<ScalingPoint>,
}

pub fn run(request: &Request, progress: &dyn Progress) -> Result<Repeated, Error> {
    let targets: Vec<usize> = match request.replicates {
        0 => vec![request.target],
        replicates => (0..replicates).collect(),
    };
    let replicates = if request.replicates > 0 {
        let shadows = request.shadow_count();
        Some(Replicates {
            attacks: over(request, &targets, shadows, progress)?,
            targets: targets.clone(),
            shadows,
        })
    } else {
        None
    };
    let mut scaling = Vec::new();
    for &shadows in &request.scaling {
        scaling.push(ScalingPoint {
            shadows,
            attacks: over(request, &targets, shadows, progress)?,
        });
    }
    Ok(Repeated {
        replicates,
        scaling,
    })
}

/// Every attack's mean over the targets, each with so many shadows.
fn over(
    request: &Request,
    targets: &[usize],
    shadows: usize,
    progress: &dyn Progress,
) -> Result<Vec<AttackSummary>, Error> {
    let fprs = &request.measuring.fprs;
    let mut briefs: Vec<(String, Vec<Brief>)> = request
        .attacks
        .iter()
        .map(|attack| (attack.card().id.to_string(), Vec::new()))
        .collect();
    for &target in targets {
        let (signals, own_truth) = request.table.signals(target, shadows)?;
        let truth = match &request.members {
            Some(members) => Truth::new(members.iter().copied())?,
            None => request.truth_of(target, &own_truth)?,
        };
        let (scores, _) = request.attack(target, shadows, &signals, progress)?;
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
