//! From the bytes of an answer to a [`Reply`]. Pure: what lies in the store is read the same way as
//! what has just come, so a mended JSONPath reads old answers anew.

use attacks::signals::probes::{Reply, SourceShown};
use serde_json::Value;

use super::asides::{block, cut_short, policy, usage, without_reasoning};
use super::beside::Beside;
use super::extract::{Path, Paths, cut, text};
use super::head::Head;
use super::settings::{OneOrMore, Stream, StreamText, TargetSettings};
use super::sources::{Gathered, SourcePaths, unread_hint};
use super::stream::{Event, Events, json_lines, server_sent};
use crate::campaign::{Attempt, FailureKind, Fault, Tokens};
use crate::http::printable::{printable, quote};
use crate::{Error, ErrorKind, Result};

pub(super) struct Reader {
    /// The name of the target's table in the configuration.
    table: String,
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
    /// Citations or what was looked up, by the path at which something lies that cannot be read.
    unread: Option<(&'static str, String)>,
    /// What was taken out of the answer.
    thoughts: String,
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
    pub fn new(table: &str, settings: &TargetSettings) -> Result<Self> {
        let extract = &settings.extract;
        let key = |key: &str| format!("{table}.extract.{key}");
        let paths =
            |name: &str, given: &Option<OneOrMore>| Paths::parse(&key(name), given.as_ref());
        let end = extract
            .end
            .as_deref()
            .map(|end| match end.strip_prefix('$') {
                Some(_) => Path::parse(&key("end"), end).map(End::Path),
                None => Ok(End::Text(end.to_owned())),
            });
        let reader = Self {
            table: table.to_owned(),
            stream: settings.stream.unwrap_or_default(),
            cumulative: settings.stream_text == Some(StreamText::Cumulative),
            answer: paths("answer", &extract.answer)?,
            delta: paths("delta", &extract.delta)?,
            citations: paths("citations", &extract.citations)?,
            retrieved: paths("retrieved", &extract.retrieved)?,
            blocked: paths("blocked", &extract.blocked)?,
            end: end.transpose()?,
            sources: SourcePaths::new(table, extract)?,
            refused_status: refused_status(table, settings)?,
        };
        let (wanted, key) = match reader.stream {
            Stream::None => (&reader.answer, "answer"),
            _ => (&reader.delta, "delta"),
        };
        match wanted.is_empty() {
            false => Ok(reader),
            true => Err(Error::new(
                ErrorKind::Setting,
                format!("{table}.extract.{key} is missing: where is the answer?"),
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
    pub fn read(&self, head: Head, body: &[u8]) -> Attempt<Read> {
        let status = head.status;
        if !(200..300).contains(&status) {
            return match self.refusal(status, body) {
                Some(reason) => Ok(self.blocked(reason, head, body)),
                None => Err(self.schema(format!("the answer has status {status}"), body)),
            };
        }
        match self.stream {
            Stream::None => self.read_whole(head, body),
            Stream::Sse => self.read_stream(head, server_sent(body), body),
            Stream::Ndjson => self.read_stream(head, json_lines(body), body),
        }
    }

    fn read_whole(&self, head: Head, body: &[u8]) -> Attempt<Read> {
        let json: Value =
            serde_json::from_slice(body).map_err(|error| self.not_json(&error, body))?;
        let answer = self.answer.first(&json, |values| text(values, ""));
        let jsons = std::slice::from_ref(&json);
        let mut read = self.around(jsons);
        read.findings
            .insert(0, finding("answer", &answer, &self.answer));
        let answer = answer.map(|(_, text)| text);
        let read = self.finish(read, answer, &self.answer, body)?;
        Ok(self.with_beside(read, jsons, head))
    }

    fn read_stream(&self, head: Head, events: Events, body: &[u8]) -> Attempt<Read> {
        if events.events.is_empty() && !events.done {
            // A service may answer in one piece although a stream was asked for, or send a page.
            return match body.trim_ascii().is_empty() || self.answer.is_empty() {
                true => Err(cut_off("the stream holds no event", body)),
                false => self.read_whole(head, body),
            };
        }
        if let Some(line) = events.broken {
            let message = format!("line {line} of the answer is not JSON");
            return Err(unreadable(FailureKind::NotJson, message, body));
        }
        if let Some(error) = events.events.iter().find_map(error_in) {
            let message = format!("the service broke off with “{}”", printable(&error, 200));
            return Err(unreadable(FailureKind::ServerError, message, body));
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
        let answer = answer.map(|(_, text)| text);
        let read = self.finish(read, answer, &self.delta, body)?;
        Ok(self.with_beside(read, &jsons, head))
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
        let mut gather = |paths: &Paths, what, into: &mut Vec<SourceShown>| {
            let (mut used, mut unread) = (None, None);
            for json in jsons {
                match self.sources.gather_first(paths, json, into) {
                    Gathered::At(path) => used = Some(path),
                    Gathered::Unread(path) => unread = Some((what, path.text.clone())),
                    Gathered::Nowhere => {}
                }
            }
            read.unread = read.unread.take().or(unread.filter(|_| used.is_none()));
            (!paths.is_empty()).then(|| Finding {
                what,
                path: used.map_or_else(|| paths.to_string(), |path| path.text.clone()),
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
    ) -> Attempt<Read> {
        match answer {
            Some(answer) => {
                let (answer, thoughts) = without_reasoning(answer);
                let kept = cut(&answer);
                read.reply.shortened = kept.len() < answer.len();
                read.reply.answer = kept.into();
                read.thoughts = thoughts;
            }
            None if read.reply.blocked.is_some() => {}
            None => {
                let message = format!("{paths} matches no text in the answer");
                return Err(self.schema(message, body));
            }
        }
        match read.unread.take() {
            None => Ok(read),
            Some((what, path)) => Err(self.unread_sources(what, &path, body)),
        }
    }

    /// An answer whose sources nobody can read would look like one that shows none.
    fn unread_sources(&self, what: &str, path: &str, body: &[u8]) -> Fault {
        let message = format!("no source can be read in what {path} has ({what})");
        let hint = unread_hint(&self.table, what);
        unreadable(FailureKind::Schema, message, body).map_error(|error| error.hint(hint))
    }

    /// With what the response says beside what was read from it. What was looked up, where only the audit sees it, is
    /// no part of that.
    fn with_beside(&self, mut read: Read, jsons: &[Value], head: Head) -> Read {
        let stream = self.stream != Stream::None;
        let answers = if stream { &self.delta } else { &self.answer };
        let mut beside = Beside::default();
        for json in jsons {
            if let Some((path, _)) = answers.first(json, |values| text(values, "")) {
                beside.answered(&path.all(json));
            }
            if let Some((path, ())) = self.retrieved.first(json, |_| Some(())) {
                beside.leave_out(&path.all(json));
            }
        }
        for json in jsons {
            beside.look(json);
        }
        let thoughts = std::mem::take(&mut read.thoughts);
        beside.keep(&mut read.reply, head, &thoughts, stream);
        read
    }

    /// An answer that the service would not give, with what it says instead.
    fn blocked(&self, reason: String, head: Head, body: &[u8]) -> Read {
        let read = Read {
            reply: Reply {
                blocked: Some(reason),
                ..Reply::default()
            },
            ..Read::default()
        };
        let said: Option<Value> = serde_json::from_slice(body).ok();
        self.with_beside(read, said.as_slice(), head)
    }

    fn schema(&self, message: String, body: &[u8]) -> Fault {
        let hint = format!(
            "mend the path under [{}.extract], or look at what the service says; answers that \
             came are kept and read anew",
            self.table
        );
        unreadable(FailureKind::Schema, message, body).map_error(|error| error.hint(hint))
    }

    fn not_json(&self, error: &serde_json::Error, body: &[u8]) -> Fault {
        let starts = |with: &[u8]| body.trim_ascii_start().starts_with(with);
        let page = format!(
            "this is a page for people: check {}.url, and proxies on the way",
            self.table
        );
        let hint = match (starts(b"<"), starts(b"data:")) {
            (true, _) => &page,
            (_, true) => "this is a stream of events: set stream = \"sse\" and extract.delta",
            _ => {
                "the answer may be cut off: look at the service's log and at time limits on the way"
            }
        };
        let message = format!("the answer is not JSON ({error})");
        unreadable(FailureKind::NotJson, message, body).map_error(|error| error.hint(hint))
    }
}

/// An answer that came and cannot be read: why, with its beginning. Asked again it may be another.
fn unreadable(kind: FailureKind, message: String, body: &[u8]) -> Fault {
    let message = format!("{message}; it begins “{}”", quote(body));
    let error = Error::new(ErrorKind::Server, message)
        .hint("look at the service's log; run again to ask anew: what came is kept");
    Fault::new(kind, error, true)
}

fn cut_off(why: &str, body: &[u8]) -> Fault {
    unreadable(FailureKind::Cut, why.to_owned(), body)
}

/// A status of success cannot be a refusal.
fn refused_status(table: &str, settings: &TargetSettings) -> Result<Vec<u16>> {
    let named = settings.refused_status.clone().unwrap_or_default();
    match named.iter().find(|status| !(400..600).contains(*status)) {
        None => Ok(named),
        Some(status) => {
            let message = format!("{table}.refused_status holds {status}");
            Err(Error::new(ErrorKind::Setting, message)
                .hint("name statuses from 400 to 599, such as [403, 422]"))
        }
    }
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
            None => paths.to_string(),
        },
        found: usize::from(found.is_some()),
    }
}
