//! The client: headers with keys, bodies that end, and failures in words with a remedy.

use std::time::{Duration, SystemTime};

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Response, StatusCode};

use super::Secret;
use super::certificate;
use super::printable::{printable, quote};
use crate::campaign::{FailureKind, Fault};
use crate::{Error, ErrorKind, Result};

const CONNECTING: Duration = Duration::from_secs(20);

/// A client for one service. `local`: on this machine, where no proxy must come between.
pub(crate) fn client(
    headers: HeaderMap,
    local: bool,
    timeout: Duration,
    more: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Result<Client> {
    // Another part of the program may have chosen one already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut client = Client::builder()
        .default_headers(headers)
        .user_agent(concat!("guestlist/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECTING.min(timeout))
        // Headers with keys must not follow a redirection to another host.
        .redirect(Policy::none());
    if local {
        client = client.no_proxy();
    }
    more(client).build().map_err(|error| {
        Error::new(
            ErrorKind::Server,
            format!("HTTP cannot be set up: {}", chain(&error)),
        )
    })
}

/// `Authorization: Bearer` for a key, and headers by name.
pub(crate) fn headers<'a>(
    key: Option<&Secret>,
    named: impl IntoIterator<Item = (&'a str, &'a Secret)>,
) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    if let Some(key) = key {
        let bearer = Secret::new(format!("Bearer {}", key.reveal()));
        headers.insert(AUTHORIZATION, header_value("api_key", &bearer)?);
    }
    for (name, secret) in named {
        headers.insert(header_name(name)?, header_value(name, secret)?);
    }
    Ok(headers)
}

fn header_name(name: &str) -> Result<HeaderName> {
    HeaderName::from_bytes(name.as_bytes()).map_err(|_| {
        let name = printable(name, 60);
        Error::new(
            ErrorKind::Setting,
            format!("{name:?} is no name of a header"),
        )
        .hint("names of headers are letters, digits and hyphens, such as X-Api-Key")
    })
}

fn header_value(name: &str, secret: &Secret) -> Result<HeaderValue> {
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

/// Statuses that tend to go away.
pub(crate) fn passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 425 | 429 | 500 | 502 | 503 | 504)
}

/// Seconds, or a date.
pub(crate) fn retry_after(value: &HeaderValue) -> Option<Duration> {
    let text = value.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    let until = date.duration_since(SystemTime::now());
    Some(until.unwrap_or_default())
}

/// A status that is not success. The server's own words are quoted, never trusted.
pub(crate) fn refused(url: &str, status: u16, body: &[u8]) -> Error {
    let said = match quote(body) {
        said if said.is_empty() => "nothing".to_owned(),
        said => format!("“{said}”"),
    };
    Error::new(
        ErrorKind::Server,
        format!("{url} answered {status} and said {said}"),
    )
}

/// Where a service sends those who ask it, where it does. It is not followed: keys and questions would go
/// where nobody allowed them to.
pub(crate) struct Redirection {
    /// Without user, password and query, any of which may be a secret.
    to: String,
    same_host: bool,
}

impl Redirection {
    pub fn new(response: &Response) -> Option<Self> {
        if !response.status().is_redirection() {
            return None;
        }
        let named = response.headers().get(LOCATION)?;
        let from = response.url();
        let mut to = from
            .join(std::str::from_utf8(named.as_bytes()).ok()?)
            .ok()?;
        let same_host = to.host() == from.host();
        // Of addresses that have no user, nothing is to be taken away.
        let _ = to.set_username("");
        let _ = to.set_password(None);
        let cut = to.query().is_some();
        to.set_query(None);
        to.set_fragment(None);
        let more = if cut { "?…" } else { "" };
        Some(Self {
            to: printable(&format!("{to}{more}"), 200),
            same_host,
        })
    }

    pub fn error(&self, url: &str, status: u16) -> Error {
        let message = format!("{url} answered {status} and sends us to {}", self.to);
        let hint = match self.same_host {
            true => "it is not followed: give that address as the url",
            false => {
                "it is another host, where neither questions nor keys were allowed to go: if you trust it, \
                 give that address as the url"
            }
        };
        Error::new(ErrorKind::Server, message).hint(hint)
    }
}

/// A request without an answer, or with a part of one.
pub(crate) fn unreachable(url: &str, error: reqwest::Error) -> Fault {
    // The url that the error would show may hold a key.
    let error = error.without_url();
    let causes = chain(&error);
    let certificate = certificate::explain(&error);
    let lasting = certificate.is_some();
    let (kind, message, hint) = if error.is_timeout() {
        return timed_out(url);
    } else if let Some((wrong, remedy)) = certificate {
        (
            FailureKind::Connection,
            format!("{url} cannot be trusted: {}", printable(&wrong, 300)),
            remedy,
        )
    } else if error.is_connect() {
        (
            FailureKind::Connection,
            format!("{url} cannot be reached: {causes}"),
            "check that the server runs and that host and port are right",
        )
    } else {
        // Only a request that was sent and not answered is one of these.
        let kind = match error.is_request() {
            true => FailureKind::Connection,
            false => FailureKind::Cut,
        };
        let hint = match url.starts_with("http://") && error.is_request() {
            true => {
                "look at the server's log; if it speaks TLS, begin the address with https://; run again: what came \
                 is kept"
            }
            false => "look at the server's log; run again: what came is kept",
        };
        (
            kind,
            format!("the answer of {url} broke off: {causes}"),
            hint,
        )
    };
    let error = Error::new(ErrorKind::Server, message).hint(hint);
    Fault::new(kind, error, !lasting)
}

pub(crate) fn timed_out(url: &str) -> Fault {
    let message = format!("{url} did not answer in time");
    let error = Error::new(ErrorKind::Server, message).hint("raise timeout, or lower concurrency");
    Fault::new(FailureKind::Timeout, error, true)
}

pub(crate) fn too_large(url: &str, most: usize) -> Fault {
    let message = format!("the answer of {url} is larger than {} MiB", most >> 20);
    let error = Error::new(ErrorKind::Server, message).hint("ask for less at once");
    Fault::new(FailureKind::TooLarge, error, false)
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
