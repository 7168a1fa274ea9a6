//! How often the shadows' values of a record are not normal, by the Anderson–Darling test.

use judge::diagnostics::normality::{ClassNormality, Classes, Normality};

use super::canvas::Canvas;
use super::legend::{Entry, Symbol};
use super::palette::Shape;
use super::panels::{Cell, Dot, Panel, Panels, Reference, Row};
use super::scale::bounds;
use super::words::{exact_or_none, percent_tick, tick};
use super::{Figure, Head, Section, Table};
use crate::document::Report;
use crate::sections::normality::drawn;
use crate::sections::percent;
use crate::table::rate;

/// Labels that are drawn.
const MOST: usize = 20;

type Class<'a> = (&'static str, &'static str, Shape, &'a ClassNormality);

pub fn figure(report: &Report) -> Option<Figure> {
    let found = report.diagnostics.normality.as_ref()?;
    let classes = named(found);
    let shown = &classes[..classes.len().min(MOST + 1)];
    let tested = |one: &&ClassNormality| one.records_tested > 0;
    let all = || {
        shown
            .iter()
            .flat_map(|(_, one)| [&one.inside, &one.outside])
    };
    all().find(tested)?;
    let panel = |title: &str, tick: fn(f64) -> String, values: Vec<f64>, lines: Vec<Reference>| {
        let ends = values
            .into_iter()
            .chain(lines.iter().map(|line| line.value));
        Panel {
            title: title.into(),
            range: (0.0, 1.08 * bounds(ends, (0.0, 0.0)).1),
            tick,
            references: lines,
        }
    };
    let rejected = all().filter_map(|one| one.rejection_rate).collect();
    let medians = all().filter_map(|one| one.median).collect();
    let line = |value, class, dash| Reference { value, class, dash };
    let panels = Panels {
        panels: vec![
            panel(
                "Records rejected as not normal",
                percent_tick,
                rejected,
                vec![line(found.level, "chance", "3 3")],
            ),
            panel(
                "Median A²",
                tick,
                medians,
                vec![
                    line(found.median_if_normal, "chance", "3 3"),
                    line(found.critical_value, "threshold", "7 3"),
                ],
            ),
        ],
        rows: shown.iter().map(row).collect(),
        legend: legend(),
    };
    let mut canvas = Canvas::default();
    let size = panels.draw(&mut canvas);
    let head = Head::new(
        "normality",
        Section::Models,
        "How many records have signals that are not normal",
        &caption(found, classes.len() - shown.len()),
    );
    Some(head.figure(canvas, size, table(&classes)))
}

fn caption(found: &Normality, left_out: usize) -> String {
    let more = match left_out {
        0 => String::new(),
        more => format!(" {more} more labels are in report.json."),
    };
    format!(
        "Anderson–Darling test of each record's signals{}, over shadow models that trained on it (IN) and \
         that did not (OUT). A true normal is rejected in {} of records and has a median of {}; attacks \
         that fit a normal lose where far more is rejected.{more}",
        drawn(found),
        rate(found.level),
        found.median_if_normal
    )
}

/// All records together first, then by label.
fn named(found: &Normality) -> Vec<(String, &Classes<ClassNormality>)> {
    let mut classes = vec![("all records".to_owned(), &found.classes)];
    let labels = found.by_label.iter();
    classes.extend(labels.map(|one| (format!("label {}", one.label), &one.classes)));
    classes
}

fn legend() -> Vec<Entry> {
    let mark = |class, shape| Symbol::Mark {
        class,
        shape,
        hollow: false,
    };
    let line = |class, dash| Symbol::Line { class, dash };
    vec![
        Entry::new("IN", mark("member", Shape::Circle)),
        Entry::new("OUT", mark("nonmember", Shape::Square)),
        Entry::new("if normal", line("chance", "3 3")),
        Entry::new("critical value", line("threshold", "7 3")),
    ]
}

fn row((name, one): &(String, &Classes<ClassNormality>)) -> Row {
    let classes: [Class; 2] = [
        ("IN", "member", Shape::Circle, &one.inside),
        ("OUT", "nonmember", Shape::Square, &one.outside),
    ];
    let cell = |pick: fn(&ClassNormality) -> Option<f64>| {
        let dot = |(kind, class, shape, found): &Class| {
            Some(Dot {
                series: (*kind).into(),
                value: pick(found)?,
                interval: None,
                class,
                shape: *shape,
                hollow: false,
                tip: tip(name, kind, found),
            })
        };
        Cell {
            dots: classes.iter().filter_map(dot).collect(),
            ..Cell::default()
        }
    };
    Row {
        name: name.clone(),
        strong: false,
        cells: vec![
            cell(|found| found.rejection_rate),
            cell(|found| found.median),
        ],
        note: String::new(),
    }
}

fn tip(name: &str, kind: &str, found: &ClassNormality) -> String {
    let rejected = found.rejection_rate.map_or("–".into(), percent);
    let median = found
        .median
        .map_or("–".into(), |median| format!("{median:.2}"));
    format!(
        "{name}, {kind}: {rejected} rejected ({} of {} records), median A² {median}",
        found.rejected, found.records_tested
    )
}

fn table(classes: &[(String, &Classes<ClassNormality>)]) -> Table {
    let rows = classes.iter().flat_map(|(name, one)| {
        [("IN", &one.inside), ("OUT", &one.outside)].map(|(kind, found)| {
            vec![
                name.clone(),
                kind.to_owned(),
                found.records_tested.to_string(),
                found.rejected.to_string(),
                exact_or_none(found.rejection_rate),
                exact_or_none(found.median),
            ]
        })
    });
    let heads = [
        "records",
        "class",
        "tested",
        "rejected",
        "share rejected",
        "median A²",
    ];
    Table::new(&heads, rows)
}
