//! A measure over audits: one mark per audit with its interval, a line per group. Every mark leads to its
//! audit.

use super::canvas::{Anchor, Canvas, Tag};
use super::frame::{Frame, ticks};
use super::legend::{self, Entry, Symbol};
use super::palette::{DISTINCT, dash, series, shape};
use super::path::{polyline, short};
use super::scale::{Scale, bounds};
use super::words::{exact, exact_or_none, tick};
use super::{Figure, Section, Table, WIDTH};

const CAPTION: &str = "Each mark is an audit, from the oldest on the left to the newest on the right; bars \
                       are intervals. Audits of one kind in one folder are joined. A red line is the threshold that \
                       the measure was held against.";
const LEFT: f64 = 62.0;
const RIGHT: f64 = WIDTH - 24.0;
const TOP: f64 = 14.0;
const HIGH: f64 = 240.0;
/// Letters of a group's name.
const NAME: usize = 60;
/// Half of the square around a mark that answers a pointer.
const NEAR: f64 = 8.0;

pub struct Trend {
    pub title: String,
    pub axis: String,
    pub chance: Option<f64>,
    /// In the order in which they are drawn from left to right.
    pub points: Vec<TrendPoint>,
}

pub struct TrendPoint {
    pub group: String,
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    /// What it was held against, where it was.
    pub threshold: Option<f64>,
    /// What is said when somebody points at it.
    pub tip: String,
    /// Below the axis.
    pub label: String,
    pub link: String,
}

/// Nothing without audits.
pub fn trend(trend: &Trend) -> Option<Figure> {
    let last = trend.points.len().checked_sub(1)?;
    let frame = Frame {
        x: Scale::linear((-0.5, last as f64 + 0.5), LEFT, RIGHT),
        y: Scale::linear(range(trend), TOP + HIGH, TOP),
    };
    let mut canvas = Canvas::default();
    let heights = ticks(&frame.y, 5, tick);
    frame.draw(&mut canvas, ("", &[]), (&trend.axis, &heights));
    times(&mut canvas, &frame, trend, last);
    chance(&mut canvas, &frame, trend.chance);
    thresholds(&mut canvas, &frame, trend);
    let groups = groups(trend);
    for (place, group) in groups.iter().enumerate() {
        draw_group(&mut canvas, &frame, trend, group, place);
    }
    let (entries, below) = (entries(&groups), TOP + HIGH + 34.0);
    legend::draw(&mut canvas, &entries, (LEFT, below), RIGHT - LEFT);
    let height = below + legend::height(&entries, RIGHT - LEFT) + 6.0;
    Some(Figure {
        svg: canvas.finish_links("trend", &trend.title, CAPTION, (WIDTH, height)),
        id: "trend".into(),
        title: trend.title.clone(),
        caption: CAPTION.into(),
        section: Section::Attacks,
        table: table(trend),
    })
}

/// All values, their intervals, thresholds and chance, with a little room.
fn range(trend: &Trend) -> (f64, f64) {
    let values = trend.points.iter().flat_map(|point| {
        let (low, high) = point.interval.unwrap_or((point.value, point.value));
        [
            point.value,
            low,
            high,
            point.threshold.unwrap_or(point.value),
        ]
    });
    let nothing = (f64::INFINITY, f64::NEG_INFINITY);
    match bounds(values.chain(trend.chance), nothing) {
        (low, high) if low > high => (0.0, 1.0),
        (low, high) => {
            let room = ((high - low) * 0.06).max(0.005);
            (low - room, high + room)
        }
    }
}

/// When the first, the middle and the last audit were.
fn times(canvas: &mut Canvas, frame: &Frame, trend: &Trend, last: usize) {
    let mut labelled = vec![0, last / 2, last];
    labelled.dedup();
    for place in labelled {
        let anchor = match place {
            0 if last > 0 => Anchor::Start,
            place if place == last && last > 0 => Anchor::End,
            _ => Anchor::Middle,
        };
        let at = (frame.x.at(place as f64), TOP + HIGH + 18.0);
        canvas.text("tick", at, anchor, &trend.points[place].label);
    }
}

fn chance(canvas: &mut Canvas, frame: &Frame, chance: Option<f64>) {
    if let Some(chance) = chance {
        let y = frame.y.at(chance);
        canvas.line("chance", (LEFT, y), (RIGHT, y), 1.5, "6 5");
        canvas.text("tick", (RIGHT, y - 5.0), Anchor::End, "chance");
    }
}

/// A line below or above the audits that were held against it, wherever it changes a new one. Its value stands at its
/// left, where chance does not stand.
fn thresholds(canvas: &mut Canvas, frame: &Frame, trend: &Trend) {
    let alike = |a: &TrendPoint, b: &TrendPoint| a.threshold == b.threshold;
    let mut first = 0;
    for run in trend.points.chunk_by(alike) {
        let next = first + run.len();
        if let Some(threshold) = run[0].threshold {
            let [left, right] = [first, next].map(|x| frame.x.at(x as f64 - 0.5));
            let y = frame.y.at(threshold);
            canvas.line("threshold", (left, y), (right, y), 1.5, "2 3");
            let words = format!("threshold {threshold}");
            canvas.text("tick", (left + 4.0, y - 5.0), Anchor::Start, &words);
        }
        first = next;
    }
}

/// In the order of their first audit.
fn groups(trend: &Trend) -> Vec<&str> {
    let mut groups: Vec<&str> = Vec::new();
    for point in &trend.points {
        if !groups.contains(&point.group.as_str()) {
            groups.push(&point.group);
        }
    }
    groups
}

