//! Answers that cannot be read: why, with their beginning, and what to do.

use crate::http::fault::FaultKind;
use crate::http::words::quote;
use crate::{Error, ErrorKind};

/// An answer that came and cannot be read.
#[derive(Debug)]
pub(super) struct Unreadable {
    pub kind: FaultKind,
    pub error: Error,
}

pub(super) fn unreadable(kind: FaultKind, message: String, body: &[u8]) -> Unreadable {
    let message = format!("{message}; it begins “{}”", quote(body));
    Unreadable {
        kind,
        error: Error::new(ErrorKind::Server, message)
            .hint("look at the service's log; run again to ask anew: what came is kept"),
    }
}

pub(super) fn cut_off(why: &str, body: &[u8]) -> Unreadable {
    unreadable(FaultKind::Cut, why.to_owned(), body)
}

pub(super) fn schema(message: String, body: &[u8]) -> Unreadable {
    let mut unreadable = unreadable(FaultKind::Schema, message, body);
    unreadable.error = unreadable.error.hint(
        "mend the path under [target.extract], or look at what the service says; answers that \
         came are kept and read anew",
    );
    unreadable
}

pub(super) fn not_json(error: &serde_json::Error, body: &[u8]) -> Unreadable {
    let page = body.trim_ascii_start().starts_with(b"<");
    let stream = body.trim_ascii_start().starts_with(b"data:");
    let mut unreadable = unreadable(
        FaultKind::NotJson,
        format!("the answer is not JSON ({error})"),
        body,
    );
    unreadable.error = unreadable.error.hint(match (page, stream) {
        (true, _) => "this is a page for people: check target.url, and proxies on the way",
        (_, true) => "this is a stream of events: set stream = \"sse\" and extract.delta",
        _ => "the answer may be cut off: look at the service's log and at time limits on the way",
    });
    unreadable
}
