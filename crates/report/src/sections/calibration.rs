//! Thresholds that were set on some non-members and tried on others.

use judge::AttackMeasures;
use judge::measure::{Calibrated, Rate};

use super::heads;
use crate::blocks::Section;
use crate::document::Report;
use crate::table::rate;

pub fn section(report: &Report) -> Option<Section> {
    let attacks = report.strongest_first().into_iter();
    let calibrated = attacks.filter(|attack| !attack.calibrated.is_empty());
    let rows: Vec<Vec<String>> = calibrated.flat_map(rows).collect();
    let first = report.attacks.iter().flat_map(|a| &a.calibrated).next()?;
    Some(Section {
        title: "Thresholds for a wanted false-positive rate".into(),
        heads: heads(&[
            "attack",
            "wanted",
            "threshold",
            "achieved",
            "members caught",
        ]),
        rows,
        remarks: vec![format!(
            "Set on {} non-members, tried on {} others that the threshold never saw.",
            first.calibration_nonmembers, first.achieved_fpr.n
        )],
        ..Section::default()
    })
}

fn rows(attack: &AttackMeasures) -> Vec<Vec<String>> {
    let row = |calibrated: &Calibrated| {
        let threshold = match calibrated.threshold.0 {
            Some(cut) => format!("{cut:.4}"),
            None => "above all".to_owned(),
        };
        vec![
            attack.id.clone(),
            rate(calibrated.fpr),
            threshold,
            share(&calibrated.achieved_fpr),
            share(&calibrated.tpr),
        ]
    };
    attack.calibrated.iter().map(row).collect()
}

fn share(rate: &Rate) -> String {
    format!(
        "{:.2}% ({:.2}–{:.2})",
        100.0 * rate.value,
        100.0 * rate.low,
        100.0 * rate.high
    )
}
