//! ROC curves, on logarithmic axes, where membership inference is decided, and on plain ones. Curves
//! are steps, as the judge counts them; nothing is interpolated.

use judge::AttackMeasures;

use super::canvas::{Canvas, stroked};
use super::frame::{Frame, ticks};
use super::legend::{self, COLUMN, Entry, Symbol};
use super::lines::tips;
use super::palette::{DISTINCT, dash, series, shape};
use super::path::{further_steps, pair, steps};
use super::scale::Scale;
use super::words::{percent_tick, share};
use super::{Figure, Head, Section, Table, WIDTH};
use crate::document::Report;
use crate::sections::percent;

/// Curves with a band beside the gated one's.
const BANDS: usize = 3;
/// Points with words on curves beyond the distinct ones.
const FEW_TIPS: usize = 25;
/// Marks along one curve.
const MARKS: usize = 4;
const LEFT: f64 = 68.0;
const SIDE: f64 = 390.0;
const TOP: f64 = 12.0;

pub fn figures(report: &Report) -> Vec<Figure> {
    [true, false]
        .into_iter()
        .filter_map(|logarithmic| figure(report, logarithmic))
        .collect()
}

fn figure(report: &Report, logarithmic: bool) -> Option<Figure> {
    let attacks = report.strongest_first();
    attacks.first()?;
    let plot = Plot {
        frame: frame(&attacks, logarithmic),
        confidence: report.provenance.measuring.confidence,
        logarithmic,
    };
    let mut canvas = Canvas::default();
    plot.axes(&mut canvas);
    let gated = report
        .verdict
        .gate
        .as_ref()
        .map(|gate| gate.attack.as_str());
    for (place, attack) in attacks.iter().enumerate().rev() {
        let banded = place < BANDS || gated == Some(attack.id.as_str());
        plot.curve(&mut canvas, attack, place, banded);
    }
    let entries = entries(&attacks);
    let corner = (LEFT + SIDE + 22.0, TOP);
    legend::draw(&mut canvas, &entries, corner, COLUMN);
    Some(head(logarithmic).figure(canvas, (WIDTH, TOP + SIDE + 48.0), table(&attacks)))
}

fn head(logarithmic: bool) -> Head {
    let caption = "Each step is one threshold: how many members are caught (true positives) against \
                   how many non-members are accused (false positives). A curve on the dashed line \
                   does no better than chance; what counts is how far a curve lies above it at the \
                   left, where almost nobody is accused wrongly. Bands are intervals of the true \
                   positive rate.";
    match logarithmic {
        true => {
            let caption = format!("{caption} Both axes are logarithmic, with zero at their start.");
            Head::new(
                "roc",
                Section::Attacks,
                "ROC curves, logarithmic axes",
                &caption,
            )
        }
        false => Head::new("roc-linear", Section::Attacks, "ROC curves", caption),
    }
}

/// From half of one record to all of them.
fn frame(attacks: &[&AttackMeasures], logarithmic: bool) -> Frame {
    let (right, bottom) = (LEFT + SIDE, TOP + SIDE);
    let least = |count: fn(&AttackMeasures) -> u64| {
        let most = attacks.iter().map(|attack| count(attack)).max();
        0.5 / most.unwrap_or(1).max(1) as f64
    };
    match logarithmic {
        true => Frame {
            x: Scale::logarithmic((least(|a| a.n_nonmembers), 1.0), LEFT, right),
            y: Scale::logarithmic((least(|a| a.n_members), 1.0), bottom, TOP),
        },
        false => Frame {
            x: Scale::linear((0.0, 1.0), LEFT, right),
            y: Scale::linear((0.0, 1.0), bottom, TOP),
        },
    }
}

struct Plot {
    frame: Frame,
    confidence: f64,
    logarithmic: bool,
}

impl Plot {
    fn axes(&self, canvas: &mut Canvas) {
        let mut x = ticks(&self.frame.x, 5, percent_tick);
        let mut y = ticks(&self.frame.y, 5, percent_tick);
        if self.logarithmic {
            // A decade that touches the zero would be written over it.
            x.retain(|(value, _)| self.frame.x.at(*value) > LEFT + 30.0);
            y.retain(|(value, _)| self.frame.y.at(*value) < TOP + SIDE - 14.0);
            x.insert(0, (0.0, "0".into()));
            y.insert(0, (0.0, "0".into()));
        }
        let x = ("False positive rate (non-members accused)", x.as_slice());
        let y = ("True positive rate (members caught)", y.as_slice());
        self.frame.draw(canvas, x, y);
        let start = match self.logarithmic {
            true => self.frame.x.low().max(self.frame.y.low()),
            false => 0.0,
        };
        canvas.series(
            "chance",
            "chance: as many members as non-members, in per cent",
            |canvas| {
                let (from, to) = (self.frame.at((start, start)), self.frame.at((1.0, 1.0)));
                canvas.line("chance", from, to, 1.3, "5 4");
            },
        );
    }

