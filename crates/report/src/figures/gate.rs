//! What the verdict hangs on: one value, its interval, and the line it was held against.

use judge::gate::Measure;
use judge::verdict::{Decision, Outcome};

use super::canvas::Canvas;
use super::legend::{Entry, Symbol};
use super::palette::Shape;
use super::panels::{Cell, Dot, Panel, Panels, Reference, Row};
use super::scale::{bounds, padded};
use super::words::{brief, exact, level, number, tick};
use super::{Figure, Head, Section, Table, WIDTH};
use crate::document::Report;

/// Fits a telephone without scrolling or shrinking letters.
const NARROW: f64 = 360.0;

pub fn figure(report: &Report) -> Option<Figure> {
    let gate = report.verdict.gate.as_ref()?;
    let row = row(gate, report.verdict.outcome);
    Some(drawn(gate, "gate", &gate.measure.to_string(), row, WIDTH))
}

/// The same for narrow screens: the numbers stand above the axis, and the name is left to the words around.
pub fn narrow(report: &Report) -> Option<Figure> {
    let gate = report.verdict.gate.as_ref()?;
    let row = row(gate, report.verdict.outcome);
    let title = format!("{} {}", gate.measure, row.note);
    let row = Row {
        name: String::new(),
        note: String::new(),
        ..row
    };
    Some(drawn(gate, "gate-narrow", &title, row, NARROW))
}

fn drawn(gate: &Decision, id: &str, title: &str, row: Row, wide: f64) -> Figure {
    let chance = chance(gate.measure);
    let lines = [
        (chance, "chance", "3 3"),
        (gate.threshold, "threshold", "7 3"),
    ];
    let ends = [gate.low, gate.high, gate.value, gate.threshold, chance];
    let entry = |name: String, class, dash| Entry::new(name, Symbol::Line { class, dash });
    let panels = Panels {
        panels: vec![Panel {
            title: title.to_owned(),
            range: padded(bounds(ends, (chance, chance))),
            tick,
            references: lines
                .map(|(value, class, dash)| Reference { value, class, dash })
                .into(),
        }],
        rows: vec![row],
        legend: vec![
            entry("chance".into(), "chance", "3 3"),
            entry(format!("gate at {}", gate.threshold), "threshold", "7 3"),
        ],
    };
    let mut canvas = Canvas::default();
    let size = panels.draw_within(wide, &mut canvas);
    let caption = format!(
        "{} of {} with its {} interval, which counts that {} attacks were tried. At the gate or \
         beyond it the audit fails; 'chance' is what an attack that knows nothing has.",
        gate.measure,
        gate.attack,
        level(gate.confidence),
        gate.tried
    );
    let head = Head::new(id, Section::Verdict, "What the verdict hangs on", &caption);
    head.figure(canvas, size, table(gate))
}

/// What an attack that knows nothing has.
fn chance(measure: Measure) -> f64 {
    match measure {
        Measure::Auc => 0.5,
        Measure::TprAtFpr(fpr) => fpr,
        Measure::Advantage | Measure::Epsilon(_) => 0.0,
    }
}

fn row(gate: &Decision, outcome: Outcome) -> Row {
    let interval = (gate.low, gate.high);
    let words = number(gate.value, interval, gate.confidence);
    let tip = format!("{}: {} {words}", gate.attack, gate.measure);
    let (class, shape) = look(outcome);
    let dot = Dot {
        series: gate.attack.clone(),
        value: gate.value,
        interval: Some(interval),
        class,
        shape,
        hollow: false,
        tip,
    };
    Row {
        name: gate.attack.clone(),
        strong: true,
        cells: vec![Cell {
            dots: vec![dot],
            ..Cell::default()
        }],
        note: brief(gate.value, interval),
    }
}

/// How a gated value looks by what came of it.
pub fn look(outcome: Outcome) -> (&'static str, Shape) {
    match outcome {
        Outcome::Pass => ("pass", Shape::Square),
        Outcome::Fail => ("fail", Shape::Diamond),
        Outcome::Inconclusive => ("inconclusive", Shape::Up),
    }
}

fn table(gate: &Decision) -> Table {
    let mut row = vec![gate.attack.clone(), gate.measure.to_string()];
    row.extend([gate.value, gate.low, gate.high, gate.threshold].map(exact));
    let heads = ["attack", "measure", "value", "low", "high", "gate"];
    Table::new(&heads, [row])
}
