//! Reports that together have something for every figure.

use judge::curve::Curve;
use judge::histogram::Histogram;
use report::figures::{Figure, figures};
use report::{Kind, Report};
use serde_json::{Value, json};

/// See `renderings.rs`.
const DIAGNOSED: &str = include_str!("../data/diagnosed.json");
/// Parts of reports of `guestlist demo source`, `fewshot` and `rag`, and of an audit of checkpoints,
/// each cut down to a few attacks and documents.
const PARTS: &str = include_str!("../data/parts.json");

/// The kinds in the order of their figures.
const KINDS: [Kind; 5] = [
    Kind::Classifier,
    Kind::Lm,
    Kind::Source,
    Kind::Fewshot,
    Kind::Rag,
];

/// One report of each kind that has figures of its own.
pub fn everything() -> Vec<Report> {
    KINDS.map(report_of).to_vec()
}

/// A classifier's report; the parts of another kind take the place of its own.
pub fn report_of(kind: Kind) -> Report {
    let mut whole: Value = serde_json::from_str(DIAGNOSED).unwrap();
    let parts: Value = serde_json::from_str(PARTS).unwrap();
    whole["kind"] = json!(kind);
    match kind {
        Kind::Lm => whole["detail"] = json!({"tokens": 5, "checkpoints": parts["checkpoints"]}),
        Kind::Source => whole["detail"] = parts["source"].clone(),
        Kind::Fewshot => whole["detail"] = parts["fewshot"].clone(),
        Kind::Rag => whole["detail"] = parts["retrieval"].clone(),
        _ => {}
    }
    for (place, id) in ["lira", "rmia"].into_iter().enumerate() {
        assert_eq!(whole["attacks"][place]["id"], id);
        whole["attacks"][place]["calibrated"] = parts["calibrated"].clone();
        if kind == Kind::Rag {
            // The arms of the service are of these two.
            whole["detail"]["attacks"][place]["id"] = id.into();
        }
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

/// Every figure of some reports; those that all kinds have, once.
pub fn drawn(reports: &[Report]) -> Vec<Figure> {
    let mut drawn: Vec<Figure> = Vec::new();
    for figure in reports.iter().flat_map(figures) {
        if drawn.iter().all(|known| known.id != figure.id) {
            drawn.push(figure);
        }
    }
    drawn
}

pub fn find(report: &Report, id: &str) -> Figure {
    let found = figures(report).into_iter().find(|figure| figure.id == id);
    found.unwrap_or_else(|| panic!("no figure {id}"))
}
