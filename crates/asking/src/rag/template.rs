//! Texts with holes: `{{query}}`, `{{session}}`, `{{name}}` for a value of the target, `${NAME}` for
//! a variable of the environment.
//!
//! A template is taken apart once. What fills a hole is never looked at again, so a question that
//! holds `${HOME}` is sent as it is.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::http::Secret;
use crate::http::secret::STARS;
use crate::{Error, ErrorKind, Result};

/// What need not be escaped in any part of an url.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

#[derive(Clone, Debug, Default)]
pub(super) struct Template(Vec<Part>);

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    /// A variable of the environment, by name: what it holds is never shown.
    Variable(String, Secret),
    Query,
    Session,
}

/// What goes into the holes.
#[derive(Clone, Copy)]
pub(super) struct Fill<'a> {
    pub query: &'a str,
    /// Left as a hole where there is none.
    pub session: Option<&'a str>,
    /// Whether variables are filled in. Only what is sent has them.
    pub reveal: bool,
}

type Values = BTreeMap<String, Value>;

/// Where templates stand, and what is known to fill their holes.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    /// The name of the table in the configuration.
    pub table: &'a str,
    pub values: &'a Values,
}

impl Template {
    /// Takes a text apart. `key` is where it stands in the table, for messages.
    pub fn parse(scope: Scope, key: &str, text: &str) -> Result<Self> {
        let mut template = Self::default();
        let mut rest = text;
        while let Some(place) = next_hole(rest) {
            let (before, hole) = rest.split_at(place);
            template.text(before);
            let curly = hole.starts_with("{{");
            let end = if curly { "}}" } else { "}" };
            let Some((name, after)) = hole[2..].split_once(end).filter(|(name, _)| is_name(name))
            else {
                template.text(&hole[..2]);
                rest = &hole[2..];
                continue;
            };
            match name.trim() {
                "query" if curly => template.0.push(Part::Query),
                "session" if curly => template.0.push(Part::Session),
                name if curly => template.value(scope, key, name)?,
                name => template.variable(scope, key, name)?,
            }
            rest = after;
        }
        template.text(rest);
        Ok(template)
    }

    pub fn render(&self, fill: &Fill, escape: impl Fn(&str) -> String) -> String {
        self.render_apart(fill, &escape, &escape)
    }

    /// Variables escaped otherwise than what is asked.
    pub fn render_apart(
        &self,
        fill: &Fill,
        escape: impl Fn(&str) -> String,
        escape_variable: impl Fn(&str) -> String,
    ) -> String {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Variable(_, secret) if fill.reveal => {
                    text += &escape_variable(secret.reveal());
                }
                Part::Variable(name, _) => text += &format!("${{{name}}}"),
                Part::Query => text += &escape(fill.query),
                Part::Session => text += &fill.session.map_or("{{session}}".into(), &escape),
            }
        }
        text
    }

    pub fn has_query(&self) -> bool {
        self.0.iter().any(|part| matches!(part, Part::Query))
    }

    /// Shown and stored in place of a value that may be a key: the variable's name, where it is
    /// one. Another key makes no other question, wherever it is written.
    pub fn render_hidden(&self, fill: &Fill) -> String {
        match self.secrets().next() {
            Some(_) => self.render(fill, str::to_owned),
            None => STARS.to_owned(),
        }
    }

    pub fn secrets(&self) -> impl Iterator<Item = &Secret> {
        self.0.iter().filter_map(|part| match part {
            Part::Variable(_, secret) => Some(secret),
            _ => None,
        })
    }

    fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.0.push(Part::Text(text.to_owned()));
        }
    }

    fn variable(&mut self, scope: Scope, key: &str, name: &str) -> Result<()> {
        let value = std::env::var(name).map_err(|_| {
            let message = format!("{}.{key} needs ${{{name}}}, which is not set", scope.table);
            Error::new(ErrorKind::Setting, message)
                .hint(format!("set {name} in the environment of guestlist"))
        })?;
        self.0.push(Part::Variable(name.into(), Secret::new(value)));
        Ok(())
    }

    /// A value may have variables, but no holes.
    fn value(&mut self, scope: Scope, key: &str, name: &str) -> Result<()> {
        let text = match scope.values.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => return Err(unfilled(scope.table, key, name)),
        };
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once("${") {
            let Some((variable, end)) = after.split_once('}').filter(|(name, _)| is_name(name))
            else {
                break;
            };
            self.text(before);
            self.variable(scope, &format!("values.{name}"), variable)?;
            rest = end;
        }
        self.text(rest);
        Ok(())
    }
}

