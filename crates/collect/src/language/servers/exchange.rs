//! One question and its answer over HTTP, without patience.

use std::time::{Duration, SystemTime};

use reqwest::header::{
    AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::Value;

use super::address::Address;
use super::secret::Secrets;
use super::words::{known, printable, quote, refused};
use super::{Endpoint, Secret};
use crate::{Error, ErrorKind, Result};

/// A hostile server must not exhaust memory.
const LARGEST: usize = 256 << 20;
const CONNECTING: Duration = Duration::from_secs(20);

/// A line to one server.
pub(super) struct Exchange {
    client: Client,
    pub address: Address,
    secrets: Secrets,
    /// A key goes before the url's own name and password.
    has_key: bool,
}

/// An answer that is whole and JSON.
pub(super) struct Received {
    pub status: u16,
    /// As it came, but for secrets of ours.
    pub body: Vec<u8>,
    pub json: Value,
    /// What calls itself what.
    pub server: Option<String>,
}

/// Why there is none.
#[derive(Debug)]
pub(super) struct Fault {
    pub error: Error,
    pub status: Option<u16>,
    /// Whether asking again may help.
    pub passing: bool,
    /// How long the server wants to be left alone.
    pub after: Option<Duration>,
}

impl Exchange {
    pub fn new(endpoint: &Endpoint) -> Result<Self> {
        let address = Address::new(&endpoint.url)?;
        // Another part of the program may have chosen one already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .default_headers(headers(endpoint)?)
            .user_agent(concat!("guestlist/", env!("CARGO_PKG_VERSION")))
            .timeout(endpoint.timeout)
            .connect_timeout(CONNECTING.min(endpoint.timeout))
            // Headers with keys must not follow a redirection to another host.
            .redirect(Policy::none());
        if address.local() {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| {
            Error::new(
                ErrorKind::Server,
                format!("HTTP cannot be set up: {}", chain(&error)),
            )
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

    pub async fn post(&self, path: &str, body: Vec<u8>) -> std::result::Result<Received, Fault> {
        let request = self.client.post(self.address.join(path));
        let sent = sent_texts(&body);
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        self.exchange(path, request, &sent).await
    }

    pub async fn get(&self, path: &str) -> std::result::Result<Received, Fault> {
        self.exchange(path, self.client.get(self.address.join(path)), &[])
            .await
    }

    async fn exchange(
        &self,
        path: &str,
        request: RequestBuilder,
        sent: &[String],
    ) -> std::result::Result<Received, Fault> {
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
        let server = response.headers().get(reqwest::header::SERVER);
        let server = server.and_then(|name| Some(printable(name.to_str().ok()?, 60)));
        let body = self.secrets.hide(body(&url, response).await?);
        if !status.is_success() {
            return Err(Fault {
                error: refused(&url, status.as_u16(), &without(&body, sent)),
                status: Some(status.as_u16()),
                passing: passing(status) && known(&body).is_none(),
                after,
            });
        }
        let json = serde_json::from_slice(&body).map_err(|error| no_json(&url, &body, &error))?;
        Ok(Received {
            status: status.as_u16(),
            body,
            json,
            server,
        })
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

fn headers(endpoint: &Endpoint) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    if let Some(key) = &endpoint.key {
        let bearer = Secret::new(format!("Bearer {}", key.reveal()));
        headers.insert(AUTHORIZATION, value("api_key", &bearer)?);
    }
    for (name, secret) in &endpoint.headers {
        let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| {
            let name = printable(name, 60);
            Error::new(
                ErrorKind::Setting,
                format!("{name:?} is no name of a header"),
            )
        })?;
        headers.insert(parsed, value(name, secret)?);
    }
    Ok(headers)
}

fn value(name: &str, secret: &Secret) -> Result<HeaderValue> {
    let value = HeaderValue::from_str(secret.reveal());
    let mut value = value.map_err(|_| {
        let message = format!(
            "{} holds characters that HTTP cannot send",
            printable(name, 60)
        );
        Error::new(ErrorKind::Setting, message).hint("look for line breaks at its end")
    })?;
    value.set_sensitive(true);
    Ok(value)
}

async fn body(url: &str, mut response: Response) -> std::result::Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > LARGEST => return Err(too_large(url)),
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(body),
            Err(error) => return Err(unreachable(url, error)),
        }
    }
}

/// Statuses that tend to go away.
fn passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 425 | 429 | 500 | 502 | 503 | 504)
}

/// Seconds, or a date.
fn retry_after(value: &HeaderValue) -> Option<Duration> {
    let text = value.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    let until = date.duration_since(SystemTime::now());
    Some(until.unwrap_or_default())
}

fn unreachable(url: &str, error: reqwest::Error) -> Fault {
    // The url that the error would show may hold a key.
    let error = error.without_url();
    let causes = chain(&error);
    let certificate = causes.contains("certificate");
    let (message, hint) = if error.is_timeout() {
        (
            format!("{url} did not answer in time"),
            "raise timeout, or lower concurrency",
        )
    } else if certificate {
        (
            format!("{url} cannot be trusted: {causes}"),
            "name the file of your own authority's certificate in SSL_CERT_FILE",
        )
    } else if error.is_connect() {
        (
            format!("{url} cannot be reached: {causes}"),
            "check that the server runs and that host and port are right",
        )
    } else {
        (
            format!("the answer of {url} broke off: {causes}"),
            "look at the server's log; run again: what came is kept",
        )
    };
    Fault {
        error: Error::new(ErrorKind::Server, message).hint(hint),
        status: None,
        passing: !certificate,
        after: None,
    }
}

/// Causes too: the outermost error alone says little.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    printable(&text, 300)
}

fn too_large(url: &str) -> Fault {
    let message = format!("the answer of {url} is larger than {} MiB", LARGEST >> 20);
    Fault {
        error: Error::new(ErrorKind::Server, message).hint("cut the texts"),
        status: None,
        passing: false,
        after: None,
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
    Fault {
        error: Error::new(ErrorKind::Server, message).hint(hint),
        status: Some(200),
        passing: true,
        after: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        let read = |text: &str| retry_after(&HeaderValue::from_str(text).unwrap());
        assert_eq!(read("17"), Some(Duration::from_secs(17)));
        let later = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(100));
        let wait = read(&later).unwrap().as_secs();
        assert!((90..=100).contains(&wait), "{wait}");
        assert_eq!(read("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        assert_eq!(read("soon"), None);
    }
}
