//! Exchanges kept as files. Those in `openai/` were recorded from llama-cpp-python 0.3.36 serving
//! SmolLM2-135M; the others follow the sources of vLLM 0.32, SGLang 0.5.23 and TGI 3.

use std::path::Path;

use asking::lm::{Endpoint, Prompt, Server};
use formats::tokens::Scored;
use serde_json::Value;

use crate::fake::{Fake, Reply, Request};
use crate::{Watcher, endpoint, store, text};

const FOX: &str = "The quick brown fox jumps over the lazy dog.";

fn load(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lm");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Plays what was recorded, and nothing else: a request that differs in any word is refused.
fn play(names: &[&str]) -> Fake {
    let exchanges: Vec<Value> = names.iter().map(|name| load(name)).collect();
    Fake::start(move |request: &Request| {
        let fits = |exchange: &&Value| {
            let expected = &exchange["request"];
            expected["method"] == request.method
                && expected["path"] == request.path
                && expected["body"] == request.body
        };
        match exchanges.iter().find(fits) {
            Some(exchange) => answer(&exchange["answer"]),
            None => Reply::not_found(),
        }
    })
}

fn answer(recorded: &Value) -> Reply {
    let status = recorded["status"].as_u64().unwrap() as u16;
    let mut reply = Reply::status(status, &recorded["body"].to_string());
    reply.headers = recorded["headers"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
        .collect();
    reply
}

fn score(endpoint: Endpoint, prompt: Prompt) -> (Server, Scored) {
    let (_folder, store) = store();
    let server = Server::connect(endpoint).unwrap();
    let scored = server.score(&[prompt], &store, Watcher::default().progress());
    (server, scored.unwrap().remove(0))
}

#[test]
fn vllm_gives_log_probabilities_ranks_and_ids() {
    let fake = play(&[
        "vllm/models.json",
        "vllm/probe.json",
        "vllm/text.json",
        "vllm/ids.json",
    ]);
    let (server, scored) = score(endpoint(&fake.url, "vllm"), text(FOX));
    assert!(server.gives().exact_rank && server.gives().token_ids);
    assert_eq!(server.gives().server.as_deref(), Some("uvicorn"));
    assert_eq!(
        server.model(),
        Some("meta-llama/Llama-3.2-1B /models/llama-3.2-1b")
    );
    let ids = load("vllm/ids.json")["request"]["body"]["prompt"].clone();
    let ids: Vec<u32> = serde_json::from_value(ids).unwrap();
    assert_eq!(scored.token_ids.as_ref(), Some(&ids));
    let ranks = scored.rank.unwrap();
    assert_eq!((scored.logprob[0], ranks[0]), (None, None));
    // Another token stands before the true one.
    assert_eq!((scored.logprob[3], ranks[3]), (Some(-2.25), Some(9)));
    // Minus infinity, which vLLM writes as -9999.
    assert_eq!((scored.logprob[5], ranks[5]), (None, Some(128_000)));
    assert_eq!(scored.rank_cap, None);

    let (_, by_ids) = score(endpoint(&fake.url, "vllm"), Prompt::Ids(ids));
    assert_eq!(by_ids.logprob.len(), scored.logprob.len());
}

#[test]
fn sglang_gives_log_probabilities_first_choices_and_ids() {
    let fake = play(&[
        "sglang/models.json",
        "sglang/probe.json",
        "sglang/text.json",
        "sglang/ids.json",
    ]);
    let (server, scored) = score(endpoint(&fake.url, "auto"), text(FOX));
    assert_eq!(server.dialect(), "sglang");
    assert!(server.gives().first_choice && !server.gives().exact_rank);
    assert!(server.about().contains("(sglang)"), "{}", server.about());
    let recorded = load("sglang/text.json");
    let own = &recorded["answer"]["body"]["meta_info"]["input_token_logprobs"];
    assert_eq!(scored.logprob[2], Some(own[2][0].as_f64().unwrap() as f32));
    let ranks = scored.rank.unwrap();
    assert_eq!(ranks[..4], [None, Some(2), Some(1), Some(1)]);
    let most = scored.max_logprob.unwrap();
    let tops = &recorded["answer"]["body"]["meta_info"]["input_top_logprobs"];
    assert_eq!(most[0], None);
    assert_eq!(most[1], Some(tops[1][0][0].as_f64().unwrap() as f32));
    // The first choice is the token itself.
    assert_eq!(most[2], scored.logprob[2]);
    assert_eq!(scored.rank_cap, Some(2));

    let ids = load("sglang/ids.json")["request"]["body"]["input_ids"].clone();
    let ids: Vec<u32> = serde_json::from_value(ids).unwrap();
    let (_, by_ids) = score(endpoint(&fake.url, "sglang"), Prompt::Ids(ids.clone()));
    assert_eq!(by_ids.token_ids, Some(ids));
}

#[test]
fn tgi_gives_log_probabilities_and_ids_alone() {
    let fake = play(&["tgi/models.json", "tgi/probe.json", "tgi/text.json"]);
    let (server, scored) = score(endpoint(&fake.url, "auto"), text(FOX));
    assert_eq!(server.dialect(), "tgi");
    assert!(!server.gives().first_choice && server.gives().token_ids);
    assert!(!server.gives().takes_ids);
    assert!(
        server
            .model()
            .unwrap()
            .starts_with("mistralai/Mistral-7B-v0.1 26bca36")
    );
    assert_eq!(scored.logprob[0], None);
    assert!(scored.logprob[1..].iter().all(Option::is_some));
    assert_eq!(scored.token_ids.unwrap()[0], 1);
    assert_eq!(scored.rank, None);

    let (_folder, store) = store();
    let refused = server.score(
        &[Prompt::Ids(vec![1])],
        &store,
        Watcher::default().progress(),
    );
    assert!(
        refused
            .unwrap_err()
            .message
            .contains("texts, not token ids")
    );
}

#[test]
fn tgi_with_prefill_switched_off_is_refused_with_the_flag() {
    let fake = play(&["tgi/models.json", "tgi/empty_probe.json"]);
    for dialect in ["tgi", "auto"] {
        let refused = Server::connect(endpoint(&fake.url, dialect)).err().unwrap();
        let words = refused.to_string();
        assert!(words.contains("--enable-prefill-logprobs"), "{words}");
    }
}

#[test]
fn llama_cpp_python_gives_texts_of_tokens_and_first_choices() {
    let names = ["models", "probe", "text", "utf8"].map(|name| format!("openai/{name}.json"));
    let fake = play(&names.each_ref().map(String::as_str));
    let endpoint = Endpoint {
        prefix: Some("<|im_start|>".into()),
        ..endpoint(&fake.url, "auto")
    };
    let (server, scored) = score(endpoint.clone(), text(FOX));
    assert_eq!(server.dialect(), "openai");
    assert!(server.gives().first_choice && !server.gives().token_ids);
    let pieces = scored.pieces.unwrap();
    assert_eq!(pieces.concat(), FOX);
    assert_eq!(scored.logprob.len(), 10);
    assert_eq!(scored.logprob[0], None);
    assert_eq!(pieces[5], " over");
    assert_eq!(scored.logprob[5], Some(-0.061_521_906));
    let ranks = scored.rank.unwrap();
    assert_eq!(ranks[3..7], [Some(2), Some(2), Some(1), Some(2)]);
    let most = scored.max_logprob.unwrap();
    assert_eq!((most[0], most[5]), (None, scored.logprob[5]));
    assert!(most[4] > scored.logprob[4]);

    // Bytes of one character share an empty text: no telling which came first.
    let (_, bear) = score(endpoint, text("Der süße Bär 🐻 schläft."));
    let pieces = bear.pieces.unwrap();
    let ranks = bear.rank.unwrap();
    let cut = pieces.iter().rposition(|piece| piece.is_empty()).unwrap();
    assert_eq!(ranks[cut], None);
    assert!(bear.logprob[cut].is_some());
}

#[test]
fn llama_cpp_python_without_a_first_mark_is_refused() {
    let fake = play(&["openai/models.json", "openai/shifted_probe.json"]);
    let refused = Server::connect(endpoint(&fake.url, "auto")).err().unwrap();
    assert!(refused.message.contains("one token too early"), "{refused}");
    assert!(refused.hint.unwrap().contains("prefix"));
}
