//! How attacks grow with the number of shadows.

use judge::summary::{AttackSummary, MeanOver};

use super::canvas::Canvas;
use super::legend::{Entry, Symbol};
use super::lines::{Curve, Lines, Point};
use super::palette::{DISTINCT, dash, series, shape};
use super::scale::bounds;
use super::words::{exact, exact_or_none, percent_tick, tick};
use super::{Figure, Head, Section, Table, WIDTH};
use crate::document::{Report, ScalingPoint};
use crate::sections::percent;
use crate::table::{rate, with_error};

/// What the curves follow.
#[derive(Clone, Copy)]
enum Follow {
    Auc,
    /// TPR at the rate of this place.
    Tpr(usize),
}

pub fn figures(report: &Report) -> Vec<Figure> {
    let mut points: Vec<&ScalingPoint> = report.scaling.iter().collect();
    points.sort_by_key(|point| point.shadows);
    if points.len() < 2 {
        return Vec::new();
    }
    let fprs = &report.provenance.measuring.fprs;
    // The rate most audits are quoted at, where it was asked for.
    let place = fprs.iter().position(|fpr| *fpr == 0.01).unwrap_or(0);
    let tpr = fprs.get(place).map(|fpr| (Follow::Tpr(place), *fpr));
    let mut figures = vec![figure(&points, Follow::Auc, 0.5)];
    figures.extend(tpr.map(|(follow, fpr)| figure(&points, follow, fpr)));
    figures.into_iter().flatten().collect()
}

impl Follow {
    fn mean(self, attack: &AttackSummary) -> Option<&MeanOver> {
        match self {
            Follow::Auc => Some(&attack.auc),
            Follow::Tpr(place) => attack.tpr_at_fpr.get(place)?.over.as_ref(),
        }
    }

    fn describe(self, over: &MeanOver) -> String {
        let targets = match over.n {
            1 => "one target".to_owned(),
            n => format!("mean and standard error over {n} targets"),
        };
        match self {
            Follow::Auc => format!("AUC {}, {targets}", with_error(over, 1.0, 4, "")),
            Follow::Tpr(_) => format!("TPR {}, {targets}", with_error(over, 100.0, 2, "%")),
        }
    }
}

fn figure(points: &[&ScalingPoint], follow: Follow, chance: f64) -> Option<Figure> {
    let (name, id, y_tick): (String, &str, fn(f64) -> String) = match follow {
        Follow::Auc => ("AUC".into(), "scaling-auc", tick),
        Follow::Tpr(_) => {
            let name = format!("TPR at {} FPR", rate(chance));
            (name, "scaling-tpr", percent_tick)
        }
    };
    let mut curves = curves(points, follow);
    curves.sort_by(|a, b| last(b).total_cmp(&last(a)));
    curves.first()?;
    for (place, curve) in curves.iter_mut().enumerate() {
        curve.class = series(place);
        curve.dash = dash(place);
        curve.shape = Some(shape(place));
    }
    let lines = lines(points, &name, y_tick, curves, chance);
    let mut canvas = Canvas::default();
    let height = lines.draw(&mut canvas, 12.0, 260.0);
    let caption = format!(
        "{name} of every attack when it may use so many shadow models; bars are one standard error where \
         several models were audited. Chance is {}. A curve that still rises says that an attacker \
         with more shadows does better than this audit.",
        match follow {
            Follow::Auc => tick(chance),
            Follow::Tpr(_) => percent(chance),
        }
    );
    let title = format!("{name} by number of shadow models");
    let head = Head::new(id, Section::Models, &title, &caption);
    Some(head.figure(canvas, (WIDTH, height), table(points, follow)))
}

fn lines<'a>(
    points: &[&ScalingPoint],
    name: &'a str,
    y_tick: fn(f64) -> String,
    mut curves: Vec<Curve>,
    chance: f64,
) -> Lines<'a> {
    let values = curves.iter().flat_map(|curve| &curve.points);
    let ends = values.flat_map(|point| {
        let (low, high) = point.spread.unwrap_or((point.y, point.y));
        [low, high]
    });
    let (low, high) = bounds(ends, (chance, chance));
    let room = 0.05 * (high - low).max(0.01);
    let shadows: Vec<f64> = points.iter().map(|point| point.shadows as f64).collect();
    let (first, most) = bounds(shadows.iter().copied(), (f64::INFINITY, 1.0));
    let others = curves.len().saturating_sub(DISTINCT);
    let class = "series-other";
    let mut legend = Vec::new();
    if others > 0 {
        let name = format!("{others} others");
        legend.push(Entry::new(name, Symbol::Line { class, dash: "" }));
    }
    curves.push(chance_curve((first, most), chance));
    Lines {
        x_title: "Shadow models (logarithmic)",
        y_title: name,
        x_range: (first * 0.9, most * 1.1),
        x_logarithmic: true,
        x_ticks: shadows
            .iter()
            .map(|count| (*count, count.to_string()))
            .collect(),
        y_range: ((low - room).max(0.0), high + room),
        y_tick,
        curves,
        legend,
    }
}

/// A level line from end to end.
fn chance_curve((first, last): (f64, f64), chance: f64) -> Curve {
    let point = |x| Point {
        x,
        y: chance,
        spread: None,
        tip: "chance".into(),
    };
    Curve {
        name: "chance".into(),
        class: "chance",
        dash: "3 3",
        shape: None,
        points: vec![point(first * 0.9), point(last * 1.1)],
    }
}

fn last(curve: &Curve) -> f64 {
    curve
        .points
        .last()
        .map_or(f64::NEG_INFINITY, |point| point.y)
}

/// Every attack that has a value anywhere.
fn curves(points: &[&ScalingPoint], follow: Follow) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for (point, attack) in all(points) {
        let Some(over) = follow.mean(attack) else {
            continue;
        };
        let error = over.standard_error;
        let found = Point {
            x: point.shadows as f64,
            y: over.mean,
            spread: error.map(|error| (over.mean - error, over.mean + error)),
            tip: format!(
                "{}, {} shadows: {}",
                attack.id,
                point.shadows,
                follow.describe(over)
            ),
        };
        match curves.iter_mut().find(|curve| curve.name == attack.id) {
            Some(curve) => curve.points.push(found),
            None => curves.push(Curve {
                name: attack.id.clone(),
                class: "series-other",
                dash: "",
                shape: None,
                points: vec![found],
            }),
        }
    }
    curves
}

fn all<'a>(
    points: &'a [&ScalingPoint],
) -> impl Iterator<Item = (&'a ScalingPoint, &'a AttackSummary)> {
    let points = points.iter();
    points.flat_map(|point| point.attacks.iter().map(|attack| (*point, attack)))
}

fn table(points: &[&ScalingPoint], follow: Follow) -> Table {
    let rows = all(points).filter_map(|(point, attack)| {
        let over = follow.mean(attack)?;
        Some(vec![
            attack.id.clone(),
            point.shadows.to_string(),
            exact(over.mean),
            exact_or_none(over.standard_error),
            over.n.to_string(),
        ])
    });
    let heads = ["attack", "shadows", "mean", "standard error", "targets"];
    Table::new(&heads, rows)
}
