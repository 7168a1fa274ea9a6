//! Greedy continuations and chat templates, against transformers on SmolLM2 and on small
//! checkpoints. `scripts/lm_reference.py continue` wrote the reference.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::sync::Arc;

use common::{data, open};
use guestlist_lm::{
    ChatMessage, Detokeniser, DeviceChoice, Finish, Generator, Model, Precision, Sampling, Source,
};
use serde_json::Value;

fn turns() -> Vec<ChatMessage> {
    vec![
        ChatMessage::new("system", "Be brief."),
        ChatMessage::new("user", "Who counts the gulls?"),
    ]
}

/// A small checkpoint with files beside it that say how it talks.
fn with_files(files: &[(&str, &str)]) -> Model {
    let folder = tempfile::tempdir().unwrap();
    for name in ["config.json", "model.safetensors"] {
        fs::copy(data("llama").join(name), folder.path().join(name)).unwrap();
    }
    fs::copy(data("tokenizer.json"), folder.path().join("tokenizer.json")).unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let source = Source::new(folder.path());
    Model::open(&source, DeviceChoice::Cpu, Precision::F32).unwrap()
}

fn laid_out(model: &Model) -> String {
    let tokens = model.chat(&turns()).unwrap();
    let spelled = tokens.iter().map(|token| match token {
        0 => "<|endoftext|>".to_owned(),
        other => model.tokenizer().decode(&[*other]).unwrap(),
    });
    spelled.collect()
}

#[test]
fn without_a_template_roles_stand_before_lines() {
    let model = open("llama");
    assert!(!model.has_chat_template());
    assert_eq!(
        laid_out(&model),
        "system: Be brief.\nuser: Who counts the gulls?\nassistant:"
    );
}

#[test]
fn templates_are_found_where_files_keep_them() {
    const TEMPLATE: &str = "{% for m in messages %}[{{ m.role }}] {{ m.content }}{{ eos_token }}\n\
                            {% endfor %}{% if add_generation_prompt %}[assistant] {% endif %}";
    const LAID_OUT: &str = "[system] Be brief.<|endoftext|>\n[user] Who counts the \
                            gulls?<|endoftext|>\n[assistant] ";
    let ends = r#""eos_token": {"content": "<|endoftext|>"}"#;
    let template = serde_json::to_string(TEMPLATE).unwrap();
    let inside = format!(r#"{{{ends}, "chat_template": {template}}}"#);
    let named = format!(
        r#"{{{ends}, "chat_template": [{{"name": "tool_use", "template": "no"}}, {{"name": "default", "template": {template}}}]}}"#
    );
    let beside = format!(r#"{{{ends}, "chat_template": "not this one"}}"#);
    for files in [
        vec![("tokenizer_config.json", inside.as_str())],
        vec![("tokenizer_config.json", named.as_str())],
        vec![
            ("tokenizer_config.json", beside.as_str()),
            ("chat_template.jinja", TEMPLATE),
        ],
    ] {
        let model = with_files(&files);
        assert!(model.has_chat_template());
        let tokens = model.chat(&turns()).unwrap();
        assert_eq!(tokens.iter().filter(|token| **token == 0).count(), 2);
        assert_eq!(laid_out(&model), LAID_OUT);
    }
}

#[test]
fn tokens_that_end_a_text_are_read_from_the_files() {
    let generated = |model: Model| {
        let generator = Generator::new(Arc::new(model));
        let options = Sampling {
            max_tokens: 8,
            ..Sampling::default()
        };
        generator.generate(&[5, 6, 7, 8], &options, &mut |_| true)
    };
    let free = generated(with_files(&[])).unwrap();
    assert_eq!(free.tokens.len(), 8);
    let third = free.tokens[2];
    let before = free.tokens.iter().position(|token| *token == third);
    let ends = format!(r#"{{"eos_token_id": [319, {third}]}}"#);
    let ended = generated(with_files(&[("generation_config.json", &ends)])).unwrap();
    assert_eq!(ended.tokens, free.tokens[..before.unwrap()]);
    assert_eq!(ended.finished, Finish::Stop);
}

#[test]
#[ignore = "needs GUESTLIST_SMOLLM2, the path of SmolLM2-135M-Instruct.Q4_1.gguf"]
fn smollm2_answers_as_with_transformers() {
    let path = std::env::var("GUESTLIST_SMOLLM2").expect("GUESTLIST_SMOLLM2 names the file");
    let model = Model::open(&Source::new(path), DeviceChoice::Cpu, Precision::F32).unwrap();
    let model = Arc::new(model);
    assert!(model.has_chat_template());
    let generator = Generator::new(model.clone());
    let references = fs::read(data("smollm2.conversations.json")).unwrap();
    let references: Vec<Value> = serde_json::from_slice(&references).unwrap();
    assert_eq!(references.len(), 3);
    for (index, reference) in references.iter().enumerate() {
        let numbers =
            |key: &str| -> Vec<u32> { serde_json::from_value(reference[key].clone()).unwrap() };
        let messages = reference["messages"].as_array().unwrap().iter();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let messages: Vec<ChatMessage> = messages
            .map(|message| ChatMessage::new(text(&message["role"]), text(&message["content"])))
            .collect();
        let prompt = model.chat(&messages).unwrap();
        assert_eq!(prompt, numbers("prompt"));
        let options = Sampling {
            max_tokens: 32,
            ..Sampling::default()
        };
        let mut stream = Detokeniser::new(model.tokenizer());
        let mut told = String::new();
        let generated = generator.generate(&prompt, &options, &mut |token| {
            told.push_str(&stream.push(token).unwrap());
            true
        });
        let generated = generated.unwrap();
        told.push_str(&stream.finish().unwrap());
        assert_eq!(generated.tokens, numbers("tokens"));
        assert_eq!(generated.text, reference["text"].as_str().unwrap());
        assert_eq!(told, generated.text);
        let ended = generated.finished == Finish::Stop;
        assert_eq!(Some(ended), reference["ended"].as_bool());
        assert_eq!(generated.reused > 0, index > 0);
    }
}
