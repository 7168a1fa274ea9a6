//! Tokenizers rebuilt from GGUF files against llama.cpp's own test vectors, which were made with
//! the original tokenizers.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use guestlist_lm::Tokenizer;

fn folder() -> PathBuf {
    let folder = std::env::var("GUESTLIST_VOCABULARIES");
    folder
        .expect("GUESTLIST_VOCABULARIES names the folder")
        .into()
}

/// Texts between marks, each with the ids on the line of the same number.
fn vectors(path: &Path) -> Vec<(String, Vec<u32>)> {
    let texts = fs::read_to_string(path.with_extension("gguf.inp")).unwrap();
    let ids = fs::read_to_string(path.with_extension("gguf.out")).unwrap();
    let texts = texts.split("\n__ggml_vocab_test__\n");
    let ids = ids.lines().map(|line| {
        let ids = line.split_whitespace();
        ids.map(|id| id.parse().unwrap()).collect()
    });
    texts.map(str::to_owned).zip(ids).collect()
}

fn agrees(name: &str, beginning: &[u32]) {
    let path = folder().join(format!("ggml-vocab-{name}.gguf"));
    let tokenizer = Tokenizer::open(&path).unwrap();
    let vectors = vectors(&path);
    assert!(vectors.len() > 30);
    for (text, ids) in vectors {
        let expected = [beginning, &ids].concat();
        assert_eq!(
            tokenizer.encode(&text).unwrap(),
            expected,
            "{name}: {text:?}"
        );
    }
}

#[test]
#[ignore = "needs GUESTLIST_VOCABULARIES, the folder `models` of llama.cpp"]
fn vocabularies_of_verified_pre_tokenisers() {
    agrees("gpt-2", &[]);
    agrees("qwen2", &[]);
    agrees("llama-bpe", &[128_000]);
}

#[test]
#[ignore = "needs GUESTLIST_VOCABULARIES, the folder `models` of llama.cpp"]
fn vocabularies_of_others_are_refused_by_name() {
    for (name, named) in [
        ("llama-spm", "\"llama\""),
        ("deepseek-llm", "\"deepseek-llm\""),
    ] {
        let path = folder().join(format!("ggml-vocab-{name}.gguf"));
        let error = Tokenizer::open(&path).err().unwrap().to_string();
        assert!(
            error.contains(named) && error.contains("tokenizer.json"),
            "{error}"
        );
    }
}
