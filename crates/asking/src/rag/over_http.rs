//! One question over HTTP, and its answer as bytes.

use std::time::{Duration, Instant, SystemTime};

use reqwest::Response;
use reqwest::header::RETRY_AFTER;

use super::client::LARGEST;
use super::head::kept;
use super::reading::Reader;
use super::request::{RequestTemplate, session};
use super::settings::Stream;
use super::stream::says_done;
use super::template::Fill;
use crate::campaign::{Attempt, FailureKind, Fault, PreparedRequest};
use crate::http::client::{
    Redirection, client, headers, passing, refused, retry_after, timed_out, too_large, unreachable,
};
use crate::http::secret::Secrets;
use crate::store::Answer;
use crate::{Error, Result};

/// A stream that never ends is cut after so many times the timeout.
const LONGEST_STREAM: u32 = 10;

pub(super) struct OverHttp {
    /// The name of its table in the configuration.
    table: String,
    pub template: RequestTemplate,
    pub secrets: Secrets,
    http: reqwest::Client,
    timeout: Duration,
}

impl OverHttp {
    pub fn new(table: &str, template: RequestTemplate, timeout: Duration) -> Result<Self> {
        Ok(Self {
            secrets: template.secrets(),
            http: client(Default::default(), template.local, timeout, |http| http)?,
            table: table.to_owned(),
            template,
            timeout,
        })
    }

    /// Asks once. What comes is as it came, but for secrets of ours; failures are in words, and
    /// hold no secret either.
    pub async fn send(
        &self,
        query: &str,
        prepared: &PreparedRequest,
        reader: &Reader,
    ) -> Attempt<Answer> {
        let sent = self.exchange(query, prepared, reader).await;
        sent.map_err(|mut fault| {
            self.secrets.hide_text(&mut fault.error.message);
            fault
        })
    }

    async fn exchange(
        &self,
        query: &str,
        prepared: &PreparedRequest,
        reader: &Reader,
    ) -> Attempt<Answer> {
        let session = session(&prepared.key);
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
            stream: reader.stream,
        };
        let url = &prepared.url;
        let response = clock.wait(url, request.send()).await?;
        let response = response.map_err(|error| unreachable(url, error))?;
        let status = response.status();
        let after = response.headers().get(RETRY_AFTER).and_then(retry_after);
        let elsewhere = Redirection::new(&response);
        let headers = kept(response.headers(), &self.secrets);
        let body = self.body(url, response, &clock).await?;
        let seconds = begun.elapsed().as_secs_f64();
        let body = self.secrets.hide(body);
        if !reader.is_answer(status.as_u16(), &body) {
            let kind = FailureKind::from_status(status.as_u16());
            let error = match elsewhere {
                Some(elsewhere) => elsewhere.error(url, status.as_u16()),
                None => {
                    refused(url, status.as_u16(), &body).hint(remedy(&self.table, status.as_u16()))
                }
            };
            return Err(Fault {
                status: Some(status.as_u16()),
                after,
                ..Fault::new(kind, error, passing(status))
            });
        }
        Ok(Answer {
            status: status.as_u16(),
            body,
            received: SystemTime::now(),
            seconds: Some(seconds),
            headers,
        })
    }

    fn request(&self, fill: &Fill) -> Result<reqwest::RequestBuilder> {
        let filled = self.template.fill(fill);
        let named = filled.headers.iter();
        let named = named.map(|(name, value)| (name.as_str(), value));
        let headers = headers(filled.key.as_ref(), named)?;
        let request = self.http.request(self.template.method.clone(), filled.url);
        let mut request = match &self.template.credentials {
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
            if clock.stream == Stream::Sse && says_done(&body) {
                return Ok(body);
            }
        }
    }
}

/// How long a request may take: in all, or for a stream between two of its pieces.
struct Clock {
    begun: Instant,
    timeout: Duration,
    stream: Stream,
}

impl Clock {
    async fn wait<T>(&self, url: &str, work: impl Future<Output = T>) -> Attempt<T> {
        let most = match self.stream {
            Stream::None => 1,
            _ => LONGEST_STREAM,
        };
        let left = (self.timeout * most).saturating_sub(self.begun.elapsed());
        let done = tokio::time::timeout(left.min(self.timeout), work).await;
        done.map_err(|_| timed_out(url))
    }
}

/// No status: nothing was sent.
fn unsendable(error: Error) -> Fault {
    Fault::new(FailureKind::Refused(0), error, false)
}

/// What may help against a status that is not success.
fn remedy(table: &str, status: u16) -> String {
    match status {
        300..=399 => "the service sends us elsewhere, and does not say where to",
        401 | 403 => "check the key: api_key = \"${NAME}\" with NAME set in the environment",
        404 | 405 => {
            return format!(
                "check the path in {table}.url, the method, and the names in {table}.values"
            );
        }
        413 => "the question is too long for this service",
        429 => "lower requests_per_minute or concurrency, or wait until the quota is renewed",
        500.. => "look at the service's log; run again when it is well: what came is kept",
        _ => return format!("compare {table}.body with what the service's documentation wants"),
    }
    .to_owned()
}
