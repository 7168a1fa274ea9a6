//! Inputs that cannot be scored are refused with what is wrong and what to do.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use common::{data, open, source};
use guestlist_lm::{DeviceChoice, Error, ErrorKind, Model, Precision, Source, Tokenizer, Wants};
use safetensors::tensor::{Dtype, TensorView, serialize};
use tempfile::TempDir;

fn copy(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(data(name)).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    fs::copy(data("tokenizer.json"), folder.path().join("tokenizer.json")).unwrap();
    folder
}

fn refused(source: &Source) -> Error {
    match Model::open(source, DeviceChoice::Cpu, Precision::F32) {
        Ok(_) => panic!("{} was opened", source.path.display()),
        Err(error) => error,
    }
}

fn refused_folder(folder: &Path) -> Error {
    refused(&Source::new(folder))
}

fn says(error: &Error, kind: ErrorKind, parts: &[&str]) {
    let text = error.to_string();
    assert_eq!(error.kind, kind, "{text}");
    for part in parts {
        assert!(text.contains(part), "{text:?} lacks {part:?}");
    }
}

fn edit_config(folder: &Path, from: &str, to: &str) {
    let path = folder.join("config.json");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text} lacks {from}");
    fs::write(&path, text.replace(from, to)).unwrap();
}

/// Rewrite the weights with one tensor changed, or left out.
fn edit_weights(folder: &Path, name: &str, edit: impl Fn(&mut Vec<usize>, &mut Vec<u8>) -> bool) {
    let path = folder.join("model.safetensors");
    let bytes = fs::read(&path).unwrap();
    let read = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let mut tensors: HashMap<String, (Dtype, Vec<usize>, Vec<u8>)> = HashMap::new();
    for (key, view) in read.iter() {
        let (mut shape, mut values) = (view.shape().to_vec(), view.data().to_vec());
        if key != name || edit(&mut shape, &mut values) {
            tensors.insert(key.to_owned(), (view.dtype(), shape, values));
        }
    }
    let views = tensors.iter().map(|(key, (kind, shape, values))| {
        (
            key.clone(),
            TensorView::new(*kind, shape.clone(), values).unwrap(),
        )
    });
    let written = serialize(views, None).unwrap();
    fs::write(&path, written).unwrap();
}

#[test]
fn a_missing_shard_is_named() {
    let folder = copy("llama_sharded");
    fs::remove_file(folder.path().join("model-00002-of-00002.safetensors")).unwrap();
    let error = refused_folder(folder.path());
    says(
        &error,
        ErrorKind::NotFound,
        &["model-00002-of-00002.safetensors", "download"],
    );
}

#[test]
fn an_unknown_architecture_is_named_with_those_supported() {
    let folder = copy("llama");
    edit_config(
        folder.path(),
        "\"model_type\": \"llama\"",
        "\"model_type\": \"mamba\"",
    );
    let error = refused_folder(folder.path());
    let supported = "gpt2, llama, mistral, qwen2, qwen3, gpt_neox, gemma2, gemma3_text, phi3, olmo";
    says(
        &error,
        ErrorKind::Unsupported,
        &[
            "config.json",
            "\"mamba\"",
            supported,
            "guestlist.collect.tokens",
            "serve",
        ],
    );
}

#[test]
fn an_unknown_rotary_scaling_is_named() {
    let folder = copy("llama");
    edit_config(folder.path(), "\"llama3\"", "\"longrope\"");
    let error = refused_folder(folder.path());
    says(&error, ErrorKind::Unsupported, &["\"longrope\"", "yarn"]);
}

#[test]
fn a_model_of_images_and_texts_is_told_apart() {
    let folder = copy("gemma3");
    edit_config(folder.path(), "\"gemma3_text\"", "\"gemma3\"");
    let error = refused_folder(folder.path());
    says(
        &error,
        ErrorKind::Unsupported,
        &["\"gemma3\"", "images", "gemma3_text"],
    );
}

