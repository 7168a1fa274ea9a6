//! The leak over several checkpoints, and the losses of members and non-members below it.

use super::canvas::Canvas;
use super::frame::Tick;
use super::legend::{Entry, Symbol};
use super::lines::{Curve, Lines, Point};
use super::palette::{DISTINCT, Shape, dash, series, shape};
use super::path::short;
use super::scale::{bounds, padded};
use super::words::{exact, number, tick};
use super::{Figure, Head, Section, Table, WIDTH};
use crate::detail::Detail;
use crate::document::Report;
use crate::lm::{Checkpoint, CheckpointAttack};

const CAPTION: &str = "Above: AUC of every attack at each checkpoint, with its interval; 0.5 is chance. \
                       Below: the mean loss per token of members and of non-members. Where the two \
                       losses part, the model begins to remember. The checkpoint with a star is the \
                       audited model.";
/// Letters of a checkpoint's name below the axis.
const LABEL: usize = 12;

pub fn figure(report: &Report) -> Option<Figure> {
    let Detail::Lm(lm) = &report.detail else {
        return None;
    };
    let points = &lm.checkpoints;
    if points.len() < 2 {
        return None;
    }
    let axis = Axis::new(points);
    let mut canvas = Canvas::default();
    let below = leak(points, &axis).draw(&mut canvas, 12.0, 220.0);
    let height = losses(points, &axis).draw(&mut canvas, below + 14.0, 130.0);
    let head = Head::new(
        "checkpoints",
        Section::Checkpoints,
        "Leakage over training",
        CAPTION,
    );
    Some(head.figure(canvas, (WIDTH, height), table(points)))
}

/// Where checkpoints stand: at their steps if all have one, else evenly.
struct Axis {
    title: &'static str,
    places: Vec<f64>,
    ticks: Vec<Tick>,
    range: (f64, f64),
}

impl Axis {
    fn new(points: &[Checkpoint]) -> Self {
        let steps: Option<Vec<f64>> = points.iter().map(|point| point.step).collect();
        let title = match steps {
            Some(_) => "Training step",
            None => "Checkpoint",
        };
        let evenly = || (0..points.len()).map(|place| place as f64).collect();
        let places: Vec<f64> = steps.unwrap_or_else(evenly);
        let range = padded(bounds(
            places.iter().copied(),
            (f64::INFINITY, f64::NEG_INFINITY),
        ));
        let label = |point: &Checkpoint| {
            let star = if point.target { "*" } else { "" };
            format!("{}{star}", short(&point.label, LABEL))
        };
        // Labels that would be written over the one before are left out; tips name them all.
        let apart = (range.1 - range.0) / 7.5;
        let mut ticks: Vec<Tick> = Vec::new();
        for (place, point) in places.iter().zip(points) {
            let far = ticks
                .iter()
                .all(|(other, _)| (place - other).abs() >= apart);
            if far || point.target {
                ticks.retain(|(other, _)| (place - other).abs() >= apart);
                ticks.push((*place, label(point)));
            }
        }
        Axis {
            title,
            places,
            ticks,
            range,
        }
    }

    fn lines<'a>(&'a self, y_title: &'a str, curves: Vec<Curve>) -> Lines<'a> {
        let points = curves.iter().flat_map(|curve| &curve.points);
        let ends = points.flat_map(|point| {
            let (low, high) = point.spread.unwrap_or((point.y, point.y));
            [low, high]
        });
        Lines {
            x_title: self.title,
            y_title,
            x_range: self.range,
            x_logarithmic: false,
            x_ticks: self.ticks.clone(),
            y_range: padded(bounds(ends, (f64::INFINITY, f64::NEG_INFINITY))),
            y_tick: tick,
            curves,
            legend: Vec::new(),
        }
    }
}

fn leak<'a>(points: &[Checkpoint], axis: &'a Axis) -> Lines<'a> {
    let mut last: Vec<&CheckpointAttack> = points
        .last()
        .map_or(Vec::new(), |point| point.attacks.iter().collect());
    last.sort_by(|a, b| b.auc.value.total_cmp(&a.auc.value));
    let mut curves: Vec<Curve> = (last.iter().enumerate())
        .map(|(place, attack)| Curve {
            name: attack.id.clone(),
            class: series(place),
            dash: dash(place),
            shape: Some(shape(place)),
            points: attack_points(points, axis, &attack.id, place < DISTINCT),
        })
        .collect();
    let chance = |x: f64| Point {
        x,
        y: 0.5,
        spread: None,
        tip: "chance".into(),
    };
    curves.push(Curve {
        name: "chance".into(),
        class: "chance",
        dash: "3 3",
        shape: None,
        points: vec![chance(axis.range.0), chance(axis.range.1)],
    });
    let mut lines = axis.lines("AUC", curves);
    if last.len() > DISTINCT {
        let name = format!("{} others", last.len() - DISTINCT);
        let class = "series-other";
        lines.legend = vec![Entry::new(name, Symbol::Line { class, dash: "" })];
    }
    lines
}

fn attack_points(points: &[Checkpoint], axis: &Axis, id: &str, spread: bool) -> Vec<Point> {
    let found = points.iter().zip(&axis.places).filter_map(|(point, x)| {
        let auc = &point.attacks.iter().find(|attack| attack.id == id)?.auc;
        let interval = (auc.low, auc.high);
        let words = number(auc.value, interval, auc.confidence);
        Some(Point {
            x: *x,
            y: auc.value,
            spread: spread.then_some(interval),
            tip: format!("{id} at {}: AUC {words}", point.label),
        })
    });
    found.collect()
}

fn losses<'a>(points: &[Checkpoint], axis: &'a Axis) -> Lines<'a> {
    let curve = |name: &str, class, dash, shape, pick: fn(&Checkpoint) -> f64| Curve {
        name: name.into(),
        class,
        dash,
        shape: Some(shape),
        points: (points.iter().zip(&axis.places))
            .map(|(point, x)| Point {
                x: *x,
                y: pick(point),
                spread: None,
                tip: format!("{name} at {}: loss {:.4}", point.label, pick(point)),
            })
            .collect(),
    };
    let members = curve("members", "member", "", Shape::Circle, |p| p.loss_members);
    let others = curve("non-members", "nonmember", "4 2.5", Shape::Square, |p| {
        p.loss_nonmembers
    });
    axis.lines("Loss per token", vec![members, others])
}

fn table(points: &[Checkpoint]) -> Table {
    let rows = points.iter().flat_map(|point| {
        point.attacks.iter().map(|attack| {
            let mut row = vec![point.label.clone(), attack.id.clone()];
            let auc = &attack.auc;
            row.extend([auc.value, auc.low, auc.high].map(exact));
            row.extend([point.loss_members, point.loss_nonmembers].map(exact));
            row
        })
    });
    let heads = [
        "checkpoint",
        "attack",
        "AUC",
        "low",
        "high",
        "loss of members",
        "of non-members",
    ];
    Table::new(&heads, rows)
}
