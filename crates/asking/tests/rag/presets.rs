//! Every preset against an answer of the shape that its platform's documentation shows.

use super::*;
use crate::fake::{Fake, Reply};

struct Case {
    preset: &'static str,
    values: Value,
    /// Changes to the target, for streams.
    more: Value,
    answer: &'static str,
    /// Where the question goes, and on what path.
    place: &'static str,
    path: &'static str,
    wanted: &'static str,
    citations: &'static [&'static str],
    retrieved: usize,
}

/// Asks, and returns the request that was sent.
fn check(case: &Case) -> Vec<Request> {
    let body = case.answer;
    let fake = Fake::start(move |_| Reply::text(200, body));
    let mut target = json!({"preset": case.preset, "url": fake.url, "values": case.values});
    for (key, value) in case.more.as_object().into_iter().flatten() {
        target[key] = value.clone();
    }
    let target = service(target, &transport());
    let shown = target.probe("who?", Arm::Retrieval).unwrap();
    let reply = shown
        .reply
        .unwrap_or_else(|why| panic!("{}: {why}", case.preset));
    assert_eq!(reply.answer, case.wanted, "{}", case.preset);
    let ids: Vec<&str> = reply
        .citations
        .iter()
        .filter_map(|c| c.id.as_deref())
        .collect();
    assert_eq!(
        ids, case.citations,
        "{}: {:?}",
        case.preset, reply.citations
    );
    assert_eq!(reply.retrieved.len(), case.retrieved, "{}", case.preset);
    if target.has_off() {
        target.probe("who?", Arm::NoRetrieval).unwrap();
    }
    let requests = fake.requests();
    assert_eq!(requests[0].target, case.path, "{}", case.preset);
    let place = requests[0].body.pointer(case.place);
    assert_eq!(place, Some(&json!("who?")), "{}", case.preset);
    requests
}

const CHAT: &str = "/messages/0/content";

fn off(case: &Case) -> Value {
    check(case)[1].body.clone()
}

#[test]
fn guestlist() {
    let case = Case {
        preset: "guestlist",
        values: json!({}),
        more: json!({}),
        answer: r#"{"id": "c", "object": "chat.completion", "choices": [{"index": 0, "message":
            {"role": "assistant", "content": "Ada."}, "finish_reason": "stop"}],
            "citations": [{"id": "d1", "title": "T", "text": "x"}],
            "retrieved": [{"id": "d1", "title": "T", "score": 0.9, "text": "x"},
                          {"id": "d2", "title": "U", "score": 0.1, "text": "y"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1}}"#,
        place: CHAT,
        path: "/v1/chat/completions",
        wanted: "Ada.",
        citations: &["d1"],
        retrieved: 2,
    };
    assert_eq!(off(&case)["retrieval"], false);
}

#[test]
fn openai_chat_whole_and_as_a_stream() {
    let mut case = Case {
        preset: "openai-chat",
        values: json!({"model": "gpt"}),
        more: json!({}),
        answer: r#"{"choices": [{"message": {"content": "<think>hm</think>Ada."}}],
            "citations": ["https://host/a.html"]}"#,
        place: CHAT,
        path: "/v1/chat/completions",
        wanted: "Ada.",
        citations: &["https://host/a.html"],
        retrieved: 0,
    };
    assert_eq!(check(&case)[0].body["model"], "gpt");
    case.more = json!({"stream": "sse", "body": {"stream": true}});
    case.answer = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"Ad\"}}]}\n\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"a.\"}}],\"citations\":[\"a.md\"]}\n\n\
        data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    case.citations = &["a.md"];
    assert_eq!(check(&case)[0].body["stream"], true);
}

