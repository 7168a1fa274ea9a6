//! Called sources against true ones, and how many were called what.

use judge::source::Evaluation;

use super::canvas::{Anchor, Canvas, Tag};
use super::palette::Shape;
use super::panels::{Cell, Dot, Panel, Panels, Row};
use super::scale::bounds;
use super::words::tick;
use super::{Figure, Head, Section, Table, WIDTH};
use crate::detail::Detail;
use crate::document::Report;
use crate::sections::percent;
use crate::source::LabelCount;

const LEFT: f64 = 150.0;
const TOP: f64 = 56.0;
const WIDE: f64 = 118.0;
const HIGH: f64 = 58.0;

pub fn figures(report: &Report) -> Vec<Figure> {
    let Detail::Source(source) = &report.detail else {
        return Vec::new();
    };
    let mut figures: Vec<Figure> = source.evaluation.iter().map(confusion).collect();
    figures.extend(labels(&source.labels));
    figures
}

fn confusion(found: &Evaluation) -> Figure {
    let names = found.per_class.map(|class| class.label.as_str());
    let mut canvas = Canvas::default();
    let middle = LEFT + 1.5 * WIDE;
    canvas.text("label", (middle, 18.0), Anchor::Middle, "Called");
    canvas.text_upwards("label", (26.0, TOP + 1.5 * HIGH), "True source");
    for (place, name) in names.iter().enumerate() {
        let x = LEFT + (place as f64 + 0.5) * WIDE;
        canvas.text("tick", (x, TOP - 12.0), Anchor::Middle, name);
        let y = TOP + (place as f64 + 0.5) * HIGH + 4.0;
        canvas.text("tick", (LEFT - 12.0, y), Anchor::End, name);
    }
    for (row, counts) in found.confusion.iter().enumerate() {
        for (column, count) in counts.iter().enumerate() {
            let all: u64 = counts.iter().sum();
            let tip = format!(
                "{count} of {all} texts that are {} were called {}",
                names[row], names[column]
            );
            cell(&mut canvas, (row, column), (*count, all), &tip);
        }
    }
    beside(&mut canvas, found);
    let caption = format!(
        "Texts by where they came from (rows) and what they were called (columns); the diagonal is \
         right. {} texts. The same labels on shuffled texts would be right for {} of them.",
        found.n,
        percent(found.chance.expected_accuracy)
    );
    let head = Head::new(
        "source-confusion",
        Section::Source,
        "Called and true sources",
        &caption,
    );
    head.figure(
        canvas,
        (WIDTH, TOP + 3.0 * HIGH + 14.0),
        confusion_table(found),
    )
}

/// The fuller a cell of its row, the darker; the diagonal in another colour and framed.
fn cell(canvas: &mut Canvas, (row, column): (usize, usize), (count, all): (u64, u64), tip: &str) {
    let corner = (LEFT + column as f64 * WIDE, TOP + row as f64 * HIGH);
    let right = row == column;
    let class = if right { "series-2" } else { "series-1" };
    canvas.group(Tag::new("g").say("data-tip", tip), |canvas| {
        let (x, y) = (corner.0 + 2.0, corner.1 + 2.0);
        let (wide, high) = (WIDE - 4.0, HIGH - 4.0);
        canvas.rectangle("mark paper", (x, y), (x + wide, y + high));
        let share = count as f64 / all.max(1) as f64;
        canvas.rectangle(
            &format!("area {class}"),
            (x, y),
            (x + wide * share.min(1.0), y + high),
        );
        let frame = format!("M{x},{y}h{wide}v{high}h-{wide}Z");
        canvas.path(if right { class } else { "grid" }, &frame, 1.4, "");
        let middle = (x + wide / 2.0, y + high / 2.0 + 4.5);
        canvas.text("label", middle, Anchor::Middle, &count.to_string());
    });
}

/// Accuracy in words, to the right of the matrix.
fn beside(canvas: &mut Canvas, found: &Evaluation) {
    let x = LEFT + 3.0 * WIDE + 12.0;
    let lines = [
        ("label", format!("accuracy {:.3}", found.accuracy.value)),
        (
            "tick",
            format!("{:.3}–{:.3}", found.accuracy.low, found.accuracy.high),
        ),
        ("label", format!("macro F1 {:.3}", found.macro_f1.value)),
        (
            "tick",
            format!("{:.3}–{:.3}", found.macro_f1.low, found.macro_f1.high),
        ),
        (
            "label",
            format!("chance {:.3}", found.chance.expected_accuracy),
        ),
    ];
    for (place, (class, words)) in lines.iter().enumerate() {
        let y = TOP + 24.0 + 26.0 * place as f64;
        canvas.text(class, (x, y), Anchor::Start, words);
    }
}

fn confusion_table(found: &Evaluation) -> Table {
    let names = found.per_class.map(|class| class.label.as_str());
    let rows = found.confusion.iter().zip(names).map(|(counts, name)| {
        let mut row = vec![name.to_owned()];
        row.extend(counts.iter().map(u64::to_string));
        row
    });
    let [first, second, third] = names;
    Table::new(&["true source", first, second, third], rows)
}

/// What is counted, and its name.
type Counted = (&'static str, fn(&LabelCount) -> usize);

fn labels(counts: &[LabelCount]) -> Option<Figure> {
    let pick: [Counted; 2] = [
        ("Texts", |one| one.documents),
        ("Key words", |one| one.tokens),
    ];
    let panel = |(title, pick): Counted| Panel {
        title: title.into(),
        range: (
            0.0,
            1.1 * bounds(counts.iter().map(|one| pick(one) as f64), (0.0, 1.0)).1,
        ),
        tick,
        references: Vec::new(),
    };
    counts.first()?;
    let panels = Panels {
        panels: pick.map(panel).into(),
        rows: (counts.iter())
            .map(|one| Row {
                name: one.label.clone(),
                strong: false,
                cells: pick
                    .map(|(title, pick)| count_cell(one, title, pick(one)))
                    .into(),
                note: format!("{} / {}", one.documents, one.tokens),
            })
            .collect(),
        legend: Vec::new(),
    };
    let mut canvas = Canvas::default();
    let size = panels.draw(&mut canvas);
    let caption = "How many texts, and how many of their key words, were called to come from the model \
                   itself (pretrained), from the store (retrieved), or from neither.";
    let head = Head::new(
        "source-labels",
        Section::Source,
        "What was called how",
        caption,
    );
    let rows = counts.iter().map(|one| {
        let counts = [one.documents, one.tokens].map(|count| count.to_string());
        [vec![one.label.clone()], counts.to_vec()].concat()
    });
    Some(head.figure(
        canvas,
        size,
        Table::new(&["label", "texts", "key words"], rows),
    ))
}

fn count_cell(one: &LabelCount, title: &str, count: usize) -> Cell {
    let class = match one.label.as_str() {
        "pretrained" => "source-pretrained",
        "retrieved" => "source-retrieved",
        "both" => "source-both",
        _ => "source-neither",
    };
    Cell {
        bar: true,
        dots: vec![Dot {
            series: one.label.clone(),
            value: count as f64,
            interval: None,
            class,
            shape: Shape::Circle,
            hollow: false,
            tip: format!("{count} {} called {}", title.to_lowercase(), one.label),
        }],
        ..Cell::default()
    }
}
