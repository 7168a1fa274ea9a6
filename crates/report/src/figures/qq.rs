//! Quantiles of the shadows' values against those of normal samples.

use judge::diagnostics::qq::Qq;

use super::canvas::{Canvas, stroked};
use super::frame::{Frame, ticks};
use super::legend::{self, COLUMN, Entry, Symbol};
use super::lines::tips;
use super::palette::Shape;
use super::path::{pair, polyline};
use super::scale::{Scale, bounds, padded};
use super::words::{exact, tick};
use super::{Figure, Head, Section, Table, WIDTH};
use crate::document::Report;
use crate::sections::percent;

const LEFT: f64 = 68.0;
const SIDE: f64 = 300.0;
const TOP: f64 = 12.0;

/// One of the two kinds of shadow models.
struct Kind {
    id: &'static str,
    name: &'static str,
    words: &'static str,
    class: &'static str,
    shape: Shape,
}

const INSIDE: Kind = Kind {
    id: "qq-inside",
    name: "IN",
    words: "models that trained on the record",
    class: "member",
    shape: Shape::Dot,
};
const OUTSIDE: Kind = Kind {
    id: "qq-outside",
    name: "OUT",
    words: "models that did not",
    class: "nonmember",
    shape: Shape::Dot,
};

pub fn figures(report: &Report) -> Vec<Figure> {
    let Some(found) = &report.diagnostics.qq else {
        return Vec::new();
    };
    [(&found.inside, INSIDE), (&found.outside, OUTSIDE)]
        .into_iter()
        .filter(|(qq, _)| !qq.points.is_empty())
        .map(|(qq, kind)| figure(qq, &kind))
        .collect()
}

fn figure(qq: &Qq, kind: &Kind) -> Figure {
    let values = qq
        .points
        .iter()
        .flat_map(|point| [point.normal, point.observed]);
    let range = padded(bounds(values, (-1.0, 1.0)));
    let frame = Frame {
        x: Scale::linear(range, LEFT, LEFT + SIDE),
        y: Scale::linear(range, TOP + SIDE, TOP),
    };
    let mut canvas = Canvas::default();
    let (x, y) = (ticks(&frame.x, 7, tick), ticks(&frame.y, 7, tick));
    frame.draw(&mut canvas, ("If normal", &x), ("Observed", &y));
    canvas.series("normal", "where a normal distribution lies", |canvas| {
        let (from, to) = (frame.at((range.0, range.0)), frame.at((range.1, range.1)));
        canvas.line("chance", from, to, 1.3, "5 4");
    });
    points(&mut canvas, &frame, qq, kind);
    let (class, shape) = (kind.class, kind.shape);
    let mark = Symbol::Mark {
        class,
        shape,
        hollow: false,
    };
    let line = Symbol::Line {
        class: "chance",
        dash: "5 4",
    };
    let entries = [Entry::new(kind.name, mark), Entry::new("normal", line)];
    let corner = (LEFT + SIDE + 24.0, TOP);
    legend::draw(&mut canvas, &entries, corner, COLUMN);
    let caption = format!(
        "Quantiles of the shadows' signals ({}: {}), each record centred and scaled by itself, against \
         those of a normal distribution, in deviations. Points on the dashed line are normal; points \
         beyond it at both ends mean heavier tails, at one end skew. {} values.",
        kind.name, kind.words, qq.values
    );
    let title = format!(
        "Are the shadows' signals normal? {}, {}",
        kind.name, kind.words
    );
    let head = Head::new(kind.id, Section::Models, &title, &caption);
    head.figure(canvas, (WIDTH, TOP + SIDE + 48.0), table(qq))
}

fn points(canvas: &mut Canvas, frame: &Frame, qq: &Qq, kind: &Kind) {
    let place = |(normal, observed)| frame.at((normal, observed));
    let places: Vec<(f64, f64)> = (qq.points.iter())
        .map(|point| place((point.normal, point.observed)))
        .collect();
    let words: Vec<String> = (qq.points.iter())
        .map(|point| {
            format!(
                "{}: {} of values lie below {:.2}; if normal, below {:.2}",
                kind.name,
                percent(point.probability),
                point.observed,
                point.normal
            )
        })
        .collect();
    canvas.series(kind.name, "", |canvas| {
        let pairs: Vec<String> = places.iter().map(|place| pair(*place)).collect();
        let tag = stroked(kind.class, &polyline(&places), 0.8, "");
        let tag = tag.say("data-points", &pairs.join(";"));
        canvas.put(tag.say("data-tips", &tips(words.iter().map(String::as_str))));
        for place in &places {
            canvas.mark(kind.class, kind.shape, *place, false);
        }
    });
}

fn table(qq: &Qq) -> Table {
    let rows = qq.points.iter().map(|point| {
        let row = [point.probability, point.normal, point.observed];
        row.map(exact).to_vec()
    });
    Table::new(&["share below", "if normal", "observed"], rows)
}
