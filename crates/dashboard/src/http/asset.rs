//! The script and the style of our pages: files, so that nothing inline need be allowed.

use axum::body::Body;
use axum::http::{Response, StatusCode};

use super::respond::typed;

pub async fn script() -> Response<Body> {
    let text = include_str!("../assets/dashboard.js");
    typed(StatusCode::OK, "text/javascript; charset=utf-8", text)
}

pub async fn style() -> Response<Body> {
    let text = include_str!("../assets/dashboard.css");
    typed(StatusCode::OK, "text/css; charset=utf-8", text)
}
