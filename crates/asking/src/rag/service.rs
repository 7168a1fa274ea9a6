//! A service that is audited: checked, described, and asked one question to see how it answers.

use std::fmt;
use std::sync::atomic::AtomicBool;

use attacks::signals::probes::{Arm, Reply};
use tokio::runtime::{Builder, Runtime};

use super::arms::Arms;
use super::call::session;
use super::line::Line;
use super::outcome::{Ask, Asked, Outcome};
use super::reading::Finding;
use super::settings::{Stream, TargetSettings, TransportSettings};
use super::template::Fill;
use super::unreadable::Unreadable;
use crate::http::Secret;
use crate::http::patience::Pace;
use crate::http::words::printable;
use crate::store::{Dates, Key, Store};
use crate::{Error, ErrorKind, Result};

/// How much of an answer is shown.
const SHOWN: usize = 2000;

/// One target with one or two arms. Must not be used from within an asynchronous runtime: it
/// brings its own.
pub struct Service {
    pub(super) on: Line,
    pub(super) off: Option<Line>,
    off_hint: &'static str,
    pub(super) transport: TransportSettings,
    pub(super) pace: Pace,
    pub(super) runtime: Runtime,
    /// Whether each arm has answered since this was made: what fails later is one question's doing.
    answered: [AtomicBool; 2],
    about: String,
}

/// One question and its answer, for people who set up a target. No secret is in it.
#[derive(Clone, Debug)]
pub struct Shown {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub request: String,
    pub status: u16,
    pub seconds: f64,
    /// The beginning of the answer, printable.
    pub body: String,
    /// What was read from it; or why nothing was.
    pub reply: std::result::Result<Reply, String>,
    /// Path by path.
    pub findings: Vec<Finding>,
}

