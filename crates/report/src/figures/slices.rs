//! AUC of parts of the records.

use judge::diagnostics::slices::{Mark, SliceFinding, SliceMeasures};

use super::canvas::Canvas;
use super::forest::{CHANCE, chance_entry};
use super::legend::{Entry, Symbol};
use super::palette::Shape;
use super::panels::{Cell, Dot, Panel, Panels, Row};
use super::scale::{bounds, padded};
use super::words::{brief, exact, exact_or_none, number, tick};
use super::{Figure, Head, Section, Table};
use crate::document::Report;
use crate::table::p_value;

/// Slices that are drawn.
const MOST: usize = 30;

pub fn figure(report: &Report) -> Option<Figure> {
    let found = report.diagnostics.slices.as_ref()?;
    let measured: Vec<(&SliceFinding, &SliceMeasures)> = (found.slices.iter())
        .filter_map(|slice| Some((slice, slice.measures.as_ref()?)))
        .collect();
    measured.first()?;
    let shown = &measured[..measured.len().min(MOST)];
    let ends = shown
        .iter()
        .flat_map(|(_, one)| [one.auc.low, one.auc.high]);
    let mark = |hollow| Symbol::Mark {
        class: "series-0",
        shape: Shape::Circle,
        hollow,
    };
    let panels = Panels {
        panels: vec![Panel {
            title: format!("AUC of {}", found.attack),
            range: padded(bounds(ends, (0.5, 0.5))),
            tick,
            references: vec![CHANCE],
        }],
        rows: shown.iter().map(row).collect(),
        legend: vec![
            chance_entry(),
            Entry::new("differs from the rest", mark(false)),
            Entry::new("cannot be told from the rest", mark(true)),
        ],
    };
    let mut canvas = Canvas::default();
    let size = panels.draw(&mut canvas);
    let more = match measured.len() - shown.len() {
        0 => String::new(),
        more => format!(" {more} more slices are in report.json."),
    };
    let caption = format!(
        "AUC of {} among parts of the records, with its interval; 0.5 is chance. A part differs from the \
         rest where the filled mark says so, counting that {} parts were compared.{more}",
        found.attack, found.compared
    );
    let title = "Who leaks more: AUC by part of the records";
    let head = Head::new("slices", Section::Records, title, &caption);
    Some(head.figure(canvas, size, table(&measured)))
}

fn name(slice: &SliceFinding) -> String {
    format!("{} = {}", slice.column, slice.value)
}

fn row((slice, one): &(&SliceFinding, &SliceMeasures)) -> Row {
    let interval = (one.auc.low, one.auc.high);
    let p = one.corrected_p_value.map_or(String::new(), |p| {
        format!("; difference from the rest p = {}", p_value(p))
    });
    let tip = format!(
        "{}: AUC {}; {} members, {} non-members{p}",
        name(slice),
        number(one.auc.value, interval, one.auc.confidence),
        slice.members,
        slice.nonmembers
    );
    let alike = one.mark == Mark::Alike;
    let series = match alike {
        true => "cannot be told from the rest",
        false => "differs from the rest",
    };
    Row {
        name: name(slice),
        strong: !alike,
        cells: vec![Cell {
            dots: vec![Dot {
                series: series.into(),
                value: one.auc.value,
                interval: Some(interval),
                class: "series-0",
                shape: Shape::Circle,
                hollow: alike,
                tip,
            }],
            ..Cell::default()
        }],
        note: brief(one.auc.value, interval),
    }
}

fn table(measured: &[(&SliceFinding, &SliceMeasures)]) -> Table {
    let rows = measured.iter().map(|(slice, one)| {
        let mut row = vec![slice.column.clone(), slice.value.clone()];
        row.extend([slice.members, slice.nonmembers].map(|count| count.to_string()));
        row.extend([one.auc.value, one.auc.low, one.auc.high].map(exact));
        row.push(exact_or_none(one.corrected_p_value));
        row
    });
    let heads = [
        "column",
        "value",
        "members",
        "non-members",
        "AUC",
        "low",
        "high",
        "p (Holm)",
    ];
    Table::new(&heads, rows)
}
