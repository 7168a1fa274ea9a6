//! The report: a versioned document and its renderings. No number is computed here.
//!
//! Deliberately absent: statistics, files, terminals. A renderer turns a [`Report`] into text;
//! the command line decides where the text goes.

mod advice;
mod annex;
pub mod blocks;
mod brief;
mod caveats;
pub mod classifier;
mod composed;
mod curves;
mod cyclonedx;
mod detail;
mod difference;
mod document;
mod facts;
pub mod fewshot;
pub mod figures;
mod headline;
mod html;
mod json;
mod junit;
mod labels_alone;
pub mod lm;
mod markdown;
pub mod markup;
mod model_card;
mod particulars;
mod places;
mod plot;
pub mod progress;
pub mod rag;
mod sarif;
mod sections;
mod shown;
mod shown_rates;
pub mod source;
mod subject;
mod table;
mod terminal;
mod text;
mod upgrade;

pub use advice::{Measured, NextStep};
pub use annex::{AnnexContext, Family, KnownAttack, annex, annex_html};
pub use cyclonedx::cyclonedx;
pub use detail::{Detail, Kind, Scores};
pub use difference::Difference;
pub use document::{
    Data, Inputs, Note, Provenance, Replicates, Report, SCHEMA, ScalingPoint, Skipped, is_plain,
};
pub use facts::Facts;
pub use headline::{headline, verdict_line};
pub use html::{html, html_policy};
pub use judge::records;
pub use junit::junit;
pub use markdown::markdown;
pub use model_card::model_card;
pub use sarif::sarif;
pub use shown::Typical;
pub use terminal::{Style, policy, terminal};
pub use text::{markdown as escape_markdown, printable, printable_json, wrap};
