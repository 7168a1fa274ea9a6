//! A request as a target describes it, ready to be filled with a question.

use std::collections::BTreeMap;

use attacks::signals::probes::Arm;
use percent_encoding::percent_decode_str;
use reqwest::Method;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::body::Body;
use super::settings::TargetSettings;
use super::template::{Fill, Scope, Template, escape_url, spellings};
use crate::campaign::PreparedRequest;
use crate::http::Secret;
use crate::http::address::{local, parse};
use crate::http::secret::{Secrets, hide_pairs, is_sensitive};
use crate::store::Key;
use crate::{Error, ErrorKind, Result};

const METHODS: [Method; 4] = [Method::POST, Method::GET, Method::PUT, Method::PATCH];

/// One arm's request.
pub(super) struct RequestTemplate {
    arm: Arm,
    /// The name of its table in the configuration.
    table: String,
    pub method: Method,
    /// Up to the question mark, and after it.
    url: (Template, Option<Template>),
    pub credentials: Option<(Secret, Secret)>,
    headers: Vec<(String, Template)>,
    key: Option<Template>,
    body: Body,
    /// On this machine.
    pub local: bool,
}

/// A request that is ready.
pub(super) struct Filled {
    pub url: String,
    pub headers: Vec<(String, Secret)>,
    pub key: Option<Secret>,
    pub body: Option<Vec<u8>>,
}

impl RequestTemplate {
    /// Checks everything that can be checked without sending.
    pub fn new(table: &str, settings: &TargetSettings, arm: Arm) -> Result<Self> {
        let scope = Scope {
            table,
            values: &settings.values,
        };
        let template = |key: &str, text: &str| Template::parse(scope, key, text);
        let credential = |text| credential(table, text);
        let url = settings.url.as_deref().unwrap_or_default();
        let (url, credentials) = without_credentials(url);
        let credentials = credentials
            .map(|(user, password)| Ok::<_, Error>((credential(user)?, credential(password)?)));
        let url = match url.split_once('?') {
            Some((path, query)) => (template("url", path)?, Some(template("url", query)?)),
            None => (template("url", &url)?, None),
        };
        let headers = settings.headers.iter().map(|(name, text)| {
            let text = template(&format!("headers.{name}"), text)?;
            Ok((name.clone(), text))
        });
        let body = Body::new(scope, settings)?;
        let mut template = Self {
            arm,
            table: table.to_owned(),
            method: method(table, settings, &body)?,
            url,
            credentials: credentials.transpose()?,
            headers: headers.collect::<Result<_>>()?,
            key: settings
                .api_key
                .as_deref()
                .map(|key| template("api_key", key))
                .transpose()?,
            body,
            local: false,
        };
        template.check()?;
        template.local = local(&parse(&template.url(&sample("a")))?);
        Ok(template)
    }

    fn check(&self) -> Result<()> {
        let (first, second) = (
            parse(&self.url(&sample("a")))?,
            parse(&self.url(&sample("b")))?,
        );
        if first.origin() != second.origin() {
            let message = format!(
                "{}.url has {{{{query}}}} in the name of the host",
                self.table
            );
            return Err(
                Error::new(ErrorKind::Setting, message).hint("put it into the path or after ?")
            );
        }
        if self.method == Method::GET && !matches!(self.body, Body::None) {
            let message = format!("{} has a body, which GET does not send", self.table);
            return Err(Error::new(ErrorKind::Setting, message)
                .hint("put {{query}} into the url, or set method = \"POST\""));
        }
        let filled = self.fill(&sample("a"));
        let named = filled.headers.iter();
        let named = named.map(|(name, value)| (name.as_str(), value));
        crate::http::client::headers(filled.key.as_ref(), named)?;
        if !self.has_query() {
            let message = format!(
                "{{{{query}}}} stands nowhere in [{}]: the same would be asked always",
                self.table
            );
            return Err(Error::new(ErrorKind::Setting, message)
                .hint("put it where the question goes: in body, body_text, form or url"));
        }
        Ok(())
    }

    fn has_query(&self) -> bool {
        let mut body = self.body.templates().into_iter();
        body.any(Template::has_query) || self.url_templates().any(Template::has_query)
    }

    fn url_templates(&self) -> impl Iterator<Item = &Template> {
        [Some(&self.url.0), self.url.1.as_ref()]
            .into_iter()
            .flatten()
    }

    /// Whether a key or password goes along.
    pub fn secret(&self) -> bool {
        let named = |(name, _): &(String, Template)| is_sensitive(name);
        self.key.is_some() || self.credentials.is_some() || self.headers.iter().any(named)
    }

