//! Steps for models that give members away to somebody who knows a few of them.

use report::NextStep;

use super::{private_training, step};

pub fn steps() -> Vec<NextStep> {
    vec![
        step(
            "Audit the same model with labels and shadow models",
            "it measures stronger attackers too, and what hiding all but the predicted class would leave",
        ),
        step(
            "Give out less: the predicted class in place of logits or features",
            "the attacks here compare whole vectors of outputs; not measured here",
        ),
        private_training("train so and audit again"),
    ]
}
