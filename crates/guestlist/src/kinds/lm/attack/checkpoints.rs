//! The same audit of other checkpoints, in brief.

use attacks::scores::Scores;
use base::Progress;
use formats::tokens;
use judge::guardrails::LeakingCheckpoint;
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

/// Every checkpoint in brief, and those beside the audited one that would not pass.
pub(super) type Followed = (Vec<Checkpoint>, Vec<LeakingCheckpoint>);

/// The first row of which two files say different things; one that says nothing contradicts nobody.
fn contradicted(own: &[Option<bool>], other: &[Option<bool>]) -> Option<usize> {
    let mut both = own.iter().zip(other);
    both.position(|(own, other)| own.is_some() && other.is_some() && own != other)
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
    ) -> Result<Followed, Error> {
        let mut leaking = Vec::new();
        if self.checkpoints.is_empty() || !truth.decides() {
            return Ok((Vec::new(), leaking));
        }
        let (own, _) = self.point(&self.label, true, read, scores, truth)?;
        let mut points = vec![own];
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
            if let Some(row) = contradicted(&read.members, &other.members) {
                return Err(Error::usage(
                    format!(
                        "{}: member of row {} ({:?}) is not what {} says",
                        file.path.display(),
                        row + 1,
                        &other.ids[row],
                        self.signals.display()
                    ),
                    "the members of a training are those of all of its checkpoints; give the same in every file",
                ));
            }
            let (scores, _) = one_sided(other.sorted_out(&self.attacks), truth);
            let (point, leaks) = self.point(&file.label, false, &other, &scores, truth)?;
            points.push(point);
            leaking.extend(leaks);
        }
        // Labels without a number keep the order they were given in, the audited model last.
        if points.iter().all(|point| point.step.is_some()) {
            points.sort_by(|a, b| a.step.unwrap_or(0.0).total_cmp(&b.step.unwrap_or(0.0)));
        } else {
            points.rotate_left(1);
        }
        Ok((points, leaking))
    }

    fn point(
        &self,
        label: &str,
        target: bool,
        read: &Read,
        scores: &[(String, Scores)],
        truth: &Truth,
    ) -> Result<(Checkpoint, Option<LeakingCheckpoint>), Error> {
        let gate = self.context.gate;
        let mut leak: Option<LeakingCheckpoint> = None;
        let quick = Options {
            bootstrap_replicates: 0,
            calibrate: false,
            ..self.context.measuring.clone()
        };
        let mut attacks = Vec::new();
        for (id, scores) in scores {
            let measures = judge::measure(id, scores, truth, &quick)?;
            let reading = gate.measure.read(&measures, gate.confidence);
            let most = leak.as_ref().map_or(f64::NEG_INFINITY, |found| found.value);
            if let Some(reading) = reading.filter(|one| gate.fails(one) && one.value > most) {
                leak = Some(LeakingCheckpoint {
                    label: label.to_owned(),
                    attack: id.clone(),
                    value: reading.value,
                });
            }
            attacks.push(CheckpointAttack {
                id: id.clone(),
                auc: measures.auc,
                tpr_at_fpr: measures.tpr_at_fpr,
            });
        }
        let loss = |kind: bool| {
            let chosen = read.losses.iter().zip(truth.iter());
            let chosen = chosen.filter(|(_, member)| *member == Some(kind));
            let (sum, tokens) = chosen.fold((0.0, 0.0), |(sum, tokens), (loss, _)| {
                (sum + loss.0, tokens + loss.1)
            });
            sum / tokens
        };
        let point = Checkpoint {
            label: label.to_owned(),
            target,
            step: label.parse().ok().filter(|step: &f64| step.is_finite()),
            loss_members: loss(true),
            loss_nonmembers: loss(false),
            attacks,
        };
        Ok((point, leak))
    }
}
