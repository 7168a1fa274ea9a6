//! Answers sent while they are written, as server-sent events.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Response, header};
use axum::response::IntoResponse;
use futures_util::stream::poll_fn;
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{self, UnboundedSender};

use super::problem::Problem;
use super::protocol::Heading;
use crate::service::{Ask, Service};

pub fn respond(
    service: Arc<Service>,
    ask: Ask,
    heading: Heading,
    turn: OwnedSemaphorePermit,
) -> Response<Body> {
    // An answer has an end, so its writer need not wait for a slow reader and keep others waiting.
    let (sender, mut receiver) = mpsc::unbounded_channel::<String>();
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        write(&service, &ask, &heading, &sender);
    });
    let events = poll_fn(move |context| {
        receiver
            .poll_recv(context)
            .map(|event| event.map(Ok::<_, Infallible>))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, Body::from_stream(events)).into_response()
}

fn write(service: &Service, ask: &Ask, heading: &Heading, sender: &UnboundedSender<String>) {
    // A reader that hung up needs no more words.
    let send = |value: &Value| match sender.send(format!("data: {value}\n\n")) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    if send(&heading.opening()).is_break() {
        return;
    }
    let by_status = service.refuses_by_status();
    let mut unsent = Vec::new();
    let answer = service.answer_in_pieces(ask, &mut |text| match by_status {
        true => {
            unsent.push(text.to_owned());
            ControlFlow::Continue(())
        }
        false => send(&heading.delta(text)),
    });
    if answer.as_ref().is_ok_and(|answer| !answer.by_status) {
        for text in &unsent {
            let _ = send(&heading.delta(text));
        }
    }
    let last = match answer {
        Ok(answer) if answer.by_status => Problem::no_answer().body(),
        Ok(answer) => heading.closing(&answer),
        Err(error) => Problem::from(error).body(),
    };
    if send(&last).is_continue() {
        let _ = sender.send("data: [DONE]\n\n".to_owned());
    }
}