fn draw_group(canvas: &mut Canvas, frame: &Frame, trend: &Trend, group: &str, place: usize) {
    let own = trend.points.iter().enumerate();
    let own = own.filter(|(_, point)| point.group == group);
    let own: Vec<(&TrendPoint, (f64, f64))> = own
        .map(|(x, point)| (point, frame.at((x as f64, point.value))))
        .collect();
    let joined: Vec<(f64, f64)> = own.iter().map(|(_, at)| *at).collect();
    canvas.path(series(place), &polyline(&joined), 1.2, dash(place));
    for (point, at) in own {
        canvas.link(&point.link, &point.tip, |canvas| {
            if let Some((low, high)) = point.interval {
                let (low, high) = (frame.y.at(low), frame.y.at(high));
                canvas.line(series(place), (at.0, low), (at.0, high), 1.6, "");
            }
            let around = Tag::new("rect").number("x", at.0 - NEAR);
            let around = around.number("y", at.1 - NEAR);
            let around = around
                .number("width", 2.0 * NEAR)
                .number("height", 2.0 * NEAR);
            canvas.put(around.say("fill", "none").say("pointer-events", "all"));
            canvas.mark(series(place), shape(place), at, false);
        });
    }
}

/// Names where there are several groups; those beyond the distinct ones are counted.
fn entries(groups: &[&str]) -> Vec<Entry> {
    if groups.len() < 2 {
        return Vec::new();
    }
    let named = groups.iter().take(DISTINCT).enumerate();
    let mut entries: Vec<Entry> = named
        .map(|(place, group)| {
            let (class, dash, shape) = (series(place), dash(place), shape(place));
            Entry::new(short(group, NAME), Symbol::Curve { class, dash, shape })
        })
        .collect();
    if groups.len() > DISTINCT {
        let (class, dash) = (series(DISTINCT), "");
        let more = format!("and {} more", groups.len() - DISTINCT);
        entries.push(Entry::new(more, Symbol::Line { class, dash }));
    }
    entries
}

fn table(trend: &Trend) -> Table {
    let row = |point: &TrendPoint| {
        vec![
            point.label.clone(),
            point.group.clone(),
            exact(point.value),
            exact_or_none(point.interval.map(|(low, _)| low)),
            exact_or_none(point.interval.map(|(_, high)| high)),
            exact_or_none(point.threshold),
        ]
    };
    Table::new(
        &["date", "group", "value", "low", "high", "threshold"],
        trend.points.iter().map(row),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(group: &str, value: f64) -> TrendPoint {
        TrendPoint {
            group: group.into(),
            value,
            interval: Some((value - 0.1, value + 0.1)),
            threshold: None,
            tip: "<script>".into(),
            label: "now".into(),
            link: "/audits/a/".into(),
        }
    }

    fn over(points: Vec<TrendPoint>) -> Option<Figure> {
        trend(&Trend {
            title: "t".into(),
            axis: "AUC".into(),
            chance: Some(0.5),
            points,
        })
    }

    #[test]
    fn any_values_give_a_picture() {
        for values in [
            vec![],
            vec![0.5],
            vec![f64::INFINITY, f64::NEG_INFINITY],
            vec![0.2, 1e9, -3.0],
        ] {
            let figure = over(values.iter().map(|value| point("a", *value)).collect());
            assert_eq!(figure.is_none(), values.is_empty());
            let picture = figure.map_or(String::new(), |figure| figure.svg);
            assert!(
                !picture.contains("NaN")
                    && !picture.contains("<script>")
                    && !picture.contains("inf")
            );
            assert_eq!(picture.matches("data-tip").count(), values.len());
            assert_eq!(picture.matches("<a href=").count(), values.len());
        }
    }

    #[test]
    fn groups_beyond_the_distinct_ones_are_counted() {
        let points = (0..12).map(|place| point(&format!("folder {place}"), 0.6));
        let figure = over(points.collect()).unwrap();
        assert!(figure.svg.contains("and 4 more"));
        assert!(figure.svg.contains("folder 7") && figure.svg.contains("series-other"));
        let one = over(vec![point("alone", 0.6)]).unwrap();
        assert!(!one.svg.contains("class=\"legend\""));
    }

    #[test]
    fn thresholds_are_drawn_where_audits_were_held_against_them() {
        let held = |threshold| TrendPoint {
            threshold,
            ..point("a", 0.6)
        };
        let lines = |thresholds: &[Option<f64>]| {
            let points = thresholds
                .iter()
                .map(|threshold| held(*threshold))
                .collect();
            let picture = over(points).unwrap().svg;
            let words =
                ["threshold 0.65", "threshold 0.7"].map(|words| picture.matches(words).count());
            (picture.matches("line threshold").count(), words)
        };
        assert_eq!(lines(&[None, None]), (0, [0, 0]));
        assert_eq!(lines(&[Some(0.65); 3]), (1, [1, 0]));
        assert_eq!(
            lines(&[Some(0.65), Some(0.65), None, Some(0.7)]),
            (2, [1, 1])
        );
        // Far from all values, it is still in the picture.
        let picture = over(vec![held(Some(0.95))]).unwrap().svg;
        assert!(picture.contains("threshold 0.95"));
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let scale = Scale::linear((0.43, 0.97), HIGH, 0.0);
        let ticks: Vec<String> = ticks(&scale, 5, tick)
            .into_iter()
            .map(|(_, word)| word)
            .collect();
        assert_eq!(ticks, ["0.5", "0.6", "0.7", "0.8", "0.9"]);
    }
}
