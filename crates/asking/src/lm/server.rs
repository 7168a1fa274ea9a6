//! A server that was probed and can be asked.

use base::Progress;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use super::dialect::Dialect;
use super::exchange::Exchange;
use super::probe::{Found, probe};
use super::{Endpoint, Gives, Scored};
use crate::campaign::{Pace, RetryPolicy};
use crate::http::printable::printable;
use crate::{Error, ErrorKind, Result};

/// Nobody waits long to hear that a server is not there.
const PROBE_RETRIES: usize = 2;
const MOST_AT_ONCE: usize = 512;

/// Must not be used from within an asynchronous runtime: it brings its own.
pub struct Server {
    pub(super) endpoint: Endpoint,
    pub(super) exchange: Exchange,
    pub(super) runtime: Runtime,
    pub(super) pace: Pace,
    pub(super) dialect: &'static dyn Dialect,
    pub(super) model: Option<String>,
    pub(super) served: Option<String>,
    /// What the model made of the probe's text.
    pub(super) sample: Scored,
    gives: Gives,
}

impl Server {
    /// Checks the settings, then asks one small question to learn what the server gives. Refuses
    /// one that gives too little, with a remedy.
    pub fn connect(endpoint: Endpoint) -> Result<Self> {
        check(&endpoint)?;
        let exchange = Exchange::new(&endpoint)?;
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::new(ErrorKind::Server, error.to_string()))?;
        let found = runtime.block_on(async {
            // A handful of small requests, not held to the limit: else nobody could wait for it.
            let policy = RetryPolicy {
                pace: &Pace::default(),
                retries: endpoint.retries.min(PROBE_RETRIES),
                progress: Progress::unwatched(),
                breaker: None,
                sets_aside: false,
            };
            probe(&endpoint, &exchange, &policy).await
        })?;
        let Found {
            dialect,
            gives,
            model,
            served,
            scored,
        } = found;
        Ok(Self {
            pace: Pace::new(endpoint.per_minute),
            endpoint,
            exchange,
            runtime,
            dialect,
            model,
            served,
            sample: scored,
            gives,
        })
    }

    /// For the few requests that are no part of a campaign.
    pub(super) fn policy<'a>(&'a self, progress: Progress<'a>) -> RetryPolicy<'a> {
        RetryPolicy {
            pace: &self.pace,
            retries: self.endpoint.retries,
            progress,
            breaker: None,
            sets_aside: false,
        }
    }

    pub fn gives(&self) -> &Gives {
        &self.gives
    }

    /// The dialect in use; the one that `auto` chose.
    pub fn dialect(&self) -> &'static str {
        self.dialect.name()
    }

    /// The model, as far as the server tells.
    pub fn model(&self) -> Option<&str> {
        self.served.as_deref()
    }

    /// For people, in a line.
    pub fn about(&self) -> String {
        let model = self.served.as_deref().unwrap_or("its model");
        let mut words = format!(
            "{} at {} ({}): {}",
            printable(model, 120),
            self.exchange.address.base(),
            self.dialect.name(),
            self.gives
        );
        let secret = self.endpoint.key.is_some() || !self.endpoint.headers.is_empty();
        if secret && !self.exchange.address.encrypted() && !self.exchange.address.local() {
            words.push_str("; its key travels unencrypted: use https");
        }
        words
    }
}

fn check(endpoint: &Endpoint) -> Result<()> {
    let wrong = |message: String| Err(Error::new(ErrorKind::Setting, message));
    if !(1..=MOST_AT_ONCE).contains(&endpoint.concurrency) {
        return wrong(format!(
            "concurrency is {}; it must be from 1 to {MOST_AT_ONCE}",
            endpoint.concurrency
        ));
    }
    if endpoint.per_minute == Some(0) {
        return wrong("requests_per_minute is 0: nothing would ever be sent".into());
    }
    if endpoint.timeout < Duration::from_millis(1) {
        return wrong("timeout is 0: no answer would be in time".into());
    }
    super::dialect::candidates(&endpoint.dialect).map(drop)
}
