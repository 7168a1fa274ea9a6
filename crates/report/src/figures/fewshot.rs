//! Few-shot attacks: bars of the mean over runs, beside chance and shuffled membership.

use judge::fewshot::{RegimeSummary, Spread, Summary};

use super::canvas::Canvas;
use super::legend::{Entry, Symbol};
use super::palette::Shape;
use super::panels::{Cell, Dot, Panel, Panels, Reference, Row, Stretch};
use super::words::{exact, exact_or_none, tick};
use super::{Figure, Head, Section, Table};
use crate::detail::Detail;
use crate::document::Report;
use crate::fewshot::{Fewshot, measured_as};
use crate::table::{level, p_value};

pub fn figures(report: &Report) -> Vec<Figure> {
    match &report.detail {
        Detail::Fewshot(few) if !few.attacks.is_empty() => vec![regimes(few), query_sets(few)],
        _ => Vec::new(),
    }
}

fn regimes(few: &Fewshot) -> Figure {
    let panel = |title: String, pick: fn(&Summary) -> &RegimeSummary| Panel {
        title,
        range: (0.0, 1.0),
        tick,
        references: levels(few.attacks.first().map(pick)),
    };
    let allowed = few.attacks.first().map_or(0, |first| first.b.fp_allowed);
    let row = |summary: &Summary| Row {
        name: measured_as(summary),
        strong: false,
        cells: vec![
            regime(summary, "A", &summary.a),
            regime(summary, "B", &summary.b),
        ],
        note: String::new(),
    };
    let mut legend = legend();
    legend.push(Entry::new("chance", Symbol::Area { class: "band" }));
    let class = "threshold";
    legend.push(Entry::new("severe", Symbol::Line { class, dash: "7 3" }));
    let panels = Panels {
        panels: vec![
            panel("Log-MIA A: no false positive".into(), |one| &one.a),
            panel(format!("Log-MIA B: at most {allowed}"), |one| &one.b),
        ],
        rows: few.attacks.iter().map(row).collect(),
        legend,
    };
    let mut canvas = Canvas::default();
    let size = panels.draw(&mut canvas);
    let caption = "Members caught by attackers who know a few records, as Log-MIA from none (0) to all \
                   (1): the mean over runs with its interval. Grey is where a score that says nothing \
                   lies; diamonds are the same procedure with shuffled membership. A filled mark lies \
                   above both, a hollow one does not.";
    let title = "Few-shot attacks beside chance";
    let head = Head::new("fewshot-log-mia", Section::FewShot, title, caption);
    head.figure(canvas, size, regime_table(few))
}

fn levels(first: Option<&RegimeSummary>) -> Vec<Reference> {
    let line = |value| Reference {
        value,
        class: "threshold",
        dash: "7 3",
    };
    let severe = first.map(|regime| regime.beta.unwrap_or(regime.alpha));
    severe.map(line).into_iter().collect()
}

fn legend() -> Vec<Entry> {
    let mark = |class, shape, hollow| Symbol::Mark {
        class,
        shape,
        hollow,
    };
    vec![
        Entry::new("attack", mark("series-0", Shape::Circle, false)),
        Entry::new(
            "shuffled membership",
            mark("series-7", Shape::Diamond, true),
        ),
    ]
}

fn regime(summary: &Summary, letter: &str, found: &RegimeSummary) -> Cell {
    use judge::measure::Level;
    let half = 1.96 * found.deviation_by_chance / (found.value.runs.max(1) as f64).sqrt();
    let chance = found.expected_by_chance;
    let beyond = matches!(found.level, Level::Severe | Level::Moderate);
    let words = format!("{}, regime {letter}", measured_as(summary));
    let tip = format!(
        "{words}: {:.4} ± {:.4} over {} runs; by chance {chance:.4}, p = {}; level: {}",
        found.value.mean,
        found.value.half_width,
        found.value.runs,
        p_value(found.p_value),
        level(found.level)
    );
    let mut dots = vec![dot("attack", &found.value, !beyond, tip)];
    dots.extend(
        found
            .control
            .as_ref()
            .map(|control| shuffled(&words, control)),
    );
    Cell {
        band: Some(Stretch {
            low: chance - half,
            high: chance + half,
            tip: format!("{words}: chance gives {chance:.4}"),
        }),
        bar: true,
        dots,
        ..Cell::default()
    }
}

