//! Two axes with their ticks and titles.

use super::canvas::{Anchor, Canvas};
use super::scale::Scale;

/// A plot's area: where it lies and what its axes mean. `y` grows upwards.
pub struct Frame {
    pub x: Scale,
    pub y: Scale,
}

/// Where a tick stands, and its words.
pub type Tick = (f64, String);

impl Frame {
    pub fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x.at(x), self.y.at(y))
    }

    /// A grid, ticks to the left and below, and a title for each axis.
    pub fn draw(&self, canvas: &mut Canvas, x: (&str, &[Tick]), y: (&str, &[Tick])) {
        let (left, right) = (self.x.from(), self.x.to());
        let (bottom, top) = (self.y.from(), self.y.to());
        for (value, words) in x.1 {
            let at = self.x.at(*value);
            canvas.line("grid", (at, top), (at, bottom), 1.0, "");
            canvas.text("tick", (at, bottom + 17.0), Anchor::Middle, words);
        }
        for (value, words) in y.1 {
            let at = self.y.at(*value);
            canvas.line("grid", (left, at), (right, at), 1.0, "");
            canvas.text("tick", (left - 7.0, at + 4.0), Anchor::End, words);
        }
        canvas.line("axis", (left, bottom), (right, bottom), 1.0, "");
        canvas.line("axis", (left, bottom), (left, top), 1.0, "");
        let middle = (left + right) / 2.0;
        canvas.text("label", (middle, bottom + 38.0), Anchor::Middle, x.0);
        canvas.text_upwards("label", (left - 46.0, (top + bottom) / 2.0), y.0);
    }
}

/// The scale's own ticks, in words.
pub fn ticks(scale: &Scale, about: usize, words: fn(f64) -> String) -> Vec<Tick> {
    let values = scale.ticks(about).into_iter();
    values.map(|value| (value, words(value))).collect()
}
