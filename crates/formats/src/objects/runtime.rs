//! Waiting for a request, from wherever readers run: on any thread, also on one of another runtime.

use std::future::Future;
use std::sync::{OnceLock, mpsc};

use object_store::{Error, Result};
use tokio::runtime::{Builder, Runtime};

static RUNTIME: OnceLock<std::io::Result<Runtime>> = OnceLock::new();

pub(super) fn wait<T: Send + 'static>(
    request: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    let runtime = RUNTIME.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder
            .worker_threads(1)
            .thread_name("objects")
            .enable_all()
            .build()
    });
    let runtime = runtime
        .as_ref()
        .map_err(|error| failed(error.to_string()))?;
    let (send, receive) = mpsc::sync_channel(1);
    runtime.spawn(async move {
        // Nobody waits any more where this fails.
        let _ = send.send(request.await);
    });
    let lost = |_| failed("the request was given up".to_owned());
    receive.recv().map_err(lost).flatten()
}

fn failed(why: String) -> Error {
    Error::Generic {
        store: "objects",
        source: why.into(),
    }
}
