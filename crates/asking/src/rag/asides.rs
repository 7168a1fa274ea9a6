//! What services say beside their answers, wherever they put it: what it cost, why it ended, that
//! it was blocked; and thoughts, which are not the answer.

use serde_json::Value;

use crate::campaign::Tokens;

/// Where services put their counts.
const USAGE_PLACES: [&str; 6] = [
    "/usage",
    "/metadata/usage",
    "/response/usage",
    "/message/usage",
    "/metrics",
    "",
];
const USAGE_NAMES: [(&str, &str); 3] = [
    ("prompt_tokens", "completion_tokens"),
    ("input_tokens", "output_tokens"),
    ("prompt_eval_count", "eval_count"),
];

/// The counts in an answer or an event, if there are any.
pub(super) fn usage(json: &Value) -> Option<Tokens> {
    USAGE_PLACES.iter().find_map(|place| {
        let counts = json.pointer(place)?;
        USAGE_NAMES.iter().find_map(|(sent, received)| {
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

/// Where services put the reason.
const REASON_PLACES: [&str; 10] = [
    "/choices/0/finish_reason",
    "/choices/0/stop_reason",
    "/finish_reason",
    "/stop_reason",
    "/done_reason",
    "/delta/stop_reason",
    "/message/stop_reason",
    "/metadata/finish_reason",
    "/incomplete_details/reason",
    "/candidates/0/finishReason",
];
/// What they call their limit of tokens.
const LIMITS: [&str; 4] = ["length", "max_tokens", "max_output_tokens", "model_length"];

/// Whether an answer, or an event of one, says that it reached the limit of tokens.
pub(super) fn cut_short(json: &Value) -> bool {
    let mut reasons = REASON_PLACES
        .iter()
        .filter_map(|place| json.pointer(place)?.as_str());
    reasons.any(|reason| LIMITS.contains(&reason.to_lowercase().as_str()))
}

/// Reasons that are not an answer's natural end.
const BLOCKS: [&str; 8] = [
    "content_filter",
    "content-filter",
    "content_filtered",
    "safety",
    "blocked",
    "prohibited_content",
    "recitation",
    "guardrail_intervened",
];
/// Codes by which services refuse a question because of what it says.
const POLICIES: [&str; 2] = ["content_filter", "ResponsibleAIPolicyViolation"];

/// The policy that a refusal names.
pub(super) fn policy(body: &[u8]) -> Option<String> {
    let json: Value = serde_json::from_slice(body).ok()?;
    let places = [
        "/error/code",
        "/error/innererror/code",
        "/error/inner_error/code",
        "/code",
    ];
    let codes = places
        .iter()
        .filter_map(|place| json.pointer(place)?.as_str());
    let mut found = codes.filter(|code| POLICIES.contains(code));
    found.next().map(str::to_owned)
}

/// The reason for which an answer was blocked, among what stands where reasons stand.
pub(super) fn block(values: &[&Value]) -> Option<String> {
    values.iter().find_map(|value| match value {
        Value::Bool(true) => Some("blocked".to_owned()),
        Value::String(reason) if BLOCKS.contains(&reason.to_lowercase().as_str()) => {
            Some(reason.clone())
        }
        _ => None,
    })
}

const THOUGHTS: [&str; 3] = ["think", "thinking", "reasoning"];

/// The text without blocks such as `<think>…</think>`, and these. One that never ends takes the rest with it;
/// one that never begins, for some templates leave the beginning out, all before its end.
pub(super) fn without_reasoning(text: String) -> (String, String) {
    let mut thoughts = String::new();
    if !text.contains('<') {
        return (text, thoughts);
    }
    let mut text = text;
    for name in THOUGHTS {
        text = without(&text, name, &mut thoughts);
    }
    (text, thoughts)
}

fn without(text: &str, name: &str, thoughts: &mut String) -> String {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    // Tags are ASCII, so places in the one are places in the other.
    let lower = text.to_ascii_lowercase();
    let mut kept = String::new();
    let mut from = 0;
    let mut removed = false;
    loop {
        let start = lower[from..].find(&open).map(|at| from + at);
        let end = lower[from..].find(&close).map(|at| from + at);
        let (upto, next) = match (start, end) {
            (None, None) => break,
            (Some(start), None) => (start, text.len()),
            (Some(start), Some(end)) if start < end => (start, end + close.len()),
            (_, Some(end)) => (from, end + close.len()),
        };
        kept.push_str(&text[from..upto]);
        let opened = lower[upto..].starts_with(&open);
        let closed = lower[..next].ends_with(&close);
        let begin = upto + if opened { open.len() } else { 0 };
        let end = next - if closed { close.len() } else { 0 };
        thoughts.push_str(&text[begin..end]);
        thoughts.push('\n');
        from = next;
        removed = true;
    }
    kept.push_str(&text[from..]);
    match removed {
        true => kept.trim().to_owned(),
        false => kept,
    }
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

    #[test]
    fn every_way_to_say_that_the_limit_was_reached_is_read() {
        for json in [
            json!({"choices": [{"finish_reason": "length"}]}),
            json!({"done": true, "done_reason": "length"}),
            json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}),
            json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}),
            json!({"candidates": [{"finishReason": "MAX_TOKENS"}]}),
        ] {
            assert!(cut_short(&json), "{json}");
        }
        for json in [
            json!({"choices": [{"finish_reason": "stop"}]}),
            json!({"done_reason": "stop", "length": 7}),
            json!("length"),
        ] {
            assert!(!cut_short(&json), "{json}");
        }
    }

    #[test]
    fn thoughts_are_taken_out() {
        for (text, wanted, thoughts) in [
            ("plain < text", "plain < text", ""),
            ("<think>hm\nhm</think>\n\nYes.", "Yes.", "hm\nhm\n"),
            ("a <THINK>b</Think> c <think>d</think>", "a  c", "b\nd\n"),
            ("hm</think> No.", "No.", "hm\n"),
            ("Yes. <think>never ends", "Yes.", "never ends\n"),
            (
                "<thinking>x</thinking><reasoning>y</reasoning>z",
                "z",
                "x\ny\n",
            ),
            ("<think></think>", "", "\n"),
            ("é<think>世</think>é", "éé", "世\n"),
        ] {
            let (kept, thought) = without_reasoning(text.into());
            assert_eq!(
                (kept.as_str(), thought.as_str()),
                (wanted, thoughts),
                "{text}"
            );
        }
    }
}
