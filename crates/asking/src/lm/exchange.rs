//! One question and its answer over HTTP, once.

use std::time::SystemTime;

use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value;

use super::Endpoint;
use super::complaints::{known, refused};
use crate::campaign::{Attempt, FailureKind, Fault};
use crate::http::address::Address;
use crate::http::client::{self, Redirection, passing, retry_after, too_large, unreachable};
use crate::http::printable::{printable, quote};
use crate::http::secret::Secrets;
use crate::store::Answer;
use crate::{Error, ErrorKind, Result};

/// A hostile server must not exhaust memory.
const LARGEST: usize = 256 << 20;

/// A line to one server.
pub(super) struct Exchange {
    client: Client,
    pub address: Address,
    secrets: Secrets,
    /// A key goes before the url's own name and password.
    has_key: bool,
}

/// An answer that is whole.
pub(super) struct Received {
    /// As it came, but for secrets of ours.
    pub answer: Answer,
    /// What the server calls itself.
    pub server: Option<String>,
}

impl Exchange {
    pub fn new(endpoint: &Endpoint) -> Result<Self> {
        let address = Address::new(&endpoint.url)?;
        let named = endpoint.headers.iter();
        let named = named.map(|(name, value)| (name.as_str(), value));
        let headers = client::headers(endpoint.key.as_ref(), named)?;
        let client = client::client(headers, address.local(), endpoint.timeout, |client| {
            client.timeout(endpoint.timeout)
        })?;
        let secrets = endpoint.key.iter().cloned();
        let secrets = secrets.chain(endpoint.headers.iter().map(|(_, value)| value.clone()));
        let secrets = Secrets::new(secrets.chain(address.secrets()));
        Ok(Self {
            client,
            address,
            secrets,
            has_key: endpoint.key.is_some(),
        })
    }

    pub async fn post(&self, path: &str, body: Vec<u8>) -> Attempt<Received> {
        let request = self.client.post(self.address.join(path));
        let sent = sent_texts(&body);
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        self.exchange(path, request, &sent).await
    }

    /// The answer's JSON, and what the server calls itself.
    pub async fn post_json(&self, path: &str, body: Vec<u8>) -> Attempt<(Value, Option<String>)> {
        let received = self.post(path, body).await?;
        Ok((self.json(path, &received.answer.body)?, received.server))
    }

    pub async fn get_json(&self, path: &str) -> Attempt<Value> {
        let request = self.client.get(self.address.join(path));
        let received = self.exchange(path, request, &[]).await?;
        self.json(path, &received.answer.body)
    }

    /// What the answer of a path says, now or in an earlier run.
    pub fn json(&self, path: &str, body: &[u8]) -> Attempt<Value> {
        let url = || self.address.shown(path);
        serde_json::from_slice(body).map_err(|error| no_json(&url(), body, &error))
    }

    async fn exchange(
        &self,
        path: &str,
        request: RequestBuilder,
        sent: &[String],
    ) -> Attempt<Received> {
        let url = self.address.shown(path);
        let request = match &self.address.credentials {
            Some((user, password)) if !self.has_key => {
                request.basic_auth(user.reveal(), Some(password.reveal()))
            }
            _ => request,
        };
        let response = request.send().await;
        let response = response.map_err(|error| unreachable(&url, error))?;
        let status = response.status();
        let after = response.headers().get(RETRY_AFTER).and_then(retry_after);
        let elsewhere = Redirection::new(&response);
        let server = response.headers().get(reqwest::header::SERVER);
        let server = server.and_then(|name| Some(printable(name.to_str().ok()?, 60)));
        let body = self.secrets.hide(body(&url, response).await?);
        if !status.is_success() {
            let kind = FailureKind::from_status(status.as_u16());
            let error = match elsewhere {
                Some(elsewhere) => elsewhere.error(&url, status.as_u16()),
                None => refused(&url, status.as_u16(), &without(&body, sent)),
            };
            return Err(Fault {
                status: Some(status.as_u16()),
                after,
                ..Fault::new(kind, error, passing(status) && known(&body).is_none())
            });
        }
        let answer = Answer {
            status: status.as_u16(),
            body,
            received: SystemTime::now(),
            seconds: None,
            headers: Vec::new(),
        };
        Ok(Received { answer, server })
    }
}

/// Beginnings of the texts in a request, as they are and as JSON writes them: private, and not to be
/// quoted when a server complains with them in its hands.
fn sent_texts(request: &[u8]) -> Vec<String> {
    const BEGINNING: usize = 16;
    let request: Value = serde_json::from_slice(request).unwrap_or_default();
    let texts = ["prompt", "inputs", "text"]
        .iter()
        .filter_map(|key| request[key].as_str());
    let beginning = |text: &str| text.chars().take(BEGINNING).collect::<String>();
    texts
        .flat_map(|text| {
            let plain = beginning(text);
            let written = serde_json::to_string(&plain).unwrap_or_default();
            [plain, written.trim_matches('"').to_owned()]
        })
        .filter(|text| !text.is_empty())
        .collect()
}

/// The body up to where a text that was sent begins.
fn without(body: &[u8], sent: &[String]) -> Vec<u8> {
    let said = String::from_utf8_lossy(body);
    let first = sent
        .iter()
        .filter_map(|text| said.find(text.as_str()))
        .min();
    match first {
        None => body.to_vec(),
        Some(place) => format!("{}[the text that was sent]", &said[..place]).into_bytes(),
    }
}

async fn body(url: &str, mut response: Response) -> Attempt<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > LARGEST => {
                return Err(too_large(url, LARGEST));
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(body),
            Err(error) => return Err(unreachable(url, error)),
        }
    }
}

fn no_json(url: &str, body: &[u8], error: &serde_json::Error) -> Fault {
    // A page is quoted; anything else may hold the text that was asked about, which is private.
    let page = body.trim_ascii_start().starts_with(b"<");
    let (shown, hint) = match page {
        true => (
            format!("; it begins “{}”", quote(body)),
            "check that the url is that of the server itself",
        ),
        false => (
            format!("; it has {} bytes", body.len()),
            "the answer may be cut off: look at the server's log and at time limits on the way",
        ),
    };
    let message = format!("the answer of {url} is not JSON ({error}){shown}");
    let error = Error::new(ErrorKind::Server, message).hint(hint);
    Fault {
        status: Some(200),
        ..Fault::new(FailureKind::NotJson, error, true)
    }
}
