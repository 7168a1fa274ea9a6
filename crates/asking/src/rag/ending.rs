//! Why an answer ended, where the service says so.

use serde_json::Value;

/// Where services put the reason.
const PLACES: [&str; 10] = [
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
    let mut reasons = PLACES
        .iter()
        .filter_map(|place| json.pointer(place)?.as_str());
    reasons.any(|reason| LIMITS.contains(&reason.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
}
