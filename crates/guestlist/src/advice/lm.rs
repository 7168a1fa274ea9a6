//! Steps for language models: an earlier checkpoint, which may be measured, copies, noise, and what is served.

use report::lm::{Checkpoint, Lm};
use report::{NextStep, Report};

use super::{left, private_training, step, suffices, without_copies};

pub fn steps(report: &Report, lm: &Lm) -> Vec<NextStep> {
    let mut steps = vec![earlier(report, lm).unwrap_or_else(unmeasured)];
    steps.extend(without_copies(report));
    steps.push(private_training(
        "fine-tune so and audit the result beside this one",
    ));
    steps.push(step(
        "Serve texts without log-probabilities",
        "every attack here reads them; it is no help against who has the weights, and not measured here",
    ));
    steps
}

fn unmeasured() -> NextStep {
    step(
        "Train for fewer steps",
        "texts seen less often are known less well; audit checkpoints (checkpoints in guestlist.toml, or \
         --checkpoint) to see from which one on it leaks",
    )
}

/// The last checkpoint before the audited one that is below the threshold, or else the one that leaks least.
fn earlier(report: &Report, lm: &Lm) -> Option<NextStep> {
    let audited = lm.checkpoints.iter().position(|point| point.target)?;
    let gate = report.verdict.gate.as_ref()?;
    let before = lm.checkpoints[..audited].iter().filter_map(|point| {
        let attack = point.attacks.iter().find(|one| one.id == gate.attack)?;
        Some((point, left(report, &attack.id, &attack.auc)?))
    });
    let before: Vec<_> = before.collect();
    let enough = before.iter().rev().find(|(_, measured)| suffices(measured));
    let least = || before.iter().min_by(|a, b| a.1.auc.total_cmp(&b.1.auc));
    let (point, measured) = enough.or_else(least)?;
    let what = match suffices(measured) {
        true => format!("Stop at checkpoint {}", point.label),
        false => format!(
            "Do not count on stopping earlier, such as at checkpoint {}",
            point.label
        ),
    };
    Some(NextStep {
        measured: Some(measured.clone()),
        ..step(&what, &cost(point, &lm.checkpoints[audited]))
    })
}

/// What the earlier checkpoint is worth on texts that it was not trained on.
fn cost(earlier: &Checkpoint, audited: &Checkpoint) -> String {
    format!(
        "its loss on texts that it was not trained on is {:.3} per token, that of the audited model {:.3}",
        earlier.loss_nonmembers, audited.loss_nonmembers
    )
}
