//! One report that has something for every figure.

use judge::curve::Curve;
use judge::histogram::Histogram;
use report::Report;
use report::figures::{Figure, figures};
use serde_json::Value;

/// See `renderings.rs`.
const DIAGNOSED: &str = include_str!("../data/diagnosed.json");
/// Parts of reports of `guestlist demo source`, `fewshot` and `rag`, and of an audit of checkpoints,
/// each cut down to a few attacks and documents.
const PARTS: &str = include_str!("../data/parts.json");

/// A classifier's report with the parts of all other kinds.
pub fn everything() -> Report {
    let mut whole: Value = serde_json::from_str(DIAGNOSED).unwrap();
    let parts: Value = serde_json::from_str(PARTS).unwrap();
    for part in ["source", "fewshot", "retrieval", "checkpoints"] {
        whole[part] = parts[part].clone();
    }
    for (place, id) in ["lira", "rmia"].into_iter().enumerate() {
        assert_eq!(whole["attacks"][place]["id"], id);
        whole["attacks"][place]["calibrated"] = parts["calibrated"].clone();
        // The arms of the service are of these two.
        whole["retrieval"]["attacks"][place]["id"] = id.into();
    }
    let mut report = Report::from_json(&whole.to_string()).unwrap();
    for attack in &mut report.attacks {
        attack.roc = curve(&attack.roc, attack.n_members);
        attack.histogram = Some(Histogram {
            edges: vec![-1.5, 0.0, 0.25, 12345.5],
            members: vec![3, 0, 9],
            nonmembers: vec![8, 4, 0],
        });
    }
    report
}

/// The stored curve with a band around it.
fn curve(roc: &Curve, members: u64) -> Curve {
    let share = |tp: u64| tp as f64 / members as f64;
    let band = |(_, tp): &(u64, u64)| (0.8 * share(*tp), (0.01 + 1.2 * share(*tp)).min(1.0));
    Curve {
        points: roc.points.clone(),
        bands: roc.points.iter().map(band).collect(),
    }
}

pub fn find(report: &Report, id: &str) -> Figure {
    let found = figures(report).into_iter().find(|figure| figure.id == id);
    found.unwrap_or_else(|| panic!("no figure {id}"))
}
