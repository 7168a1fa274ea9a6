//! The report: a versioned document and its renderings. No number is computed here.
//!
//! Deliberately absent: statistics, files, terminals. A renderer turns a [`Report`] into text;
//! the command line decides where the text goes.

pub mod blocks;
pub mod classifier;
mod curves;
mod detail;
mod difference;
mod document;
pub mod fewshot;
pub mod figures;
mod html;
mod json;
mod junit;
pub mod lm;
mod markdown;
pub mod markup;
mod plot;
pub mod progress;
pub mod rag;
mod sarif;
mod sections;
mod shown;
pub mod source;
mod table;
mod terminal;
mod text;
mod upgrade;

pub use detail::{Detail, Kind, Scores};
pub use difference::Difference;
pub use document::{
    Data, Inputs, Note, Provenance, Replicates, Report, SCHEMA, ScalingPoint, Skipped, is_plain,
};
pub use html::{html, html_policy};
pub use judge::records;
pub use junit::junit;
pub use markdown::markdown;
pub use sarif::sarif;
pub use shown::Typical;
pub use terminal::{Style, terminal};
pub use text::{printable, printable_json, wrap};
