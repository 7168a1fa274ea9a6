//! What stands under `[target]` and `[transport]` in a configuration.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::{Error, ErrorKind, Result};

const MOST_AT_ONCE: usize = 512;

/// A service, how to ask it, and where in its answers everything is. Under `off` stands what
/// differs when the same service is asked without its store.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TargetSettings {
    /// Defaults for a known kind of service: one of [`presets`](super::presets()).
    pub preset: Option<String>,
    pub url: Option<String>,
    /// In place of an address: a program and its arguments, which answers JSON Lines.
    pub command: Option<Vec<String>>,
    /// In place of both: the questions are written to a file, and others have them answered.
    pub elsewhere: Option<bool>,
    /// The folder that a program is started in: where the configuration lies.
    #[serde(skip)]
    pub base: PathBuf,
    /// `POST` where there is a body, else `GET`.
    pub method: Option<String>,
    pub headers: BTreeMap<String, String>,
    /// Sent as `Authorization: Bearer`.
    pub api_key: Option<String>,
    /// JSON, with `{{query}}` in any of its texts.
    pub body: Option<Value>,
    /// Any text, with `{{query}}` escaped as JSON wants it.
    pub body_text: Option<String>,
    /// Fields of a form.
    pub form: Option<BTreeMap<String, String>>,
    /// What stands for `{{name}}` wherever that occurs.
    pub values: BTreeMap<String, Value>,
    /// Keys of the body that are left out.
    pub remove: Vec<String>,
    pub stream: Option<Stream>,
    pub stream_text: Option<StreamText>,
    /// Statuses that mean that the service would not answer, and not that it failed.
    pub refused_status: Option<Vec<u16>>,
    pub extract: ExtractSettings,
    /// What asking costs, for estimates.
    pub price: Option<PriceSettings>,
    pub off: Option<Box<TargetSettings>>,
}

/// What asking costs.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PriceSettings {
    /// Of a million tokens that go in: the question, and what the service adds to it.
    pub input: f64,
    /// Of a million tokens that come out.
    pub output: f64,
    /// Of a request, whatever its length.
    pub request: f64,
    /// Tokens that the service adds to each question: instruction, history and what it looked up.
    pub context: Option<u64>,
    /// How the money is called.
    pub currency: Option<String>,
}

impl PriceSettings {
    /// A service that shows its model four passages of some two hundred words adds about as much.
    pub const CONTEXT: u64 = 1_200;

    pub fn check(&self) -> Result<()> {
        let prices = [
            ("input", self.input),
            ("output", self.output),
            ("request", self.request),
        ];
        match prices
            .iter()
            .find(|(_, price)| !(*price >= 0.0 && price.is_finite()))
        {
            Some((name, price)) => Err(Error::new(
                ErrorKind::Setting,
                format!("target.price.{name} is {price}"),
            )
            .hint("give what a million tokens, or a request, cost: a number from 0")),
            None => Ok(()),
        }
    }

    /// Of so many requests with so many tokens in and out.
    pub fn cost(&self, requests: u64, tokens_in: f64, tokens_out: f64) -> f64 {
        self.request * requests as f64 + (self.input * tokens_in + self.output * tokens_out) / 1e6
    }

    pub fn shown(&self, cost: f64) -> String {
        match &self.currency {
            Some(currency) => format!("{cost:.2} {}", crate::http::printable(currency, 20)),
            None => format!("{cost:.2}"),
        }
    }
}

/// How an answer arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stream {
    /// As one JSON document.
    #[default]
    None,
    /// As server-sent events.
    Sse,
    /// As one JSON document per line.
    Ndjson,
}

/// What each event of a stream holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StreamText {
    /// The next piece of the answer.
    #[default]
    Delta,
    /// The answer so far.
    Cumulative,
}

/// JSONPaths (RFC 9535); of several the first is taken that matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExtractSettings {
    pub answer: Option<OneOrMore>,
    pub citations: Option<OneOrMore>,
    pub retrieved: Option<OneOrMore>,
    /// The piece of the answer in an event of a stream.
    pub delta: Option<OneOrMore>,
    /// The event that ends a stream: a JSONPath, or the text that stands in the event's place.
    pub end: Option<String>,
    /// The reason why the service stopped, which may be that a filter blocked the answer.
    pub blocked: Option<OneOrMore>,
    /// Within a source.
    pub source_id: Option<OneOrMore>,
    pub source_title: Option<OneOrMore>,
    pub source_text: Option<OneOrMore>,
}

/// A text or a list of texts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "a JSONPath in quotes, or a list of them, is wanted"
)]
pub enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    pub(super) fn list(&self) -> &[String] {
        match self {
            OneOrMore::One(one) => std::slice::from_ref(one),
            OneOrMore::More(more) => more,
        }
    }
}

/// How hard the service may be pressed, and how much may be spent.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TransportSettings {
    /// Requests at once.
    pub concurrency: usize,
    pub requests_per_minute: Option<u32>,
    /// Seconds for one request; of a stream, for its beginning and between its pieces.
    pub timeout: f64,
    /// How often a request that failed is tried again.
    pub retries: usize,
    /// Never exceeded over the life of an audit's folder.
    pub max_requests: Option<u64>,
    /// Once so many tokens are spent, nothing more is sent.
    pub max_tokens: Option<u64>,
}

impl Default for TransportSettings {
    fn default() -> Self {
        Self {
            concurrency: 4,
            requests_per_minute: None,
            timeout: 60.0,
            retries: 4,
            max_requests: None,
            max_tokens: None,
        }
    }
}

impl TransportSettings {
    pub fn check(&self) -> Result<()> {
        let wrong = |message: String, hint: &str| {
            Err(Error::new(ErrorKind::Setting, format!("transport.{message}")).hint(hint))
        };
        if !(1..=MOST_AT_ONCE).contains(&self.concurrency) {
            let message = format!("concurrency is {}", self.concurrency);
            return wrong(message, "give a number from 1 to 512");
        }
        if self.requests_per_minute == Some(0) {
            let message = "requests_per_minute is 0: nothing would ever be sent".into();
            return wrong(message, "give a number from 1, or leave it out");
        }
        if !(self.timeout > 0.0 && self.timeout < 1e6) {
            let message = format!("timeout is {}", self.timeout);
            return wrong(message, "give seconds, such as 60");
        }
        if self.retries > 100 {
            let message = format!("retries is {}", self.retries);
            return wrong(message, "give a number up to 100");
        }
        Ok(())
    }

    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.timeout)
    }
}