impl Service {
    /// Checks everything that can be checked without sending, and sends nothing.
    pub fn new(settings: &TargetSettings, transport: &TransportSettings) -> Result<Self> {
        transport.check()?;
        let arms = Arms::new(settings)?;
        let timeout = transport.timeout();
        let off = arms.off.as_ref();
        let off = off.map(|off| Line::new(off, Arm::NoRetrieval, timeout));
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::new(ErrorKind::Server, error.to_string()))?;
        let on = Line::new(&arms.on, Arm::Retrieval, timeout)?;
        Ok(Self {
            about: about(settings, &on, off.is_some()),
            on,
            off: off.transpose()?,
            off_hint: arms.off_hint,
            transport: transport.clone(),
            pace: Pace::new(transport.requests_per_minute),
            answered: Default::default(),
            runtime,
        })
    }

    /// Whether it can be asked without its store.
    pub fn has_off(&self) -> bool {
        self.off.is_some()
    }

    /// For people, in a line. No secret is in it.
    pub fn about(&self) -> String {
        self.about.clone()
    }

    /// The same of one that is asked as it is, whatever it looks up.
    pub fn endpoint(&self) -> String {
        self.about.replace(", with retrieval only", "")
    }

    /// Asks one question, once, and shows everything about it.
    pub fn probe(&self, query: &str, arm: Arm) -> Result<Shown> {
        let line = self.line(arm)?;
        let asking = line.call.asking(query, 0);
        let sent = self.runtime.block_on(line.send(query, &asking));
        let raw = sent.map_err(|fault| fault.error)?;
        let session = session(&asking.key);
        let fill = Fill {
            query,
            session: Some(&session),
            reveal: false,
        };
        let filled = line.call.fill(&fill);
        let mut headers: Vec<(String, String)> = Vec::new();
        let shown = |value: &Secret| printable(value.reveal(), 200);
        headers.extend(filled.key.iter().map(|key| {
            let bearer = format!("Bearer {}", shown(key));
            ("authorization".to_owned(), bearer)
        }));
        let named = filled.headers.iter();
        headers.extend(named.map(|(name, value)| (name.clone(), shown(value))));
        let read = line.read(raw.status, &raw.body);
        let (reply, findings) = match read {
            Ok(mut read) => {
                read.reply.seconds = raw.seconds;
                (Ok(read.reply), read.findings)
            }
            Err(Unreadable { error, .. }) => (Err(error.to_string()), Vec::new()),
        };
        Ok(Shown {
            method: line.call.method.to_string(),
            url: filled.url,
            headers,
            request: printable(
                &String::from_utf8_lossy(&filled.body.unwrap_or_default()),
                SHOWN,
            ),
            status: raw.status,
            seconds: raw.seconds,
            body: printable(&String::from_utf8_lossy(&raw.body), SHOWN),
            reply,
            findings,
        })
    }

    /// What the store has, without asking anybody. Where it has nothing the question counts as not
    /// asked.
    pub fn replay(&self, asks: &[Ask], store: &Store) -> Result<Asked> {
        let mut asked = Asked::default();
        for ask in asks {
            let line = self.line(ask.arm)?;
            let key = line.call.asking(&ask.query, ask.repeat).key;
            let outcome = line.stored(&key, store)?.unwrap_or_default();
            asked.tally.count(&outcome, true);
            asked.outcomes.push(outcome);
        }
        Ok(asked)
    }

    /// How many of these questions have an answer in the store that can be read.
    pub fn stored(&self, asks: &[Ask], store: &Store) -> Result<usize> {
        let mut stored = 0;
        for ask in asks {
            let line = self.line(ask.arm)?;
            let key = line.call.asking(&ask.query, ask.repeat).key;
            let outcome = line.stored(&key, store)?;
            stored += usize::from(matches!(outcome, Some(Outcome::Answered(_))));
        }
        Ok(stored)
    }

    /// When the stored answers to these questions came; nothing where there is none.
    pub fn dates(&self, asks: &[Ask], store: &Store) -> Result<Option<Dates>> {
        let key = |ask: &Ask| Ok(self.line(ask.arm)?.call.asking(&ask.query, ask.repeat).key);
        store.dates(&asks.iter().map(key).collect::<Result<Vec<Key>>>()?)
    }

    /// Where questions go: the name of the host, and its port where it is not the usual one.
    pub fn host(&self) -> String {
        let fill = Fill {
            query: "…",
            session: None,
            reveal: false,
        };
        let url = self.on.call.url(&fill);
        let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
        let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        printable(host, 200)
    }

    pub(super) fn has_answered(&self, arm: Arm) -> &AtomicBool {
        &self.answered[usize::from(arm == Arm::NoRetrieval)]
    }

    pub(super) fn line(&self, arm: Arm) -> Result<&Line> {
        let line = match arm {
            Arm::Retrieval => Some(&self.on),
            Arm::NoRetrieval => self.off.as_ref(),
        };
        line.ok_or_else(|| {
            let message = "the target does not say how to ask without retrieval";
            Error::new(ErrorKind::Setting, message).hint(self.off_hint)
        })
    }
}

fn about(settings: &TargetSettings, line: &Line, off: bool) -> String {
    let fill = Fill {
        query: "…",
        session: None,
        reveal: false,
    };
    let url = line.call.url(&fill).replace("%E2%80%A6", "…");
    let kind = settings.preset.as_deref().unwrap_or("a service");
    let stream = match line.reader.stream {
        Stream::None => "",
        Stream::Sse => ", server-sent events",
        Stream::Ndjson => ", JSON lines",
    };
    let off = match off {
        true => "with and without retrieval",
        false => "with retrieval only",
    };
    let key = line.call.secret() && url.starts_with("http:") && !line.call.local;
    let warning = match key {
        true => "; its key travels unencrypted: use https",
        false => "",
    };
    let url = printable(&url, 200);
    format!(
        "{kind} at {url} ({}{stream}), {off}{warning}",
        line.call.method
    )
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}", self.method, self.url)?;
        for (name, value) in &self.headers {
            writeln!(f, "{name}: {value}")?;
        }
        writeln!(f, "{}\n", self.request)?;
        writeln!(f, "{} after {:.3} s", self.status, self.seconds)?;
        writeln!(f, "{}\n", self.body)?;
        for finding in &self.findings {
            match finding.found {
                0 => writeln!(f, "{}: {} matches nothing", finding.what, finding.path)?,
                n => writeln!(f, "{}: {} found {n}", finding.what, finding.path)?,
            }
        }
        match &self.reply {
            Ok(reply) => write!(f, "answer: {}", printable(&reply.answer, SHOWN)),
            Err(why) => write!(f, "no answer: {why}"),
        }
    }
}
