//! The routes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, Response, StatusCode, header};
use serde_json::json;

use super::problem::{Problem, json_response};
use super::protocol::{Heading, MODEL, PLAIN, Request};
use super::{BODY_LIMIT, Shared, stream};

static ANSWERS: AtomicU64 = AtomicU64::new(1);

pub async fn complete(
    State(shared): State<Shared>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response<Body>, Problem> {
    check_key(&shared, &headers)?;
    let body = body.map_err(|error| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::too_large(BODY_LIMIT),
        _ => Problem::bad_request("invalid_body", format!("the body cannot be read: {error}")),
    })?;
    let mut request = Request::read(&body)?;
    let ask = request.ask()?;
    let heading = Heading {
        id: format!("chatcmpl-{}", ANSWERS.fetch_add(1, Ordering::Relaxed)),
        created: seconds(),
        model: request.model,
    };
    let turn = shared.turns.clone().acquire_owned().await;
    let turn = turn.map_err(|_| Problem::server("the server is stopping"))?;
    if request.stream {
        return Ok(stream::respond(shared.service, ask, heading, turn));
    }
    let work = move || {
        let _turn = turn;
        let answer = shared.service.answer(&ask)?;
        match answer.by_status {
            true => Err(Problem::no_answer()),
            false => Ok(heading.whole(&answer)),
        }
    };
    let done = tokio::task::spawn_blocking(work).await;
    let answer = done.map_err(|_| Problem::server("the answer could not be computed"))??;
    Ok(json_response(StatusCode::OK, &answer))
}

pub async fn models(
    State(shared): State<Shared>,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    check_key(&shared, &headers)?;
    let model =
        |id: String| json!({"id": id, "object": "model", "created": 0, "owned_by": "guestlist"});
    let models = [model(MODEL.to_owned()), model(format!("{MODEL}{PLAIN}"))];
    Ok(json_response(
        StatusCode::OK,
        &json!({"object": "list", "data": models}),
    ))
}

pub async fn health(State(shared): State<Shared>) -> Response<Body> {
    let documents = shared.service.index().documents().len();
    let body =
        json!({"status": "ok", "documents": documents, "generator": shared.service.generator()});
    json_response(StatusCode::OK, &body)
}

fn check_key(shared: &Shared, headers: &HeaderMap) -> Result<(), Problem> {
    let Some(key) = &shared.key else {
        return Ok(());
    };
    let given = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
    match given {
        Some(given) if same(given, key.as_bytes()) => Ok(()),
        _ => Err(Problem::wrong_key()),
    }
}

/// Compares every byte, so that the time it takes does not tell how many are right.
fn same(left: &[u8], right: &[u8]) -> bool {
    let differing = left.iter().zip(right).fold(0, |sum, (a, b)| sum | (a ^ b));
    left.len() == right.len() && differing == 0
}

fn seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
