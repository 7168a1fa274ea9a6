//! Where a server is: the url as people write it, with or without `/v1`, a prefix, a trailing
//! slash, credentials.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;

use super::Secret;
use crate::{Error, ErrorKind, Result};

/// A server's base, without what only some of its paths have.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    base: Url,
    /// May hold a key, so it is sent but never shown.
    query: Option<Secret>,
    /// User and password, which stood in the url.
    pub credentials: Option<(Secret, Secret)>,
}

/// Ends that people leave on when they copy an url.
const ENDS: [&str; 5] = ["/completions", "/chat", "/generate", "/models", "/v1"];

impl Address {
    pub fn new(text: &str) -> Result<Self> {
        let mut base = parse(text)?;
        let credentials = take_credentials(&mut base);
        let query = base.query().map(Secret::new);
        base.set_query(None);
        base.set_fragment(None);
        let path = without_ends(base.path()).to_owned();
        base.set_path(&path);
        Ok(Self {
            base,
            query,
            credentials,
        })
    }

    /// Where a path of the server lies, for sending.
    pub fn join(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!(
            "{}/{path}",
            self.base.path().trim_end_matches('/')
        ));
        url.set_query(self.query.as_ref().map(Secret::reveal));
        url
    }

    /// Where a path of the server lies, without anything secret.
    pub fn shown(&self, path: &str) -> String {
        let mut url = self.join(path);
        url.set_query(None);
        url.to_string()
    }

    pub fn base(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// On this machine, where no proxy must come between and nobody listens in.
    pub fn local(&self) -> bool {
        local(&self.base)
    }

    pub fn encrypted(&self) -> bool {
        self.base.scheme() == "https"
    }

    /// What stands in the url that nobody must see.
    pub fn secrets(&self) -> impl Iterator<Item = Secret> {
        // Also as it is sent: some services repeat the headers that they got.
        let password = self.credentials.iter().flat_map(|(user, password)| {
            let pair = format!("{}:{}", user.reveal(), password.reveal());
            [password.clone(), Secret::new(STANDARD.encode(pair))]
        });
        // Of a query only the values: its names may be any word.
        let query = self.query.iter().flat_map(|query| {
            let pairs = query.reveal().split('&');
            pairs.filter_map(|pair| Some(Secret::new(pair.split_once('=')?.1)))
        });
        password.chain(query)
    }
}

/// An url of HTTP with a host.
pub(crate) fn parse(text: &str) -> Result<Url> {
    let url = Url::parse(text.trim()).map_err(|error| bad(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("it must begin with http:// or https://"));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(bad("it names no host"));
    }
    Ok(url)
}

/// Takes user and password out of an url.
fn take_credentials(url: &mut Url) -> Option<(Secret, Secret)> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let user = Secret::new(url.username());
    let password = Secret::new(url.password().unwrap_or_default());
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some((user, password))
}

/// Whether it leads to this machine.
pub(crate) fn local(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        host == "localhost" || host.starts_with("127.") || host.trim_matches(['[', ']']) == "::1"
    })
}

fn without_ends(path: &str) -> &str {
    let mut path = path.trim_end_matches('/');
    while let Some(shorter) = ENDS.iter().find_map(|end| path.strip_suffix(end)) {
        path = shorter.trim_end_matches('/');
    }
    path
}

/// The url itself is not shown: it may hold a password that could not be told from the rest.
fn bad(why: &str) -> Error {
    Error::new(
        ErrorKind::Setting,
        format!("the server's url is wrong: {why}"),
    )
    .hint("write it like http://127.0.0.1:8000 or https://host/prefix/v1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_an_url_leads_to_the_same_place() {
        for text in [
            "http://host:8000",
            "http://host:8000/",
            "http://host:8000/v1",
            " http://host:8000/v1/ ",
            "http://host:8000//v1/completions/",
            "http://host:8000/v1/chat/completions",
            "http://host:8000/generate",
        ] {
            let address = Address::new(text).unwrap();
            let shown = address.shown("v1/completions");
            assert_eq!(shown, "http://host:8000/v1/completions", "{text}");
        }
        let prefixed = Address::new("https://host/inference/v1/").unwrap();
        assert_eq!(
            prefixed.shown("v1/models"),
            "https://host/inference/v1/models"
        );
    }

    #[test]
    fn credentials_and_queries_are_sent_but_not_shown() {
        let address = Address::new("https://user:hunter2@host/v1?key=hidden").unwrap();
        assert!(!format!("{address:?} {}", address.shown("a")).contains("hidden"));
        assert!(!format!("{address:?} {}", address.base()).contains("hunter2"));
        assert_eq!(address.join("a").as_str(), "https://host/a?key=hidden");
        assert!(address.credentials.is_some());
    }

    #[test]
    fn what_is_no_url_is_refused_without_showing_it() {
        for text in [
            "",
            "host:8000",
            "ftp://host",
            "http://",
            "http://u:pw@ho st/",
        ] {
            let refused = Address::new(text).unwrap_err().to_string();
            assert!(!refused.contains("pw"), "{refused}");
        }
    }
}
