//! Figures of a report, as SVG for pages and papers and as PNG: pure functions of the document.
//! Values are placed on the page and written in words; none is computed.
//!
//! Figures carry classes, never styles: a page colours them by [`palette`], for light and dark.
//! `data-tip` (and `data-points` with `data-tips` on curves) hold what a page may show when somebody
//! points at a value; every figure brings the same numbers as a table, too.

mod answers;
mod calibration;
mod canvas;
mod checkpoints;
mod confusion;
mod fewshot;
mod forest;
mod frame;
mod gate;
mod histogram;
mod legend;
mod lines;
mod log_mia;
mod normality;
mod palette;
mod panels;
mod path;
#[cfg(feature = "png")]
mod png;
mod qq;
mod rag;
mod roc;
mod scale;
mod scaling;
mod slices;
mod standalone;
mod sweeps;
mod tpr;
mod trend;
mod words;

pub(crate) use gate::narrow as narrow_gate;
pub use palette::{palette, style};
#[cfg(feature = "png")]
pub use png::png;
pub use standalone::standalone;
pub use trend::{Trend, TrendPoint, trend};

use canvas::Canvas;

use crate::document::Report;

/// A picture with its words and its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Letters, digits, dots and dashes: safe as a file's name and as part of a page.
    pub id: String,
    pub title: String,
    /// What to see, and what chance looks like.
    pub caption: String,
    pub section: Section,
    pub svg: String,
    /// The same numbers, with all their digits.
    pub table: Table,
}

/// The part of a page that a figure belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    Verdict,
    Attacks,
    Records,
    Models,
    Checkpoints,
    Source,
    FewShot,
    Retrieval,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub headers: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    fn new(headers: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        Table {
            headers: headers.iter().map(|head| (*head).to_owned()).collect(),
            rows: rows.into_iter().collect(),
        }
    }
}

/// How wide every figure is, in its own units.
const WIDTH: f64 = 640.0;
/// Letters of a row's name.
const LONGEST_NAME: usize = 26;

/// What is said of a figure beside the picture.
struct Head {
    id: String,
    section: Section,
    title: String,
    caption: String,
}

impl Head {
    fn new(id: &str, section: Section, title: &str, caption: &str) -> Self {
        Head {
            id: id.to_owned(),
            section,
            title: title.to_owned(),
            caption: caption.to_owned(),
        }
    }

    fn figure(self, canvas: Canvas, size: (f64, f64), table: Table) -> Figure {
        Figure {
            svg: canvas.finish(&self.id, &self.title, &self.caption, size),
            id: self.id,
            title: self.title,
            caption: self.caption,
            section: self.section,
            table,
        }
    }
}

/// Every figure that the report has something for, in the order of a page.
pub fn figures(report: &Report) -> Vec<Figure> {
    let mut figures: Vec<Figure> = gate::figure(report).into_iter().collect();
    figures.extend(roc::figures(report));
    figures.extend(forest::figure(report));
    figures.extend(tpr::figure(report));
    figures.extend(histogram::figures(report));
    figures.extend(log_mia::figure(report));
    figures.extend(calibration::figure(report));
    figures.extend(slices::figure(report));
    figures.extend(scaling::figures(report));
    figures.extend(qq::figures(report));
    figures.extend(normality::figure(report));
    figures.extend(checkpoints::figure(report));
    figures.extend(confusion::figures(report));
    figures.extend(sweeps::figures(report));
    figures.extend(fewshot::figures(report));
    figures.extend(rag::figures(report));
    figures.extend(answers::figure(report));
    figures
}

/// The names that figures have; those of histograms begin with `histogram-`.
const NAMES: [&str; 25] = [
    "gate",
    "roc",
    "roc-linear",
    "forest",
    "tpr",
    "log-mia",
    "calibration",
    "slices",
    "scaling-auc",
    "scaling-tpr",
    "qq-inside",
    "qq-outside",
    "normality",
    "checkpoints",
    "source-confusion",
    "source-labels",
    "source-rows",
    "source-fixed",
    "source-calibrated",
    "source-noise",
    "fewshot-log-mia",
    "fewshot-auc",
    "retrieval-arms",
    "retrieval-signals",
    "retrieval-answers",
];

/// Whether a figure of some report may be called so.
pub fn is_name(id: &str) -> bool {
    NAMES.contains(&id) || id.starts_with("histogram-")
}
