//! Thresholds that were set on some non-members and tried on others.

use judge::AttackMeasures;
use judge::measure::{Calibrated, Rate};

use super::canvas::Canvas;
use super::legend::{Entry, Symbol};
use super::palette::Shape;
use super::panels::{Cell, Dot, Panel, Panels, Row, Upright};
use super::scale::bounds;
use super::words::{exact, percent_tick, share};
use super::{Figure, Head, Section, Table};
use crate::document::Report;
use crate::table::rate;

/// Attacks that are drawn.
const MOST: usize = 8;
const CAPTION: &str = "A threshold set on half of the non-members, tried on the others: whether it \
                       keeps the false positive rate it was set for (the upright line), and how many \
                       members it catches.";

pub fn figure(report: &Report) -> Option<Figure> {
    let attacks = report.strongest_first().into_iter();
    let attacks: Vec<&AttackMeasures> = attacks
        .filter(|attack| !attack.calibrated.is_empty())
        .collect();
    let shown = || attacks.iter().take(MOST);
    let found = || shown().flat_map(|attack| &attack.calibrated);
    found().next()?;
    let confidence = report.provenance.measuring.confidence;
    let panel = |title: &str, pick: fn(&Calibrated) -> &Rate| {
        let ends = found().map(|one| pick(one).high);
        Panel {
            title: title.into(),
            range: (0.0, bounds(ends, (0.0, 0.01)).1),
            tick: percent_tick,
            references: Vec::new(),
        }
    };
    let rows = shown().flat_map(|attack| {
        let row = |one| row(attack, one, confidence);
        attack.calibrated.iter().map(row)
    });
    let panels = Panels {
        panels: vec![
            panel("Non-members accused", |one| &one.achieved_fpr),
            panel("Members caught", |one| &one.tpr),
        ],
        rows: rows.collect(),
        legend: vec![Entry::new("wanted", Symbol::Upright { class: "chance" })],
    };
    let mut canvas = Canvas::default();
    let size = panels.draw(&mut canvas);
    let title = "Do thresholds keep what they promise?";
    let head = Head::new("calibration", Section::Attacks, title, CAPTION);
    Some(head.figure(canvas, size, table(&attacks)))
}

fn row(attack: &AttackMeasures, one: &Calibrated, confidence: f64) -> Row {
    let name = format!("{} at {}", attack.id, rate(one.fpr));
    let dot = |rate: &Rate, what: &str, class, shape| Dot {
        series: attack.id.clone(),
        value: rate.value,
        interval: Some((rate.low, rate.high)),
        class,
        shape,
        hollow: false,
        tip: format!(
            "{name}: {what} {} ({} of {})",
            share(rate.value, (rate.low, rate.high), confidence),
            rate.count,
            rate.n
        ),
    };
    let (accused, caught) = (
        dot(&one.achieved_fpr, "accused", "nonmember", Shape::Square),
        dot(&one.tpr, "caught", "member", Shape::Circle),
    );
    let cell = |dot, wanted: bool| Cell {
        dots: vec![dot],
        uprights: wanted
            .then(|| Upright {
                value: one.fpr,
                class: "chance",
                tip: format!("{name}: wanted"),
            })
            .into_iter()
            .collect(),
        ..Cell::default()
    };
    Row {
        cells: vec![cell(accused, true), cell(caught, false)],
        strong: false,
        note: String::new(),
        name,
    }
}

fn table(attacks: &[&AttackMeasures]) -> Table {
    let rows = attacks.iter().flat_map(|attack| {
        attack.calibrated.iter().map(|one| {
            let mut row = vec![attack.id.clone(), exact(one.fpr)];
            for rate in [&one.achieved_fpr, &one.tpr] {
                row.extend([rate.value, rate.low, rate.high].map(exact));
            }
            row
        })
    });
    let heads = [
        "attack", "wanted", "accused", "low", "high", "caught", "low", "high",
    ];
    Table::new(&heads, rows)
}