    fn curve(&self, canvas: &mut Canvas, attack: &AttackMeasures, place: usize, banded: bool) {
        let places: Vec<(f64, f64)> = (attack.roc.points.iter())
            .map(|point| self.frame.at(rates(attack, *point)))
            .collect();
        // What is caught without a false positive is where the line begins: the way up to it would
        // cover the axis.
        let without = attack.roc.points.iter().take_while(|point| point.0 == 0);
        let start = without.count().saturating_sub(1);
        let class = series(place);
        canvas.series(&attack.id, "", |canvas| {
            if banded {
                self.band(canvas, attack, &places, class);
            }
            let wide = if place < DISTINCT { 1.8 } else { 0.9 };
            let tag = stroked(class, &steps(&places[start..]), wide, dash(place));
            let (points, words) = self.tips(attack, &places, place < DISTINCT);
            canvas.put(tag.say("data-points", &points).say("data-tips", &words));
            if place < DISTINCT {
                marks(canvas, &places, place);
            }
        });
    }

    fn band(
        &self,
        canvas: &mut Canvas,
        attack: &AttackMeasures,
        places: &[(f64, f64)],
        class: &str,
    ) {
        let bands = attack.roc.bands.iter().zip(places);
        let edge = |pick: fn(&(f64, f64)) -> f64| -> Vec<(f64, f64)> {
            let bands = bands.clone();
            bands
                .map(|(band, (x, _))| (*x, self.frame.y.at(pick(band))))
                .collect()
        };
        let (low, high) = (edge(|band| band.0), edge(|band| band.1));
        let (Some(first), Some(last)) = (high.first(), low.last()) else {
            return;
        };
        let mut path = format!("M{}{}L{}", pair(*first), further_steps(&high), pair(*last));
        path += &back(&low);
        path.push('Z');
        canvas.area(class, &path);
    }

    /// Places and words of the points that somebody can tell apart.
    fn tips(&self, attack: &AttackMeasures, places: &[(f64, f64)], all: bool) -> (String, String) {
        let apart = if all {
            2.0
        } else {
            2.0 * SIDE / FEW_TIPS as f64
        };
        let (mut points, mut words) = (Vec::new(), Vec::new());
        let mut before: Option<(f64, f64)> = None;
        for (at, place) in places.iter().enumerate() {
            let far = before.is_none_or(|before| {
                (before.0 - place.0).abs() + (before.1 - place.1).abs() >= apart
            });
            if far || at + 1 == places.len() {
                points.push(pair(*place));
                words.push(self.tip(attack, at));
                before = Some(*place);
            }
        }
        (points.join(";"), tips(words.iter().map(String::as_str)))
    }

    fn tip(&self, attack: &AttackMeasures, at: usize) -> String {
        let (fp, tp) = attack.roc.points[at];
        let (fpr, tpr) = rates(attack, (fp, tp));
        let caught = format!("TPR {} ({tp} of {})", percent(tpr), attack.n_members);
        let accused = format!("FPR {} ({fp} of {})", percent(fpr), attack.n_nonmembers);
        let interval = attack.roc.bands.get(at).map_or(String::new(), |band| {
            let words = share(tpr, *band, self.confidence);
            let after = words.split_once(',').map_or("", |(_, after)| after);
            format!(",{after}")
        });
        format!("{}: {accused}, {caught}{interval}", attack.id)
    }
}

fn rates(attack: &AttackMeasures, (fp, tp): (u64, u64)) -> (f64, f64) {
    let share = |count: u64, all: u64| count as f64 / all.max(1) as f64;
    (share(fp, attack.n_nonmembers), share(tp, attack.n_members))
}

/// The steps of a lower edge from its end to its start.
fn back(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for pair_of in points.windows(2).rev() {
        let [before, after] = pair_of else { continue };
        path += &format!("L{}L{}", pair((after.0, before.1)), pair(*before));
    }
    path
}

/// A few marks along the curve, so that it is known without its colour. Each curve has its own
/// places.
fn marks(canvas: &mut Canvas, places: &[(f64, f64)], place: usize) {
    let spacing = SIDE / MARKS as f64;
    let shift = spacing * (place as f64 + 0.5) / DISTINCT as f64;
    for mark in 0..MARKS {
        let x = LEFT + shift + spacing * mark as f64;
        let before = places.iter().take_while(|point| point.0 <= x).last();
        if let Some((_, y)) = before {
            canvas.mark(series(place), shape(place), (x, *y), false);
        }
    }
}

fn entries(attacks: &[&AttackMeasures]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = (attacks.iter().take(DISTINCT).enumerate())
        .map(|(place, attack)| {
            let symbol = Symbol::Curve {
                class: series(place),
                dash: dash(place),
                shape: shape(place),
            };
            Entry::new(&attack.id, symbol)
        })
        .collect();
    if attacks.len() > DISTINCT {
        let others = match attacks.len() - DISTINCT {
            1 => "1 other".to_owned(),
            count => format!("{count} others"),
        };
        let class = "series-other";
        entries.push(Entry::new(others, Symbol::Line { class, dash: "" }));
    }
    let class = "chance";
    entries.push(Entry::new("chance", Symbol::Line { class, dash: "5 4" }));
    entries
}

fn table(attacks: &[&AttackMeasures]) -> Table {
    let rows = attacks.iter().take(DISTINCT).flat_map(|attack| {
        attack.roc.points.iter().map(|(fp, tp)| {
            let counts = [*fp, attack.n_nonmembers, *tp, attack.n_members];
            let mut row = vec![attack.id.clone()];
            row.extend(counts.map(|count| count.to_string()));
            row
        })
    });
    let heads = [
        "attack",
        "false positives",
        "of non-members",
        "true positives",
        "of members",
    ];
    Table::new(&heads, rows)
}
