//! A service that keeps its own books, such as a cluster's: asked from plain code, one thing after another.
//! Nothing is stored, nothing repeated; what to do about a failure is the caller's affair.

use std::time::Duration;

use base::Cancel;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Method, Response};
use tokio::runtime::{Builder, Runtime};

use super::Secret;
use super::address::Address;
use super::client::{self, Redirection, passing, refused, too_large, unreachable};
use super::secret::Secrets;
use crate::campaign::Fault;
use crate::{Error, ErrorKind, Result};

/// A failure, and whether it may pass by itself.
#[derive(Debug)]
pub struct Refusal {
    /// Elsewhere, because most requests succeed.
    pub error: Box<Error>,
    pub passing: bool,
    /// Absent where there was no answer at all.
    pub status: Option<u16>,
    /// What the service said, where it said something. Not to be trusted.
    pub said: String,
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self {
            passing: fault.passing,
            error: fault.error,
            status: None,
            said: String::new(),
        }
    }
}

/// One service.
pub struct Service {
    address: Address,
    http: Client,
    has_key: bool,
    secrets: Secrets,
    runtime: Runtime,
    /// Bytes of the largest answer.
    most: usize,
}

impl Service {
    /// `key` is sent as a bearer token.
    pub fn new(url: &str, key: Option<&Secret>, timeout: Duration, most: usize) -> Result<Self> {
        let address = Address::new(url)?;
        let headers = client::headers(key, [])?;
        let http = client::client(headers, address.local(), timeout, |builder| {
            builder.timeout(timeout)
        })?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| {
            Error::new(ErrorKind::Server, format!("HTTP cannot be set up: {error}"))
        })?;
        let secrets = Secrets::new(address.secrets().chain(key.cloned()));
        Ok(Self {
            has_key: key.is_some(),
            address,
            http,
            secrets,
            runtime,
            most,
        })
    }

    /// Where it is, without anything secret.
    pub fn base(&self) -> &str {
        self.address.base()
    }

    /// Whether what is sent can be read by those in between.
    pub fn is_exposed(&self) -> bool {
        !self.address.encrypted() && !self.address.local()
    }

    pub fn get(&self, path: &str, cancel: &Cancel) -> Result<Vec<u8>, Refusal> {
        self.ask(Method::GET, path, None, cancel)
    }

    pub fn post(&self, path: &str, json: Vec<u8>, cancel: &Cancel) -> Result<Vec<u8>, Refusal> {
        let body = Some(("application/json", json));
        self.ask(Method::POST, path, body, cancel)
    }

    pub fn put(&self, path: &str, bytes: Vec<u8>, cancel: &Cancel) -> Result<Vec<u8>, Refusal> {
        let body = Some(("application/octet-stream", bytes));
        self.ask(Method::PUT, path, body, cancel)
    }

    fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, Vec<u8>)>,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, Refusal> {
        let url = self.address.shown(path);
        let mut request = self.http.request(method, self.address.join(path));
        if let Some((kind, bytes)) = body {
            request = request.header(CONTENT_TYPE, kind).body(bytes);
        }
        if let (Some((user, password)), false) = (&self.address.credentials, self.has_key) {
            request = request.basic_auth(user.reveal(), Some(password.reveal()));
        }
        let exchange = async {
            let response = request.send().await;
            let response = response.map_err(|error| unreachable(&url, error))?;
            let status = response.status();
            let elsewhere = Redirection::new(&response);
            let body = self.secrets.hide(self.body(&url, response).await?);
            if status.is_success() {
                return Ok(body);
            }
            Err(Refusal {
                error: Box::new(match elsewhere {
                    Some(elsewhere) => elsewhere.error(&url, status.as_u16()),
                    None => refused(&url, status.as_u16(), &body),
                }),
                passing: passing(status),
                status: Some(status.as_u16()),
                said: String::from_utf8_lossy(&body).into_owned(),
            })
        };
        self.runtime.block_on(async {
            tokio::select! {
                answer = exchange => answer,
                () = cancel.cancelled() => Err(Refusal {
                    error: Box::new(Error::new(ErrorKind::Interrupted, "interrupted")),
                    passing: false,
                    status: None,
                    said: String::new(),
                }),
            }
        })
    }

    async fn body(&self, url: &str, mut response: Response) -> Result<Vec<u8>, Fault> {
        let mut body = Vec::new();
        let cut = |error| unreachable(url, error);
        while let Some(piece) = response.chunk().await.map_err(cut)? {
            if body.len() + piece.len() > self.most {
                return Err(too_large(url, self.most));
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }
}
