//! Server-sent events: how running audits stand, as it happens.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::problem::Problem;
use crate::pages::App;
use crate::progress::watch::News;

/// Keeps proxies and browsers from giving up on a quiet line.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Everything that one listener needs.
struct Listener {
    /// How things stood at the start, the last first.
    first: Vec<News>,
    news: Receiver<News>,
    path: Option<String>,
    /// Gives the seat back when the listener leaves.
    _seat: OwnedSemaphorePermit,
}

/// News of every audit, or of the one in this folder.
pub fn stream(app: &App, path: Option<String>) -> Result<Response<Body>, Problem> {
    let seat = app.live.seat().ok_or_else(|| {
        let message = "too many pages listen already; close some";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, message)
    })?;
    let news = app.live.listen();
    let mut first = app.live.now();
    first.reverse();
    let listener = Listener {
        first,
        news,
        path,
        _seat: seat,
    };
    let alive = KeepAlive::new().interval(KEEP_ALIVE);
    Ok(Sse::new(events(listener)).keep_alive(alive).into_response())
}

fn events(listener: Listener) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(listener, async |mut listener| {
        loop {
            let news = match listener.first.pop() {
                Some(news) => news,
                None => match listener.news.recv().await {
                    Ok(News::End) | Err(RecvError::Closed) => return None,
                    // Who was too slow hears the next that is said.
                    Err(RecvError::Lagged(_)) => continue,
                    Ok(news) => news,
                },
            };
            let News::Progress { path, text } = &news else {
                continue;
            };
            if listener.path.as_ref().is_none_or(|wanted| wanted == path) {
                let event = Event::default().event("progress").data(text.as_ref());
                return Some((Ok(event), listener));
            }
        }
    })
}
