//! What if the model answered with the predicted class alone? One line in every report of a classifier.

use crate::classifier::{Accuracy, Classifier, LABEL_ONLY};
use crate::detail::Detail;
use crate::document::Report;

/// What an attacker reaches who sees predicted classes alone; nothing for other kinds of audit.
pub fn labels_alone(report: &Report) -> Option<String> {
    match &report.detail {
        Detail::Classifier(one) => Some(format!("labels alone: {}", words(report, one))),
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
                "who sees the predicted class only reaches an AUC of {:.3} ({:.3}–{:.3}, {}){open}",
                auc.value, auc.low, auc.high, attack.id
            )
        }
        (None, Some(Accuracy { training, test })) => format!(
            "who calls a record a member where the predicted class is right reaches an AUC of {:.3}; others \
             were not tried",
            0.5 + 0.5 * (training - test)
        ),
        (None, None) => "not known, because φ alone was stored; logits would tell".to_owned(),
    }
}
