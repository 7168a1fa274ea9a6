//! Steps for classifiers: labels alone, less fitting, noise, copies, and the part that leaks most.

use judge::attacker::LABEL_ONLY;
use judge::diagnostics::slice_gate::Standing;
use report::classifier::{Accuracy, Classifier, Privacy, Training};
use report::{NextStep, Report};

use super::{left, private_training, step, suffices, without_copies};

/// A gap between training and test accuracy that is worth closing.
const GAP: f64 = 0.02;

pub fn steps(report: &Report, one: &Classifier) -> Vec<NextStep> {
    let mut steps = Vec::new();
    steps.extend(labels_alone(report));
    steps.extend(one.accuracy.as_ref().map(|accuracy| fitting(accuracy, one)));
    steps.push(noise(one));
    steps.extend(without_copies(report));
    steps.extend(worst_part(report));
    steps
}

fn labels_alone(report: &Report) -> Option<NextStep> {
    let alone = report.attacks.iter();
    let alone = alone.filter(|attack| LABEL_ONLY.contains(&attack.id.as_str()));
    let attack = alone.max_by(|a, b| a.auc.value.total_cmp(&b.auc.value))?;
    let measured = left(report, &attack.id, &attack.auc)?;
    let why = match suffices(&measured) {
        true => {
            "it hides how sure the model is; who asks often about altered copies of a record may learn \
             more (Choquette-Choo et al. 2021): guestlist.torch.boundary searches so"
        }
        false => "whether the model is right gives members away by itself",
    };
    Some(NextStep {
        measured: Some(measured),
        ..step("Answer with the predicted class alone", why)
    })
}

/// The gap between both accuracies is what the simplest attacks read (Yeom et al. 2018).
fn fitting(accuracy: &Accuracy, one: &Classifier) -> NextStep {
    let Accuracy { training, test } = accuracy;
    let gap = format!(
        "it is right on {:.1}% of its training records and {:.1}% of the others",
        100.0 * training,
        100.0 * test
    );
    if training - test < GAP {
        let why = format!("{gap}: there is little to gain from fitting less");
        return step("Do not expect much of fewer epochs", &why);
    }
    let how = match &one.training {
        Some(training) => format!("; it was trained so: {}", training.trainer),
        None => String::new(),
    };
    step(
        "Fit less: fewer epochs, weight decay, dropout, more records",
        &format!("{gap}, and attackers read that gap; audit again to see what it brings{how}"),
    )
}

fn noise(one: &Classifier) -> NextStep {
    let spent = one
        .training
        .as_ref()
        .and_then(|training| training.privacy.as_ref());
    match spent {
        Some(Privacy {
            epsilon: Some(epsilon),
            ..
        }) => step(
            "Spend a smaller ε",
            &format!(
                "DP-SGD with ε = {epsilon:.3} was in force, and the leak is above the threshold"
            ),
        ),
        _ if one
            .training
            .as_ref()
            .is_some_and(|training| !training.what_if.is_empty()) =>
        {
            step("Train with DP-SGD", &cost(one))
        }
        _ if one.training.as_ref().is_some_and(Training::is_native) => private_training(
            "`guestlist run --what-if dp-sgd` measures what it costs; [training.privacy] trains so",
        ),
        _ => private_training("audit a model trained so beside this one"),
    }
}

/// What private training costs, as measured.
fn cost(one: &Classifier) -> String {
    let measured = one.training.iter().flat_map(|training| &training.what_if);
    let measured: Vec<String> = measured
        .map(|what_if| {
            let right = 100.0 * what_if.accuracy.test;
            format!("{right:.1}% at ε = {}", what_if.epsilon)
        })
        .collect();
    let without = one.accuracy.map_or(String::new(), |accuracy| {
        format!(" where it is {:.1}% without", 100.0 * accuracy.test)
    });
    let what_if = one.training.iter().flat_map(|training| &training.what_if);
    let guessing = what_if.map(|one| one.commonest).fold(0.0, f64::max);
    format!(
        "it bounds what any attacker can learn, and costs accuracy: the same recipe is right on {} of the \
         other records{without}, and naming the commonest class always is right on {:.1}%; \
         [training.privacy] trains so",
        measured.join(" and "),
        100.0 * guessing
    )
}

fn worst_part(report: &Report) -> Option<NextStep> {
    let slices = report.diagnostics.slices.as_ref()?;
    let (slice, gate) = slices.worst()?;
    (gate.standing != Standing::Within).then(|| {
        step(
            &format!("Begin with {} = {}", slice.column, slice.value),
            &format!(
                "it leaks most: {} reaches {:.3} there; more records of its like make each of them matter \
                 less",
                gate.attack, gate.value
            ),
        )
    })
}
