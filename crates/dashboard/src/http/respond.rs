//! Answers of the few kinds there are.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};

/// What pages of ours may do: load our own script and style, speak to us, nothing else.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

pub fn html(status: StatusCode, text: String) -> Response<Body> {
    typed(status, "text/html; charset=utf-8", text)
}

pub fn typed(status: StatusCode, kind: &'static str, text: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(text.into());
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// Sends the visitor to another page of ours.
pub fn see_other(place: &str) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let place = HeaderValue::from_str(place).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(header::LOCATION, place);
    response
}

/// Headers that every answer has.
pub fn protect(response: &mut Response<Body>) {
    let headers = response.headers_mut();
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Nothing is told to other sites. Within ours, browsers would hide a form's origin under no-referrer.
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let policy = HeaderValue::from_static(POLICY);
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(policy);
    let alone = HeaderValue::from_static("same-origin");
    headers.insert("cross-origin-resource-policy", alone.clone());
    headers.insert("cross-origin-opener-policy", alone);
}
