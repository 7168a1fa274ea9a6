//! Log-MIA of every attack beside what chance gives. What chance gives as well is drawn hollow.

use judge::AttackMeasures;
use judge::measure::{Level, Regime};

use super::canvas::Canvas;
use super::legend::{Entry, Symbol};
use super::palette::Shape;
use super::panels::{Cell, Dot, Panel, Panels, Reference, Row, Stretch};
use super::words::{exact, exact_or_none, tick};
use super::{Figure, Head, Section, Table};
use crate::document::Report;
use crate::table::{level, p_value};

const CAPTION: &str = "How many members are caught with no false positive (A) and with a handful (B), \
                       on a logarithmic scale from none (0) to all (1). Grey is where a score that says \
                       nothing lies, give or take one deviation; hollow marks cannot be told from it, \
                       whatever their height. From the dashed lines on, a leak is called moderate or \
                       severe.";

pub fn figure(report: &Report) -> Option<Figure> {
    let attacks = report.strongest_first();
    let first = &attacks.first()?.log_mia;
    let allowed = first.b.fp_allowed;
    let gated = report.verdict.gate.as_ref().map(|gate| &gate.attack);
    let panels = Panels {
        panels: vec![
            panel("A: no false positive".into(), &first.a),
            panel(format!("B: at most {allowed} false positives"), &first.b),
        ],
        rows: (attacks.iter())
            .map(|attack| Row {
                name: attack.id.clone(),
                strong: gated == Some(&attack.id),
                cells: vec![
                    cell(attack, "A", &attack.log_mia.a),
                    cell(attack, "B", &attack.log_mia.b),
                ],
                note: String::new(),
            })
            .collect(),
        legend: legend(),
    };
    let mut canvas = Canvas::default();
    let size = panels.draw(&mut canvas);
    let head = Head::new(
        "log-mia",
        Section::Attacks,
        "Log-MIA beside chance",
        CAPTION,
    );
    Some(head.figure(canvas, size, table(&attacks)))
}

/// Levels begin at α, in B a second one at β.
fn panel(title: String, regime: &Regime) -> Panel {
    let line = |value, dash| Reference {
        value,
        class: "threshold",
        dash,
    };
    let mut references = vec![line(regime.alpha, "2 3")];
    references.extend(regime.beta.map(|beta| line(beta, "7 3")));
    if regime.beta.is_none() {
        references = vec![line(regime.alpha, "7 3")];
    }
    Panel {
        title,
        range: (0.0, 1.0),
        tick,
        references,
    }
}

fn legend() -> Vec<Entry> {
    let mark = |hollow| Symbol::Mark {
        class: "series-0",
        shape: Shape::Circle,
        hollow,
    };
    let class = "threshold";
    vec![
        Entry::new("beyond chance", mark(false)),
        Entry::new("chance or no level", mark(true)),
        Entry::new("chance", Symbol::Area { class: "band" }),
        Entry::new("moderate", Symbol::Line { class, dash: "2 3" }),
        Entry::new("severe", Symbol::Line { class, dash: "7 3" }),
    ]
}

fn cell(attack: &AttackMeasures, letter: &str, regime: &Regime) -> Cell {
    let (mean, deviation) = (regime.expected_by_chance, regime.deviation_by_chance);
    let beyond = matches!(regime.level, Level::Severe | Level::Moderate);
    Cell {
        band: Some(Stretch {
            low: mean - deviation,
            high: mean + deviation,
            tip: format!(
                "{}: chance gives {mean:.3} ± {deviation:.3} in {letter}",
                attack.id
            ),
        }),
        dots: vec![Dot {
            series: if beyond {
                "beyond chance"
            } else {
                "chance or no level"
            }
            .into(),
            value: regime.value,
            interval: None,
            class: "series-0",
            shape: Shape::Circle,
            hollow: !beyond,
            tip: format!(
                "{}: Log-MIA {letter} {:.3} ({} of {} members caught, {} non-members accused); by \
                 chance {mean:.3}, p = {}; level: {}",
                attack.id,
                regime.value,
                regime.tp,
                regime.n_members,
                regime.fp,
                p_value(regime.p_value),
                regime.level.as_str()
            ),
        }],
        ..Cell::default()
    }
}

fn table(attacks: &[&AttackMeasures]) -> Table {
    let row = |attack: &AttackMeasures, letter: &str, regime: &Regime| {
        let mut row = vec![attack.id.clone(), letter.to_owned(), exact(regime.value)];
        row.extend([regime.expected_by_chance, regime.deviation_by_chance].map(exact));
        row.extend([exact(regime.p_value), exact(regime.alpha)]);
        row.extend([exact_or_none(regime.beta), level(regime.level).to_owned()]);
        row
    };
    let rows = attacks.iter().flat_map(|attack| {
        let found = &attack.log_mia;
        [row(attack, "A", &found.a), row(attack, "B", &found.b)]
    });
    let heads = [
        "attack",
        "regime",
        "value",
        "by chance",
        "deviation",
        "p",
        "alpha",
        "beta",
        "level",
    ];
    Table::new(&heads, rows)
}
