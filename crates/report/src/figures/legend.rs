//! Legends: symbols with names, in as many lines as the width needs.

use super::canvas::{Anchor, Canvas, TEXT, Tag};
use super::palette::Shape;
use super::path::width;

/// What stands before a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Symbol {
    Line {
        class: &'static str,
        dash: &'static str,
    },
    Curve {
        class: &'static str,
        dash: &'static str,
        shape: Shape,
    },
    Mark {
        class: &'static str,
        shape: Shape,
        hollow: bool,
    },
    Area {
        class: &'static str,
    },
    /// A short upright line.
    Upright {
        class: &'static str,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub name: String,
    pub symbol: Symbol,
}

impl Entry {
    pub fn new(name: impl Into<String>, symbol: Symbol) -> Self {
        Entry {
            name: name.into(),
            symbol,
        }
    }

    fn width(&self) -> f64 {
        SYMBOL + 6.0 + width(&self.name, TEXT) + 16.0
    }
}

const SYMBOL: f64 = 24.0;
const LINE: f64 = 18.0;

/// A width that has room for one entry: all stand below each other.
pub const COLUMN: f64 = 0.0;

/// How high the entries stand when they must fit a width.
pub fn height(entries: &[Entry], room: f64) -> f64 {
    let last = places(entries, room).last().map(|(_, line)| *line);
    last.map_or(0.0, |line| (line + 1) as f64 * LINE)
}

/// Draws the entries from a corner down and to the right.
pub fn draw(canvas: &mut Canvas, entries: &[Entry], corner: (f64, f64), room: f64) {
    for (entry, (left, line)) in entries.iter().zip(places(entries, room)) {
        let at = (corner.0 + left, corner.1 + line as f64 * LINE + LINE / 2.0);
        let tag = Tag::new("g").class("legend");
        canvas.group(tag.say("data-series", &entry.name), |canvas| {
            symbol(canvas, entry.symbol, at);
            let words = (at.0 + SYMBOL + 6.0, at.1 + 4.0);
            canvas.text("legend", words, Anchor::Start, &entry.name);
        });
    }
}

/// The left end and the line of every entry.
fn places(entries: &[Entry], room: f64) -> Vec<(f64, usize)> {
    let (mut left, mut line) = (0.0, 0);
    let mut places = Vec::with_capacity(entries.len());
    for entry in entries {
        let wide = entry.width();
        if left > 0.0 && left + wide > room {
            (left, line) = (0.0, line + 1);
        }
        places.push((left, line));
        left += wide;
    }
    places
}

fn symbol(canvas: &mut Canvas, symbol: Symbol, (left, y): (f64, f64)) {
    let (right, middle) = ((left + SYMBOL, y), (left + SYMBOL / 2.0, y));
    match symbol {
        Symbol::Line { class, dash } => canvas.line(class, (left, y), right, 1.6, dash),
        Symbol::Curve { class, dash, shape } => {
            canvas.line(class, (left, y), right, 1.8, dash);
            canvas.mark(class, shape, middle, false);
        }
        Symbol::Mark {
            class,
            shape,
            hollow,
        } => canvas.mark(class, shape, middle, hollow),
        Symbol::Area { class } => {
            let class = format!("area {class}");
            canvas.rectangle(&class, (left, y - 5.0), (right.0, y + 5.0));
        }
        Symbol::Upright { class } => {
            let (top, bottom) = ((middle.0, y - 6.0), (middle.0, y + 6.0));
            canvas.line(class, top, bottom, 2.0, "");
        }
    }
}