#[test]
fn layers_that_do_not_fit_their_description_are_refused() {
    let cases = [
        (
            "\"full_attention\"\n",
            "\"chunked_attention\"\n",
            "\"chunked_attention\"",
        ),
        (
            "\"sliding_window\": 10",
            "\"sliding_window\": 0",
            "\"sliding_window\" is 0",
        ),
        (
            "\"sliding_window\": 10",
            "\"sliding_window\": null",
            "there is no \"sliding_window\"",
        ),
        (
            "\"num_hidden_layers\": 3",
            "\"num_hidden_layers\": 2",
            "3 entries for 2 layers",
        ),
        (
            "\"query_pre_attn_scalar\": 14",
            "\"query_pre_attn_scalar\": 0",
            "square root of 0",
        ),
        (
            "\"use_bidirectional_attention\": false",
            "\"use_bidirectional_attention\": true",
            "looks ahead",
        ),
        (
            "\"final_logit_softcapping\": null",
            "\"final_logit_softcapping\": -3.0",
            "cuts values off at -3",
        ),
    ];
    for (from, to, part) in cases {
        let folder = copy("gemma3");
        edit_config(folder.path(), from, to);
        let error = refused_folder(folder.path());
        assert!(error.to_string().contains(part), "{error} lacks {part}");
    }
}

#[test]
fn long_rotary_factors_must_fit() {
    let folder = copy("phi3_long");
    edit_config(folder.path(), "1.7", "-1.7");
    let error = refused_folder(folder.path());
    says(&error, ErrorKind::Malformed, &["short_factor", "3 numbers"]);
}

#[test]
fn weights_that_are_not_finite_are_refused_by_name() {
    let folder = copy("gpt2");
    edit_weights(
        folder.path(),
        "transformer.h.1.mlp.c_fc.weight",
        |_, values| {
            // A half-precision NaN.
            values[20..22].copy_from_slice(&[0x00, 0x7e]);
            true
        },
    );
    let error = refused_folder(folder.path());
    let parts = ["transformer.h.1.mlp.c_fc.weight", "NaN at position 10"];
    says(&error, ErrorKind::Malformed, &parts);
}

#[test]
fn a_wrong_shape_is_named_with_both_shapes() {
    let folder = copy("gpt2");
    edit_weights(folder.path(), "transformer.ln_f.weight", |shape, values| {
        shape[0] -= 1;
        values.truncate(values.len() - 2);
        true
    });
    let error = refused_folder(folder.path());
    says(
        &error,
        ErrorKind::Mismatch,
        &["ln_f.weight", "[31]", "[32]"],
    );
}

#[test]
fn a_missing_tensor_is_named() {
    let folder = copy("llama");
    edit_weights(folder.path(), "model.norm.weight", |_, _| false);
    let error = refused_folder(folder.path());
    says(&error, ErrorKind::NotFound, &["norm.weight"]);
}

#[test]
fn names_without_the_class_prefix_are_found() {
    let folder = copy("gpt2");
    let path = folder.path().join("model.safetensors");
    let bytes = fs::read(&path).unwrap();
    let read = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let views: Vec<_> = read
        .iter()
        .map(|(name, view)| (name.trim_start_matches("transformer.").to_owned(), view))
        .collect();
    fs::write(&path, serialize(views, None).unwrap()).unwrap();
    Model::open(
        &Source::new(folder.path()),
        DeviceChoice::Cpu,
        Precision::F32,
    )
    .unwrap();
}

#[test]
fn truncated_weights_are_refused() {
    let folder = copy("gpt2");
    let path = folder.path().join("model.safetensors");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let error = refused_folder(folder.path());
    says(
        &error,
        ErrorKind::Malformed,
        &["model.safetensors", "download"],
    );
}

#[test]
fn pickled_weights_are_refused_with_a_remedy() {
    let folder = copy("gpt2");
    let path = folder.path();
    fs::rename(
        path.join("model.safetensors"),
        path.join("pytorch_model.bin"),
    )
    .unwrap();
    let error = refused_folder(path);
    says(
        &error,
        ErrorKind::Unsupported,
        &["pytorch_model.bin", "save_pretrained"],
    );
}

#[test]
fn a_file_that_is_no_model_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    fs::write(&path, "GGUF, or so it says").unwrap();
    says(
        &refused(&Source::new(&path)),
        ErrorKind::Malformed,
        &["model.gguf", "GGUF"],
    );
    let absent = folder.path().join("nowhere.gguf");
    says(
        &refused(&Source::new(&absent)),
        ErrorKind::NotFound,
        &["nowhere.gguf"],
    );
}

