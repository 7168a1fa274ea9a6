//! What went wrong, in the shape that clients of OpenAI know.

use axum::body::Body;
use axum::http::{Response, StatusCode, header};
use axum::response::IntoResponse;
use serde_json::{Value, json};

use crate::{Error, ErrorKind};

/// A request that gets no answer.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    message: String,
    kind: &'static str,
    code: &'static str,
}

impl Problem {
    pub fn bad_request(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            message: message.into(),
            kind: "invalid_request_error",
            code,
        }
    }

    pub fn too_large(most: usize) -> Self {
        let message = format!("the request has more than {most} bytes; ask with a shorter text");
        Self {
            status: StatusCode::PAYLOAD_TOO_LARGE,
            ..Self::bad_request("request_too_large", message)
        }
    }

    pub fn wrong_key() -> Self {
        Self {
            status: StatusCode::UNAUTHORIZED,
            kind: "authentication_error",
            ..Self::bad_request(
                "invalid_api_key",
                "the key is missing or wrong; send Authorization: Bearer and the server's key",
            )
        }
    }

    pub fn no_such_route() -> Self {
        let message = "there is nothing here; ask /v1/chat/completions, /v1/models or /health";
        Self {
            status: StatusCode::NOT_FOUND,
            ..Self::bad_request("not_found", message)
        }
    }

    pub fn wrong_method() -> Self {
        let message = "this address takes another method: POST /v1/chat/completions, GET /v1/models, GET /health";
        Self {
            status: StatusCode::METHOD_NOT_ALLOWED,
            ..Self::bad_request("method_not_allowed", message)
        }
    }

    /// One and the same for all that is refused or not known.
    pub fn no_answer() -> Self {
        Self {
            status: StatusCode::FORBIDDEN,
            kind: "content_filter",
            ..Self::bad_request("content_filter", "no answer is given to this")
        }
    }

    pub fn server(message: impl Into<String>) -> Self {
        Self {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            kind: "server_error",
            ..Self::bad_request("server_error", message)
        }
    }

    pub fn body(&self) -> Value {
        json!({"error": {"message": self.message, "type": self.kind, "code": self.code}})
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error.kind {
            ErrorKind::Setting => Self::bad_request("invalid_value", error.to_string()),
            _ => Self::server(error.to_string()),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        json_response(self.status, &self.body())
    }
}

pub fn json_response(status: StatusCode, body: &Value) -> Response<Body> {
    (
        status,
        [(header::CONTENT_TYPE, "application/json")],
        body.to_string(),
    )
        .into_response()
}
