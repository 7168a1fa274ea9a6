//! Kinds of answers about members and about non-members.

use std::collections::BTreeSet;

use super::canvas::Canvas;
use super::legend::{Entry, Symbol};
use super::palette::Shape;
use super::panels::{Cell, Dot, Panel, Panels, Row};
use super::words::percent_tick;
use super::{Figure, Head, Section, Table};
use crate::detail::Detail;
use crate::document::Report;
use crate::rag::AnswerKinds;
use crate::sections::percent;

const CAPTION: &str = "What kinds of answers came back, as shares of all answers about members and about \
                       non-members. A service that gives nothing away answers both alike.";

type Look = (&'static str, &'static str, Shape, bool);
const LOOKS: [Look; 2] = [
    ("members", "member", Shape::Circle, false),
    ("non-members", "nonmember", Shape::Square, true),
];

pub fn figure(report: &Report) -> Option<Figure> {
    let Detail::Rag(rag) = &report.detail else {
        return None;
    };
    let arms = &rag.answers;
    let kinds: BTreeSet<&String> = arms.iter().flat_map(|arm| arm.kinds.keys()).collect();
    kinds.first()?;
    let panel = |arm: &AnswerKinds| Panel {
        title: arm_name(arm).into(),
        range: (0.0, 1.0),
        tick: percent_tick,
        references: Vec::new(),
    };
    let panels = Panels {
        panels: arms.iter().map(panel).collect(),
        rows: (kinds.iter())
            .map(|kind| Row {
                name: (*kind).clone(),
                strong: false,
                cells: arms.iter().map(|arm| cell(arm, kind)).collect(),
                note: String::new(),
            })
            .collect(),
        legend: LOOKS
            .map(|(name, class, shape, hollow)| {
                Entry::new(
                    name,
                    Symbol::Mark {
                        class,
                        shape,
                        hollow,
                    },
                )
            })
            .into(),
    };
    let mut canvas = Canvas::default();
    let size = panels.draw(&mut canvas);
    let head = Head::new(
        "retrieval-answers",
        Section::Retrieval,
        "Kinds of answers",
        CAPTION,
    );
    Some(head.figure(canvas, size, table(arms)))
}

fn arm_name(arm: &AnswerKinds) -> &'static str {
    match arm.retrieval {
        true => "With retrieval",
        false => "Without retrieval",
    }
}

fn cell(arm: &AnswerKinds, kind: &str) -> Cell {
    let counts = arm.kinds.get(kind).copied().unwrap_or([0, 0]);
    let dot = |(place, (name, class, shape, hollow)): (usize, Look)| {
        let all: usize = arm.kinds.values().map(|counts| counts[place]).sum();
        let count = counts[place];
        let share = count as f64 / all.max(1) as f64;
        Dot {
            series: name.into(),
            value: share,
            interval: None,
            class,
            shape,
            hollow,
            tip: format!(
                "{}, {kind}: {} of answers about {name} ({count} of {all})",
                arm_name(arm),
                percent(share)
            ),
        }
    };
    Cell {
        dots: LOOKS.into_iter().enumerate().map(dot).collect(),
        ..Cell::default()
    }
}

fn table(arms: &[AnswerKinds]) -> Table {
    let rows = arms.iter().flat_map(|arm| {
        arm.kinds.iter().map(|(kind, counts)| {
            let mut row = vec![arm_name(arm).to_owned(), kind.clone()];
            row.extend(counts.map(|count| count.to_string()));
            row
        })
    });
    Table::new(&["arm", "kind", "members", "non-members"], rows)
}
