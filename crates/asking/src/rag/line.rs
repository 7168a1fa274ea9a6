//! One arm of a service: one question over HTTP, and its answer as bytes.

use std::time::{Duration, Instant};

use attacks::signals::probes::Arm;
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, Response};

use super::call::{Asking, Call, session};
use super::events::says_done;
use super::reading::{Read, Reader};
use super::settings::{Stream, TargetSettings};
use super::template::Fill;
use super::unreadable::Unreadable;
use crate::http::client::{
    client, headers, passing, retry_after, timed_out, too_large, unreachable,
};
use crate::http::fault::{Fault, FaultKind};
use crate::http::secret::Secrets;
use crate::http::words::quote;
use crate::{Error, ErrorKind, Result};

/// A hostile service must not exhaust memory.
const LARGEST: usize = 64 << 20;
/// A stream that never ends is cut after so many times the timeout.
const LONGEST_STREAM: u32 = 10;

type Attempt<T> = std::result::Result<T, Fault>;

pub(super) struct Line {
    pub call: Call,
    pub reader: Reader,
    secrets: Secrets,
    client: Client,
    timeout: Duration,
}

/// An answer as it came, but for secrets of ours.
pub(super) struct Raw {
    pub status: u16,
    pub body: Vec<u8>,
    pub seconds: f64,
}

impl Line {
    pub fn new(settings: &TargetSettings, arm: Arm, timeout: Duration) -> Result<Self> {
        let call = Call::new(settings, arm)?;
        Ok(Self {
            reader: Reader::new(settings)?,
            secrets: call.secrets(),
            client: client(Default::default(), call.local, timeout, |client| client)?,
            call,
            timeout,
        })
    }

    /// Asks once. Failures are in words, and hold no secret.
    pub async fn send(&self, query: &str, asking: &Asking) -> Attempt<Raw> {
        let sent = self.exchange(query, asking).await;
        sent.map_err(|mut fault| {
            self.secrets.hide_text(&mut fault.error.message);
            fault
        })
    }

    /// Reads an answer, of now or from the store. A secret that came in pieces, and was put
    /// together only now, is hidden too.
    pub fn read(&self, status: u16, body: &[u8]) -> std::result::Result<Read, Unreadable> {
        let mut read = self.reader.read(status, body)?;
        let reply = &mut read.reply;
        self.secrets.hide_text(&mut reply.answer);
        for source in reply.citations.iter_mut().chain(&mut reply.retrieved) {
            let parts = [&mut source.id, &mut source.title, &mut source.text];
            let parts = parts.into_iter().flatten();
            parts.for_each(|part| self.secrets.hide_text(part));
        }
        Ok(read)
    }

    async fn exchange(&self, query: &str, asking: &Asking) -> Attempt<Raw> {
        let session = session(&asking.key);
        let fill = Fill {
            query,
            session: Some(&session),
            reveal: true,
        };
        let request = self.request(&fill).map_err(unsendable)?;
        let begun = Instant::now();
        let clock = Clock {
            begun,
            timeout: self.timeout,
            stream: self.reader.stream != Stream::None,
        };
        let url = &asking.url;
        let response = clock.wait(url, request.send()).await?;
        let response = response.map_err(|error| unreachable(url, error))?;
        let status = response.status();
        let after = response.headers().get(RETRY_AFTER).and_then(retry_after);
        let body = self.body(url, response, &clock).await?;
        let seconds = begun.elapsed().as_secs_f64();
        let body = self.secrets.hide(body);
        if !self.reader.is_answer(status.as_u16(), &body) {
            return Err(Fault {
                kind: FaultKind::of_status(status.as_u16()),
                error: refused(url, status.as_u16(), &body),
                status: Some(status.as_u16()),
                passing: passing(status),
                after,
            });
        }
        Ok(Raw {
            status: status.as_u16(),
            body,
            seconds,
        })
    }

    fn request(&self, fill: &Fill) -> Result<reqwest::RequestBuilder> {
        let filled = self.call.fill(fill);
        let named = filled.headers.iter();
        let named = named.map(|(name, value)| (name.as_str(), value));
        let headers = headers(filled.key.as_ref(), named)?;
        let request = self.client.request(self.call.method.clone(), filled.url);
        let mut request = match &self.call.credentials {
            Some((user, password)) if filled.key.is_none() => {
                request.basic_auth(user.reveal(), Some(password.reveal()))
            }
            _ => request,
        };
        if let Some(body) = filled.body {
            request = request.body(body);
        }
        Ok(request.headers(headers))
    }

    async fn body(&self, url: &str, mut response: Response, clock: &Clock) -> Attempt<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            match clock.wait(url, response.chunk()).await? {
                Ok(Some(chunk)) if body.len() + chunk.len() > LARGEST => {
                    return Err(too_large(url, LARGEST));
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => return Ok(body),
                Err(error) => return Err(unreachable(url, error)),
            }
            // Some leave the line open after their last word.
            if self.reader.stream == Stream::Sse && says_done(&body) {
                return Ok(body);
            }
        }
    }
}

/// How long a request may take: in all, or for a stream between two of its pieces.
struct Clock {
    begun: Instant,
    timeout: Duration,
    stream: bool,
}

impl Clock {
    async fn wait<T>(&self, url: &str, work: impl Future<Output = T>) -> Attempt<T> {
        let most = if self.stream { LONGEST_STREAM } else { 1 };
        let left = (self.timeout * most).saturating_sub(self.begun.elapsed());
        let done = tokio::time::timeout(left.min(self.timeout), work).await;
        done.map_err(|_| timed_out(url))
    }
}

fn unsendable(error: Error) -> Fault {
    Fault::new(FaultKind::Refused, error, false)
}

/// A status that is not success, in words with a remedy.
fn refused(url: &str, status: u16, body: &[u8]) -> Error {
    let said = match quote(body) {
        said if said.is_empty() => "nothing".to_owned(),
        said => format!("“{said}”"),
    };
    let message = format!("{url} answered {status} and said {said}");
    Error::new(ErrorKind::Server, message).hint(match status {
        300..=399 => "the service sends us elsewhere: give the url that it names",
        401 | 403 => "check the key: api_key = \"${NAME}\" with NAME set in the environment",
        404 | 405 => "check the path in target.url, the method, and the names in target.values",
        413 => "the question is too long for this service",
        429 => "lower requests_per_minute or concurrency, or wait until the quota is renewed",
        500.. => "look at the service's log; run again when it is well: what came is kept",
        _ => "compare target.body with what the service's documentation wants",
    })
}
