//! TPR at every asked FPR, attack by attack.

use judge::AttackMeasures;
use judge::measure::TprAtFpr;

use super::canvas::Canvas;
use super::forest::chance_entry;
use super::palette::{series, shape};
use super::panels::{Cell, Dot, Panel, Panels, Reference, Row};
use super::scale::bounds;
use super::words::{exact, exact_or_none, percent_tick, share};
use super::{Figure, Head, Section, Table};
use crate::document::Report;
use crate::table::rate;

const CAPTION: &str = "The share of members that an attack catches while it accuses at most so many \
                       non-members, with its interval. The dashed line is chance: an attack that knows \
                       nothing catches as many members as it accuses non-members. A missing mark means \
                       too few non-members to show such a rate.";

pub fn figure(report: &Report) -> Option<Figure> {
    let attacks = report.strongest_first();
    let fprs: Vec<f64> = attacks
        .first()?
        .tpr_at_fpr
        .iter()
        .map(|at| at.fpr)
        .collect();
    // A rate that nobody could measure is no panel.
    let known = |place: &usize| {
        let mut values = attacks
            .iter()
            .filter_map(|attack| attack.tpr_at_fpr.get(*place));
        values.any(|at| at.value.is_some())
    };
    let places: Vec<usize> = (0..fprs.len()).filter(known).collect();
    let panel = |place: &usize| panel(&attacks, *place, fprs[*place]);
    let gated = report.verdict.gate.as_ref().map(|gate| &gate.attack);
    let panels = Panels {
        panels: places.iter().map(panel).collect(),
        rows: (attacks.iter())
            .map(|attack| Row {
                name: attack.id.clone(),
                strong: gated == Some(&attack.id),
                cells: places.iter().map(|place| cell(attack, *place)).collect(),
                note: String::new(),
            })
            .collect(),
        legend: vec![chance_entry()],
    };
    if panels.panels.is_empty() {
        return None;
    }
    let mut canvas = Canvas::default();
    let size = panels.draw(&mut canvas);
    let title = "Members caught while few are accused wrongly";
    let head = Head::new("tpr", Section::Attacks, title, CAPTION);
    Some(head.figure(canvas, size, table(&attacks)))
}

fn panel(attacks: &[&AttackMeasures], place: usize, fpr: f64) -> Panel {
    let found = attacks
        .iter()
        .filter_map(|attack| attack.tpr_at_fpr.get(place));
    let ends = found.filter_map(|at| at.high.or(at.value));
    let (_, high) = bounds(ends, (0.0, 2.0 * fpr));
    Panel {
        title: format!("TPR at {} FPR", rate(fpr)),
        range: (0.0, (1.04 * high).min(1.0)),
        tick: percent_tick,
        references: vec![Reference {
            value: fpr,
            class: "chance",
            dash: "3 3",
        }],
    }
}

fn cell(attack: &AttackMeasures, place: usize) -> Cell {
    let at = attack.tpr_at_fpr.get(place);
    let dot = |at: &TprAtFpr| {
        let value = at.value?;
        let interval = at.low.zip(at.high);
        Some(Dot {
            series: attack.id.clone(),
            value,
            interval,
            class: series(place),
            shape: shape(place),
            hollow: false,
            tip: format!(
                "{}: TPR at {} FPR {} ({} of {} members, {} of {} non-members)",
                attack.id,
                rate(at.fpr),
                share(value, interval.unwrap_or((value, value)), at.confidence),
                at.tp,
                at.n_members,
                at.fp,
                at.n_nonmembers
            ),
        })
    };
    Cell {
        dots: at.and_then(dot).into_iter().collect(),
        ..Cell::default()
    }
}

fn table(attacks: &[&AttackMeasures]) -> Table {
    let rows = attacks.iter().flat_map(|attack| {
        attack.tpr_at_fpr.iter().map(|at| {
            let mut row = vec![attack.id.clone(), exact(at.fpr)];
            row.extend([at.value, at.low, at.high].map(exact_or_none));
            row.extend([at.tp, at.fp].map(|count| count.to_string()));
            row
        })
    });
    let heads = [
        "attack",
        "FPR",
        "TPR",
        "low",
        "high",
        "true positives",
        "false positives",
    ];
    Table::new(&heads, rows)
}
