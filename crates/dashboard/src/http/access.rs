//! The access log: who asked for what, and what was answered, a line of JSON each. Values behind the question mark
//! are never written, since a token or what somebody searches for may be there.

use std::fs::File;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime};

use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, Response};
use axum::middleware::Next;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::query::Query;
use crate::Error;
use crate::time::{seconds, stamp};

/// Longer paths are cut.
const LONGEST: usize = 1000;

/// Who is at the other end of the connection.
#[derive(Clone, Copy)]
pub struct Peer(pub SocketAddr);

pub struct AccessLog {
    file: Mutex<File>,
    /// Never written, wherever it stands.
    token: Option<Arc<str>>,
    /// A proxy is in front and tells whom it asks for.
    behind_proxy: bool,
    /// Why the last line could not be written.
    trouble: Mutex<Option<String>>,
}

impl AccessLog {
    pub fn open(path: &Path, token: Option<Arc<str>>, behind_proxy: bool) -> Result<Self, Error> {
        let mut options = File::options();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| {
            Error::usage(
                format!(
                    "{}: the access log cannot be written: {error}",
                    path.display()
                ),
                "give --access-log a file in a folder that exists and is yours",
            )
        })?;
        Ok(Self {
            file: Mutex::new(file),
            token,
            behind_proxy,
            trouble: Mutex::default(),
        })
    }

    /// Why lines are missing, told once.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().ok()?.take()
    }

    /// A request before it is answered.
    fn asked(&self, request: &Request, peer: Peer) -> Value {
        let address = request.uri();
        let query = Query::parse(address.query());
        let names: Vec<String> = query.names().map(|name| self.shown(name)).collect();
        let mut line = json!({
            "from": peer.0.ip().to_string(),
            "method": self.shown(request.method().as_str()),
            "path": self.shown(address.path()),
        });
        if !names.is_empty() {
            line["query"] = names.into();
        }
        let forwarded = forwarded(request.headers()).filter(|_| self.behind_proxy);
        if let Some(visitor) = forwarded {
            line["forwarded_for"] = visitor.to_string().into();
        }
        line
    }

    fn shown(&self, text: &str) -> String {
        let decoded = percent_decode_str(text).decode_utf8_lossy();
        let secret = self.token.as_deref();
        if secret.is_some_and(|token| text.contains(token) || decoded.contains(token)) {
            return "(left out)".into();
        }
        text.chars().take(LONGEST).collect()
    }

    fn write(&self, line: &Value) {
        let Ok(mut file) = self.file.lock() else {
            return;
        };
        // In one piece, so that lines of several writers do not mix.
        if let Err(error) = file.write_all(format!("{line}\n").as_bytes())
            && let Ok(mut trouble) = self.trouble.lock()
        {
            *trouble = Some(error.to_string());
        }
    }
}

/// The nearest proxy writes the last one; what stands before it anybody could have written.
fn forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?;
    last.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
}

/// Notes a request, also one that is refused, once its answer begins.
pub async fn note(
    State(log): State<Arc<AccessLog>>,
    Extension(peer): Extension<Peer>,
    request: Request,
    next: Next,
) -> Response<Body> {
    let started = Instant::now();
    let mut line = log.asked(&request, peer);
    let response = next.run(request).await;
    line["time"] = stamp(seconds(SystemTime::now())).into();
    line["status"] = response.status().as_u16().into();
    line["milliseconds"] = (started.elapsed().as_millis() as u64).into();
    log.write(&line);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "correct-horse-battery";

    fn line(address: &str, headers: &[(&str, &str)], behind_proxy: bool) -> Value {
        let folder = tempfile::tempdir().unwrap();
        let token = Some(Arc::from(TOKEN));
        let log = AccessLog::open(&folder.path().join("log"), token, behind_proxy).unwrap();
        let mut request = Request::builder().uri(address);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let peer = Peer("127.0.0.1:9".parse().unwrap());
        log.asked(&request.body(Body::empty()).unwrap(), peer)
    }

    #[test]
    fn neither_tokens_nor_values_are_written() {
        for address in [
            "/?token=correct-horse-battery",
            "/audits/correct-horse-battery/",
            "/audits/correct%2Dhorse%2dbattery/",
            "/?correct-horse-battery",
            "/?search=my-secret-search&page=2",
        ] {
            let said = line(address, &[("authorization", "Bearer x")], false).to_string();
            assert!(!said.to_lowercase().contains("horse"), "{said}");
            assert!(
                !said.contains("my-secret") && !said.contains("Bearer"),
                "{said}"
            );
        }
        let said = line("/?search=a&page=2", &[], false);
        assert_eq!(said["query"], json!(["search", "page"]));
        assert_eq!(
            (&said["path"], &said["from"]),
            (&json!("/"), &json!("127.0.0.1"))
        );
    }

    #[test]
    fn the_nearest_proxy_is_believed_and_only_where_there_is_one() {
        let sent = [("x-forwarded-for", "6.6.6.6, 10.0.0.7")];
        assert_eq!(line("/", &sent, true)["forwarded_for"], "10.0.0.7");
        assert_eq!(line("/", &sent, false).get("forwarded_for"), None);
        let nonsense = [("x-forwarded-for", "a\"b")];
        assert_eq!(line("/", &nonsense, true).get("forwarded_for"), None);
    }
}
