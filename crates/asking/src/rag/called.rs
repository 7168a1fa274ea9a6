//! Asking without HTTP: somebody who is called, be it a function or a program that was started for it.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use attacks::signals::probes::Arm;
use serde_json::json;
use tokio::sync::oneshot;

use super::client::{LARGEST, ShownRequest};
use super::settings::{ExtractSettings, OneOrMore, TargetSettings};
use super::sources::usual_path;
use crate::campaign::{Attempt, FailureKind, Fault, PreparedRequest};
use crate::http::client::{timed_out, too_large};
use crate::http::printable::printable;
use crate::http::secret::masked;
use crate::store::Answer;
use crate::{Error, ErrorKind};

/// How much of what somebody says of a failure is told.
const MOST_WORDS: usize = 2000;

/// Who answers. An answer is JSON: `{"answer": …, "sources": […]}`.
pub trait Callee: Send + Sync {
    /// For people, such as `the function ask`.
    fn about(&self) -> String;

    /// What stands in the place of an address in the store: answers of another are not taken for its own.
    fn address(&self) -> String;

    /// Takes a question. What becomes of it is told to the call, from any thread; one that is dropped
    /// counts as lost.
    fn put(&self, call: Call);

    /// What he said to nobody, which may explain why an answer did not come.
    fn remark(&self) -> Option<String> {
        None
    }
}

/// A question that waits for its answer.
pub struct Call {
    query: String,
    said: oneshot::Sender<Result<Vec<u8>, Trouble>>,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub struct Trouble {
    pub kind: FailureKind,
    pub message: String,
    pub hint: String,
    /// Whether asking again may help.
    pub passing: bool,
}

impl Call {
    pub fn query(&self) -> &str {
        &self.query
    }

    /// Whether somebody still waits for the answer.
    pub fn is_awaited(&self) -> bool {
        !self.said.is_closed()
    }

    /// What was said, as it came.
    pub fn answer(self, body: Vec<u8>) {
        // Nobody may wait any more: its time was up.
        let _ = self.said.send(Ok(body));
    }

    pub fn fail(self, trouble: Trouble) {
        let _ = self.said.send(Err(trouble));
    }
}

/// One arm of somebody who is called.
pub(super) struct Called {
    pub callee: Arc<dyn Callee>,
    pub arm: Arm,
    pub timeout: Duration,
}

impl Called {
    pub fn prepare(&self, query: &str, repeat: u32) -> PreparedRequest {
        let request = json!({"arm": self.arm, "query": query, "repeat": repeat});
        let request = request.to_string().into_bytes();
        PreparedRequest::new("rag", self.callee.address(), None, request)
    }

    pub async fn send(&self, query: &str) -> Attempt<Answer> {
        let (said, answer) = oneshot::channel();
        let begun = Instant::now();
        self.callee.put(Call {
            query: query.to_owned(),
            said,
        });
        let said = tokio::time::timeout(self.timeout, answer).await;
        let said = said.map_err(|_| self.late())?;
        let said = said.map_err(|_| self.lost())?;
        let body = said.map_err(|trouble| self.told(trouble))?;
        if body.len() > LARGEST {
            return Err(too_large(&self.callee.about(), LARGEST));
        }
        Ok(Answer {
            status: 200,
            body,
            received: SystemTime::now(),
            seconds: Some(begun.elapsed().as_secs_f64()),
            headers: Vec::new(),
        })
    }

    pub fn shown(&self, query: &str) -> ShownRequest {
        ShownRequest {
            method: "ask".to_owned(),
            url: self.callee.address(),
            headers: Vec::new(),
            body: query.as_bytes().to_vec(),
        }
    }

    /// What somebody says of a failure is quoted, never trusted, and may hold keys of his. His own name
    /// may be as long as one.
    fn told(&self, trouble: Trouble) -> Fault {
        let about = self.callee.about();
        let message = quoted(&trouble.message, &about);
        let error = Error::new(ErrorKind::Server, message).hint(trouble.hint);
        Fault::new(trouble.kind, error, trouble.passing)
    }

    fn late(&self) -> Fault {
        let mut fault = timed_out(&self.callee.about());
        if let Some(remark) = self.callee.remark() {
            let about = self.callee.about();
            fault.error.message += &format!("; {}", quoted(&remark, &about));
        }
        fault
    }

    fn lost(&self) -> Fault {
        let message = format!("{} did not answer", self.callee.about());
        let error = Error::new(ErrorKind::Server, message).hint("run again: what came is kept");
        Fault::new(FailureKind::Connection, error, true)
    }
}

fn quoted(message: &str, about: &str) -> String {
    let message: String = message.chars().take(4 * MOST_WORDS).collect();
    let parts: Vec<String> = message.split(about).map(masked).collect();
    printable(&parts.join(about), MOST_WORDS)
}

/// Where everything is in an answer, unless the target says otherwise.
pub(super) fn usual_settings() -> TargetSettings {
    let one = |path: &str| Some(OneOrMore::One(path.to_owned()));
    TargetSettings {
        extract: ExtractSettings {
            answer: one("$.answer"),
            citations: Some(OneOrMore::One(usual_path())),
            retrieved: one("$.retrieved"),
            blocked: one("$.blocked"),
            ..ExtractSettings::default()
        },
        ..TargetSettings::default()
    }
}
