//! Streams, cut anywhere on their way.

use std::time::Duration;

use asking::rag::{FailureKind, TransportSettings};
use proptest::prelude::*;

use super::*;
use crate::fake::{Fake, Reply};

fn streaming(url: &str, stream: &str) -> Value {
    json!({
        "url": url, "body": {"query": "{{query}}"}, "stream": stream,
        "extract": {"delta": "$.delta", "citations": "$.sources", "answer": "$.answer"},
    })
}

const SSE: &str = ": hello\r\n\r\ndata: {\"delta\": \"Grü\"}\r\n\r\nevent: token\ndata: {\"delta\":\ndata: \
                   \"ße 世\"}\n\ndata: {\"sources\": [\"a.md\"]}\n\ndata: {\"delta\": \"界\", \
                   \"sources\": [\"a.md\", \"b.md\"]}\n\ndata: [DONE]\n\n";
const NDJSON: &str = "{\"delta\": \"Grü\"}\n{\"delta\": \"ße 世\", \"sources\": [\"a.md\"]}\r\n\n\
                      {\"delta\": \"界\", \"sources\": [\"b.md\"], \"done\": true}\n";

fn pieces(body: &str, cuts: &[usize]) -> Vec<Vec<u8>> {
    let bytes = body.as_bytes();
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % bytes.len()).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.dedup();
    places
        .windows(2)
        .map(|pair| bytes[pair[0]..pair[1]].to_vec())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn wherever_pieces_end_the_answer_is_the_same(
        cuts in prop::collection::vec(any::<usize>(), 0..12),
        lines in any::<bool>(),
    ) {
        let (body, stream) = if lines { (NDJSON, "ndjson") } else { (SSE, "sse") };
        let pieces = pieces(body, &cuts);
        let fake = Fake::start(move |_| Reply::Pieces(pieces.clone(), Duration::ZERO, true));
        let target = service(streaming(&fake.url, stream), &transport());
        let reply = target.probe("q", Arm::Retrieval).unwrap().reply.unwrap();
        prop_assert_eq!(reply.answer, "Grüße 世界");
        let ids: Vec<_> = reply.citations.iter().filter_map(|c| c.id.as_deref()).collect();
        prop_assert_eq!(ids, ["a.md", "b.md"]);
    }
}

#[test]
fn thoughts_that_come_in_pieces_stand_beside_the_answer() {
    let body = "data: {\"model\": \"m\", \"thought\": \"The passage says \"}\n\n\
                data: {\"model\": \"m\", \"thought\": \"that it is so.\"}\n\n\
                data: {\"model\": \"m\", \"delta\": \"I don't \"}\n\n\
                data: {\"model\": \"m\", \"delta\": \"know.\", \"end\": \"stop\"}\n\ndata: [DONE]\n\n";
    let fake = Fake::start(move |_| Reply::text(200, body));
    let target = service(streaming(&fake.url, "sse"), &transport());
    let reply = target.probe("q", Arm::Retrieval).unwrap().reply.unwrap();
    assert_eq!(reply.answer, "I don't know.");
    let texts: Vec<_> = reply
        .asides
        .iter()
        .filter_map(|aside| aside.text.as_deref())
        .collect();
    assert_eq!(texts, ["The passage says that it is so."]);
    let words: Vec<_> = reply.metadata.words().collect();
    assert!(
        words.contains(&("$.end", "stop")) && words.contains(&("$.model", "m")),
        "{words:?}"
    );
}

/// What becomes of a question whose answer this is, after a first one that was right.
fn outcome(target: Value, good: &'static str, bad: fn() -> Reply) -> Outcome {
    let fake = Fake::start(move |request: &Request| match request.number {
        0 => Reply::text(200, good),
        _ => bad(),
    });
    let (_folder, store) = store();
    let brief = TransportSettings {
        retries: 0,
        timeout: 0.6,
        ..transport()
    };
    let target: Value =
        serde_json::from_str(&target.to_string().replace("URL", &fake.url)).unwrap();
    let target = service(target, &brief);
    let asked = target
        .ask_all(&asks(2), &store, Watcher::default().progress())
        .unwrap();
    assert!(matches!(asked.outcomes[0], Outcome::Answered(_)));
    asked.outcomes[1].clone()
}

fn kind(outcome: Outcome) -> Option<FailureKind> {
    match outcome {
        Outcome::Failed { kind, .. } => Some(kind),
        _ => None,
    }
}

