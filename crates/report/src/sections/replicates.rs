//! The same audit with several models in the target's place.

use judge::summary::AttackSummary;

use crate::blocks::Section;
use crate::document::Report;
use crate::table::{rate, with_error};

pub fn section(report: &Report) -> Option<Section> {
    let replicates = report.replicates.as_ref()?;
    let fprs = &report.provenance.measuring.fprs;
    let mut heads = vec!["attack".to_string(), "AUC".into()];
    heads.extend(fprs.iter().map(|fpr| format!("TPR@{}", rate(*fpr))));
    let mut attacks: Vec<&AttackSummary> = replicates.attacks.iter().collect();
    attacks.sort_by(|a, b| b.auc.mean.total_cmp(&a.auc.mean));
    Some(Section {
        title: format!(
            "Mean ± standard error over {} targets, {} shadows each",
            replicates.targets.len(),
            replicates.shadows
        ),
        heads,
        rows: attacks.into_iter().map(row).collect(),
        ..Section::default()
    })
}

fn row(attack: &AttackSummary) -> Vec<String> {
    let mut cells = vec![attack.id.clone(), with_error(&attack.auc, 1.0, 4, "")];
    cells.extend(attack.tpr_at_fpr.iter().map(|tpr| match &tpr.over {
        Some(over) => with_error(over, 100.0, 2, "%"),
        None => "too few".into(),
    }));
    cells
}