fn dot(series: &str, spread: &Spread, hollow: bool, tip: String) -> Dot {
    let (mean, half) = (spread.mean, spread.half_width);
    let control = series != "attack";
    Dot {
        series: series.into(),
        value: mean,
        interval: Some((mean - half, mean + half)),
        class: if control { "series-7" } else { "series-0" },
        shape: if control {
            Shape::Diamond
        } else {
            Shape::Circle
        },
        hollow,
        tip,
    }
}

fn shuffled(words: &str, control: &Spread) -> Dot {
    let tip = format!(
        "{words}, shuffled membership: {:.4} ± {:.4} over {} runs",
        control.mean, control.half_width, control.runs
    );
    dot("shuffled membership", control, true, tip)
}

fn query_sets(few: &Fewshot) -> Figure {
    let panel = |title: &str| Panel {
        title: title.into(),
        range: (0.0, 1.0),
        tick,
        references: vec![super::forest::CHANCE],
    };
    let cell = |summary: &Summary, what: &str, found: &Spread, control: Option<&Spread>| {
        let words = format!("{}, {what}", measured_as(summary));
        let tip = format!(
            "{words}: {:.4} ± {:.4} over {} runs",
            found.mean, found.half_width, found.runs
        );
        let mut dots = vec![dot("attack", found, false, tip)];
        dots.extend(control.map(|control| shuffled(&words, control)));
        Cell {
            bar: true,
            dots,
            ..Cell::default()
        }
    };
    let row = |one: &Summary| Row {
        name: measured_as(one),
        strong: false,
        cells: vec![
            cell(one, "AUC", &one.auc, one.auc_control.as_ref()),
            cell(
                one,
                "accuracy",
                &one.accuracy,
                one.accuracy_control.as_ref(),
            ),
        ],
        note: String::new(),
    };
    let mut entries = legend();
    entries.push(super::forest::chance_entry());
    let panels = Panels {
        panels: vec![panel("AUC"), panel("Accuracy")],
        rows: few.attacks.iter().map(row).collect(),
        legend: entries,
    };
    let mut canvas = Canvas::default();
    let size = panels.draw(&mut canvas);
    let caption = "AUC and accuracy within each set of records asked about, as means over runs with \
                   their intervals. 0.5 is chance; diamonds are the same procedure with shuffled \
                   membership, which must lie there.";
    let title = "Few-shot attacks, each query set by itself";
    let head = Head::new("fewshot-auc", Section::FewShot, title, caption);
    head.figure(canvas, size, query_table(few))
}

fn regime_table(few: &Fewshot) -> Table {
    let rows = few.attacks.iter().flat_map(|summary| {
        [("A", &summary.a), ("B", &summary.b)].map(|(letter, found)| {
            let mut row = vec![measured_as(summary), letter.to_owned()];
            row.extend([found.value.mean, found.value.half_width].map(exact));
            row.push(exact(found.expected_by_chance));
            row.push(exact_or_none(found.control.map(|control| control.mean)));
            row.extend([exact(found.p_value), level(found.level).to_owned()]);
            row
        })
    });
    let heads = [
        "attack",
        "regime",
        "mean",
        "±",
        "by chance",
        "shuffled",
        "p",
        "level",
    ];
    Table::new(&heads, rows)
}

fn query_table(few: &Fewshot) -> Table {
    let rows = few.attacks.iter().map(|one| {
        let mut row = vec![measured_as(one)];
        for (found, control) in [
            (&one.auc, &one.auc_control),
            (&one.accuracy, &one.accuracy_control),
        ] {
            row.extend([found.mean, found.half_width].map(exact));
            row.push(exact_or_none(control.map(|control| control.mean)));
        }
        row
    });
    let heads = [
        "attack", "AUC", "±", "shuffled", "accuracy", "±", "shuffled",
    ];
    Table::new(&heads, rows)
}
