//! The part of Python's literals that `.npy` headers use.

/// Headers of real files nest three deep at most.
const DEEPEST: usize = 8;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Text(String),
    Bool(bool),
    Integer(i64),
    /// A tuple or a list.
    Sequence(Vec<Literal>),
    Dictionary(Vec<(String, Literal)>),
}

impl Literal {
    pub(crate) fn get(&self, key: &str) -> Option<&Literal> {
        match self {
            Literal::Dictionary(entries) => entries
                .iter()
                .find_map(|(name, value)| (name == key).then_some(value)),
            _ => None,
        }
    }
}

/// The literal that fills the whole text, if there is one.
pub(crate) fn parse(text: &str) -> Option<Literal> {
    let mut parser = Parser { rest: text };
    let literal = parser.literal(0)?;
    parser.skip_spaces();
    parser.rest.is_empty().then_some(literal)
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\n', '\t', '\r', '\0']);
    }

    fn accept(&mut self, token: &str) -> bool {
        self.skip_spaces();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn literal(&mut self, depth: usize) -> Option<Literal> {
        if depth > DEEPEST {
            return None;
        }
        if self.accept("{") {
            return self.dictionary(depth + 1);
        }
        if self.accept("(") {
            return self.sequence(")", depth + 1);
        }
        if self.accept("[") {
            return self.sequence("]", depth + 1);
        }
        if self.accept("True") {
            return Some(Literal::Bool(true));
        }
        if self.accept("False") {
            return Some(Literal::Bool(false));
        }
        self.text().map(Literal::Text).or_else(|| self.integer())
    }

    fn dictionary(&mut self, depth: usize) -> Option<Literal> {
        let mut entries = Vec::new();
        while !self.accept("}") {
            let key = self.text()?;
            if !self.accept(":") {
                return None;
            }
            entries.push((key, self.literal(depth)?));
            if !self.accept(",") && !self.rest.trim_start().starts_with('}') {
                return None;
            }
        }
        Some(Literal::Dictionary(entries))
    }

    fn sequence(&mut self, close: &str, depth: usize) -> Option<Literal> {
        let mut items = Vec::new();
        while !self.accept(close) {
            items.push(self.literal(depth)?);
            if !self.accept(",") && !self.rest.trim_start().starts_with(close) {
                return None;
            }
        }
        Some(Literal::Sequence(items))
    }

    fn text(&mut self) -> Option<String> {
        self.skip_spaces();
        let quote = self.rest.chars().next().filter(|c| "'\"".contains(*c))?;
        let (text, rest) = self.rest[1..].split_once(quote)?;
        self.rest = rest;
        Some(text.to_owned())
    }

    /// Python 2 wrote long integers with an L at the end.
    fn integer(&mut self) -> Option<Literal> {
        let digits = |c: char| !c.is_ascii_digit() && c != '-';
        let end = self.rest.find(digits).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        let number = number.parse().ok()?;
        self.rest = rest.strip_prefix('L').unwrap_or(rest);
        Some(Literal::Integer(number))
    }
}
