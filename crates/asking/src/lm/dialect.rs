//! Which ways of asking there are: one file per dialect, one line per dialect here.

use serde_json::Value;

use super::openai::OpenAi;
use super::sglang::Sglang;
use super::tgi::Tgi;
use super::vllm::Vllm;
use super::{Prompt, Scored};
use crate::{Error, ErrorKind, Result};

/// How one kind of server is asked for the log-probabilities of a given text.
pub(super) trait Dialect: Sync {
    fn name(&self) -> &'static str;

    /// Where the question goes, below the server's base.
    fn path(&self) -> &'static str;

    /// Where the server says which model it serves.
    fn models(&self) -> &'static str;

    /// Whether a prompt may be token ids.
    fn takes_ids(&self) -> bool;

    /// The question's JSON. Its bytes name the answer in the store: they must not depend on
    /// anything but what is asked.
    fn request(&self, prompt: &Prompt, model: Option<&str>) -> serde_json::Result<Vec<u8>>;

    /// Turns an answer into numbers, and refuses one that does not fit the question. The prompt is
    /// without the endpoint's prefix, of which a server may or may not speak.
    fn read(&self, prompt: &Prompt, answer: &Value) -> Result<Scored>;
}

/// In the order in which `auto` tries them: the more particular first, for many servers answer
/// OpenAI's requests as well, with less in them.
static DIALECTS: [&dyn Dialect; 4] = [&Vllm, &Sglang, &Tgi, &OpenAi];

/// The word that lets the probe choose.
pub(super) const AUTO: &str = "auto";

/// The names of all dialects.
pub fn dialects() -> Vec<&'static str> {
    DIALECTS.iter().map(|dialect| dialect.name()).collect()
}

