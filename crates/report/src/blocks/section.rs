//! What sections of a report fill in, and the blocks that it becomes.

use super::{Block, Table, cells};

/// The part of a page that a section belongs to. Terminal and Markdown keep one list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    Attacks,
    Records,
    Service,
    Sources,
    FewShot,
    Checkpoints,
    Models,
    /// Where nobody said.
    #[default]
    Elsewhere,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    pub place: Place,
    pub title: String,
    pub heads: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// Short sentences, each for itself.
    pub points: Vec<String>,
    /// Lines of characters, drawn as they are.
    pub drawing: Vec<String>,
    pub remarks: Vec<String>,
}

impl Section {
    /// A heading, then what the section has, in this order.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = vec![Block::Heading(self.title.clone())];
        if !self.points.is_empty() {
            blocks.push(Block::List(self.points.clone()));
        }
        if !self.heads.is_empty() {
            blocks.push(Block::Table(Table {
                caption: self.title.clone(),
                heads: cells(&self.heads),
                rows: self.rows.iter().map(|row| cells(row)).collect(),
                sorted: None,
            }));
        }
        if !self.drawing.is_empty() {
            blocks.push(Block::Drawing(self.drawing.clone()));
        }
        blocks.extend(self.remarks.iter().cloned().map(Block::Remark));
        blocks
    }
}
