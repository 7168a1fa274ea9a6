//! Texts of every kind of audit, with one reader and one set of checks: those that a language model
//! was trained on or not ([`TextSettings`]), documents that a store holds or not
//! ([`DocumentSettings`]), items whose source is asked for ([`ItemSettings`]).
//!
//! A folder of texts, Markdown, HTML and PDF, JSON Lines, CSV or Parquet become rows; a kind's own file says what a row must have; then all
//! sets are looked at together, so that no id stands twice and no text in two sets.

mod checks;
mod controls;
mod csv;
mod entries;
pub(crate) mod folder;
mod html;
mod json_lines;
mod lm;
#[cfg(test)]
mod lying_tests;
mod markdown;
mod membership;
mod parquet;
mod pdf;
mod rag;
mod row;
mod rows;
mod source;
#[cfg(test)]
mod tests;
pub mod values;

pub use controls::{Control, Fact, controls_of};
pub use folder::left_out;
pub use lm::{Text, TextSettings};
pub use rag::{DocumentSettings, DocumentsRead, LabelledDocument, documents_of};
pub use rows::is_parquet;
pub(crate) use rows::{is_text_file, row_ids};
pub use source::{Content, Item, ItemSettings};
