//! Curves through a few points with their spread: what grows with shadows, steps or levels.

use super::WIDTH;
use super::canvas::{Canvas, stroked};
use super::frame::{Frame, Tick, ticks};
use super::legend::{self, COLUMN, Entry, Symbol};
use super::palette::Shape;
use super::path::{pair, polyline, short};
use super::scale::Scale;

pub struct Lines<'a> {
    pub x_title: &'a str,
    pub y_title: &'a str,
    pub x_range: (f64, f64),
    pub x_logarithmic: bool,
    pub x_ticks: Vec<Tick>,
    pub y_range: (f64, f64),
    pub y_tick: fn(f64) -> String,
    pub curves: Vec<Curve>,
    /// Further names of the legend.
    pub legend: Vec<Entry>,
}

pub struct Curve {
    pub name: String,
    pub class: &'static str,
    pub dash: &'static str,
    /// Nothing draws the line alone.
    pub shape: Option<Shape>,
    pub points: Vec<Point>,
}

pub struct Point {
    pub x: f64,
    pub y: f64,
    pub spread: Option<(f64, f64)>,
    pub tip: String,
}

const LEFT: f64 = 62.0;
const LEGEND: f64 = 168.0;
/// Letters of a name in the legend.
const NAME: usize = 18;

impl Lines<'_> {
    /// Draws a plot of some height from `top` down; the height with axes comes back.
    pub fn draw(&self, canvas: &mut Canvas, top: f64, high: f64) -> f64 {
        let (right, bottom) = (WIDTH - LEGEND - 16.0, top + high);
        let x = match self.x_logarithmic {
            true => Scale::logarithmic(self.x_range, LEFT, right),
            false => Scale::linear(self.x_range, LEFT, right),
        };
        let y = Scale::linear(self.y_range, bottom, top);
        let frame = Frame { x, y };
        let y_ticks = ticks(&y, (high / 42.0) as usize, self.y_tick);
        frame.draw(
            canvas,
            (self.x_title, &self.x_ticks),
            (self.y_title, &y_ticks),
        );
        // The first curves lie on top.
        for curve in self.curves.iter().rev() {
            draw_curve(canvas, &frame, curve);
        }
        let corner = (WIDTH - LEGEND, top);
        legend::draw(canvas, &self.entries(), corner, COLUMN);
        let legend = top + legend::height(&self.entries(), COLUMN);
        (bottom + 48.0).max(legend + 8.0)
    }

    fn entries(&self) -> Vec<Entry> {
        let named = self
            .curves
            .iter()
            .filter(|curve| curve.class != "series-other");
        let entry = |curve: &Curve| {
            let (class, dash) = (curve.class, curve.dash);
            let symbol = match curve.shape {
                Some(shape) => Symbol::Curve { class, dash, shape },
                None => Symbol::Line { class, dash },
            };
            Entry::new(short(&curve.name, NAME), symbol)
        };
        let mut entries: Vec<Entry> = named.map(entry).collect();
        entries.extend(self.legend.iter().cloned());
        entries
    }
}

fn draw_curve(canvas: &mut Canvas, frame: &Frame, curve: &Curve) {
    let places: Vec<(f64, f64)> = (curve.points.iter())
        .map(|point| frame.at((point.x, point.y)))
        .collect();
    canvas.series(&short(&curve.name, NAME), "", |canvas| {
        let width = if curve.class == "series-other" {
            1.0
        } else {
            1.8
        };
        let tag = stroked(curve.class, &polyline(&places), width, curve.dash);
        let pairs: Vec<String> = places.iter().map(|place| pair(*place)).collect();
        let tag = tag.say("data-points", &pairs.join(";"));
        canvas.put(tag.say(
            "data-tips",
            &tips(curve.points.iter().map(|p| p.tip.as_str())),
        ));
        if curve.class == "series-other" {
            return;
        }
        for (point, place) in curve.points.iter().zip(&places) {
            if let Some((low, high)) = point.spread {
                let (low, high) = (frame.y.at(low), frame.y.at(high));
                canvas.line(curve.class, (place.0, low), (place.0, high), 1.2, "");
            }
            if let Some(shape) = curve.shape {
                canvas.mark(curve.class, shape, *place, false);
            }
        }
    });
}

/// What is shown at each point of a curve; the bar between them stands in none.
pub fn tips<'a>(tips: impl Iterator<Item = &'a str>) -> String {
    let tips: Vec<String> = tips.map(|tip| tip.replace('|', "¦")).collect();
    tips.join("|")
}
