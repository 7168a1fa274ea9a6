//! AUC with and without retrieval: of every attack, and of every signal by itself.

use judge::measure::{Auc, PairedDifference};

use super::canvas::Canvas;
use super::forest::{CHANCE, chance_entry};
use super::legend::{Entry, Symbol};
use super::palette::Shape;
use super::panels::{Cell, Dot, Panel, Panels, Row};
use super::scale::{bounds, padded};
use super::words::{exact, exact_or_none, number, tick};
use super::{Figure, Head, Section, Table};
use crate::detail::Detail;
use crate::document::Report;
use crate::rag::{Rag, SignalMeasure};

/// Signals that are drawn.
const MOST: usize = 30;

/// One name with both values.
struct Pair<'a> {
    name: String,
    with: &'a Auc,
    without: Option<&'a Auc>,
    difference: Option<&'a PairedDifference>,
}

pub fn figures(report: &Report) -> Vec<Figure> {
    let Detail::Rag(rag) = &report.detail else {
        return Vec::new();
    };
    let arms = arms(report, rag);
    let signals = signals(&rag.signals);
    let left_out = rag.signals.len().saturating_sub(MOST);
    let more = match left_out {
        0 => String::new(),
        more => format!(" {more} weaker signals are in report.json."),
    };
    let arms = figure(
        "retrieval-arms",
        "Attacks with and without retrieval",
        "AUC of every attack on answers with retrieval, and on answers to the same questions without it. \
         0.5 is chance. What is known without retrieval is no leak of the store; the difference is the \
         leak.",
        &arms,
        &arms,
    );
    let signals = figure(
        "retrieval-signals",
        "Which signals give the store away",
        &format!(
            "AUC of every signal of the answers by itself, the farthest from chance first. 0.5 is chance; \
             below it, the signal is lower for members.{more}"
        ),
        &signals[..signals.len().min(MOST)],
        &signals,
    );
    [arms, signals].into_iter().flatten().collect()
}

fn arms<'a>(report: &'a Report, rag: &'a Rag) -> Vec<Pair<'a>> {
    let pairs = report.strongest_first().into_iter().filter_map(|attack| {
        let found = rag.attacks.iter().find(|other| other.id == attack.id)?;
        Some(Pair {
            name: attack.id.clone(),
            with: &attack.auc,
            without: found.without_retrieval.as_ref(),
            difference: found.difference.as_ref(),
        })
    });
    pairs.collect()
}

fn signals(signals: &[SignalMeasure]) -> Vec<Pair<'_>> {
    let mut sorted: Vec<&SignalMeasure> = signals.iter().collect();
    let strength = |signal: &SignalMeasure| (signal.auc.value - 0.5).abs();
    sorted.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    let pair = |signal: &'_ SignalMeasure| format!("{}: {}", signal.strategy, signal.signal);
    sorted
        .into_iter()
        .map(|signal| Pair {
            name: pair(signal),
            with: &signal.auc,
            without: signal.without_retrieval.as_ref(),
            difference: None,
        })
        .collect()
}

fn figure(id: &str, title: &str, caption: &str, shown: &[Pair], all: &[Pair]) -> Option<Figure> {
    shown.first()?;
    let aucs = shown
        .iter()
        .flat_map(|pair| [Some(pair.with), pair.without]);
    let ends = aucs.flatten().flat_map(|auc| [auc.low, auc.high]);
    let mark = |class, shape, hollow| Symbol::Mark {
        class,
        shape,
        hollow,
    };
    let panels = Panels {
        panels: vec![Panel {
            title: "AUC".into(),
            range: padded(bounds(ends, (0.5, 0.5))),
            tick,
            references: vec![CHANCE],
        }],
        rows: shown.iter().map(row).collect(),
        legend: vec![
            Entry::new(WITH, mark("source-retrieved", Shape::Circle, false)),
            Entry::new(WITHOUT, mark("series-0", Shape::Square, true)),
            chance_entry(),
        ],
    };
    let mut canvas = Canvas::default();
    let size = panels.draw(&mut canvas);
    let head = Head::new(id, Section::Retrieval, title, caption);
    Some(head.figure(canvas, size, table(all)))
}

const WITH: &str = "with retrieval";
const WITHOUT: &str = "without";

fn row(pair: &Pair) -> Row {
    let dot = |auc: &Auc, series: &str, class, shape, hollow| Dot {
        series: series.into(),
        value: auc.value,
        interval: Some((auc.low, auc.high)),
        class,
        shape,
        hollow,
        tip: format!(
            "{}, {series}: AUC {}",
            pair.name,
            number(auc.value, (auc.low, auc.high), auc.confidence)
        ),
    };
    let with = dot(pair.with, WITH, "source-retrieved", Shape::Circle, false);
    let without = pair
        .without
        .map(|auc| dot(auc, WITHOUT, "series-0", Shape::Square, true));
    let note = match pair.difference {
        Some(found) => format!("difference {:+.3}", found.value),
        None => format!("{:.3}", pair.with.value),
    };
    Row {
        name: pair.name.clone(),
        strong: false,
        cells: vec![Cell {
            dots: std::iter::once(with).chain(without).collect(),
            ..Cell::default()
        }],
        note,
    }
}

fn table(pairs: &[Pair]) -> Table {
    let rows = pairs.iter().map(|pair| {
        let mut row = vec![pair.name.clone()];
        row.extend([pair.with.value, pair.with.low, pair.with.high].map(exact));
        let without = pair.without;
        row.push(exact_or_none(without.map(|auc| auc.value)));
        row.push(exact_or_none(without.map(|auc| auc.low)));
        row.push(exact_or_none(without.map(|auc| auc.high)));
        row.push(exact_or_none(pair.difference.map(|found| found.value)));
        row
    });
    let heads = [
        "name",
        "AUC with",
        "low",
        "high",
        "AUC without",
        "low",
        "high",
        "difference",
    ];
    Table::new(&heads, rows)
}
