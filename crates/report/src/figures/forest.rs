//! AUC of every attack with its interval.

use judge::AttackMeasures;
use judge::gate::Measure;

use super::canvas::Canvas;
use super::gate::look;
use super::legend::{Entry, Symbol};
use super::palette::Shape;
use super::panels::{Cell, Dot, Panel, Panels, Reference, Row};
use super::scale::{bounds, padded};
use super::words::{brief, exact, number, tick};
use super::{Figure, Head, Section, Table};
use crate::document::Report;

const CAPTION: &str = "The chance that a random member scores above a random non-member, with its \
                       interval. 0.5 is chance; an interval that reaches it shows no leak. The filled \
                       mark is the attack that the verdict looks at.";

pub fn figure(report: &Report) -> Option<Figure> {
    let attacks = report.strongest_first();
    attacks.first()?;
    let gate = report.verdict.gate.as_ref();
    let threshold = gate.filter(|gate| gate.measure == Measure::Auc);
    let mut references = vec![CHANCE];
    references.extend(threshold.map(|gate| Reference {
        value: gate.threshold,
        class: "threshold",
        dash: "7 3",
    }));
    let ends = attacks
        .iter()
        .flat_map(|attack| [attack.auc.low, attack.auc.high]);
    let ends = ends.chain(references.iter().map(|line| line.value));
    let mut legend = vec![chance_entry()];
    legend.extend(threshold.map(|gate| {
        let class = "threshold";
        let name = format!("gate at {}", gate.threshold);
        Entry::new(name, Symbol::Line { class, dash: "7 3" })
    }));
    let panels = Panels {
        panels: vec![Panel {
            title: "AUC".into(),
            range: padded(bounds(ends, (0.5, 0.5))),
            tick,
            references,
        }],
        rows: (attacks.iter())
            .map(|attack| {
                let gated = gate.is_some_and(|gate| gate.attack == attack.id);
                row(attack, gated.then(|| look(report.verdict.outcome)))
            })
            .collect(),
        legend,
    };
    let mut canvas = Canvas::default();
    let size = panels.draw(&mut canvas);
    let head = Head::new("forest", Section::Attacks, "AUC of every attack", CAPTION);
    Some(head.figure(canvas, size, table(&attacks)))
}

/// Where an AUC says nothing.
pub const CHANCE: Reference = Reference {
    value: 0.5,
    class: "chance",
    dash: "3 3",
};

pub fn chance_entry() -> Entry {
    let class = "chance";
    Entry::new("chance", Symbol::Line { class, dash: "3 3" })
}

fn row(attack: &AttackMeasures, gated: Option<(&'static str, Shape)>) -> Row {
    let (class, shape) = gated.unwrap_or(("series-0", Shape::Circle));
    let auc = &attack.auc;
    let interval = (auc.low, auc.high);
    let words = number(auc.value, interval, auc.confidence);
    let tip = format!(
        "{}: AUC {words}; {} members, {} non-members",
        attack.id, auc.n_members, auc.n_nonmembers
    );
    Row {
        name: attack.id.clone(),
        strong: gated.is_some(),
        cells: vec![Cell {
            dots: vec![Dot {
                series: attack.id.clone(),
                value: auc.value,
                interval: Some(interval),
                class,
                shape,
                hollow: gated.is_none(),
                tip,
            }],
            ..Cell::default()
        }],
        note: brief(auc.value, interval),
    }
}

fn table(attacks: &[&AttackMeasures]) -> Table {
    let rows = attacks.iter().map(|attack| {
        let auc = &attack.auc;
        let mut row = vec![attack.id.clone()];
        row.extend([auc.value, auc.low, auc.high].map(exact));
        row.extend([auc.n_members, auc.n_nonmembers].map(|count| count.to_string()));
        row
    });
    let heads = ["attack", "AUC", "low", "high", "members", "non-members"];
    Table::new(&heads, rows)
}
