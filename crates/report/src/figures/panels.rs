//! Rows of names with values on one or several axes beside each other: forests, dot plots, bars.

use super::canvas::{Anchor, Canvas, TEXT};
use super::legend::{self, Entry};
use super::palette::Shape;
use super::path::{short, width};
use super::scale::Scale;
use super::{LONGEST_NAME, WIDTH};

pub struct Panels {
    pub rows: Vec<Row>,
    pub panels: Vec<Panel>,
    pub legend: Vec<Entry>,
}

pub struct Row {
    pub name: String,
    /// The row that the reader looks for.
    pub strong: bool,
    /// One for each panel.
    pub cells: Vec<Cell>,
    /// Words to the right of the last panel.
    pub note: String,
}

pub struct Panel {
    pub title: String,
    pub range: (f64, f64),
    pub tick: fn(f64) -> String,
    pub references: Vec<Reference>,
}

/// A line through all rows.
pub struct Reference {
    pub value: f64,
    pub class: &'static str,
    pub dash: &'static str,
}

/// What one row has on one axis.
#[derive(Default)]
pub struct Cell {
    /// Where chance lies.
    pub band: Option<Stretch>,
    /// Whether a bar leads from the axis to the first dot.
    pub bar: bool,
    pub uprights: Vec<Upright>,
    pub dots: Vec<Dot>,
}

pub struct Stretch {
    pub low: f64,
    pub high: f64,
    pub tip: String,
}

/// A value that a short upright line marks.
pub struct Upright {
    pub value: f64,
    pub class: &'static str,
    pub tip: String,
}

pub struct Dot {
    /// The name in the legend, or the row's.
    pub series: String,
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    pub class: &'static str,
    pub shape: Shape,
    pub hollow: bool,
    pub tip: String,
}

const GAP: f64 = 34.0;
/// Rows from which on the ticks stand above, too.
const TALL: usize = 12;

/// Where everything stands.
struct Layout {
    top: f64,
    row: f64,
    bottom: f64,
    names: f64,
    notes: f64,
    scales: Vec<Scale>,
}

impl Panels {
    /// Draws everything; the size comes back.
    pub fn draw(&self, canvas: &mut Canvas) -> (f64, f64) {
        self.draw_within(WIDTH, canvas)
    }

    /// The same in another width than that of all figures.
    pub fn draw_within(&self, wide: f64, canvas: &mut Canvas) -> (f64, f64) {
        let layout = self.layout(wide);
        let room = self.room(wide);
        legend::draw(canvas, &self.legend, (layout.names + 6.0, 4.0), room);
        for (panel, scale) in self.panels.iter().zip(&layout.scales) {
            self.axis(canvas, &layout, panel, scale);
        }
        for (place, row) in self.rows.iter().enumerate() {
            let y = layout.top + (place as f64 + 0.5) * layout.row;
            let class = if row.strong { "label" } else { "tick" };
            let name = short(&row.name, LONGEST_NAME);
            canvas.text(class, (layout.names, y + 4.0), Anchor::End, &name);
            canvas.text("tick", (layout.notes, y + 4.0), Anchor::Start, &row.note);
            for (cell, scale) in row.cells.iter().zip(&layout.scales) {
                draw_cell(canvas, cell, scale, y);
            }
        }
        (wide, layout.bottom + 28.0)
    }

    fn room(&self, wide: f64) -> f64 {
        wide - self.names() - 16.0
    }

    fn names(&self) -> f64 {
        let names = self.rows.iter().map(|row| short(&row.name, LONGEST_NAME));
        10.0 + names.map(|name| width(&name, TEXT)).fold(40.0, f64::max)
    }

