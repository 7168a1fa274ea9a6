//! What a report says before it is known who reads it: headings, lists, tables, drawings and remarks,
//! with nothing escaped yet. Terminal, Markdown and pages say the same things because all are made of
//! these; each has one file that writes them.

pub mod html;
pub mod markdown;
mod section;
pub mod terminal;

pub use section::{Place, Section};

#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Heading(String),
    /// Short sentences, each for itself.
    List(Vec<String>),
    Table(Table),
    /// Lines of characters, drawn as they are.
    Drawing(Vec<String>),
    Remark(String),
}

/// Cells in words; the first of a row names it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// For those who cannot see where they are.
    pub caption: String,
    pub heads: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

#[cfg(test)]
fn example() -> Vec<Block> {
    let cells = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let section = Section {
        title: "A <title>".into(),
        heads: cells(&["name", "first", "second"]),
        rows: vec![
            cells(&["a|\u{1b}[2J", "1", "2"]),
            cells(&[&"long".repeat(20), "3", "4"]),
        ],
        remarks: vec!["one *remark*".into()],
        ..Section::default()
    };
    section.blocks()
}
