use attacks::signals::probes::*;
use proptest::prelude::*;

use super::*;

fn source() -> impl Strategy<Value = SourceShown> {
    let part = || prop::option::of(".{0,8}");
    let parts = (part(), part(), part());
    let parts = parts.prop_filter("at least one", |(id, title, text)| {
        id.is_some() || title.is_some() || text.is_some()
    });
    parts.prop_map(|(id, title, text)| SourceShown {
        id: id.map(Into::into),
        title: title.map(Into::into),
        text: text.map(Into::into),
    })
}

fn expected() -> impl Strategy<Value = Expected> {
    let words = || prop::collection::vec(".{0,6}", 0..3);
    prop_oneof![
        Just(Expected::Nothing),
        Just(Expected::Yes),
        Just(Expected::No),
        words().prop_map(Expected::Fact),
        words().prop_map(Expected::Masks),
    ]
}

fn reply() -> impl Strategy<Value = Reply> {
    let sources = || prop::collection::vec(source(), 0..3);
    let rest = (
        0.0..1e3,
        prop::option::of("[a-z_]{1,9}"),
        any::<[bool; 2]>(),
        prop::option::of(0.0..1e9),
    );
    let beside = (sources(), metadata());
    (".{0,20}", sources(), sources(), beside, rest).prop_map(
        |(
            answer,
            citations,
            retrieved,
            (asides, metadata),
            (seconds, blocked, cut, perplexity),
        )| {
            Reply {
                answer: answer.into(),
                citations,
                retrieved,
                asides,
                metadata,
                seconds,
                blocked,
                cut_short: cut[0],
                shortened: cut[1],
                perplexity,
            }
        },
    )
}

fn metadata() -> impl Strategy<Value = Metadata> {
    let words = prop::collection::vec((".{0,5}", ".{0,5}"), 0..3);
    let numbers = prop::collection::vec((".{0,5}", any::<f64>()), 0..3);
    (words, numbers).prop_map(|(words, numbers)| {
        let words = words.iter();
        let numbers = numbers.iter();
        Metadata::new(
            words.map(|(place, word)| (place.as_str(), word.as_str())),
            numbers.map(|(place, number)| (place.as_str(), *number)),
        )
    })
}

fn document(number: usize) -> impl Strategy<Value = (Document, Option<bool>)> {
    let question = (".{1,9}", any::<bool>());
    let question = question.prop_map(|(question, yes)| YesNoQuestion { question, yes });
    let parts = (
        ".{0,20}",
        prop::option::of(".{0,9}"),
        prop::collection::vec(question, 0..3),
        prop::option::of(".{0,9}"),
    );
    (parts, any::<Option<bool>>()).prop_map(move |((text, title, questions, about), member)| {
        let document = Document {
            id: format!("d {number} \"é"),
            title,
            text,
            questions,
            about,
            ..Document::default()
        };
        (document, member)
    })
}

fn recorded(documents: usize) -> impl Strategy<Value = Recorded> {
    let probe = ("[a-z-]{0,9}", 0..9_usize, ".{0,20}", expected());
    let probe = probe.prop_map(|(strategy, variation, query, expected)| Probe {
        strategy,
        variation,
        query,
        expected,
    });
    let arm = prop::sample::select(vec![Arm::Retrieval, Arm::NoRetrieval]);
    let heard = prop_oneof![
        reply().prop_map(|reply| (Some(reply), None)),
        ".{0,9}".prop_map(|error| (None, Some(error))),
        Just((None, None)),
    ];
    (0..documents, arm, 0..4_u32, probe, heard).prop_map(
        |(document, arm, repeat, probe, (reply, error))| Recorded {
            document,
            arm,
            repeat,
            exchange: Exchange {
                probe: probe.into(),
                reply: reply.map(Into::into),
            },
            error,
        },
    )
}

