//! Requests by the client that the rest of the program has: the same certificates, and HTTP/1.1,
//! over which ranges of a few megabytes come as fast.

use std::time::Duration;

use async_trait::async_trait;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use reqwest::redirect::Policy;

const CONNECTING: Duration = Duration::from_secs(20);
/// For one range, which is a few megabytes.
const ANSWERING: Duration = Duration::from_secs(120);

#[derive(Debug)]
pub(super) struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let plain = options.get_config_value(&ClientConfigKey::AllowHttp);
        let plain = plain.is_some_and(|allowed| allowed.eq_ignore_ascii_case("true"));
        // Another part of the program may have chosen one already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .user_agent(concat!("guestlist/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECTING)
            .timeout(ANSWERING)
            .https_only(!plain)
            // Signed requests must not follow a redirection to another host.
            .redirect(Policy::none())
            .build();
        let client = client.map_err(|error| object_store::Error::Generic {
            store: "objects",
            source: Box::new(error),
        })?;
        Ok(HttpClient::new(Service(client)))
    }
}

#[derive(Debug)]
struct Service(reqwest::Client);

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let url = parts.uri.to_string();
        let url = url
            .parse()
            .map_err(|error| HttpError::new(HttpErrorKind::Unknown, WrongUrl(error)))?;
        let mut request = reqwest::Request::new(parts.method, url);
        *request.headers_mut() = parts.headers;
        if let Some(bytes) = body.as_bytes().filter(|bytes| !bytes.is_empty()) {
            *request.body_mut() = Some(bytes.clone().into());
        }
        let answer = self.0.execute(request).await.map_err(told)?;
        let mut response = http::Response::new(());
        *response.status_mut() = answer.status();
        *response.headers_mut() = answer.headers().clone();
        *response.version_mut() = answer.version();
        let bytes = answer.bytes().await.map_err(told)?;
        let (parts, ()) = response.into_parts();
        Ok(HttpResponse::from_parts(
            parts,
            HttpResponseBody::from(bytes),
        ))
    }
}

#[derive(Debug)]
struct WrongUrl<E>(E);

impl<E> std::fmt::Display for WrongUrl<E> {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("the address of the store is none")
    }
}

impl<E: std::fmt::Debug> std::error::Error for WrongUrl<E> {}

/// What may be tried again is told apart; the address, which may hold a signature, is left out.
fn told(error: reqwest::Error) -> HttpError {
    let kind = if error.is_timeout() {
        HttpErrorKind::Timeout
    } else if error.is_connect() {
        HttpErrorKind::Connect
    } else if error.is_body() || error.is_decode() {
        HttpErrorKind::Interrupted
    } else if error.is_request() {
        HttpErrorKind::Request
    } else {
        HttpErrorKind::Unknown
    };
    HttpError::new(kind, error.without_url())
}
