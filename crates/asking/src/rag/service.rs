//! A service that is audited: checked, described, and asked one question to see how it answers.

use std::fmt;
use std::pin::pin;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use attacks::signals::probes::{Arm, Reply, SharedTexts};
use base::Cancel;
use futures_util::future::{Either, select};
use rayon::prelude::*;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::arms::Arms;
use super::called::{Callee, usual_settings};
use super::client::Client;
use super::reading::Finding;
use super::settings::{TargetSettings, TransportSettings};
use super::{Ask, Asked, Outcome};
use crate::campaign::{Books, Pace, Respondent, replayed, stored};
use crate::http::printable::printable;
use crate::store::{Key, Store};
use crate::{Error, ErrorKind, Result};

/// How much of an answer is shown.
const SHOWN: usize = 2000;
/// Answers that are taken out of the store together.
const AT_ONCE: usize = 512;

/// One target with one or two arms. Must not be used from within an asynchronous runtime: it
/// brings its own.
pub struct Service {
    /// Of its table in the configuration.
    pub(super) name: String,
    on: Client,
    off: Option<Client>,
    off_hint: String,
    pub(super) transport: TransportSettings,
    pub(super) pace: Pace,
    pub(super) runtime: Runtime,
    /// Whether each arm has answered since this was made: what fails later is one question's doing.
    answered: [AtomicBool; 2],
    /// The latest question that each arm answered.
    known: [Mutex<Option<Ask>>; 2],
    about: String,
    /// Passages that came beside answers.
    texts: Mutex<SharedTexts>,
    /// What its arms are, for those who care.
    arms: &'static str,
    warning: &'static str,
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

impl Shown {
    /// For programs: what was read, and where.
    pub fn facts(&self) -> Value {
        let reply = self.reply.as_ref().ok();
        let paths = self.findings.iter().map(
            |finding| json!({"what": finding.what, "path": finding.path, "found": finding.found}),
        );
        json!({
            "url": self.url, "status": self.status, "seconds": self.seconds,
            "answer": reply.map(|reply| &reply.answer),
            "citations": reply.map(|reply| &reply.citations),
            "retrieved": reply.map(|reply| &reply.retrieved),
            "error": self.reply.as_ref().err(),
            "paths": paths.collect::<Vec<Value>>(),
        })
    }
}

impl Service {
    /// The target of an audit. Checks everything that can be checked without sending, and sends
    /// nothing.
    pub fn new(settings: &TargetSettings, transport: &TransportSettings) -> Result<Self> {
        Self::named("target", settings, transport)
    }

    /// The same of a service that stands under another name in the configuration, which messages
    /// are to say.
    pub fn named(
        name: &str,
        settings: &TargetSettings,
        transport: &TransportSettings,
    ) -> Result<Self> {
        transport.check()?;
        let arms = Arms::new(name, settings)?;
        let timeout = transport.timeout();
        let on = Client::new(name.to_owned(), &arms.on, Arm::Retrieval, timeout)?;
        let off = arms.off.as_ref();
        let off = off.map(|off| Client::new(format!("{name}.off"), off, Arm::NoRetrieval, timeout));
        let about = on.about(settings.preset.as_deref());
        let mut service = Self::of(about, on, off.transpose()?, arms.off_hint, transport)?;
        service.name = name.to_owned();
        Ok(service)
    }

    /// Somebody who is called; `off` answers without the store.
    pub fn called(
        on: Arc<dyn Callee>,
        off: Option<Arc<dyn Callee>>,
        transport: &TransportSettings,
    ) -> Result<Self> {
        transport.check()?;
        let (settings, timeout) = (usual_settings(), transport.timeout());
        let client = |arm, callee| Client::called("target", &settings, arm, callee, timeout);
        let on = client(Arm::Retrieval, on)?;
        let off = off.map(|off| client(Arm::NoRetrieval, off)).transpose()?;
        let hint = "give a second function that answers without the store";
        Self::of(on.about(None), on, off, hint.to_owned(), transport)
    }