fn transcript() -> impl Strategy<Value = Transcript> {
    (1..5_usize).prop_flat_map(|documents| {
        let described: Vec<_> = (0..documents).map(document).collect();
        let exchanges = prop::collection::vec(recorded(documents), 0..8);
        (described, exchanges).prop_map(|(documents, exchanges)| Transcript {
            documents,
            exchanges,
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_written_is_read(transcript in transcript(), packed in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let name = if packed { "t.jsonl.gz" } else { "t.jsonl" };
        let path = folder.path().join(name);
        write(&path, &transcript).unwrap();
        prop_assert_eq!(read(&path).unwrap(), transcript);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        std::fs::write(&path, bytes).unwrap();
        let _ = read(&path);
    }
}

/// A transcript as it was written before sources had numbers reads the same.
#[test]
fn a_source_is_written_once_and_read_wherever_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    let passage = SourceShown {
        id: Some("17".into()),
        title: None,
        text: Some("Thicker asphalt lowered the stress range.".into()),
    };
    let named = SourceShown {
        id: Some("18".into()),
        ..SourceShown::default()
    };
    let reply = |citations: Vec<SourceShown>| Reply {
        answer: "Yes.".into(),
        retrieved: vec![passage.clone()],
        citations,
        ..Reply::default()
    };
    let recorded = |reply: Reply| Recorded {
        document: 0,
        arm: Arm::Retrieval,
        repeat: 0,
        exchange: Exchange {
            probe: Probe {
                strategy: "facts".into(),
                variation: 0,
                query: "What?".into(),
                expected: Expected::Nothing,
            }
            .into(),
            reply: Some(reply.into()),
        },
        error: None,
    };
    let whole = Transcript {
        documents: vec![(
            Document {
                id: "a".into(),
                ..Document::default()
            },
            Some(true),
        )],
        exchanges: vec![
            recorded(reply(vec![named.clone(), passage.clone()])),
            recorded(reply(vec![passage.clone(), named])),
        ],
    };
    write(&path, &whole).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches("asphalt").count(), 1, "{text}");
    assert_eq!(read(&path).unwrap(), whole);
    let plain = text.replace("{\"number\":1}", &serde_json::to_string(&passage).unwrap());
    assert_eq!(
        read_text(&plain.replace("\"number\":1,", "")).unwrap(),
        whole
    );
    // Without the row that describes it nobody knows what it is.
    let rest = text.lines().nth(1).unwrap();
    let error = read_text(rest).unwrap_err().to_string();
    assert!(
        error.contains("row 1: names source 1, which no row before it"),
        "{error}"
    );
}

fn read_text(text: &str) -> crate::Result<Transcript> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    std::fs::write(&path, text).unwrap();
    read(&path)
}

#[test]
fn other_peoples_spellings_are_read() {
    let read = read_text(
        r#"{"doc_id": 7, "member": 1, "strategy": "their-own", "query": "q?", "answer": "Yes.",
            "citations": ["a.md", {"document_id": "d", "content": "c", "score": 0.5}],
            "expected": "yes", "retrieval": false, "model": "ignored"}
           {"id": "8", "query": "q", "answer": "x", "expected": "Paris", "text": "long text"}
           {"document": "8", "member": false, "query": "q", "error": "timed out"}"#
            .replace("\n            ", " ")
            .as_str(),
    )
    .unwrap();
    assert_eq!(read.documents[0].0.id, "7");
    assert_eq!(read.documents[0].1, Some(true));
    assert_eq!(read.documents[1].1, Some(false));
    assert_eq!(read.documents[1].0.text, "long text");
    let first = &read.exchanges[0];
    assert_eq!(first.arm, Arm::NoRetrieval);
    assert_eq!(first.exchange.probe.strategy, "their-own");
    assert_eq!(first.exchange.probe.expected, Expected::Yes);
    let citations = &first.exchange.reply.as_deref().unwrap().citations;
    assert_eq!(citations[0].id.as_deref(), Some("a.md"));
    assert_eq!(citations[1].id.as_deref(), Some("d"));
    assert_eq!(citations[1].text.as_deref(), Some("c"));
    let fact = Expected::Fact(vec!["Paris".into()]);
    assert_eq!(read.exchanges[1].exchange.probe.expected, fact);
    assert_eq!(read.exchanges[2].exchange.reply, None);
    assert_eq!(read.exchanges[2].error.as_deref(), Some("timed out"));
}

