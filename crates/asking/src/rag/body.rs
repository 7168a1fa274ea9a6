//! Bodies of requests: JSON, text or a form, with holes.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::settings::TargetSettings;
use super::template::{Fill, Scope, Template, escape_json, escape_url, whole_value};
use crate::{Error, ErrorKind, Result};

pub(super) enum Body {
    None,
    Json(Node),
    Text(Template),
    Form(Vec<(String, Template)>),
}

/// JSON with holes. Keys are in order, so that the same request has the same bytes.
pub(super) enum Node {
    Fixed(Value),
    Text(Template),
    List(Vec<Node>),
    Map(BTreeMap<String, Node>),
}

impl Body {
    pub fn new(scope: Scope, settings: &TargetSettings) -> Result<Self> {
        match (&settings.body, &settings.body_text, &settings.form) {
            (None, None, None) => Ok(Body::None),
            (Some(body), None, None) => Ok(Body::Json(Node::new(scope, "body", body)?)),
            (None, Some(text), None) => Ok(Body::Text(Template::parse(scope, "body_text", text)?)),
            (None, None, Some(form)) => {
                let fields = form.iter().map(|(name, text)| {
                    let text = Template::parse(scope, &format!("form.{name}"), text)?;
                    Ok((name.clone(), text))
                });
                Ok(Body::Form(fields.collect::<Result<_>>()?))
            }
            _ => Err(Error::new(
                ErrorKind::Setting,
                format!(
                    "{} has more than one of body, body_text and form",
                    scope.table
                ),
            )
            .hint("keep the one that the service takes")),
        }
    }

    /// Every text with holes in it.
    pub fn templates(&self) -> Vec<&Template> {
        match self {
            Body::None => Vec::new(),
            Body::Json(node) => node.templates(),
            Body::Text(text) => vec![text],
            Body::Form(fields) => fields.iter().map(|(_, text)| text).collect(),
        }
    }

    pub fn kind(&self) -> Option<&'static str> {
        match self {
            Body::None => None,
            Body::Json(_) | Body::Text(_) => Some("application/json"),
            Body::Form(_) => Some("application/x-www-form-urlencoded"),
        }
    }

    pub fn bytes(&self, fill: &Fill) -> Option<Vec<u8>> {
        Some(match self {
            Body::None => return None,
            Body::Json(node) => node.value(fill).to_string().into_bytes(),
            Body::Text(text) => text.render(fill, escape_json).into_bytes(),
            Body::Form(fields) => {
                let pairs = fields.iter().map(|(name, text)| {
                    let value = text.render(fill, str::to_owned);
                    format!("{}={}", escape_url(name), escape_url(&value))
                });
                pairs.collect::<Vec<_>>().join("&").into_bytes()
            }
        })
    }
}

impl Node {
    fn new(scope: Scope, key: &str, value: &Value) -> Result<Self> {
        Ok(match value {
            Value::String(text) => match whole_value(text, scope.values) {
                Some(value) => Node::Fixed(value.clone()),
                None => Node::Text(Template::parse(scope, key, text)?),
            },
            Value::Array(list) => {
                let nodes = list.iter().enumerate();
                let nodes = nodes.map(|(i, value)| Node::new(scope, &format!("{key}[{i}]"), value));
                Node::List(nodes.collect::<Result<_>>()?)
            }
            Value::Object(map) => {
                let nodes = map.iter().map(|(name, value)| {
                    let node = Node::new(scope, &format!("{key}.{name}"), value)?;
                    Ok((name.clone(), node))
                });
                Node::Map(nodes.collect::<Result<_>>()?)
            }
            other => Node::Fixed(other.clone()),
        })
    }

    fn value(&self, fill: &Fill) -> Value {
        match self {
            Node::Fixed(value) => value.clone(),
            Node::Text(text) => Value::String(text.render(fill, str::to_owned)),
            Node::List(nodes) => nodes.iter().map(|node| node.value(fill)).collect(),
            Node::Map(nodes) => {
                let pairs = nodes
                    .iter()
                    .map(|(key, node)| (key.clone(), node.value(fill)));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    fn templates(&self) -> Vec<&Template> {
        match self {
            Node::Fixed(_) => Vec::new(),
            Node::Text(text) => vec![text],
            Node::List(nodes) => nodes.iter().flat_map(Node::templates).collect(),
            Node::Map(nodes) => nodes.values().flat_map(Node::templates).collect(),
        }
    }
}
