//! How often the audited model is right, on what it was trained on and on the rest.

use attacks::signals::outputs::ClassOutputs;
use attacks::signals::shadow::{ModelOutputs, Rescale, ShadowSignals};
use judge::Truth;
use report::classifier::Accuracy;

/// Records that are read at once.
const BLOCK: usize = 4096;

/// Nothing where the stored answers do not tell: φ of more than two classes leaves open whether another class
/// was ahead.
pub fn accuracy(
    signals: &ShadowSignals,
    classes: Option<usize>,
    truth: &Truth,
) -> Option<Accuracy> {
    let (outputs, target) = (&*signals.outputs, signals.target);
    let right = match (outputs.tells_right(), classes) {
        (true, _) => by_answer(outputs, target),
        (false, Some(2)) => by_sign(outputs, target),
        (false, _) => return None,
    };
    let share = |member: bool| {
        let of_kind = right.iter().zip(truth.iter());
        let of_kind = of_kind.filter(|(_, truth)| *truth == Some(member));
        let (right, all) = of_kind.fold((0, 0), |(right, all), (one, _)| {
            (right + usize::from(*one), all + 1)
        });
        (all > 0).then(|| right as f64 / all as f64)
    };
    Some(Accuracy {
        training: share(true)?,
        test: share(false)?,
    })
}

fn by_answer(outputs: &ModelOutputs, target: usize) -> Vec<bool> {
    let mut found = ClassOutputs::default();
    let right = |record: usize| {
        outputs
            .is_right(target, record, 0, &mut found)
            .unwrap_or(false)
    };
    (0..outputs.records).map(right).collect()
}

/// Of two classes the true one is ahead where φ is above zero.
fn by_sign(outputs: &ModelOutputs, target: usize) -> Vec<bool> {
    let mut right = Vec::with_capacity(outputs.records);
    let mut phi = [0.0; BLOCK];
    for first in (0..outputs.records).step_by(BLOCK) {
        let last = outputs.records.min(first + BLOCK);
        outputs.phi(target, first..last, 0, Rescale::Exact, &mut phi);
        right.extend(phi[..last - first].iter().map(|phi| *phi > 0.0));
    }
    right
}