#[test]
fn sources_of_an_exchange_are_its_citations() {
    let read = read_text(
        r#"{"id": "8", "query": "q", "answer": "x", "sources": [["a.md", 0.5]], "citations": []}"#,
    );
    let read = read.unwrap();
    let reply = read.exchanges[0].exchange.reply.as_deref().unwrap();
    assert_eq!(reply.citations[0].id.as_deref(), Some("a.md"));
}

fn answered(line: &str, target: serde_json::Value) -> crate::Result<Vec<Answered>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.jsonl");
    std::fs::write(&path, line).unwrap();
    answers(&path, &serde_json::from_value(target).unwrap())
}

#[test]
fn answers_to_questions_show_sources_as_those_of_a_program_do() {
    use serde_json::json;

    let shown = |fields: &str, target| -> Vec<String> {
        let line = format!(r#"{{"id": "1", "question": "q", "answer": "x", {fields}}}"#);
        let rows = answered(&line, target).unwrap();
        let crate::rag::Outcome::Answered(reply) = &rows[0].outcome else {
            panic!("{:?}", rows[0].outcome);
        };
        let ids = reply
            .citations
            .iter()
            .filter_map(|source| source.id.as_ref());
        ids.map(|id| id.to_string()).collect()
    };
    let elsewhere = || json!({"elsewhere": true});
    for fields in [
        r#""sources": {"documents": [{"id": "a"}]}"#,
        r#""references": ["a"]"#,
        r#""sources": [], "citations": [[{"id": "a"}, 0.5]]"#,
        r#""sources": [{"id": "a", "title": null}]"#,
    ] {
        assert_eq!(shown(fields, elsewhere()), ["a"], "{fields}");
    }
    let odd = r#""sources": [{"number": "a", "score": 1}]"#;
    assert_eq!(
        shown(
            odd,
            json!({"elsewhere": true, "extract": {"source_id": "$.number"}})
        ),
        ["a"]
    );
    let unread = r#"{"id": "1", "question": "q", "answer": "x", "sources": [{"score": 0.5}]}"#;
    let error = answered(unread, elsewhere()).err().unwrap().to_string();
    assert!(
        error.contains("row 1") && error.contains("source_id"),
        "{error}"
    );
    let none = answered(
        unread,
        json!({"elsewhere": true, "extract": {"citations": []}}),
    );
    assert!(none.is_ok());
}

#[test]
fn what_is_wrong_is_named_with_its_rows() {
    let refused = |text: &str| read_text(text).unwrap_err().to_string();
    let row = |member: bool| {
        format!(r#"{{"document": "a", "member": {member}, "query": "q", "answer": "x"}}"#)
    };
    let both = refused(&format!("{}\n\n{}\n", row(true), row(false)));
    assert!(both.contains("rows 1 and 3"), "{both}");
    for (text, words) in [
        ("", "holds no exchange"),
        ("{", "is a JSON document"),
        (r#"{"id": "a", "query""#, "row 1"),
        (r#"{"query": "q", "answer": "x"}"#, "names no document"),
        (r#"{"id": "a", "query": "q"}"#, "neither answer nor error"),
        (r#"{"id": "a", "answer": "x"}"#, "no query"),
        (
            r#"{"id": "a", "query": "q", "answer": "x", "member": 3}"#,
            "member is 3",
        ),
        (
            r#"{"id": "a", "query": "q", "answer": "x", "seconds": -1}"#,
            "seconds is -1",
        ),
        (
            r#"{"id": "a", "query": "q", "answer": "x", "expected": {"odd": 1}}"#,
            "expected is",
        ),
        (
            r#"{"id": "a", "query": "q", "answer": "x", "citations": [{"score": 0.5}]}"#,
            "none can be read",
        ),
        (
            "{\"id\":\"a\",\"text\":\"x\"}\n{\"id\":\"a\",\"text\":\"y\"}",
            "rows 1 and 2 have different texts",
        ),
    ] {
        let refused = refused(text);
        assert!(refused.contains(words), "{text}: {refused}");
    }
}