    fn layout(&self, within: f64) -> Layout {
        let notes = self.rows.iter().map(|row| width(&row.note, TEXT));
        let notes = notes.fold(0.0, f64::max);
        let notes_room = if notes > 0.0 { notes + 14.0 } else { 18.0 };
        let names = self.names();
        let count = self.panels.len().max(1) as f64;
        let (left, right) = (names + 16.0, within - notes_room);
        let wide = (right - left - (count - 1.0) * GAP) / count;
        let scale = |(place, panel): (usize, &Panel)| {
            let from = left + place as f64 * (wide + GAP);
            Scale::linear(panel.range, from, from + wide)
        };
        let most = self.rows.iter().flat_map(|row| &row.cells);
        let most = most.map(|cell| cell.dots.len()).max().unwrap_or(1).max(1);
        let row = 12.0 + 7.0 * most as f64;
        let above = if self.rows.len() >= TALL { 18.0 } else { 4.0 };
        let legend = match self.legend.is_empty() {
            true => 0.0,
            false => legend::height(&self.legend, self.room(within)) + 8.0,
        };
        let top = legend + 26.0 + above;
        Layout {
            top,
            row,
            bottom: top + row * self.rows.len() as f64,
            names,
            notes: right + 12.0,
            scales: self.panels.iter().enumerate().map(scale).collect(),
        }
    }

    fn axis(&self, canvas: &mut Canvas, layout: &Layout, panel: &Panel, scale: &Scale) {
        let (top, bottom) = (layout.top, layout.bottom);
        let ticks = scale.ticks(((scale.to() - scale.from()) / 40.0) as usize);
        for value in ticks {
            let x = scale.at(value);
            canvas.line("grid", (x, top), (x, bottom), 1.0, "");
            let words = (panel.tick)(value);
            canvas.text("tick", (x, bottom + 17.0), Anchor::Middle, &words);
            if self.rows.len() >= TALL {
                canvas.text("tick", (x, top - 6.0), Anchor::Middle, &words);
            }
        }
        let above = if self.rows.len() >= TALL { 24.0 } else { 9.0 };
        let title = (scale.from(), top - above);
        canvas.text("label", title, Anchor::Start, &panel.title);
        canvas.line(
            "axis",
            (scale.from(), bottom),
            (scale.to(), bottom),
            1.0,
            "",
        );
        for line in &panel.references {
            let x = scale.at(line.value);
            canvas.line(line.class, (x, top), (x, bottom), 1.3, line.dash);
        }
    }
}

fn draw_cell(canvas: &mut Canvas, cell: &Cell, scale: &Scale, y: f64) {
    let dots = cell.dots.len() as f64;
    let half = 3.5 * dots + 1.5;
    if let Some(band) = &cell.band {
        canvas.series("chance", &band.tip, |canvas| {
            let (low, high) = (scale.at(band.low), scale.at(band.high));
            // A band thinner than a line would not be seen.
            let high = high.max(low + 1.0);
            canvas.rectangle("area band", (low, y - half), (high, y + half));
        });
    }
    for upright in &cell.uprights {
        canvas.series("chance", &upright.tip, |canvas| {
            let x = scale.at(upright.value);
            canvas.line(upright.class, (x, y - half), (x, y + half), 1.6, "");
        });
    }
    for (place, dot) in cell.dots.iter().enumerate() {
        let y = y + 7.0 * (place as f64 - (dots - 1.0) / 2.0);
        canvas.series(&dot.series, &dot.tip, |canvas| {
            draw_dot(canvas, dot, scale, y, cell.bar && place == 0);
        });
    }
}

fn draw_dot(canvas: &mut Canvas, dot: &Dot, scale: &Scale, y: f64, bar: bool) {
    let x = scale.at(dot.value);
    if bar {
        let class = format!("area {}", dot.class);
        canvas.rectangle(&class, (scale.from(), y - 5.0), (x, y + 5.0));
    }
    if let Some((low, high)) = dot.interval {
        let (low, high) = (scale.at(low), scale.at(high));
        canvas.line(dot.class, (low, y), (high, y), 1.6, "");
    }
    canvas.mark(dot.class, dot.shape, (x, y), dot.hollow);
}
