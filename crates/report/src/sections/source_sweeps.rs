//! How well sources are told with fewer questions, other thresholds, other noise: tables and curves.

use super::heads;
use crate::blocks::Section;
use crate::curves::{Curve, draw};
use crate::source::{Source, SweepPoint};

pub fn sections(source: &Source) -> Vec<Section> {
    let sweeps = &source.sweeps;
    let in_full = match source.stopping.on {
        true => {
            "Documents that were asked in full although settled alone, so that early stopping \
                 chose none of them."
        }
        false => "Every document.",
    };
    let fixed = "τ and the band at one value for all documents: the level is not looked at, and \
                 what is right for one length of text is wrong for another.";
    let calibrated = "Thresholds from permutations of each document's own answers.";
    let noise = "Pictures alone, described through noise of this standard deviation.";
    [
        (
            "By number of perturbed inputs",
            "inputs",
            &sweeps.rows,
            in_full,
        ),
        ("By fixed threshold", "τ and band", &sweeps.fixed, fixed),
        (
            "By calibrated level",
            "level",
            &sweeps.calibrated,
            calibrated,
        ),
        ("By noise on pictures", "noise", &sweeps.noise, noise),
    ]
    .into_iter()
    .filter(|(_, _, points, _)| !points.is_empty())
    .map(|(title, name, points, remark)| Section {
        drawing: curves(name, points),
        ..section(title, name, points, remark)
    })
    .collect()
}

fn section(title: &str, name: &str, points: &[SweepPoint], remark: &str) -> Section {
    let row = |point: &SweepPoint| {
        vec![
            point.at.to_string(),
            format!("{:.3} ({:.3}–{:.3})", point.accuracy, point.low, point.high),
            format!("{:.3}", point.macro_f1),
            format!("{:.3}", point.chance),
            point.n.to_string(),
        ]
    };
    Section {
        title: title.into(),
        heads: heads(&[name, "accuracy", "macro F1", "chance", "documents"]),
        rows: points.iter().map(row).collect(),
        remarks: vec![remark.into()],
        ..Section::default()
    }
}

fn curves(name: &str, points: &[SweepPoint]) -> Vec<String> {
    let shares = |pick: fn(&SweepPoint) -> f64| points.iter().map(pick).collect::<Vec<f64>>();
    let values = shares(|point| point.at);
    let accuracy = Curve {
        name: "accuracy",
        mark: '●',
        shares: shares(|point| point.accuracy),
    };
    let f1 = Curve {
        name: "macro F1",
        mark: '▲',
        shares: shares(|point| point.macro_f1),
    };
    let title = format!("accuracy and macro F1 over {name}");
    draw(
        &title,
        &values,
        &[accuracy, f1],
        &shares(|point| point.chance),
    )
}