#[test]
fn openai_responses_whole_and_as_a_stream() {
    let mut case = Case {
        preset: "openai-responses",
        values: json!({"model": "gpt", "vector_store": "vs_1"}),
        more: json!({}),
        answer: r#"{"status": "completed", "output": [
            {"type": "file_search_call", "status": "completed", "queries": ["who"], "results": [
                {"file_id": "f1", "filename": "a.md", "score": 0.9, "text": "Ada wrote"},
                {"file_id": "f2", "filename": "b.md", "score": 0.2, "text": "Bob"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text",
                "text": "Ada.", "annotations": [{"type": "file_citation", "index": 3,
                "file_id": "f1", "filename": "a.md"}]}]}],
            "incomplete_details": null, "usage": {"input_tokens": 9, "output_tokens": 2}}"#,
        place: "/input",
        path: "/v1/responses",
        wanted: "Ada.",
        citations: &["f1"],
        retrieved: 2,
    };
    let requests = check(&case);
    assert_eq!(
        requests[0].body["tools"][0]["vector_store_ids"],
        json!(["vs_1"])
    );
    assert!(requests[1].body.get("tools").is_none());
    case.more = json!({"stream": "sse", "body": {"stream": true}});
    case.retrieved = 0;
    case.answer = "event: response.reasoning_summary_text.delta\n\
        data: {\"type\":\"response.reasoning_summary_text.delta\",\"delta\":\"hm\"}\n\n\
        event: response.output_text.delta\n\
        data: {\"type\":\"response.output_text.delta\",\"item_id\":\"m\",\"delta\":\"Ad\"}\n\n\
        data: {\"type\":\"response.output_text.delta\",\"item_id\":\"m\",\"delta\":\"a.\"}\n\n\
        data: {\"type\":\"response.output_text.annotation.added\",\"annotation\":\
        {\"type\":\"file_citation\",\"file_id\":\"f1\",\"filename\":\"a.md\"}}\n\n\
        data: {\"type\":\"response.completed\",\"response\":{\"output\":[{\"content\":\
        [{\"type\":\"output_text\",\"text\":\"Ada.\",\"annotations\":[{\"type\":\"file_citation\",\
        \"file_id\":\"f1\",\"filename\":\"a.md\"}]}]}]}}\n\n";
    check(&case);
}

#[test]
fn azure() {
    let case = Case {
        preset: "azure-on-your-data",
        values: json!({"deployment": "dep", "key": "abcdefgh", "search_endpoint": "https://s",
            "index": "i", "search_key": "12345678"}),
        more: json!({}),
        answer: r#"{"choices": [{"finish_reason": "stop", "message": {"role": "assistant",
            "content": "Ada [doc1].", "context": {"intent": "[\"who\"]", "citations": [
            {"content": "Ada wrote", "title": "A", "url": null, "filepath": "a.md",
             "chunk_id": "0"}]}}}]}"#,
        place: CHAT,
        path: "/openai/deployments/dep/chat/completions?api-version=2024-10-21",
        wanted: "Ada [doc1].",
        citations: &["a.md"],
        retrieved: 0,
    };
    let requests = check(&case);
    assert_eq!(requests[0].headers["api-key"], "abcdefgh");
    assert_eq!(
        requests[0].body["data_sources"][0]["parameters"]["index_name"],
        "i"
    );
    assert!(requests[1].body.get("data_sources").is_none());
}

#[test]
fn dify() {
    let case = Case {
        preset: "dify",
        values: json!({}),
        more: json!({"api_key": "app-123456"}),
        answer: r#"{"event": "message", "conversation_id": "c", "mode": "chat", "answer": "Ada.",
            "metadata": {"usage": {"prompt_tokens": 3, "completion_tokens": 1},
            "retriever_resources": [{"position": 1, "dataset_id": "ds", "dataset_name": "n",
            "document_id": "d1", "document_name": "a.md", "segment_id": "s", "score": 0.9,
            "content": "Ada wrote"}]}}"#,
        place: "/query",
        path: "/v1/chat-messages",
        wanted: "Ada.",
        citations: &["d1"],
        retrieved: 0,
    };
    let request = &check(&case)[0];
    assert_eq!(request.headers["authorization"], "Bearer app-123456");
    assert_eq!(request.body["user"].as_str().unwrap().len(), 36);
}

#[test]
fn ragflow_with_a_list_a_map_and_a_stream() {
    let mut case = Case {
        preset: "ragflow",
        values: json!({"chat_id": "ch"}),
        more: json!({}),
        answer: r#"{"code": 0, "data": {"answer": "Ada ##0$$.", "reference": {"total": 1,
            "chunks": [{"id": "k", "content": "Ada wrote", "document_id": "d1",
            "document_name": "a.md", "similarity": 0.5}], "doc_aggs": []}}}"#,
        place: "/question",
        path: "/api/v1/chats/ch/completions",
        wanted: "Ada ##0$$.",
        citations: &["d1"],
        retrieved: 0,
    };
    check(&case);
    case.answer = r#"{"code": 0, "data": {"answer": "Ada ##0$$.", "reference": {"chunks":
        {"0": {"id": "k", "content": "Ada wrote", "document_id": "d1"}}}}}"#;
    check(&case);
    case.more = json!({"stream": "sse", "body": {"stream": true}});
    case.answer = "data:{\"code\":0,\"data\":{\"answer\":\"Ada\",\"reference\":{}}}\n\n\
        data:{\"code\":0,\"data\":{\"answer\":\"Ada ##0$$.\",\"reference\":{\"chunks\":\
        [{\"id\":\"k\",\"content\":\"Ada wrote\",\"document_id\":\"d1\"}]}}}\n\n\
        data:{\"code\":0,\"data\":true}\n\n";
    check(&case);
}