    fn of(
        about: String,
        on: Client,
        off: Option<Client>,
        off_hint: String,
        transport: &TransportSettings,
    ) -> Result<Self> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::new(ErrorKind::Server, error.to_string()))?;
        Ok(Self {
            name: "target".to_owned(),
            about,
            arms: match off {
                Some(_) => ", with and without retrieval",
                None => ", with retrieval only",
            },
            warning: warning(&on),
            on,
            off,
            off_hint,
            transport: transport.clone(),
            pace: Pace::new(transport.requests_per_minute),
            answered: Default::default(),
            known: Default::default(),
            texts: Mutex::default(),
            runtime,
        })
    }

    /// Whether it can be asked without its store.
    pub fn has_off(&self) -> bool {
        self.off.is_some()
    }

    /// For people, in a line. No secret is in it.
    pub fn about(&self) -> String {
        format!("{}{}{}", self.about, self.arms, self.warning)
    }

    /// The same of one that is asked as it is, whatever it looks up.
    pub fn endpoint(&self) -> String {
        format!("{}{}", self.about, self.warning)
    }

    /// Asks one question, once, and shows everything about it.
    pub fn probe(&self, query: &str, arm: Arm) -> Result<Shown> {
        self.probe_until(&Cancel::new(), query, arm)
    }

    /// The same, until somebody asks to stop.
    pub fn probe_until(&self, cancel: &Cancel, query: &str, arm: Arm) -> Result<Shown> {
        let client = self.client(arm)?;
        let prepared = client.prepare(query, 0);
        let sending = pin!(client.send(query, &prepared));
        let stopped = pin!(cancel.cancelled());
        let Either::Left((sent, _)) = self.runtime.block_on(select(sending, stopped)) else {
            return Err(Error::interrupted());
        };
        let answer = sent.map_err(|fault| *fault.error)?;
        let request = client.shown(query, &prepared);
        let (reply, findings) = match client.read(&answer) {
            Ok(read) => (Ok(read.reply), read.findings),
            Err(fault) => (Err(fault.error.to_string()), Vec::new()),
        };
        Ok(Shown {
            method: request.method,
            url: request.url,
            headers: request.headers,
            request: printable(&String::from_utf8_lossy(&request.body), SHOWN),
            status: answer.status,
            seconds: answer.seconds.unwrap_or_default(),
            body: printable(&String::from_utf8_lossy(&answer.body), SHOWN),
            reply,
            findings,
        })
    }

    /// What the store has, without asking anybody. Where it has nothing the question counts as not
    /// asked.
    pub fn replay(&self, asks: &[Ask], store: &Store) -> Result<Asked> {
        let keys = self.keys(asks.par_iter().cloned())?;
        self.replay_under(asks, &keys, store)
    }

    /// The same of who knows the keys of the questions.
    pub fn replay_under(&self, asks: &[Ask], keys: &[Key], store: &Store) -> Result<Asked> {
        let mut asked = Asked::default();
        for (asks, keys) in asks.chunks(AT_ONCE).zip(keys.chunks(AT_ONCE)) {
            asked.outcomes.extend(replayed(self, asks, keys, store)?);
        }
        for outcome in &asked.outcomes {
            asked.tally.count(outcome, true);
        }
        Ok(asked)
    }

    /// What the store knows questions by.
    pub fn keys(&self, asks: impl ParallelIterator<Item = Ask>) -> Result<Vec<Key>> {
        asks.map(|ask| Ok(self.prepare(&ask)?.key)).collect()
    }

    /// How many of these questions have an answer in the store that can be read.
    pub fn stored(&self, asks: &[Ask], store: &Store) -> Result<usize> {
        let count = |ask: &Ask| -> Result<usize> {
            let outcome = stored(self, ask, store)?;
            Ok(usize::from(matches!(outcome, Some(Outcome::Answered(_)))))
        };
        asks.par_iter().map(count).sum()
    }

    /// What all runs took that asked this service out of the store; nothing where an earlier version did.
    pub fn books(&self, store: &Store) -> Result<Option<Books>> {
        Books::read(store, &self.name)
    }

    /// Where questions go.
    pub fn host(&self) -> String {
        self.on.host()
    }

    /// Lets what an answer says and shows lie where the same lies already, and nothing take more room than it needs.
    pub(super) fn share_texts(&self, reply: &mut Reply) {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        reply.texts().for_each(|text| texts.share(text));
        reply.citations.shrink_to_fit();
        reply.retrieved.shrink_to_fit();
        reply.asides.shrink_to_fit();
    }

    pub(super) fn has_answered(&self, arm: Arm) -> &AtomicBool {
        &self.answered[usize::from(arm == Arm::NoRetrieval)]
    }

    pub(super) fn known(&self, arm: Arm) -> MutexGuard<'_, Option<Ask>> {
        let known = &self.known[usize::from(arm == Arm::NoRetrieval)];
        known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn client(&self, arm: Arm) -> Result<&Client> {
        let client = match arm {
            Arm::Retrieval => Some(&self.on),
            Arm::NoRetrieval => self.off.as_ref(),
        };
        client.ok_or_else(|| {
            let message = "the target does not say how to ask without retrieval";
            Error::new(ErrorKind::Setting, message).hint(self.off_hint.as_str())
        })
    }
}

fn warning(client: &Client) -> &'static str {
    match client.is_exposed() {
        true => "; its key travels unencrypted: use https",
        false => "",
    }
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
