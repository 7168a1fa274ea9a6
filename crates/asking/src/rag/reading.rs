//! From the bytes of an answer to a [`Reply`]. Pure: what lies in the store is read the same way as
//! what has just come, so a mended JSONPath reads old answers anew.

use attacks::signals::probes::{Reply, SourceShown};
use serde_json::Value;

use super::ending::cut_short;
use super::events::{Event, Events, json_lines, server_sent};
use super::paths::{Path, Paths, text};
use super::reasoning::without_reasoning;
use super::settings::{Stream, StreamText, TargetSettings};
use super::sources::{SourcePaths, cut};
use super::unreadable::{Unreadable, cut_off, not_json, schema, unreadable};
use super::usage::{Tokens, usage};
use crate::http::fault::FaultKind;
use crate::http::words::printable;
use crate::{Error, ErrorKind, Result};

/// Reasons that are not an answer's natural end.
const BLOCKS: [&str; 8] = [
    "content_filter",
    "content-filter",
    "content_filtered",
    "safety",
    "blocked",
    "prohibited_content",
    "recitation",
    "guardrail_intervened",
];
/// Codes by which services refuse a question because of what it says.
const POLICIES: [&str; 2] = ["content_filter", "ResponsibleAIPolicyViolation"];

pub(super) struct Reader {
    pub stream: Stream,
    cumulative: bool,
    answer: Paths,
    delta: Paths,
    citations: Paths,
    retrieved: Paths,
    blocked: Paths,
    end: Option<End>,
    sources: SourcePaths,
    refused_status: Vec<u16>,
}

/// How a stream says that it is over.
enum End {
    Path(Path),
    Text(String),
}

/// An answer that could be read.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub reply: Reply,
    pub tokens: Option<Tokens>,
    pub findings: Vec<Finding>,
}

/// What a JSONPath found in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Such as `answer` or `citations`.
    pub what: &'static str,
    /// The path that matched, or all that did not.
    pub path: String,
    /// How many values or sources; none if nothing matched.
    pub found: usize,
}

impl Reader {
    pub fn new(settings: &TargetSettings) -> Result<Self> {
        let extract = &settings.extract;
        let end = extract
            .end
            .as_deref()
            .map(|end| match end.strip_prefix('$') {
                Some(_) => Path::parse("end", end).map(End::Path),
                None => Ok(End::Text(end.to_owned())),
            });
        let reader = Self {
            stream: settings.stream.unwrap_or_default(),
            cumulative: settings.stream_text == Some(StreamText::Cumulative),
            answer: Paths::parse("answer", extract.answer.as_ref())?,
            delta: Paths::parse("delta", extract.delta.as_ref())?,
            citations: Paths::parse("citations", extract.citations.as_ref())?,
            retrieved: Paths::parse("retrieved", extract.retrieved.as_ref())?,
            blocked: Paths::parse("blocked", extract.blocked.as_ref())?,
            end: end.transpose()?,
            sources: SourcePaths::new(extract)?,
            refused_status: refused_status(settings)?,
        };
        let (wanted, key) = match reader.stream {
            Stream::None => (&reader.answer, "answer"),
            _ => (&reader.delta, "delta"),
        };
        match wanted.is_empty() {
            false => Ok(reader),
            true => Err(Error::new(
                ErrorKind::Setting,
                format!("target.extract.{key} is missing: where is the answer?"),
            )
            .hint(format!(
                "give a JSONPath, such as {key} = \"$.answer\", or choose a preset"
            ))),
        }
    }

    /// Whether a response is an answer, if only that it was blocked, rather than a failure.
    pub fn is_answer(&self, status: u16, body: &[u8]) -> bool {
        (200..300).contains(&status) || self.refusal(status, body).is_some()
    }

    /// Why the service says that it would not answer.
    fn refusal(&self, status: u16, body: &[u8]) -> Option<String> {
        let named = self.refused_status.contains(&status);
        let policy = || (400..500).contains(&status).then(|| policy(body)).flatten();
        policy().or_else(|| named.then(|| format!("status {status}")))
    }

    /// Reads an answer that has a status which `is_answer` lets through.
    pub fn read(&self, status: u16, body: &[u8]) -> std::result::Result<Read, Unreadable> {
        if !(200..300).contains(&status) {
            return match self.refusal(status, body) {
                Some(reason) => Ok(Read::blocked(reason)),
                None => Err(schema(format!("the answer has status {status}"), body)),
            };
        }
        match self.stream {
            Stream::None => self.read_whole(body),
            Stream::Sse => self.read_stream(server_sent(body), body),
            Stream::Ndjson => self.read_stream(json_lines(body), body),
        }
    }

    fn read_whole(&self, body: &[u8]) -> std::result::Result<Read, Unreadable> {
        let json: Value = serde_json::from_slice(body).map_err(|error| not_json(&error, body))?;
        let answer = self.answer.first(&json, |values| text(values, ""));
        let mut read = self.around(std::slice::from_ref(&json));
        read.findings
            .insert(0, finding("answer", &answer, &self.answer));
        self.finish(read, answer.map(|(_, text)| text), &self.answer, body)
    }

    fn read_stream(&self, events: Events, body: &[u8]) -> std::result::Result<Read, Unreadable> {
        if events.events.is_empty() && !events.done {
            // A service may answer in one piece although a stream was asked for, or send a page.
            return match body.trim_ascii().is_empty() || self.answer.is_empty() {
                true => Err(cut_off("the stream holds no event", body)),
                false => self.read_whole(body),
            };
        }
        if let Some(line) = events.broken {
            let message = format!("line {line} of the answer is not JSON");
            return Err(unreadable(FaultKind::NotJson, message, body));
        }
        if let Some(error) = events.events.iter().find_map(error_in) {
            let message = format!("the service broke off with “{}”", printable(&error, 200));
            return Err(unreadable(FaultKind::ServerError, message, body));
        }
        if !self.ended(&events) {
            return Err(cut_off("the stream broke off before its end", body));
        }
        let jsons: Vec<Value> = events.events.into_iter().map(|event| event.json).collect();
        let answer = self.pieces(&jsons);
        let mut read = self.around(&jsons);
        let path = answer.as_ref().map(|(path, text)| (*path, text.clone()));
        read.findings
            .insert(0, finding("delta", &path, &self.delta));
        self.finish(read, answer.map(|(_, text)| text), &self.delta, body)
    }