#[test]
fn a_stream_that_breaks_off_is_no_answer() {
    let sse = |bad| kind(outcome(streaming("URL", "sse"), SSE, bad));
    // The connection ends without the end of the transfer.
    let cut = || {
        Reply::Pieces(
            vec![b"data: {\"delta\": \"a\"}\n\n".to_vec()],
            Duration::ZERO,
            false,
        )
    };
    assert_eq!(sse(cut), Some(FailureKind::Cut));
    // The transfer ends in the middle of an event.
    assert_eq!(
        sse(|| Reply::text(200, "data: {\"delta\": \"a\"}\n\ndata: {\"de")),
        Some(FailureKind::Cut)
    );
    assert_eq!(sse(|| Reply::text(200, "")), Some(FailureKind::Cut));
    // Nothing more for longer than the timeout.
    let hanging = || {
        let piece = b"data: {\"delta\": \"a\"}\n\n".to_vec();
        Reply::Pieces(vec![piece], Duration::from_secs(3), true)
    };
    assert_eq!(sse(hanging), Some(FailureKind::Timeout));
    // The service itself says that it failed.
    let failed = || {
        Reply::text(
            200,
            "data: {\"delta\": \"a\"}\n\ndata: {\"error\": \"overloaded\"}\n\n",
        )
    };
    assert_eq!(sse(failed), Some(FailureKind::ServerError));
    let named = || Reply::text(200, "event: error\ndata: {\"message\": \"overloaded\"}\n\n");
    assert_eq!(sse(named), Some(FailureKind::ServerError));
    assert_eq!(
        sse(|| Reply::text(200, "data: {\"x\": 1}\n\n")),
        Some(FailureKind::Schema)
    );

    let lines = |bad| kind(outcome(streaming("URL", "ndjson"), NDJSON, bad));
    assert_eq!(
        lines(|| Reply::text(200, "{\"delta\": \"a\"}\n{\"del")),
        Some(FailureKind::Cut)
    );
    let open = || Reply::text(200, "{\"delta\": \"a\", \"done\": false}\n");
    assert_eq!(lines(open), Some(FailureKind::Cut));
    assert_eq!(
        lines(|| Reply::text(200, "{\"delta\": \"a\"}\n<html>\n{}\n")),
        Some(FailureKind::NotJson)
    );
}

#[test]
fn a_named_end_must_come() {
    let mut target = streaming("URL", "sse");
    target["extract"]["end"] = "[DONE]".into();
    let whole = || Reply::text(200, "data: {\"delta\": \"a\"}\n\n");
    assert_eq!(
        kind(outcome(target.clone(), SSE, whole)),
        Some(FailureKind::Cut)
    );
    target["extract"]["end"] = "$.last".into();
    let good = "data: {\"delta\": \"a\", \"last\": true}\n\n";
    assert_eq!(
        kind(outcome(target.clone(), good, whole)),
        Some(FailureKind::Cut)
    );
    let not_last = || Reply::text(200, "data: {\"delta\": \"a\", \"last\": false}\n\n");
    assert_eq!(
        kind(outcome(target, good, not_last)),
        Some(FailureKind::Cut)
    );
}

#[test]
fn a_slow_stream_may_take_longer_than_one_timeout() {
    let pieces: Vec<Vec<u8>> = (0..6)
        .map(|i| format!("data: {{\"delta\": \"{i}\"}}\n\n").into_bytes())
        .collect();
    let fake =
        Fake::start(move |_| Reply::Pieces(pieces.clone(), Duration::from_millis(200), true));
    let brief = TransportSettings {
        timeout: 0.8,
        ..transport()
    };
    let target = service(streaming(&fake.url, "sse"), &brief);
    let shown = target.probe("q", Arm::Retrieval).unwrap();
    assert_eq!(shown.reply.unwrap().answer, "012345");
}

#[test]
fn a_stream_that_stays_open_after_its_end_is_not_waited_for() {
    let fake = Fake::start(|_| {
        let body = b"data: {\"delta\": \"a\"}\n\ndata: [DONE]\n\n".to_vec();
        Reply::Pieces(vec![body], Duration::from_secs(4), false)
    });
    let brief = TransportSettings {
        timeout: 2.0,
        ..transport()
    };
    let target = service(streaming(&fake.url, "sse"), &brief);
    assert_eq!(
        target
            .probe("q", Arm::Retrieval)
            .unwrap()
            .reply
            .unwrap()
            .answer,
        "a"
    );
}

#[test]
fn the_answer_so_far_and_answers_in_one_piece() {
    let body = "data: {\"delta\": \"a\"}\n\ndata: {\"delta\": \"ab\"}\n\ndata: {\"delta\": \"\"}\n\n\
                data:true\n\n";
    let fake = Fake::start(move |request: &Request| match request.query().as_str() {
        "whole" => Reply::json(&json!({"answer": "in one"})),
        _ => Reply::text(200, body),
    });
    let mut target = streaming(&fake.url, "sse");
    target["stream_text"] = "cumulative".into();
    let target = service(target, &transport());
    let answer = |query| {
        target
            .probe(query, Arm::Retrieval)
            .unwrap()
            .reply
            .unwrap()
            .answer
    };
    assert_eq!(answer("q"), "ab");
    assert_eq!(answer("whole"), "in one");
}
