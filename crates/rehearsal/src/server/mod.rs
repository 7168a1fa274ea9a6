//! The service over HTTP, in the dialect of OpenAI's chat completions.

mod chat;
mod problem;
mod protocol;
mod stream;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, oneshot};

use self::problem::Problem;
use crate::service::Service;
use crate::{Error, ErrorKind, Result};

/// How large a question may be.
const BODY_LIMIT: usize = 1 << 20;

/// How long answers in the making may take after the server was told to stop.
const GRACE: Duration = Duration::from_secs(5);

/// What every request needs.
#[derive(Clone)]
struct Shared {
    service: Arc<Service>,
    /// Who may compute; the others wait.
    turns: Arc<Semaphore>,
    key: Option<Arc<str>>,
}

/// A server at work. It stops when it is dropped.
pub struct Running {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Serves from a thread of its own; port 0 takes any free port. With a key, requests must carry it.
pub fn start(service: Arc<Service>, address: SocketAddr, key: Option<String>) -> Result<Running> {
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    // Who waits for a device together with others takes no core meanwhile.
    let turns = service.at_once().map_or(threads, |many| many.max(threads));
    let runtime = Builder::new_multi_thread()
        .worker_threads(threads)
        .max_blocking_threads(turns)
        .enable_all()
        .build()
        .map_err(|error| cannot_serve(address, &error))?;
    let listener = runtime.block_on(TcpListener::bind(address));
    let listener = listener.map_err(|error| cannot_serve(address, &error))?;
    let bound = listener
        .local_addr()
        .map_err(|error| cannot_serve(address, &error))?;
    let shared = Shared {
        service,
        turns: Arc::new(Semaphore::new(turns)),
        key: key.map(Into::into),
    };
    let (stop, stopped) = oneshot::channel();
    let thread = thread::Builder::new()
        .name("rag-server".into())
        .spawn(move || serve(runtime, listener, routes(shared), stopped))
        .map_err(|error| cannot_serve(address, &error))?;
    Ok(Running {
        address: bound,
        stop: Some(stop),
        thread: Some(thread),
    })
}

fn cannot_serve(address: SocketAddr, error: &std::io::Error) -> Error {
    Error::new(
        ErrorKind::Address,
        format!("{address} cannot be served: {error}"),
    )
    .hint("choose another port, or 0 for any that is free")
}

fn routes(shared: Shared) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(chat::complete))
        .route("/v1/models", get(chat::models))
        .route("/health", get(chat::health))
        .fallback(async || Problem::no_such_route())
        .method_not_allowed_fallback(async || Problem::wrong_method())
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .with_state(shared)
}

fn serve(runtime: Runtime, listener: TcpListener, routes: Router, stopped: oneshot::Receiver<()>) {
    let (tell, told) = oneshot::channel::<()>();
    let asked = async move {
        let _ = stopped.await;
        let _ = tell.send(());
    };
    let late = async move {
        let _ = told.await;
        tokio::time::sleep(GRACE).await;
    };
    runtime.block_on(async {
        let server = axum::serve(listener, routes).with_graceful_shutdown(asked);
        tokio::select! {
            _ = server => {}
            () = late => {}
        }
    });
    runtime.shutdown_timeout(GRACE);
}

impl Running {
    /// Where it listens, with its real port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets answers in the making finish, and returns when the port is free again.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}