/// The value that takes the place of a whole text, where that is one hole for something other than
/// a text.
pub(super) fn whole_value<'a>(text: &str, values: &'a Values) -> Option<&'a Value> {
    let name = text.strip_prefix("{{")?.strip_suffix("}}")?.trim();
    values.get(name).filter(|value| !value.is_string())
}

fn next_hole(text: &str) -> Option<usize> {
    let places = [text.find("{{"), text.find("${")];
    places.into_iter().flatten().min()
}

/// Other things in braces are left alone: a body may hold a template of somebody else's.
fn is_name(text: &str) -> bool {
    let text = text.trim();
    let letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !text.is_empty() && text.chars().all(letter)
}

fn unfilled(table: &str, key: &str, name: &str) -> Error {
    let message = format!("{table}.{key} has {{{{{name}}}}}, for which there is no value");
    Error::new(ErrorKind::Setting, message).hint(format!(
        "give it: [{table}.values] {name} = \"…\"; the question goes to {{{{query}}}}"
    ))
}

pub(super) fn escape_url(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// As it stands between the quotes of a JSON text.
pub(super) fn escape_json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// The ways in which a secret may come back.
pub(super) fn spellings(secret: &Secret) -> [Secret; 3] {
    let text = secret.reveal();
    let once = escape_json(text);
    // A service that repeats a request as a text escapes what is escaped already.
    [escape_url(text), escape_json(&once), once].map(Secret::new)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fill(query: &str) -> Fill<'_> {
        Fill {
            query,
            session: Some("s1"),
            reveal: true,
        }
    }

    fn values() -> Values {
        Values::from([
            ("model".into(), Value::from("gpt ${PATH}{{query}}")),
            ("top".into(), Value::from(5)),
        ])
    }

    fn parse(key: &str, text: &str, values: &Values) -> Result<Template> {
        let table = "target";
        Template::parse(Scope { table, values }, key, text)
    }

    #[test]
    fn holes_are_filled_once() {
        let text = "{{query}}/{{ session }}/{{top}}";
        let template = parse("k", text, &values()).unwrap();
        let sent = template.render(&fill("${PATH} {{top}} \\1"), str::to_owned);
        assert_eq!(sent, "${PATH} {{top}} \\1/s1/5");
    }

    #[test]
    fn variables_are_sent_but_not_shown() {
        let path = std::env::var("PATH").unwrap();
        let template = parse("k", "a ${PATH} {{model}}", &values()).unwrap();
        let sent = template.render(&fill("q"), str::to_owned);
        assert_eq!(sent, format!("a {path} gpt {path}{{{{query}}}}"));
        let shown = Fill {
            reveal: false,
            ..fill("q")
        };
        let shown = template.render(&shown, str::to_owned);
        assert_eq!(shown, "a ${PATH} gpt ${PATH}{{query}}");
        assert!(!format!("{template:?}").contains(&path));
    }

    #[test]
    fn what_is_missing_is_named() {
        let parse = |text| parse("body.model", text, &values());
        let error = parse("{{size}}").unwrap_err().to_string();
        assert!(
            error.contains("{{size}}") && error.contains("target.body.model"),
            "{error}"
        );
        let error = parse("${NO_SUCH_VARIABLE_HERE}").unwrap_err().to_string();
        assert!(error.contains("NO_SUCH_VARIABLE_HERE"), "{error}");
    }

    proptest! {
        /// Whatever has no name in its braces stays as it is.
        #[test]
        fn other_text_is_left_alone(text in "[a-z ${}%\\\\\"-]{0,30}") {
            prop_assume!(!regex_like_hole(&text));
            let template = parse("k", &text, &Values::new()).unwrap();
            prop_assert_eq!(template.render(&fill("q"), str::to_owned), text);
        }
    }

    /// The slow way to see a hole: try every start and every end.
    fn regex_like_hole(text: &str) -> bool {
        let starts = [("{{", "}}"), ("${", "}")];
        starts.iter().any(|(open, close)| {
            text.match_indices(open).any(|(start, _)| {
                let inside = &text[start + 2..];
                inside
                    .match_indices(close)
                    .any(|(end, _)| is_name(&inside[..end]))
            })
        })
    }
}
