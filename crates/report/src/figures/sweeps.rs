//! Accuracy of called sources when the same answers are judged otherwise.

use super::canvas::Canvas;
use super::lines::{Curve, Lines, Point};
use super::palette::Shape;
use super::scale::{bounds, padded};
use super::words::{exact, number, tick};
use super::{Figure, Head, Section, Table, WIDTH};
use crate::detail::Detail;
use crate::document::Report;
use crate::source::SweepPoint;

pub fn figures(report: &Report) -> Vec<Figure> {
    let Detail::Source(source) = &report.detail else {
        return Vec::new();
    };
    let (sweeps, confidence) = (&source.sweeps, report.provenance.measuring.confidence);
    [
        ("source-rows", "Perturbed inputs per text", &sweeps.rows),
        ("source-fixed", "Fixed thresholds", &sweeps.fixed),
        (
            "source-calibrated",
            "Level of calibrated thresholds",
            &sweeps.calibrated,
        ),
        ("source-noise", "Noise in captions", &sweeps.noise),
    ]
    .into_iter()
    .filter(|(_, _, points)| points.len() > 1)
    .map(|(id, name, points)| figure(id, name, points, confidence))
    .collect()
}

fn figure(id: &str, name: &str, points: &[SweepPoint], confidence: f64) -> Figure {
    let lines = Lines {
        x_title: name,
        y_title: "Share",
        x_range: padded((0.0, points.len().saturating_sub(1) as f64)),
        x_logarithmic: false,
        // Evenly spaced: the values that were tried grow by factors.
        x_ticks: (points.iter().enumerate())
            .map(|(place, point)| (place as f64, point.at.to_string()))
            .collect(),
        y_range: bounds([], (0.0, 1.04)),
        y_tick: tick,
        curves: curves(points, confidence),
        legend: Vec::new(),
    };
    let mut canvas = Canvas::default();
    let height = lines.draw(&mut canvas, 12.0, 210.0);
    let caption = format!(
        "How well sources are told from the same answers, by {}. Accuracy with its interval, and the \
         mean F1 of the sources; the dashed line is what the same labels reach on shuffled texts.",
        name.to_lowercase()
    );
    let title = format!("Telling sources apart, by {}", name.to_lowercase());
    let head = Head::new(id, Section::Source, &title, &caption);
    head.figure(canvas, (WIDTH, height), table(name, points))
}

/// A measure at a point, and its interval where it has one.
type Measured = fn(&SweepPoint) -> (f64, Option<(f64, f64)>);

fn curves(points: &[SweepPoint], confidence: f64) -> Vec<Curve> {
    let curve = |name: &str, class, dash, shape, point: Measured| Curve {
        name: name.into(),
        class,
        dash,
        shape,
        points: (points.iter().enumerate())
            .map(|(place, found)| {
                let (y, spread) = point(found);
                let words = match spread {
                    Some(spread) => number(y, spread, confidence),
                    None => format!("{y:.3}"),
                };
                Point {
                    x: place as f64,
                    y,
                    spread,
                    tip: format!("{name} at {}: {words}; {} texts", found.at, found.n),
                }
            })
            .collect(),
    };
    vec![
        curve("accuracy", "series-0", "", Some(Shape::Circle), |p| {
            (p.accuracy, Some((p.low, p.high)))
        }),
        curve("macro F1", "series-1", "7 3", Some(Shape::Square), |p| {
            (p.macro_f1, None)
        }),
        curve("chance", "chance", "3 3", None, |p| (p.chance, None)),
    ]
}

fn table(name: &str, points: &[SweepPoint]) -> Table {
    let rows = points.iter().map(|p| {
        let mut row: Vec<String> = [p.at, p.accuracy, p.low, p.high, p.macro_f1, p.chance]
            .map(exact)
            .into();
        row.push(p.n.to_string());
        row
    });
    let heads = [
        name, "accuracy", "low", "high", "macro F1", "chance", "texts",
    ];
    Table::new(&heads, rows)
}
