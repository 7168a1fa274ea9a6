//! What if the model answered with the predicted class alone? One line in every report of a classifier.

use judge::attacker::LABEL_ONLY;

use crate::classifier::{Accuracy, Classifier};
use crate::detail::Detail;
use crate::document::Report;

/// What an attacker reaches who sees the predicted class alone; nothing for other kinds of audit.
pub fn labels_alone(report: &Report) -> Option<String> {
    match &report.detail {
        Detail::Classifier(one) => Some(format!("with labels alone: {}", words(report, one))),
        _ => None,
    }
}

fn words(report: &Report, one: &Classifier) -> String {
    let tried = report.attacks.iter();
    let tried = tried.filter(|attack| LABEL_ONLY.contains(&attack.id.as_str()));
    let best = tried.max_by(|a, b| a.auc.value.total_cmp(&b.auc.value));
    match (best, one.accuracy) {
        (Some(attack), _) => {
            let auc = &attack.auc;
            let open = match attack.id.as_str() == LABEL_ONLY[0] && one.shadows == 0 {
                true => "; one with shadow models may reach more",
                false => "",
            };
            format!(
                "an AUC of {:.3} ({:.3}–{:.3}) by {}{open}",
                auc.value, auc.low, auc.high, attack.id
            )
        }
        (None, Some(Accuracy { training, test })) => format!(
            "an AUC of {:.3} by right or wrong; others were not tried",
            0.5 + 0.5 * (training - test)
        ),
        (None, None) => "not known from φ; store logits".to_owned(),
    }
}
