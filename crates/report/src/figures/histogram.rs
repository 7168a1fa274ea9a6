//! How the scores of members and of non-members are spread, for the attacks that matter most.

use judge::AttackMeasures;
use judge::histogram::Histogram;

use super::canvas::{Canvas, Tag};
use super::frame::{Frame, ticks};
use super::legend::{self, Entry, Symbol};
use super::path::{pair, steps};
use super::scale::Scale;
use super::words::{exact, tick};
use super::{Figure, Head, Section, Table, WIDTH};
use crate::document::Report;

/// Attacks with a histogram beside the gated one.
const OTHERS: usize = 3;
const LEFT: f64 = 62.0;
const TOP: f64 = 34.0;
const HIGH: f64 = 210.0;
const MEMBER_DASH: &str = "";
const NONMEMBER_DASH: &str = "4 2.5";

pub fn figures(report: &Report) -> Vec<Figure> {
    let gated = report
        .verdict
        .gate
        .as_ref()
        .map(|gate| gate.attack.as_str());
    let (mut chosen, others): (Vec<&AttackMeasures>, Vec<&AttackMeasures>) = report
        .strongest_first()
        .into_iter()
        .partition(|attack| gated == Some(attack.id.as_str()));
    chosen.extend(others.into_iter().take(OTHERS));
    let drawn = chosen.into_iter();
    drawn
        .filter_map(|attack| figure(attack, attack.histogram.as_ref()?))
        .collect()
}

fn figure(attack: &AttackMeasures, histogram: &Histogram) -> Option<Figure> {
    let (first, last) = (histogram.edges.first()?, histogram.edges.last()?);
    let counts = histogram.members.iter().chain(&histogram.nonmembers);
    let most = counts.copied().max().unwrap_or(0).max(1) as f64;
    let frame = Frame {
        x: Scale::linear((*first, *last), LEFT, WIDTH - 20.0),
        y: Scale::linear((0.0, 1.05 * most), TOP + HIGH, TOP),
    };
    let mut canvas = Canvas::default();
    let x_ticks = ticks(&frame.x, 8, tick);
    let y_ticks = ticks(&frame.y, 5, tick);
    frame.draw(
        &mut canvas,
        (&format!("Score of {}", attack.id), &x_ticks),
        ("Records", &y_ticks),
    );
    kind(&mut canvas, &frame, histogram, Kind::NonMembers);
    kind(&mut canvas, &frame, histogram, Kind::Members);
    targets(&mut canvas, &frame, histogram, &attack.id);
    let entries = [Kind::Members, Kind::NonMembers].map(Kind::entry);
    legend::draw(&mut canvas, &entries, (LEFT, 6.0), WIDTH - LEFT);
    let caption = format!(
        "How many members and how many non-members have which score under {}. The more the two \
         outlines differ, the more the model gives away; by chance they lie on each other. The \
         outermost bins also hold everything beyond them.",
        attack.id
    );
    let title = format!("Scores of members and non-members: {}", attack.id);
    let id = format!("histogram-{}", attack.id);
    let head = Head::new(&id, Section::Attacks, &title, &caption);
    Some(head.figure(canvas, (WIDTH, TOP + HIGH + 48.0), table(histogram)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Members,
    NonMembers,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Members => "members",
            Kind::NonMembers => "non-members",
        }
    }

    fn look(self) -> (&'static str, &'static str) {
        match self {
            Kind::Members => ("member", MEMBER_DASH),
            Kind::NonMembers => ("nonmember", NONMEMBER_DASH),
        }
    }

    fn entry(self) -> Entry {
        let (class, dash) = self.look();
        Entry::new(self.name(), Symbol::Line { class, dash })
    }
}

/// The outline of one kind, from the floor to the floor.
fn kind(canvas: &mut Canvas, frame: &Frame, histogram: &Histogram, kind: Kind) {
    let counts = match kind {
        Kind::Members => &histogram.members,
        Kind::NonMembers => &histogram.nonmembers,
    };
    let floor = frame.y.at(0.0);
    let start = histogram
        .edges
        .first()
        .map(|edge| (frame.x.at(*edge), floor));
    let mut points: Vec<(f64, f64)> = start.into_iter().collect();
    let bins = histogram.edges.iter().zip(counts);
    points.extend(bins.map(|(edge, count)| frame.at((*edge, *count as f64))));
    points.extend(
        histogram
            .edges
            .last()
            .map(|edge| (frame.x.at(*edge), floor)),
    );
    let (class, dash) = kind.look();
    canvas.series(kind.name(), "", |canvas| {
        let path = steps(&points);
        canvas.area(class, &format!("{path}Z"));
        canvas.path(class, &path, 1.6, dash);
    });
}

/// One invisible strip per bin, for those who point at it.
fn targets(canvas: &mut Canvas, frame: &Frame, histogram: &Histogram, attack: &str) {
    let counts = histogram.members.iter().zip(&histogram.nonmembers);
    for (edges, (members, nonmembers)) in histogram.edges.windows(2).zip(counts) {
        let [low, high] = edges else { continue };
        let (from, to) = (frame.x.at(*low), frame.x.at(*high));
        let corners = [
            (from, frame.y.to()),
            (to, frame.y.to()),
            (to, frame.y.from()),
            (from, frame.y.from()),
        ];
        let corners: Vec<String> = corners.into_iter().map(pair).collect();
        let tip = format!(
            "{attack}: score {} to {}: {members} members, {nonmembers} non-members",
            digits(*low),
            digits(*high)
        );
        let strip = Tag::new("path").say("d", &format!("M{}Z", corners.join("L")));
        let strip = strip.say("fill", "none").say("pointer-events", "all");
        canvas.put(strip.say("data-tip", &tip));
    }
}

/// Four digits that matter.
fn digits(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) {
        return format!("{value:.3e}");
    }
    let after = if size >= 1000.0 {
        0
    } else if size >= 10.0 {
        2
    } else {
        4
    };
    format!("{value:.after$}")
}

fn table(histogram: &Histogram) -> Table {
    let counts = histogram.members.iter().zip(&histogram.nonmembers);
    let rows = histogram.edges.windows(2).zip(counts);
    let rows = rows.map(|(edges, (members, nonmembers))| {
        let mut row: Vec<String> = edges.iter().copied().map(exact).collect();
        row.extend([members.to_string(), nonmembers.to_string()]);
        row
    });
    Table::new(&["from", "to", "members", "non-members"], rows)
}
