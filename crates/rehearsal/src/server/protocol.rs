//! Requests read and answers written, as JSON.

use serde::Deserialize;
use serde_json::{Value, json};

use super::problem::Problem;
use crate::generate::{Message, Role};
use crate::service::{Answer, Ask, Shown};

/// The name of the service as a model.
pub const MODEL: &str = "guestlist-rag";

/// A model of this ending is the service without its store.
pub const PLAIN: &str = "-plain";

/// What a request says. Fields that are not here are for other servers.
#[derive(Deserialize)]
pub struct Request {
    #[serde(default = "model")]
    pub model: String,
    messages: Option<Vec<Received>>,
    #[serde(default)]
    pub stream: bool,
    max_tokens: Option<usize>,
    max_completion_tokens: Option<usize>,
    temperature: Option<f32>,
    retrieval: Option<bool>,
    top_k: Option<usize>,
}

fn model() -> String {
    MODEL.to_owned()
}

#[derive(Deserialize)]
struct Received {
    role: String,
    content: Content,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    text: String,
}

impl Request {
    pub fn read(body: &[u8]) -> Result<Self, Problem> {
        serde_json::from_slice(body).map_err(|error| {
            let message = format!(
                "the body is not a request: {error}; send JSON such as \
                 {{\"messages\":[{{\"role\":\"user\",\"content\":\"…\"}}]}}"
            );
            Problem::bad_request("invalid_json", message)
        })
    }

    pub fn ask(&mut self) -> Result<Ask, Problem> {
        let heard = self.messages.take().filter(|messages| !messages.is_empty());
        let heard = heard.ok_or_else(|| {
            let message = "messages is missing or empty; send at least one with the role user";
            Problem::bad_request("missing_messages", message)
        })?;
        let temperature = self.temperature.unwrap_or(0.0);
        if !(0.0..=2.0).contains(&temperature) {
            let message = format!("temperature is {temperature}; it must be from 0 to 2");
            return Err(Problem::bad_request("invalid_value", message));
        }
        Ok(Ask {
            messages: heard.into_iter().map(message).collect::<Result<_, _>>()?,
            retrieval: self.retrieval.unwrap_or(true) && !self.model.ends_with(PLAIN),
            top_k: self.top_k,
            max_tokens: self.max_completion_tokens.or(self.max_tokens),
            temperature,
        })
    }
}

fn message(heard: Received) -> Result<Message, Problem> {
    let role = match heard.role.as_str() {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        other => {
            let message = format!("the role {other:?} is unknown; use system, user or assistant");
            return Err(Problem::bad_request("invalid_value", message));
        }
    };
    let content = match heard.content {
        Content::Text(text) => text,
        Content::Parts(parts) => parts.into_iter().map(|part| part.text).collect(),
    };
    Ok(Message { role, content })
}

/// What heads every answer or piece of one.
pub struct Heading {
    pub id: String,
    pub created: u64,
    pub model: String,
}

impl Heading {
    fn body(&self, object: &str, choice: &Value) -> Value {
        json!({
            "id": self.id, "object": object, "created": self.created, "model": self.model,
            "choices": [choice],
        })
    }

    /// An answer as a whole.
    pub fn whole(&self, answer: &Answer) -> Value {
        let choice = json!({
            "index": 0,
            "message": {"role": "assistant", "content": answer.text},
            "finish_reason": finish(answer),
        });
        let mut body = self.body("chat.completion", &choice);
        append(&mut body, answer);
        body
    }

    /// The first piece of an answer, which says who speaks.
    pub fn opening(&self) -> Value {
        self.piece(&json!({"role": "assistant", "content": ""}), None)
    }

    pub fn delta(&self, text: &str) -> Value {
        self.piece(&json!({"content": text}), None)
    }

    /// The last piece, with everything but the words.
    pub fn closing(&self, answer: &Answer) -> Value {
        let mut body = self.piece(&json!({}), Some(finish(answer)));
        append(&mut body, answer);
        body
    }

    fn piece(&self, delta: &Value, finish: Option<&str>) -> Value {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        self.body("chat.completion.chunk", &choice)
    }
}

fn finish(answer: &Answer) -> &'static str {
    match answer {
        Answer {
            refused_by: Some(_),
            ..
        } => "content_filter",
        Answer { cut: true, .. } => "length",
        _ => "stop",
    }
}

fn append(body: &mut Value, answer: &Answer) {
    let usage = answer.usage;
    body["usage"] = json!({
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.written_tokens,
        "total_tokens": usage.prompt_tokens + usage.written_tokens,
    });
    body["citations"] = answer.citations.iter().map(citation).collect();
    body["retrieved"] = answer.retrieved.iter().map(retrieved).collect();
}

fn citation(shown: &Shown) -> Value {
    json!({"id": shown.id, "title": shown.title, "text": shown.text})
}

fn retrieved(shown: &Shown) -> Value {
    json!({"id": shown.id, "title": shown.title, "score": shown.score, "text": shown.text})
}