/// Those to try for a name.
pub(super) fn candidates(name: &str) -> Result<Vec<&'static dyn Dialect>> {
    if name == AUTO {
        return Ok(DIALECTS.to_vec());
    }
    let found = DIALECTS.iter().find(|dialect| dialect.name() == name);
    found.map(|dialect| vec![*dialect]).ok_or_else(|| {
        Error::new(ErrorKind::Setting, format!("there is no dialect {name:?}"))
            .hint(format!("choose {AUTO} or one of {}", dialects().join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RECORDED: [(&str, &str); 5] = [
        ("vllm", include_str!("../../tests/lm/vllm/text.json")),
        ("sglang", include_str!("../../tests/lm/sglang/text.json")),
        ("tgi", include_str!("../../tests/lm/tgi/text.json")),
        ("openai", include_str!("../../tests/lm/openai/text.json")),
        ("openai", include_str!("../../tests/lm/openai/utf8.json")),
    ];

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-50.0..2.0).prop_map(Value::from),
            ".{0,4}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z0-9]{1,3}", inner, 0..4)
                    .prop_map(|map| map.into_iter().collect::<Value>()),
            ]
        })
    }

    /// Replaces the value at the end of a walk through the JSON, or takes it away.
    fn change(json: &mut Value, walk: &[prop::sample::Index], new: Option<Value>) {
        let Some((step, rest)) = walk.split_first() else {
            *json = new.unwrap_or_default();
            return;
        };
        match json {
            Value::Array(list) if !list.is_empty() => {
                let place = step.index(list.len());
                match (rest, &new) {
                    ([], None) => drop(list.remove(place)),
                    _ => change(&mut list[place], rest, new),
                }
            }
            Value::Object(map) if !map.is_empty() => {
                let key = map.keys().nth(step.index(map.len())).cloned().unwrap();
                match (rest, &new) {
                    ([], None) => drop(map.remove(&key)),
                    _ => change(&mut map[&key], rest, new),
                }
            }
            other => *other = new.unwrap_or_default(),
        }
    }

    fn read_all(dialect: &str, answer: &Value) {
        let dialect = candidates(dialect).unwrap()[0];
        let prompts = [
            Prompt::Text("The quick brown fox jumps over the lazy dog.".into()),
            Prompt::Ids((0..10).collect()),
            Prompt::Ids(vec![]),
        ];
        for prompt in &prompts {
            if let Ok(scored) = dialect.read(prompt, answer) {
                // What is let through is of one length.
                scored.to_bytes().unwrap();
                assert_eq!(scored.logprob[0], None);
            }
        }
    }

    proptest! {
        #[test]
        fn arbitrary_answers_do_not_panic(answer in any_json()) {
            for dialect in dialects() {
                read_all(dialect, &answer);
            }
        }

        #[test]
        fn spoilt_answers_do_not_panic(
            which in 0..RECORDED.len(),
            walk in prop::collection::vec(any::<prop::sample::Index>(), 1..7),
            new in prop::option::of(any_json()),
        ) {
            let (dialect, exchange) = RECORDED[which];
            let mut exchange: Value = serde_json::from_str(exchange).unwrap();
            let mut answer = exchange["answer"]["body"].take();
            change(&mut answer, &walk, new);
            read_all(dialect, &answer);
        }
    }

    #[test]
    fn an_answer_without_one_of_its_parts_is_refused() {
        let parts = [
            (0, "/choices"),
            (0, "/choices/0/prompt_logprobs"),
            (0, "/choices/0/prompt_logprobs/4/"),
            (1, "/meta_info"),
            (1, "/meta_info/input_token_logprobs"),
            (1, "/meta_info/input_token_logprobs/4"),
            (2, "/details"),
            (2, "/details/prefill"),
            (2, "/details/prefill/4/id"),
            (3, "/choices"),
            (3, "/choices/0/logprobs"),
            (3, "/choices/0/logprobs/tokens"),
            (3, "/choices/0/logprobs/token_logprobs"),
        ];
        let prompt = Prompt::Text("The quick brown fox jumps over the lazy dog.".into());
        for (which, part) in parts {
            let (name, exchange) = RECORDED[which];
            let dialect = candidates(name).unwrap()[0];
            let mut exchange: Value = serde_json::from_str(exchange).unwrap();
            let mut answer = exchange["answer"]["body"].take();
            assert!(dialect.read(&prompt, &answer).is_ok(), "{name}");
            let (parent, key) = part.rsplit_once('/').unwrap();
            match answer.pointer_mut(parent).unwrap() {
                Value::Array(list) => drop(list.remove(key.parse().unwrap())),
                Value::Object(map) if key.is_empty() => map.clear(),
                Value::Object(map) => drop(map.remove(key).unwrap()),
                other => panic!("{part} is {other}"),
            }
            let refused = dialect.read(&prompt, &answer).unwrap_err();
            assert!(!refused.message.is_empty(), "{name} without {part}");
        }
    }

    #[test]
    fn the_bytes_of_a_request_never_change() {
        let text = |dialect: &str| {
            let dialect = candidates(dialect).unwrap()[0];
            let request = dialect
                .request(&Prompt::Text("a\"b".into()), Some("m"))
                .unwrap();
            String::from_utf8(request).unwrap()
        };
        // Stored answers are found by these.
        assert_eq!(
            text("vllm"),
            r#"{"model":"m","prompt":"a\"b","max_tokens":1,"temperature":0,"prompt_logprobs":0,"return_token_ids":true}"#
        );
        assert_eq!(
            text("openai"),
            r#"{"model":"m","prompt":"a\"b","max_tokens":1,"temperature":0,"logprobs":2,"echo":true}"#
        );
        assert_eq!(
            text("sglang"),
            r#"{"text":"a\"b","sampling_params":{"temperature":0,"max_new_tokens":0},"return_logprob":true,"logprob_start_len":0,"top_logprobs_num":1}"#
        );
        assert_eq!(
            text("tgi"),
            r#"{"inputs":"a\"b","parameters":{"max_new_tokens":1,"details":true,"decoder_input_details":true}}"#
        );
    }
}