#[test]
fn a_foreign_tokenizer_is_refused_with_counts() {
    let folder = copy("gpt2");
    let path = folder.path().join("tokenizer.json");
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    json["added_tokens"]
        .as_array_mut()
        .unwrap()
        .push(serde_json::json!({
            "id": 320, "content": "<|more|>", "single_word": false, "lstrip": false,
            "rstrip": false, "normalized": false, "special": true,
        }));
    fs::write(&path, json.to_string()).unwrap();
    let error = refused_folder(folder.path());
    says(&error, ErrorKind::Mismatch, &["320", "tokenizer.json"]);
}

#[test]
fn an_adapter_for_another_model_is_refused_by_module() {
    let source = Source {
        adapter: Some(data("gpt2_lora")),
        ..source("llama")
    };
    says(&refused(&source), ErrorKind::Mismatch, &["h.0.attn.c_attn"]);
}

#[test]
fn adapters_beyond_plain_lora_are_refused() {
    for (from, to, named) in [
        ("\"use_dora\": false", "\"use_dora\": true", "use_dora"),
        ("\"bias\": \"none\"", "\"bias\": \"all\"", "\"all\""),
        ("\"peft_type\": \"LORA\"", "\"peft_type\": \"IA3\"", "IA3"),
        (
            "\"modules_to_save\": null",
            "\"modules_to_save\": [\"lm_head\"]",
            "modules_to_save",
        ),
    ] {
        let adapter = copy("llama_lora");
        let path = adapter.path().join("adapter_config.json");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from));
        fs::write(&path, text.replace(from, to)).unwrap();
        let source = Source {
            adapter: Some(adapter.path().to_owned()),
            ..source("llama")
        };
        says(
            &refused(&source),
            ErrorKind::Unsupported,
            &[named, "merge_and_unload"],
        );
    }
}

#[test]
fn texts_that_predict_nothing_are_named() {
    let model = open("gpt2");
    let score = |batch: &[&[u32]]| model.score(batch, Wants::default()).unwrap_err();
    says(
        &score(&[&[1, 2], &[]]),
        ErrorKind::Text,
        &["text 1", "0 tokens"],
    );
    says(&score(&[&[7]]), ErrorKind::Text, &["text 0", "1 token,"]);
    says(
        &score(&[&[7, 320]]),
        ErrorKind::Text,
        &["token 320", "320 tokens"],
    );
}

#[test]
fn the_cpu_computes_in_f32_only() {
    let result = Model::open(&source("gpt2"), DeviceChoice::Cpu, Precision::F16);
    assert_eq!(result.err().unwrap().kind, ErrorKind::Unsupported);
}

#[test]
fn tokenizers_open_alone_and_are_compared_by_fingerprint() {
    let alone = Tokenizer::open(&data("tokenizer.json")).unwrap();
    let model = open("llama");
    assert_eq!(alone.fingerprint(), model.tokenizer().fingerprint());
    assert_eq!(alone.fingerprint().len(), 64);
    assert_eq!(alone.vocabulary_size(), 320);
    assert_eq!(alone.token(0).as_deref(), Some("<|endoftext|>"));
    let folder = copy("gpt2");
    let path = folder.path().join("tokenizer.json");
    let text = fs::read_to_string(&path).unwrap();
    let from = "\"add_prefix_space\": false";
    assert!(text.contains(from));
    fs::write(&path, text.replacen(from, "\"add_prefix_space\": true", 1)).unwrap();
    let other = Tokenizer::open(folder.path()).unwrap();
    assert_ne!(alone.fingerprint(), other.fingerprint());
}

#[test]
fn heads_that_do_not_share_out_the_width_are_refused() {
    let folder = copy("gpt2");
    edit_config(folder.path(), "\"n_head\": 4", "\"n_head\": 5");
    let error = refused_folder(folder.path());
    says(&error, ErrorKind::Malformed, &["32", "5 heads"]);
}

#[test]
fn damaged_files_are_refused_or_read_but_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.gguf");
    let sound = fs::read(data("llama.gguf")).unwrap();
    for step in 0..400 {
        let mut bytes = sound.clone();
        let place = step * 41 % 16_000;
        bytes[place] ^= 1 << (step % 8);
        if step % 4 == 0 {
            bytes.truncate(place + 100);
        }
        fs::write(&path, &bytes).unwrap();
        let opened = Model::open(&Source::new(&path), DeviceChoice::Cpu, Precision::F32);
        if let Ok(model) = opened {
            let _ = model.score(&[&[1, 2, 3, 4, 5]], Wants { moments: true });
        }
    }
}
