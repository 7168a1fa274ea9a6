//! Agreement with PyTorch and transformers, token by token, on small random checkpoints and, where
//! the file is at hand, on SmolLM2. `scripts/lm_reference.py` wrote the references.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use common::{Reference, data, open};
use guestlist_lm::{DeviceChoice, Model, Precision, Source, Wants};

const WANTS: Wants = Wants { moments: true };

fn agrees(model: &Model, scores: &str, texts: &str) {
    let references = Reference::read(&data(scores));
    let texts = common::texts(&data(texts));
    assert!(!references.is_empty() && references.len() <= texts.len());
    let context = model.about().context;
    for (text, reference) in texts.iter().zip(&references) {
        let mut ids = model.tokenizer().encode(text).unwrap();
        ids.truncate(context);
        assert_eq!(ids, reference.ids, "tokens of {text:?}");
    }
    let ids: Vec<&[u32]> = references.iter().map(|r| r.ids.as_slice()).collect();
    let mut worst = [0.0f64; 3];
    for (ids, references) in ids.chunks(8).zip(references.chunks(8)) {
        let scores = model.score(ids, WANTS).unwrap();
        for (scores, reference) in scores.iter().zip(references) {
            let far = reference.compare(scores);
            for (worst, far) in worst.iter_mut().zip(far) {
                *worst = worst.max(far);
            }
        }
    }
    println!("{scores}: largest differences (log-probability, mean, variance) {worst:?}");
    assert!(worst[0] < 6e-5, "{scores}: {worst:?}");
    assert!(worst.iter().all(|far| *far < 1e-4), "{scores}: {worst:?}");
}

#[test]
fn gpt2() {
    agrees(&open("gpt2"), "gpt2.scores.json", "texts.jsonl");
}

#[test]
fn llama_with_shared_keys_scaled_rotation_and_tied_head() {
    agrees(&open("llama"), "llama.scores.json", "texts.jsonl");
}

#[test]
fn llama_with_biases_wide_heads_and_yarn() {
    agrees(&open("llama_yarn"), "llama_yarn.scores.json", "texts.jsonl");
}

#[test]
fn llama_in_bf16_shards() {
    let model = open("llama_sharded");
    assert_eq!(model.about().stored_type, "bf16");
    assert_eq!(model.about().files.len(), 4);
    agrees(&model, "llama_sharded.scores.json", "texts.jsonl");
}

#[test]
fn qwen2() {
    agrees(&open("qwen2"), "qwen2.scores.json", "texts.jsonl");
}

#[test]
fn gpt_neox_with_parallel_residual() {
    agrees(&open("gpt_neox"), "gpt_neox.scores.json", "texts.jsonl");
}

#[test]
fn gpt_neox_without_parallel_residual() {
    let scores = "gpt_neox_serial.scores.json";
    agrees(&open("gpt_neox_serial"), scores, "texts.jsonl");
}

#[test]
fn mistral_with_a_window() {
    agrees(&open("mistral"), "mistral.scores.json", "texts.jsonl");
}

#[test]
fn qwen3_with_normalised_heads() {
    agrees(&open("qwen3"), "qwen3.scores.json", "texts.jsonl");
}

#[test]
fn qwen3_with_a_window_in_its_upper_layer() {
    let scores = "qwen3_window.scores.json";
    agrees(&open("qwen3_window"), scores, "texts.jsonl");
}

#[test]
fn gemma2_with_caps_and_alternating_windows() {
    agrees(&open("gemma2"), "gemma2.scores.json", "texts.jsonl");
}

#[test]
fn gemma3_with_two_paces_of_positions() {
    agrees(&open("gemma3"), "gemma3.scores.json", "texts.jsonl");
}

/// What Gemma 3's description was before newer versions of transformers wrote it.
#[test]
fn gemma3_by_an_older_description() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["config.json", "model.safetensors"] {
        std::fs::copy(data("gemma3").join(file), folder.path().join(file)).unwrap();
    }
    let path = folder.path().join("config.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let keys = json.as_object_mut().unwrap();
    keys.remove("layer_types");
    keys.remove("rope_parameters");
    keys.remove("tie_word_embeddings");
    keys.insert("sliding_window_pattern".into(), 3.into());
    keys.insert("rope_local_base_freq".into(), 10_000.0.into());
    keys.insert("rope_theta".into(), 1_000_000.0.into());
    let scaling = serde_json::json!({"rope_type": "linear", "factor": 8.0});
    keys.insert("rope_scaling".into(), scaling);
    std::fs::write(&path, json.to_string()).unwrap();
    let source = Source {
        path: folder.path().to_owned(),
        ..common::source("gemma3")
    };
    let model = Model::open(&source, DeviceChoice::Cpu, Precision::F32).unwrap();
    agrees(&model, "gemma3.scores.json", "texts.jsonl");
}

#[test]
fn phi3_with_weights_stored_together() {
    agrees(&open("phi3"), "phi3.scores.json", "texts.jsonl");
}

#[test]
fn phi3_with_long_rotary_positions_in_windows_of_its_first_training() {
    let model = open("phi3_long");
    assert_eq!(model.about().context, 128);
    agrees(&model, "phi3_long.scores.json", "texts.jsonl");
}

#[test]
fn olmo_with_clipped_heads_and_norms_without_weights() {
    agrees(&open("olmo"), "olmo.scores.json", "texts.jsonl");
}

#[test]
fn olmo2_with_norms_behind_its_layers() {
    agrees(&open("olmo2"), "olmo2.scores.json", "texts.jsonl");
}

