//! What a report says before it is known who reads it: verdicts, facts, findings, headings, lists, tables,
//! drawings and remarks, with nothing escaped yet. Terminal, Markdown, page and dashboard say the same
//! things because all are made of these; each way of writing has one file.

mod cell;
pub mod html;
pub mod markdown;
mod section;
pub mod terminal;

use judge::guardrails::Status;
use judge::verdict::Outcome;

pub use cell::{Cell, Part};
pub use section::{Place, Section};

#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Verdict(Verdict),
    /// Names and what stands behind them.
    Facts(Vec<(String, Cell)>),
    Heading(String),
    /// Short sentences, each for itself.
    List(Vec<String>),
    Table(Table),
    Findings(Vec<Finding>),
    /// What to do, and why.
    Steps(Vec<(String, String)>),
    /// Lines of characters, drawn as they are.
    Drawing(Vec<String>),
    Remark(String),
    /// What is needed to do it again, in one line that can be copied.
    Origin(String),
    /// What opens when somebody asks for it, where that can be done.
    Folded(String, Vec<Block>),
}

/// The outcome with the sentence that says what it means, and what decided it.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub outcome: Outcome,
    /// Overruled by the user.
    pub forced: bool,
    pub headline: String,
    pub reasons: Vec<String>,
}

/// Something that a reader should know: its weight, its name and words.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub weight: Weight,
    /// Empty where it has none.
    pub name: String,
    pub words: String,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    Violated,
    Warning,
    Ok,
    Skipped,
    Note,
}

impl From<Status> for Weight {
    fn from(status: Status) -> Self {
        match status {
            Status::Violated => Weight::Violated,
            Status::Warn => Weight::Warning,
            Status::Ok => Weight::Ok,
        }
    }
}

/// The first cell of a row names it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// For those who cannot see where they are.
    pub caption: String,
    pub heads: Vec<Cell>,
    pub rows: Vec<Vec<Cell>>,
    /// Which column orders the rows, and whether downwards; nothing where none can be chosen.
    pub sorted: Option<(usize, bool)>,
}

impl Table {
    /// A table of words alone.
    pub fn new(caption: &str, heads: &[&str], rows: Vec<Vec<Cell>>) -> Self {
        Self {
            caption: caption.to_owned(),
            heads: heads.iter().map(|head| Cell::from(*head)).collect(),
            rows,
            sorted: None,
        }
    }

    /// Whether a column holds numbers, which stand to the right; the first one names its row.
    pub(crate) fn is_numeric(&self, place: usize) -> bool {
        let mut cells = self.rows.iter().map(|row| row.get(place));
        place > 0 && cells.all(|cell| cell.is_none_or(Cell::is_numeric))
    }
}

/// Cells of words alone.
pub fn cells(texts: &[String]) -> Vec<Cell> {
    texts.iter().cloned().map(Cell::from).collect()
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

/// A verdict, facts, findings and cells whose words would act if they could.
#[cfg(test)]
fn hostile() -> Vec<Block> {
    let evil = "<b>|`*[x](y)\u{1b}[2J".to_owned();
    let cell = Cell::link(format!("/?a=\"{evil}"), evil.clone()).tagged(&evil);
    vec![
        Block::Verdict(Verdict {
            outcome: Outcome::Fail,
            forced: true,
            headline: evil.clone(),
            reasons: vec![evil.clone()],
        }),
        Block::Facts(vec![(evil.clone(), cell.clone())]),
        Block::Findings(vec![Finding {
            weight: Weight::Violated,
            name: evil.clone(),
            words: evil.clone(),
        }]),
        Block::Table(Table::new(
            &evil,
            &[&evil],
            vec![vec![cell.above(vec![Part::number(0.5, evil.clone())])]],
        )),
        Block::Steps(vec![(evil.clone(), evil.clone())]),
        Block::Origin(evil.clone()),
        Block::Folded(evil.clone(), vec![Block::Remark(evil)]),
    ]
}
