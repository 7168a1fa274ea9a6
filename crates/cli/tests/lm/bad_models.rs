//! Models that cannot be audited: refused before anything is scored, with a remedy.

use std::fs;

use crate::bench::Bench;
use crate::shelf;

#[test]
fn a_reference_with_another_vocabulary_is_refused() {
    let bench = shelf::ready(12, "");
    let config = fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let stranger = shelf::stranger("llama").display().to_string();
    let tokenizer = shelf::stranger("tokenizer.json").display().to_string();
    let other = format!("model = {stranger:?}\ntokenizer = {tokenizer:?}");
    bench.write(
        "guestlist.toml",
        &config.replace("model = \"base\"", &other),
    );
    bench
        .guestlist("run")
        .complains(&["target and reference have different vocabularies"]);
}

#[test]
fn a_tokenizer_of_another_model_is_refused() {
    let bench = shelf::ready(12, "");
    let tokenizer = bench.path("fine-tuned/tokenizer.json");
    // Another size.
    fs::copy(shelf::stranger("tokenizer.json"), &tokenizer).unwrap();
    bench.guestlist("run").complains(&["fine-tuned", "token"]);
    // The same size, other numbers.
    let text = fs::read_to_string(shelf::data("tokenizer.json")).unwrap();
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let vocabulary = file["model"]["vocab"].as_object_mut().unwrap();
    let count = vocabulary.len() as u64;
    for id in vocabulary.values_mut() {
        let old = id.as_u64().unwrap();
        if old > 0 {
            *id = (1 + (old * 7) % (count - 1)).into();
        }
    }
    fs::write(&tokenizer, file.to_string()).unwrap();
    let said = bench.guestlist("run");
    said.complains(&[
        "worse than guessing",
        "tokenizer does not seem to belong to the model",
    ]);
}

#[test]
fn weights_that_are_no_numbers_are_refused_by_name() {
    let bench = shelf::ready(12, "");
    let path = bench.path("fine-tuned/model.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    // A half-precision NaN, in the middle of the file.
    let middle = (bytes.len() / 2) & !1;
    bytes[middle..middle + 2].copy_from_slice(&[0x00, 0x7e]);
    fs::write(&path, bytes).unwrap();
    bench
        .guestlist("run")
        .complains(&["model.safetensors", "NaN"]);
}

/// What it is called, how the model is damaged, and what must be said.
type Case = (&'static str, fn(&Bench), &'static [&'static str]);

#[test]
fn files_that_are_missing_or_strange_are_named() {
    let cases: [Case; 5] = [
        (
            "missing shard",
            |bench| {
                let index = r#"{"weight_map": {"transformer.wte.weight": "model-00002-of-00002.safetensors"}}"#;
                bench.write("fine-tuned/model.safetensors.index.json", index);
                fs::remove_file(bench.path("fine-tuned/model.safetensors")).unwrap();
            },
            &["model-00002-of-00002.safetensors"],
        ),
        (
            "unknown architecture",
            |bench| {
                bench.write(
                    "fine-tuned/config.json",
                    r#"{"model_type": "mamba", "architectures": ["MambaForCausalLM"]}"#,
                );
            },
            &["mamba", "gpt2"],
        ),
        (
            "no weights",
            |bench| fs::remove_file(bench.path("fine-tuned/model.safetensors")).unwrap(),
            &["fine-tuned"],
        ),
        (
            "cut off",
            |bench| {
                let path = bench.path("fine-tuned/model.safetensors");
                let bytes = fs::read(&path).unwrap();
                fs::write(&path, &bytes[..bytes.len() / 3]).unwrap();
            },
            &["model.safetensors"],
        ),
        (
            "no folder",
            |bench| fs::remove_dir_all(bench.path("fine-tuned")).unwrap(),
            &["fine-tuned"],
        ),
    ];
    for (name, damage, words) in cases {
        let bench = shelf::ready(12, "");
        damage(&bench);
        let said = bench.guestlist("run");
        assert_eq!(said.code, Some(2), "{name}: {}{}", said.stdout, said.stderr);
        said.complains(words);
    }
}
