//! The script and the style of our pages: files, so that nothing inline need be allowed.

use axum::body::Body;
use axum::http::{Response, StatusCode};

use super::respond::typed;

pub async fn script() -> Response<Body> {
    let text = include_str!("../assets/dashboard.js");
    typed(StatusCode::OK, "text/javascript; charset=utf-8", text)
}

pub async fn style() -> Response<Body> {
    let own = include_str!("../assets/dashboard.css");
    // Only within figures: pages use some of the same words.
    let sheet = own.to_owned() + &report::figures::style("svg.figure ");
    typed(StatusCode::OK, "text/css; charset=utf-8", sheet)
}