    /// What must not be seen: everything from the environment, keys, passwords.
    pub fn secrets(&self) -> Secrets {
        let plain = |text: &str| text.to_owned();
        let mut found: Vec<Secret> = Vec::new();
        let mut templates: Vec<&Template> = self.url_templates().collect();
        templates.extend(self.headers.iter().map(|(_, text)| text));
        templates.extend(self.body.templates());
        found.extend(templates.iter().flat_map(|text| text.secrets().cloned()));
        let hidden = self.headers.iter().filter(|(name, _)| is_sensitive(name));
        let whole = hidden.map(|(_, text)| text).chain(&self.key);
        found.extend(whole.flat_map(|text| {
            let value = Secret::new(text.render(&sample(""), plain));
            text.secrets().cloned().chain([value]).collect::<Vec<_>>()
        }));
        found.extend(
            self.credentials
                .iter()
                .map(|(_, password)| password.clone()),
        );
        let escaped: Vec<Secret> = found.iter().flat_map(spellings).collect();
        Secrets::new(found.into_iter().chain(escaped))
    }

    /// A request for sending, or for showing.
    pub fn fill(&self, fill: &Fill) -> Filled {
        let plain = |text: &str| text.to_owned();
        let value = |name: &str, text: &Template| match fill.reveal || !is_sensitive(name) {
            true => text.render(fill, plain),
            false => text.render_hidden(fill),
        };
        let headers = self.headers.iter();
        let headers = headers.map(|(name, text)| (name.clone(), Secret::new(value(name, text))));
        let mut headers: Vec<(String, Secret)> = headers.collect();
        let typed = |(name, _): &(String, Secret)| name.eq_ignore_ascii_case("content-type");
        if let Some(kind) = self.body.kind()
            && !headers.iter().any(typed)
        {
            headers.push(("content-type".into(), Secret::new(kind)));
        }
        let key = self.key.as_ref();
        Filled {
            url: self.url(fill),
            headers,
            key: key.map(|text| Secret::new(value("authorization", text))),
            body: self.body.bytes(fill),
        }
    }

    /// What the question is known by: whatever the secrets and the session may be.
    pub fn prepare(&self, query: &str, repeat: u32) -> PreparedRequest {
        let fill = Fill {
            query,
            session: None,
            reveal: false,
        };
        let filled = self.fill(&fill);
        let headers: BTreeMap<String, &str> = filled
            .headers
            .iter()
            .map(|(name, value)| (name.to_lowercase(), value.reveal()))
            .collect();
        let body = filled.body.unwrap_or_default();
        let request = json!({
            "arm": self.arm,
            "body": String::from_utf8_lossy(&body),
            "headers": headers,
            "key": filled.key.as_ref().map(Secret::reveal),
            "method": self.method.as_str(),
            "repeat": repeat,
        });
        let request = request.to_string().into_bytes();
        PreparedRequest::new("rag", filled.url, None, request)
    }

    pub fn url(&self, fill: &Fill) -> String {
        // Before the question mark a variable may be the server's whole address.
        let mut url = self.url.0.render_apart(fill, escape_url, str::to_owned);
        if let Some(query) = &self.url.1 {
            url.push('?');
            url += &match fill.reveal {
                true => query.render(fill, escape_url),
                false => hide_pairs(&query.render(fill, escape_url)),
            };
        }
        url
    }
}

/// A name for the conversation, the same whenever the same question is asked.
pub(super) fn session(key: &Key) -> String {
    let mut hasher = Sha256::new_with_prefix(b"session");
    hasher.update(key);
    let text = formats::files::hexadecimal(&hasher.finalize());
    let part = |from: usize, to: usize| &text[from..to];
    [
        part(0, 8),
        part(8, 12),
        part(12, 16),
        part(16, 20),
        part(20, 32),
    ]
    .join("-")
}

fn method(table: &str, settings: &TargetSettings, body: &Body) -> Result<Method> {
    let Some(name) = &settings.method else {
        return Ok(match body {
            Body::None => Method::GET,
            _ => Method::POST,
        });
    };
    let mut known = METHODS.into_iter();
    known
        .find(|method| method.as_str().eq_ignore_ascii_case(name.trim()))
        .ok_or_else(|| {
            Error::new(ErrorKind::Setting, format!("{table}.method is {name:?}"))
                .hint("give POST, GET, PUT or PATCH")
        })
}

/// Takes user and password out of the url as it is written.
fn without_credentials(text: &str) -> (String, Option<(&str, &str)>) {
    let text = text.trim();
    let Some((scheme, rest)) = text.split_once("://") else {
        return (text.to_owned(), None);
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rsplit_once('@') {
        Some((credentials, _)) => {
            let host = &rest[credentials.len() + 1..];
            let pair = credentials.split_once(':').unwrap_or((credentials, ""));
            (format!("{scheme}://{host}"), Some(pair))
        }
        None => (text.to_owned(), None),
    }
}

/// A user's name or password, as it is written in an url.
fn credential(table: &str, text: &str) -> Result<Secret> {
    let values = &BTreeMap::new();
    let template = Template::parse(Scope { table, values }, "url", text)?;
    let text = template.render(&sample(""), str::to_owned);
    let text = percent_decode_str(&text).decode_utf8_lossy();
    Ok(Secret::new(text))
}

fn sample(query: &str) -> Fill<'_> {
    Fill {
        query,
        session: Some("session"),
        reveal: true,
    }
}
