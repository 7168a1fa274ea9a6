//! The same audit of other checkpoints, in brief.

use attacks::scores::Scores;
use base::Progress;
use formats::tokens;
use judge::{Options, Truth};
use report::lm::{Checkpoint, CheckpointAttack};

use super::read::Read;
use super::shadow::Shadow;
use super::{CheckpointFile, TokenRequest};
use crate::Error;
use crate::pipeline::skipped::one_sided;

/// Each label stands for one checkpoint.
pub fn check_labels(own: &str, checkpoints: &[CheckpointFile]) -> Result<(), Error> {
    let mut seen = vec![own];
    for file in checkpoints {
        if seen.contains(&file.label.as_str()) {
            return Err(Error::usage(
                format!("the label {:?} stands for two checkpoints", file.label),
                "give every --checkpoint, and the audited one with --label, its own",
            ));
        }
        seen.push(&file.label);
    }
    Ok(())
}

impl TokenRequest {
    /// The audited model and the other checkpoints in brief, in order of their steps.
    pub(super) fn follow_checkpoints(
        &self,
        read: &Read,
        scores: &[(String, Scores)],
        truth: &Truth,
        shadow: Option<&Shadow>,
        progress: Progress<'_>,
    ) -> Result<Vec<Checkpoint>, Error> {
        if self.checkpoints.is_empty() || !truth.decides() {
            return Ok(Vec::new());
        }
        let mut points = vec![self.point(&self.label, true, read, scores, truth)?];
        for file in &self.checkpoints {
            let mut other = self.read(&file.path, tokens::open(&file.path)?, shadow, progress)?;
            if other.ids != read.ids {
                return Err(Error::usage(
                    format!(
                        "{}: its texts are not those of {}",
                        file.path.display(),
                        self.signals.display()
                    ),
                    "score every checkpoint on the same texts, in the same order",
                ));
            }
            let (scores, _) = one_sided(other.sorted_out(&self.attacks), truth);
            points.push(self.point(&file.label, false, &other, &scores, truth)?);
        }
        // Labels without a number keep the order they were given in, the audited model last.
        if points.iter().all(|point| point.step.is_some()) {
            points.sort_by(|a, b| a.step.unwrap_or(0.0).total_cmp(&b.step.unwrap_or(0.0)));
        } else {
            points.rotate_left(1);
        }
        Ok(points)
    }

    fn point(
        &self,
        label: &str,
        target: bool,
        read: &Read,
        scores: &[(String, Scores)],
        truth: &Truth,
    ) -> Result<Checkpoint, Error> {
        let quick = Options {
            bootstrap_replicates: 0,
            calibrate: false,
            ..self.context.measuring.clone()
        };
        let attacks = scores.iter().map(|(id, scores)| {
            let measures = judge::measure(id, scores, truth, &quick)?;
            Ok(CheckpointAttack {
                id: id.clone(),
                auc: measures.auc,
                tpr_at_fpr: measures.tpr_at_fpr,
            })
        });
        let loss = |kind: bool| {
            let chosen = read.losses.iter().zip(truth.iter());
            let chosen = chosen.filter(|(_, member)| *member == Some(kind));
            let (sum, tokens) = chosen.fold((0.0, 0.0), |(sum, tokens), (loss, _)| {
                (sum + loss.0, tokens + loss.1)
            });
            sum / tokens
        };
        Ok(Checkpoint {
            label: label.to_owned(),
            target,
            step: label.parse().ok().filter(|step: &f64| step.is_finite()),
            loss_members: loss(true),
            loss_nonmembers: loss(false),
            attacks: attacks.collect::<Result<_, Error>>()?,
        })
    }
}
