//! Known kinds of services: how each is asked, where its answers and sources are, and how its
//! retrieval is switched off, as their documentation has it.

use super::settings::TargetSettings;
use crate::{Error, ErrorKind, Result};

pub(super) struct Preset {
    pub name: &'static str,
    /// For an url that has no path of its own.
    pub path: &'static str,
    /// Settings as JSON; `off` is there where one request can do without retrieval.
    settings: &'static str,
    /// What to do for the arm without retrieval where it is not; `{table}` is the target's name.
    off_hint: &'static str,
}

/// One entry per kind of service.
static PRESETS: [Preset; 11] = [
    Preset {
        name: "guestlist",
        path: "/v1/chat/completions",
        settings: r#"{
            "body": {"model": "guestlist", "messages": [{"role": "user", "content": "{{query}}"}]},
            "extract": {
                "answer": "$.choices[0].message.content",
                "citations": "$.citations", "retrieved": "$.retrieved",
                "delta": "$.choices[0].delta.content",
                "blocked": "$.choices[0].finish_reason"},
            "off": {"body": {"retrieval": false}}}"#,
        off_hint: "",
    },
    Preset {
        name: "openai-chat",
        path: "/v1/chat/completions",
        settings: r#"{
            "body": {"model": "{{model}}", "messages": [{"role": "user", "content": "{{query}}"}]},
            "extract": {
                "answer": "$.choices[0].message.content",
                "citations": [
                    "$.citations", "$.sources", "$.choices[0].message.citations",
                    "$.choices[0].message.context.citations", "$.choices[0].message.annotations"],
                "delta": "$.choices[0].delta.content", "end": "[DONE]",
                "blocked": "$.choices[0].finish_reason"}}"#,
        off_hint: "say in [{table}.off] how the same service is asked without its store: another \
                   url, model or key, or keys of the body",
    },
    Preset {
        name: "openai-responses",
        path: "/v1/responses",
        settings: r#"{
            "body": {
                "model": "{{model}}", "input": "{{query}}",
                "tools": [{"type": "file_search", "vector_store_ids": ["{{vector_store}}"]}],
                "include": ["file_search_call.results"]},
            "extract": {
                "answer": "$.output[*].content[?@.type == 'output_text'].text",
                "citations": [
                    "$.output[*].content[*].annotations[*]",
                    "$.response.output[*].content[*].annotations[*]", "$.annotation"],
                "retrieved": ["$.output[*].results[*]", "$.response.output[*].results[*]"],
                "delta": "$[?$.type == 'response.output_text.delta' && @ == $.delta]",
                "end": "$[?@ == 'response.completed' || @ == 'response.incomplete']",
                "blocked": [
                    "$.incomplete_details.reason", "$.response.incomplete_details.reason"]},
            "off": {"remove": ["tools", "include"]}}"#,
        off_hint: "",
    },
    Preset {
        name: "azure-on-your-data",
        path: "/openai/deployments/{{deployment}}/chat/completions?api-version={{api_version}}",
        settings: r#"{
            "values": {"api_version": "2024-10-21"}, "headers": {"api-key": "{{key}}"},
            "body": {
                "messages": [{"role": "user", "content": "{{query}}"}],
                "data_sources": [{"type": "azure_search", "parameters": {
                    "endpoint": "{{search_endpoint}}", "index_name": "{{index}}",
                    "authentication": {"type": "api_key", "key": "{{search_key}}"}}}]},
            "extract": {
                "answer": "$.choices[0].message.content",
                "citations": [
                    "$.choices[0].message.context.citations", "$.choices[0].delta.context.citations"],
                "retrieved": "$.choices[0].message.context.all_retrieved_documents",
                "delta": "$.choices[0].delta.content", "end": "[DONE]",
                "blocked": "$.choices[0].finish_reason"},
            "off": {"remove": ["data_sources"]}}"#,
        off_hint: "",
    },
    Preset {
        name: "dify",
        path: "/v1/chat-messages",
        settings: r#"{
            "body": {"inputs": {}, "query": "{{query}}", "response_mode": "blocking",
                "conversation_id": "", "user": "{{session}}"},
            "extract": {
                "answer": "$.answer", "citations": "$.metadata.retriever_resources",
                "delta": "$.answer", "end": "$[?@ == 'message_end']",
                "source_title": "$.document_name"}}"#,
        off_hint: "Dify has no switch: make a second app without knowledge and give its key, \
                   [{table}.off] api_key = \"${DIFY_PLAIN_KEY}\"",
    },
    Preset {
        name: "ragflow",
        path: "/api/v1/chats/{{chat_id}}/completions",
        settings: r#"{
            "body": {"question": "{{query}}", "stream": false},
            "extract": {
                "answer": "$.data.answer", "citations": "$.data.reference.chunks",
                "delta": "$.data.answer"},
            "stream_text": "cumulative"}"#,
        off_hint: "RAGFlow has no switch: make a second chat without datasets and name it, \
                   [{table}.off.values] chat_id = \"…\"",
    },
    Preset {
        name: "anythingllm",
        path: "/api/v1/workspace/{{workspace}}/chat",
        settings: r#"{
            "body": {"message": "{{query}}", "mode": "chat", "sessionId": "{{session}}"},
            "extract": {
                "answer": "$.textResponse", "citations": "$.sources",
                "delta": "$.textResponse", "end": "$.close",
                "source_id": ["$.title", "$.id"]}}"#,
        off_hint: "AnythingLLM has no switch: make an empty workspace and name it, \
                   [{table}.off.values] workspace = \"…\"",
    },
    Preset {
        name: "open-webui",
        path: "/api/chat/completions",
        settings: r#"{
            "body": {"model": "{{model}}", "messages": [{"role": "user", "content": "{{query}}"}],
                "files": [{"type": "collection", "id": "{{collection}}"}]},
            "extract": {
                "answer": "$.choices[0].message.content", "citations": "$.sources",
                "delta": "$.choices[0].delta.content", "end": "[DONE]",
                "blocked": "$.choices[0].finish_reason"},
            "off": {"remove": ["files"]}}"#,
        off_hint: "",
    },
    Preset {
        name: "langserve",
        path: "/invoke",
        settings: r#"{
            "body": {"input": "{{query}}"},
            "extract": {
                "answer": ["$.output.answer", "$.output.result", "$.output.content",
                    "$.output.output", "$.output"],
                "citations": ["$.output.source_documents", "$.output.context", "$.output.sources"],
                "delta": ["$.answer", "$.content", "$"]}}"#,
        off_hint: "what a chain can leave out is its author's choice: serve one without its \
                   retriever and name it, [{table}.off] url = \"…\"",
    },
    Preset {
        name: "ollama",
        path: "/api/chat",
        settings: r#"{
            "body": {"model": "{{model}}", "messages": [{"role": "user", "content": "{{query}}"}],
                "stream": false},
            "extract": {
                "answer": "$.message.content", "citations": ["$.citations", "$.sources"],
                "delta": "$.message.content", "end": "$.done"}}"#,
        off_hint: "Ollama itself has no store: say in [{table}.off] how the service in front of it \
                   is asked without one",
    },
    // Describes pictures: what is asked is the picture's data URL, what is wanted of it a value.
    Preset {
        name: "openai-vision",
        path: "/v1/chat/completions",
        settings: r#"{
            "values": {"prompt": "Please describe the image in detail, including text, structure, and main components"},
            "body": {"model": "{{model}}", "messages": [{"role": "user", "content": [
                {"type": "text", "text": "{{prompt}}"},
                {"type": "image_url", "image_url": {"url": "{{query}}"}}]}]},
            "extract": {
                "answer": "$.choices[0].message.content",
                "delta": "$.choices[0].delta.content", "end": "[DONE]",
                "blocked": "$.choices[0].finish_reason"}}"#,
        off_hint: "a captioner answers from no store: it has one arm",
    },
];

/// The names of all presets.
pub fn presets() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

/// `table` is where the name stands, for messages.
pub(super) fn find(table: &str, name: &str) -> Result<&'static Preset> {
    let found = PRESETS.iter().find(|preset| preset.name == name);
    found.ok_or_else(|| {
        let message = format!("{table}.preset is {name:?}, which is unknown");
        Error::new(ErrorKind::Setting, message)
            .hint(format!("choose one of {}", presets().join(", ")))
    })
}

impl Preset {
    pub fn off_hint(&self, table: &str) -> String {
        self.off_hint.replace("{table}", table)
    }

    pub fn settings(&self) -> Result<TargetSettings> {
        serde_json::from_str(self.settings).map_err(|error| {
            let message = format!("the preset {} is broken: {error}", self.name);
            Error::new(ErrorKind::Setting, message).hint("describe the target without it")
        })
    }
}
