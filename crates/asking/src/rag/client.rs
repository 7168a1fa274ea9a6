//! One arm of a service: how it is asked, and what its answers say.

use std::sync::Arc;
use std::time::Duration;

use attacks::signals::probes::Arm;

use super::called::{Called, Callee};
use super::head::Head;
use super::over_http::OverHttp;
use super::program::callee;
use super::reading::{Read, Reader};
use super::request::{RequestTemplate, session};
use super::settings::{Stream, TargetSettings};
use super::template::Fill;
use crate::Result;
use crate::campaign::{Attempt, PreparedRequest};
use crate::http::Secret;
use crate::http::printable::printable;
use crate::store::Answer;

/// A hostile service must not exhaust memory.
pub(super) const LARGEST: usize = 64 << 20;

pub(super) struct Client {
    pub reader: Reader,
    way: Way,
}

/// How questions go out.
enum Way {
    Http(Box<OverHttp>),
    Called(Called),
}

/// What a question looks like, without any secret.
pub(super) struct ShownRequest {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Client {
    /// As the settings of an arm say: over HTTP, or by a program.
    pub fn new(
        table: String,
        settings: &TargetSettings,
        arm: Arm,
        timeout: Duration,
    ) -> Result<Self> {
        if let Some(callee) = callee(&table, settings, arm)? {
            return Self::called(&table, settings, arm, callee, timeout);
        }
        let template = RequestTemplate::new(&table, settings, arm)?;
        Ok(Self {
            reader: Reader::new(&table, settings)?,
            way: Way::Http(Box::new(OverHttp::new(&table, template, timeout)?)),
        })
    }

    /// By somebody who is called.
    pub fn called(
        table: &str,
        settings: &TargetSettings,
        arm: Arm,
        callee: Arc<dyn Callee>,
        timeout: Duration,
    ) -> Result<Self> {
        Ok(Self {
            reader: Reader::new(table, settings)?,
            way: Way::Called(Called {
                callee,
                arm,
                timeout,
            }),
        })
    }

    /// What the question is known by.
    pub fn prepare(&self, query: &str, repeat: u32) -> PreparedRequest {
        match &self.way {
            Way::Http(http) => http.template.prepare(query, repeat),
            Way::Called(called) => called.prepare(query, repeat),
        }
    }

    /// Asks once. What comes is as it came, but for secrets of ours.
    pub async fn send(&self, query: &str, prepared: &PreparedRequest) -> Attempt<Answer> {
        match &self.way {
            Way::Http(http) => http.send(query, prepared, &self.reader).await,
            Way::Called(called) => called.send(query).await,
        }
    }

    /// Reads an answer, of now or from the store. A secret that came in pieces, and was put
    /// together only now, is hidden too.
    pub fn read(&self, answer: &Answer) -> Attempt<Read> {
        let head = Head {
            status: answer.status,
            headers: &answer.headers,
        };
        let mut read = self.reader.read(head, &answer.body)?;
        let reply = &mut read.reply;
        reply.seconds = answer.seconds.unwrap_or_default();
        let Way::Http(http) = &self.way else {
            return Ok(read);
        };
        for text in reply.texts().filter(|text| http.secrets.are_in(text)) {
            let mut hidden = text.to_string();
            http.secrets.hide_text(&mut hidden);
            *text = hidden.into();
        }
        Ok(read)
    }

    /// The request that was prepared, for people.
    pub fn shown(&self, query: &str, prepared: &PreparedRequest) -> ShownRequest {
        let http = match &self.way {
            Way::Called(called) => return called.shown(query),
            Way::Http(http) => http,
        };
        let session = session(&prepared.key);
        let filled = http.template.fill(&Fill {
            query,
            session: Some(&session),
            reveal: false,
        });
        let shown = |value: &Secret| printable(value.reveal(), 200);
        let key = filled.key.iter().map(|key| {
            let bearer = format!("Bearer {}", shown(key));
            ("authorization".to_owned(), bearer)
        });
        let named = filled.headers.iter();
        let named = named.map(|(name, value)| (name.clone(), shown(value)));
        ShownRequest {
            method: http.template.method.to_string(),
            headers: key.chain(named).collect(),
            url: filled.url,
            body: filled.body.unwrap_or_default(),
        }
    }

    /// For people, in a line. `kind` is what its preset is called.
    pub fn about(&self, kind: Option<&str>) -> String {
        let http = match &self.way {
            Way::Called(called) => return printable(&called.callee.about(), 200),
            Way::Http(http) => http,
        };
        let stream = match self.reader.stream {
            Stream::None => "",
            Stream::Sse => ", server-sent events",
            Stream::Ndjson => ", JSON lines",
        };
        let url = printable(&shown_url(http), 200);
        let kind = kind.unwrap_or("a service");
        format!("{kind} at {url} ({}{stream})", http.template.method)
    }

    /// Whether a key or password can be read by those in between.
    pub fn is_exposed(&self) -> bool {
        match &self.way {
            Way::Called(_) => false,
            Way::Http(http) => {
                let template = &http.template;
                let plain = shown_url(http).starts_with("http:");
                template.secret() && !template.local && plain
            }
        }
    }

    /// Where questions go: the name of the host, and its port where it is not the usual one.
    pub fn host(&self) -> String {
        let http = match &self.way {
            Way::Called(called) => return printable(&called.callee.about(), 200),
            Way::Http(http) => http,
        };
        let url = http.template.url(&unfilled());
        let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
        let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        printable(host, 200)
    }
}

fn unfilled() -> Fill<'static> {
    Fill {
        query: "…",
        session: None,
        reveal: false,
    }
}

fn shown_url(http: &OverHttp) -> String {
    http.template.url(&unfilled()).replace("%E2%80%A6", "…")
}
