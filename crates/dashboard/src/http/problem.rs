//! A request that gets no answer, and why.

use axum::body::Body;
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use maud::html;
use report::markup::text;

use super::respond;
use crate::pages::layout::{Place, page};
use crate::site::Site;

#[derive(Clone, Debug)]
pub struct Problem {
    pub status: StatusCode,
    pub message: String,
}

impl Problem {
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
        }
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, message)
    }

    /// A file of the audit that cannot be read or understood.
    pub fn broken(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    pub fn server(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }
}

impl Problem {
    /// The page that says so.
    pub fn page(&self, site: &Site) -> Response<Body> {
        let title = self.status.canonical_reason().unwrap_or("Problem");
        let body = html! {
            h1 { (title) }
            p class="problem" { (text(&self.message)) }
            p { a href=(site.to("/")) { "All audits" } }
        };
        respond::html(self.status, page(site, title, Place::Nowhere, &body))
    }
}

/// The guard, through which every answer goes, makes a page of it: here nobody knows where our links lead.
impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status;
        response.extensions_mut().insert(self);
        response
    }
}