#[test]
fn adapters_of_gemma3_and_phi3() {
    agrees(&adapted("gemma3"), "gemma3_lora.scores.json", "texts.jsonl");
    agrees(&adapted("phi3"), "phi3_lora.scores.json", "texts.jsonl");
}

fn adapted(name: &str) -> Model {
    let source = Source {
        adapter: Some(data(&format!("{name}_lora"))),
        ..common::source(name)
    };
    Model::open(&source, DeviceChoice::Cpu, Precision::F32).unwrap()
}

#[test]
fn adapter_on_transposed_weights() {
    agrees(&adapted("gpt2"), "gpt2_lora.scores.json", "texts.jsonl");
}

#[test]
fn adapter_with_own_ranks_and_stabilised_scale() {
    agrees(&adapted("llama"), "llama_lora.scores.json", "texts.jsonl");
}

#[test]
fn llama_as_llama_cpp_converts_it() {
    let source = Source::new(data("llama.gguf"));
    let model = Model::open(&source, DeviceChoice::Cpu, Precision::F32).unwrap();
    let ours = open("llama");
    assert_eq!(
        model.tokenizer().fingerprint(),
        ours.tokenizer().fingerprint()
    );
    agrees(&model, "llama.scores.json", "texts.jsonl");
}

#[test]
fn mean_states_of_the_last_layer() {
    for name in ["gpt2", "gemma3"] {
        let file = std::fs::read(data(&format!("{name}.states.json"))).unwrap();
        let rows: Vec<serde_json::Value> = serde_json::from_slice(&file).unwrap();
        let list = |value: &serde_json::Value| serde_json::from_value::<Vec<u32>>(value.clone());
        let ids: Vec<Vec<u32>> = rows.iter().map(|row| list(&row["ids"]).unwrap()).collect();
        let batch: Vec<&[u32]> = ids.iter().map(Vec::as_slice).collect();
        let states = open(name).mean_states(&batch).unwrap();
        assert_eq!(states.len(), rows.len());
        for (found, row) in states.iter().zip(&rows) {
            let wanted: Vec<f32> = serde_json::from_value(row["state"].clone()).unwrap();
            assert_eq!(found.len(), wanted.len());
            for (found, wanted) in found.iter().zip(&wanted) {
                assert!(
                    (found - wanted).abs() < 5e-5,
                    "{name}: {found} and {wanted}"
                );
            }
        }
    }
}

/// Trained checkpoints in half precision, 50 texts.
#[test]
fn the_pair_of_the_demonstration() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../rehearsal/data/lm");
    let file = std::fs::read_to_string(folder.join("reference.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&file).unwrap();
    let texts = file.as_object().unwrap();
    assert_eq!(texts.len(), 50);
    for (name, key) in [("base", "base"), ("fine-tuned", "fine_tuned")] {
        let source = Source {
            tokenizer: Some(folder.join("tokenizer.json")),
            ..Source::new(folder.join(name))
        };
        let model = Model::open(&source, DeviceChoice::Cpu, Precision::F32).unwrap();
        for text in texts.values() {
            let ids: Vec<u32> = serde_json::from_value(text["token_ids"].clone()).unwrap();
            let wanted: Vec<f32> = serde_json::from_value(text[key].clone()).unwrap();
            let scores = model.score(&[&ids], WANTS).unwrap().remove(0);
            assert_eq!(scores.logprob.len(), wanted.len());
            for (found, wanted) in scores.logprob.iter().zip(wanted) {
                assert!(
                    (found - wanted).abs() < 1e-4,
                    "{name}: {found} and {wanted}"
                );
            }
        }
    }
}

#[test]
#[ignore = "needs GUESTLIST_SMOLLM2, the path of SmolLM2-135M-Instruct.Q4_1.gguf"]
fn smollm2_agrees_with_transformers() {
    let path = std::env::var("GUESTLIST_SMOLLM2").expect("GUESTLIST_SMOLLM2 names the file");
    let model = Model::open(&Source::new(path), DeviceChoice::Cpu, Precision::F32).unwrap();
    agrees(&model, "smollm2.scores.json", "texts.jsonl");
}

#[test]
#[ignore = "needs GUESTLIST_GEMMA3, a folder with gemma3.gguf (270M, Q4_K_M) and a tokenizer.json"]
fn gemma3_in_gguf_agrees_with_transformers() {
    let folder = std::env::var("GUESTLIST_GEMMA3").expect("GUESTLIST_GEMMA3 names the folder");
    let folder = std::path::Path::new(&folder);
    let source = Source {
        tokenizer: Some(folder.join("tokenizer.json")),
        ..Source::new(folder.join("gemma3.gguf"))
    };
    let model = Model::open(&source, DeviceChoice::Cpu, Precision::F32).unwrap();
    agrees(&model, "gemma3_270m.scores.json", "texts.jsonl");
}

#[test]
#[ignore = "needs GUESTLIST_CONVERTED, a folder with the small checkpoints as llama.cpp converts them"]
fn converted_to_gguf() {
    let folder = std::env::var("GUESTLIST_CONVERTED").expect("GUESTLIST_CONVERTED names a folder");
    for name in ["gpt2", "llama", "qwen2", "gpt_neox"] {
        let path = std::path::Path::new(&folder).join(format!("{name}.gguf"));
        let model = Model::open(&Source::new(path), DeviceChoice::Cpu, Precision::F32).unwrap();
        agrees(&model, &format!("{name}.scores.json"), "texts.jsonl");
    }
}
