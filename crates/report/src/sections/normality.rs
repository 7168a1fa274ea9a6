//! Whether the shadows' φ is normal, and where it is not.

use judge::diagnostics::normality::{ClassNormality, Classes, Normality};
use judge::diagnostics::qq::{Qq, QqPoint};

use super::{heads, percent};
use crate::blocks::Section;

pub fn section(found: &Normality) -> Section {
    let Classes { inside, outside } = &found.classes;
    let mut rows = vec![row("IN", inside), row("OUT", outside)];
    rows.push(vec![
        "a true normal".into(),
        String::new(),
        String::new(),
        format!("{:.2}", found.median_if_normal),
        format!("{:.1}%", 100.0 * found.level),
    ]);
    let mut remarks = vec![format!(
        "Anderson–Darling per record{}, critical value {}, φ of augmentation {}. The Gaussian \
         attacks fit a normal to each of these samples; guestlist explain anderson-darling says more.",
        drawn(found),
        found.critical_value,
        found.augmentation
    )];
    if inside.too_few_values + outside.too_few_values > 0 {
        remarks.push("Left out: fewer than eight values, or no spread.".into());
    }
    Section {
        title: "Is the shadows' φ normal?".into(),
        heads: heads(&[
            "class",
            "records tested",
            "left out",
            "median A²",
            "rejected at 5%",
        ]),
        rows,
        remarks,
        ..Section::default()
    }
}

/// How many records stand for all, where not all were tested.
pub(crate) fn drawn(found: &Normality) -> String {
    found.drawn.map_or(String::new(), |drawn| {
        let (records, of) = (drawn.records, drawn.of);
        format!(", {records} of the {of} records drawn by the seed")
    })
}

fn row(class: &str, found: &ClassNormality) -> Vec<String> {
    vec![
        class.into(),
        found.records_tested.to_string(),
        (found.too_few_values + found.no_spread).to_string(),
        found
            .median
            .map_or("–".into(), |median| format!("{median:.2}")),
        found.rejection_rate.map_or("–".into(), percent),
    ]
}

/// A few of the quantiles; nothing where no record was tested.
pub fn quantiles(found: &Classes<Qq>) -> Option<Section> {
    let (inside, outside) = (shown(&found.inside), shown(&found.outside));
    let longest = if inside.len() > outside.len() {
        &inside
    } else {
        &outside
    };
    if longest.is_empty() {
        return None;
    }
    let mut names = vec!["share of φ below".to_string()];
    names.extend(longest.iter().map(|point| rate(point.probability)));
    let mut rows = Vec::new();
    for (class, points) in [("IN", &inside), ("OUT", &outside)] {
        if points.len() == longest.len() {
            rows.push(quantile_row(format!("{class}, if normal"), points, |p| {
                p.normal
            }));
            rows.push(quantile_row(format!("{class}, observed"), points, |p| {
                p.observed
            }));
        }
    }
    Some(Section {
        title: "Quantiles of the shadows' φ, standardised per record and class".into(),
        heads: names,
        rows,
        remarks: vec![
            "Observed beyond normal at both ends means heavier tails, at one end skew. \
             report.json has more quantiles."
                .into(),
        ],
        ..Section::default()
    })
}

/// Where N(0, 1) has whole numbers.
fn shown(qq: &Qq) -> Vec<QqPoint> {
    let points = qq.points.iter();
    let whole = |probability: f64| WHOLE.iter().any(|other| (probability - other).abs() < 1e-4);
    points
        .filter(|point| whole(point.probability))
        .copied()
        .collect()
}

/// Φ(−3) to Φ(3).
const WHOLE: [f64; 7] = [0.00135, 0.02275, 0.15866, 0.5, 0.84134, 0.97725, 0.99865];

fn quantile_row(name: String, points: &[QqPoint], value: impl Fn(&QqPoint) -> f64) -> Vec<String> {
    let mut row = vec![name];
    // Adding zero turns −0.00 into 0.00.
    let shown = |point| format!("{:.2}", (value(point) * 100.0).round() / 100.0 + 0.0);
    row.extend(points.iter().map(shown));
    row
}

fn rate(probability: f64) -> String {
    let digits = match probability.min(1.0 - probability) {
        tail if tail < 0.01 => 2,
        tail if tail < 0.1 => 1,
        _ => 0,
    };
    format!("{:.digits$}%", 100.0 * probability)
}
