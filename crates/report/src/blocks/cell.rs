//! One cell of a table, or the value of a fact: words, numbers with all their digits, links, signs.

/// What a cell says, and what stands smaller below it, such as an interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    pub parts: Vec<Part>,
    pub below: Vec<Part>,
}

/// A piece of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Words(String),
    /// A number as it is shown, and all of it for a page.
    Number {
        value: f64,
        shown: String,
    },
    /// A place within the same site; terminal and Markdown, which have none, show the words alone.
    Link {
        to: String,
        words: String,
    },
    /// A word that marks the cell.
    Tag(String),
    /// A share that a page draws as a meter; letters say it beside.
    Share(f64),
    /// A box to tick in the form around the table.
    Tick {
        name: &'static str,
        value: String,
        label: String,
    },
    /// A sign and a word in the colour of a class.
    Sign {
        class: &'static str,
        sign: &'static str,
        words: String,
    },
}

impl Part {
    pub fn number(value: f64, shown: impl Into<String>) -> Self {
        Part::Number {
            value,
            shown: shown.into(),
        }
    }

    /// As somebody sees it who has nothing but letters.
    pub fn plain(&self) -> String {
        match self {
            Part::Words(words) | Part::Link { words, .. } => words.clone(),
            Part::Number { shown, .. } => shown.clone(),
            Part::Tag(word) => format!("({word})"),
            Part::Share(_) | Part::Tick { .. } => String::new(),
            Part::Sign { sign, words, .. } => format!("{sign} {words}"),
        }
    }
}

impl Cell {
    pub fn number(value: f64, shown: impl Into<String>) -> Self {
        Part::number(value, shown).into()
    }

    pub fn link(to: impl Into<String>, words: impl Into<String>) -> Self {
        Part::Link {
            to: to.into(),
            words: words.into(),
        }
        .into()
    }

    /// The same with something smaller below.
    pub fn above(self, below: Vec<Part>) -> Self {
        Self { below, ..self }
    }

    /// The same with a mark behind it.
    pub fn tagged(mut self, tag: &str) -> Self {
        self.parts.push(Part::Words(" ".into()));
        self.parts.push(Part::Tag(tag.into()));
        self
    }

    /// In letters alone; what is below stands in brackets.
    pub fn plain(&self) -> String {
        let joined = |parts: &[Part]| parts.iter().map(Part::plain).collect::<String>();
        match self.below.is_empty() {
            true => joined(&self.parts),
            false => format!("{} ({})", joined(&self.parts), joined(&self.below)),
        }
    }

    /// Whether it reads as a number, or has none to show.
    pub fn is_numeric(&self) -> bool {
        let plain = self.plain();
        let first = plain.chars().next();
        first.is_none_or(|first| first.is_ascii_digit() || "+-−<–∞".contains(first))
    }
}

impl From<Part> for Cell {
    fn from(part: Part) -> Self {
        Self {
            parts: vec![part],
            below: Vec::new(),
        }
    }
}

impl From<String> for Cell {
    fn from(words: String) -> Self {
        Part::Words(words).into()
    }
}

impl From<&str> for Cell {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}
