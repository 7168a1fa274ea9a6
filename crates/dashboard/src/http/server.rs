//! The server: connections, their limits, and its end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::Extension;
use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, watch};

use super::access::{AccessLog, Peer};
use super::guard::Guard;
use super::routes;
use crate::pages::App;
use crate::settings::{LEAST_TOKEN, Settings};
use crate::site::Site;
use crate::{Error, random_token};

/// Connections at once; further ones wait.
const CONNECTIONS: usize = 1024;
/// A visitor who does not say what he wants within this time is hung up on.
const PATIENCE: Duration = Duration::from_secs(10);
const HEADERS: usize = 64;
const HEADER_BYTES: usize = 64 << 10;
/// How long answers in the making may take after the server was told to stop.
const GRACE: Duration = Duration::from_secs(2);
/// Threads for files; so many requests read at once.
const READERS: usize = 16;

/// A dashboard at work. It stops when it is dropped.
pub struct Running {
    address: SocketAddr,
    app: Arc<App>,
    log: Option<Arc<AccessLog>>,
    stop: Option<watch::Sender<bool>>,
    thread: Option<JoinHandle<()>>,
}

/// Serves from threads of its own.
pub fn start(settings: Settings) -> Result<Running, Error> {
    check(&settings)?;
    let address = settings.address;
    let failed = |error: &std::io::Error| {
        Error::usage(
            format!("{address} cannot be served: {error}"),
            "choose another --port, or 0 for any that is free",
        )
    };
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(READERS)
        .enable_all()
        .build()
        .map_err(|error| failed(&error))?;
    let listener = runtime.block_on(TcpListener::bind(address));
    let listener = listener.map_err(|error| failed(&error))?;
    let bound = listener.local_addr().map_err(|error| failed(&error))?;
    let site = Site::new(settings.public_url.clone());
    let guard = Guard {
        bound,
        site: site.clone(),
        token: settings.token.as_deref().map(Into::into),
        posts: settings.program.is_some(),
    };
    let log = settings.access_log.as_deref();
    let log = log.map(|log| AccessLog::open(log, guard.token.clone(), site.is_public()));
    let log = log.transpose()?.map(Arc::new);
    let app = Arc::new(App::open(settings, random_token()?)?);
    let routes = routes::routes(app.clone(), guard, log.clone());
    let (stop, stopped) = watch::channel(false);
    let thread = thread::Builder::new()
        .name("dashboard".into())
        .spawn(move || serve(runtime, listener, (routes, site), stopped))
        .map_err(|error| failed(&error))?;
    Ok(Running {
        address: bound,
        app,
        log,
        stop: Some(stop),
        thread: Some(thread),
    })
}

/// Whoever can reach the port could otherwise read every audit.
fn check(settings: &Settings) -> Result<(), Error> {
    let hint = format!("set GUESTLIST_TOKEN to a secret of at least {LEAST_TOKEN} characters");
    match &settings.token {
        None if settings.public_url.is_some() || !settings.address.ip().is_loopback() => {
            Err(Error::usage(
                format!(
                    "{} can be reached from other machines, and no token is set",
                    settings.address
                ),
                hint,
            ))
        }
        Some(token) if token.chars().count() < LEAST_TOKEN => {
            Err(Error::usage("the token is too short to be safe", hint))
        }
        Some(token)
            if !token
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b';') =>
        {
            Err(Error::usage(
                "the token has characters that do not fit in a cookie",
                "use letters, digits and signs such as - and _",
            ))
        }
        _ => Ok(()),
    }
}

/// What answers, and under which path.
type Answering = (Router, Site);

fn serve(
    runtime: Runtime,
    listener: TcpListener,
    routes: Answering,
    stopped: watch::Receiver<bool>,
) {
    runtime.block_on(accept(listener, routes, stopped));
    runtime.shutdown_timeout(GRACE);
}

async fn accept(listener: TcpListener, routes: Answering, mut stopped: watch::Receiver<bool>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(seat) = room.clone().acquire_owned().await else {
            return;
        };
        let connection = tokio::select! {
            connection = listener.accept() => connection,
            _ = stopped.changed() => break,
        };
        match connection {
            Ok((stream, peer)) => {
                let talk = converse(stream, Peer(peer), routes.clone(), stopped.clone());
                tokio::spawn(async move {
                    talk.await;
                    drop(seat);
                });
            }
            // Out of file handles, for one: others will end soon.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    let all_left = room.acquire_many(CONNECTIONS as u32);
    let _ = tokio::time::timeout(GRACE, all_left).await;
}

async fn converse(
    stream: TcpStream,
    peer: Peer,
    (routes, site): Answering,
    mut stopped: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let routes = TowerToHyperService::new(routes.layer(Extension(peer)));
    // Before routes are looked up, so that they need not know our path.
    let service = service_fn(move |mut request: hyper::Request<_>| {
        if let Some(inside) = site.inside(request.uri()) {
            *request.uri_mut() = inside;
        }
        routes.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_headers(HEADERS)
        .max_buf_size(HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => {}
        _ = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(GRACE, connection).await;
        }
    }
}

impl Running {
    /// Where it listens, with its real port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Audits that visitors started and that are still running: their folders.
    pub fn runs(&self) -> Vec<String> {
        self.app.running()
    }

    /// Why the access log lacks lines, told once.
    pub fn log_trouble(&self) -> Option<String> {
        self.log.as_ref()?.trouble()
    }

    /// Stops the audits it started, lets answers in the making finish, and returns when the port is
    /// free again.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.app.close();
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(true);
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
