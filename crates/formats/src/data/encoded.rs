//! A column once it is numbers: what it is, and how its features are laid down.

use super::records::ColumnKind;

pub(crate) struct Encoded {
    pub(crate) kind: ColumnKind,
    pub(crate) missing: usize,
    pub(crate) parts: Vec<Part>,
    pub(crate) remark: Option<Remark>,
}

/// Features that belong together.
pub(crate) enum Part {
    /// One feature.
    Values(Vec<f32>),
    /// One feature per name: 1 at the record's code, 0 elsewhere.
    OneHot { codes: Vec<u32>, names: Vec<String> },
}

/// What the user should know of a column.
pub(crate) enum Remark {
    /// All values are the same.
    Constant,
    /// All values differ: they name the record.
    NamesRecords,
    /// A sentence of its own.
    Sentence(String),
}

impl Encoded {
    /// A column without features.
    pub(crate) fn without(kind: ColumnKind, missing: usize, remark: Option<Remark>) -> Self {
        Self {
            kind,
            missing,
            parts: Vec::new(),
            remark,
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.parts.iter().map(Part::width).sum()
    }

    /// Writes a record's features, which are zeros so far.
    pub(crate) fn write(&self, record: usize, mut features: &mut [f32]) {
        for part in &self.parts {
            let (own, rest) = features.split_at_mut(part.width());
            match part {
                Part::Values(values) => own[0] = values[record],
                Part::OneHot { codes, .. } => own[codes[record] as usize] = 1.0,
            }
            features = rest;
        }
    }
}

impl Part {
    fn width(&self) -> usize {
        match self {
            Part::Values(_) => 1,
            Part::OneHot { names, .. } => names.len(),
        }
    }
}