    fn ended(&self, events: &Events) -> bool {
        let truthy = |value: &&Value| **value != Value::Bool(false);
        let mut all = events.events.iter();
        events.done
            || match &self.end {
                Some(End::Path(path)) => all.any(|event| path.all(&event.json).iter().any(truthy)),
                Some(End::Text(text)) => all.any(|event| event.json.as_str() == Some(text)),
                None => events.whole,
            }
    }

    /// The answer put together from the events of a stream.
    fn pieces(&self, jsons: &[Value]) -> Option<(&Path, String)> {
        let mut answer: Option<(&Path, String)> = None;
        for json in jsons {
            let Some((path, piece)) = self.delta.first(json, |values| text(values, "")) else {
                continue;
            };
            match &mut answer {
                Some((_, so_far)) if !self.cumulative => so_far.push_str(&piece),
                // The last word of some services is empty.
                Some((_, so_far)) if !piece.is_empty() => *so_far = piece,
                Some(_) => {}
                None => answer = Some((path, piece)),
            }
        }
        let whole = || {
            let last = jsons.iter().rev();
            last.filter_map(|json| self.answer.first(json, |values| text(values, "")))
                .next()
        };
        answer.or_else(whole)
    }

    /// Everything but the answer, from the one document or all events.
    fn around(&self, jsons: &[Value]) -> Read {
        let mut read = Read::default();
        let gather = |paths: &Paths, what, into: &mut Vec<SourceShown>| {
            let mut used = None;
            for json in jsons {
                if let Some((path, ())) = paths.first(json, |values| {
                    (!values.iter().all(|value| is_empty(value))).then_some(())
                }) {
                    self.sources.gather(&path.all(json), into);
                    used = Some(path);
                }
            }
            (!paths.is_empty()).then(|| Finding {
                what,
                path: used.map_or_else(|| paths.words(), |path| path.text.clone()),
                found: into.len(),
            })
        };
        let cited = gather(&self.citations, "citations", &mut read.reply.citations);
        let looked_up = gather(&self.retrieved, "retrieved", &mut read.reply.retrieved);
        read.findings.extend(cited.into_iter().chain(looked_up));
        for json in jsons {
            if let Some((_, reason)) = self.blocked.first(json, block) {
                read.reply.blocked = Some(reason);
            }
            read.tokens = usage(json).or(read.tokens);
            read.reply.cut_short |= cut_short(json);
        }
        read
    }

    fn finish(
        &self,
        mut read: Read,
        answer: Option<String>,
        paths: &Paths,
        body: &[u8],
    ) -> std::result::Result<Read, Unreadable> {
        match answer {
            Some(answer) => read.reply.answer = cut(&without_reasoning(answer)),
            None if read.reply.blocked.is_some() => {}
            None => {
                let message = format!("{} matches no text in the answer", paths.words());
                return Err(schema(message, body));
            }
        }
        Ok(read)
    }
}

impl Read {
    fn blocked(reason: String) -> Self {
        Self {
            reply: Reply {
                blocked: Some(reason),
                ..Reply::default()
            },
            ..Self::default()
        }
    }
}

/// A status of success cannot be a refusal.
fn refused_status(settings: &TargetSettings) -> Result<Vec<u16>> {
    let named = settings.refused_status.clone().unwrap_or_default();
    match named.iter().find(|status| !(400..600).contains(*status)) {
        None => Ok(named),
        Some(status) => {
            let message = format!("target.refused_status holds {status}");
            Err(Error::new(ErrorKind::Setting, message)
                .hint("name statuses from 400 to 599, such as [403, 422]"))
        }
    }
}

/// The policy that a refusal names.
fn policy(body: &[u8]) -> Option<String> {
    let json: Value = serde_json::from_slice(body).ok()?;
    let places = [
        "/error/code",
        "/error/innererror/code",
        "/error/inner_error/code",
        "/code",
    ];
    let codes = places
        .iter()
        .filter_map(|place| json.pointer(place)?.as_str());
    let mut found = codes.filter(|code| POLICIES.contains(code));
    found.next().map(str::to_owned)
}

fn block(values: &[&Value]) -> Option<String> {
    values.iter().find_map(|value| match value {
        Value::Bool(true) => Some("blocked".to_owned()),
        Value::String(reason) if BLOCKS.contains(&reason.to_lowercase().as_str()) => {
            Some(reason.clone())
        }
        _ => None,
    })
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

/// What a stream says when it fails half-way.
fn error_in(event: &Event) -> Option<String> {
    let json = &event.json;
    let within = json.get("event").is_some_and(|name| name == "error");
    let named = within || event.name.as_deref() == Some("error");
    match json.get("error").filter(|error| !is_nothing(error)) {
        Some(error) => Some(error.to_string()),
        None if named => Some(json.to_string()),
        None => None,
    }
}

fn is_nothing(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(false)) || is_empty(value)
}

fn finding(what: &'static str, found: &Option<(&Path, String)>, paths: &Paths) -> Finding {
    Finding {
        what,
        path: match found {
            Some((path, _)) => path.text.clone(),
            None => paths.words(),
        },
        found: usize::from(found.is_some()),
    }
}
