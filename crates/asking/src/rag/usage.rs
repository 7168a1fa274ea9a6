//! What an answer cost, in tokens.

use serde::Serialize;
use serde_json::Value;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tokens {
    pub sent: u64,
    pub received: u64,
    /// Counted from characters, because the service did not say.
    pub estimated: bool,
}

impl Tokens {
    pub fn total(&self) -> u64 {
        self.sent.saturating_add(self.received)
    }

    /// About four characters make a token.
    pub(super) fn estimate(query: &str, answer: &str) -> Self {
        let tokens = |text: &str| (text.chars().count() as u64).div_ceil(4);
        Self {
            sent: tokens(query),
            received: tokens(answer),
            estimated: true,
        }
    }
}

/// Where services put their counts.
const PLACES: [&str; 6] = [
    "/usage",
    "/metadata/usage",
    "/response/usage",
    "/message/usage",
    "/metrics",
    "",
];
const NAMES: [(&str, &str); 3] = [
    ("prompt_tokens", "completion_tokens"),
    ("input_tokens", "output_tokens"),
    ("prompt_eval_count", "eval_count"),
];

/// The counts in an answer or an event, if there are any.
pub(super) fn usage(json: &Value) -> Option<Tokens> {
    PLACES.iter().find_map(|place| {
        let counts = json.pointer(place)?;
        NAMES.iter().find_map(|(sent, received)| {
            let count = |name: &str| counts.get(name).and_then(Value::as_u64);
            let (sent, received) = (count(sent), count(received));
            (sent.is_some() || received.is_some()).then_some(Tokens {
                sent: sent.unwrap_or_default(),
                received: received.unwrap_or_default(),
                estimated: false,
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn counts_are_found_where_services_put_them() {
        let found = |json: Value| usage(&json).map(|tokens| (tokens.sent, tokens.received));
        let openai = json!({"usage": {"prompt_tokens": 7, "completion_tokens": 3}});
        assert_eq!(found(openai), Some((7, 3)));
        let ollama = json!({"done": true, "prompt_eval_count": 9, "eval_count": 2});
        assert_eq!(found(ollama), Some((9, 2)));
        let dify = json!({"metadata": {"usage": {"prompt_tokens": 1, "completion_tokens": 4}}});
        assert_eq!(found(dify), Some((1, 4)));
        assert_eq!(found(json!({"usage": null})), None);
        assert_eq!(found(json!({"usage": {"prompt_tokens": "many"}})), None);
        assert_eq!(Tokens::estimate("abcde", "世界").total(), 3);
    }
}