#[test]
fn anythingllm() {
    let case = Case {
        preset: "anythingllm",
        values: json!({"workspace": "w"}),
        more: json!({}),
        answer: r#"{"id": "x", "type": "textResponse", "close": true, "error": null,
            "textResponse": "Ada.", "sources": [{"id": "vec", "title": "a.txt",
            "chunk": "Ada wrote"}]}"#,
        place: "/message",
        path: "/api/v1/workspace/w/chat",
        wanted: "Ada.",
        citations: &["a.txt"],
        retrieved: 0,
    };
    check(&case);
}

#[test]
fn open_webui() {
    let case = Case {
        preset: "open-webui",
        values: json!({"model": "m", "collection": "kb"}),
        more: json!({}),
        answer: r#"{"choices": [{"message": {"content": "Ada."}}], "sources": [{"source":
            {"id": "f1", "name": "a.md", "type": "file"}, "document": ["Ada wrote", "more"],
            "metadata": [{"source": "a.md"}], "distances": [0.1, 0.2]}]}"#,
        place: CHAT,
        path: "/api/chat/completions",
        wanted: "Ada.",
        citations: &["f1"],
        retrieved: 0,
    };
    assert!(off(&case).get("files").is_none());
}

#[test]
fn langserve() {
    let mut case = Case {
        preset: "langserve",
        values: json!({}),
        more: json!({}),
        answer: r#"{"output": {"answer": "Ada.", "context": [{"page_content": "Ada wrote",
            "metadata": {"source": "a.md"}}]}, "metadata": {"run_id": "r"}}"#,
        place: "/input",
        path: "/invoke",
        wanted: "Ada.",
        citations: &["a.md"],
        retrieved: 0,
    };
    check(&case);
    case.answer = r#"{"output": "Ada."}"#;
    case.citations = &[];
    check(&case);
}

#[test]
fn ollama_whole_and_as_lines() {
    let mut case = Case {
        preset: "ollama",
        values: json!({"model": "m"}),
        more: json!({}),
        answer: r#"{"model": "m", "message": {"role": "assistant", "content": "Ada."},
            "done": true, "prompt_eval_count": 5, "eval_count": 2}"#,
        place: CHAT,
        path: "/api/chat",
        wanted: "Ada.",
        citations: &[],
        retrieved: 0,
    };
    check(&case);
    case.more = json!({"stream": "ndjson", "body": {"stream": true}});
    case.answer = "{\"message\":{\"content\":\"Ad\"},\"done\":false}\n\
        {\"message\":{\"content\":\"a.\"},\"done\":false}\n\
        {\"message\":{\"content\":\"\"},\"done\":true,\"eval_count\":2}\n";
    check(&case);
}

/// The picture goes where pictures go; what is asked about it can be changed.
#[test]
fn openai_vision() {
    let mut case = Case {
        preset: "openai-vision",
        values: json!({"model": "m"}),
        more: json!({}),
        answer: r#"{"choices": [{"message": {"content": "A cat."}, "finish_reason": "stop"}]}"#,
        place: "/messages/0/content/1/image_url/url",
        path: "/v1/chat/completions",
        wanted: "A cat.",
        citations: &[],
        retrieved: 0,
    };
    check(&case);
    case.values = json!({"model": "m", "prompt": "What is it?"});
    let asked = check(&case)[0].body["messages"][0]["content"][0]["text"].clone();
    assert_eq!(asked, "What is it?");
}

/// The tests above leave none out.
#[test]
fn every_preset_is_tested() {
    let tested = [
        "guestlist",
        "openai-chat",
        "openai-responses",
        "azure-on-your-data",
        "dify",
        "ragflow",
        "anythingllm",
        "open-webui",
        "langserve",
        "ollama",
        "openai-vision",
    ];
    assert_eq!(asking::rag::presets(), tested);
}
