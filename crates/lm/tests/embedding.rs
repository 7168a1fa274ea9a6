//! Vectors of texts, against the Python packages that the models come from
//! (`scripts/lm_reference.py vectors` wrote the references), and what is refused.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::data;
use guestlist_lm::{Embedder, Error, ErrorKind, open_embedder};
use safetensors::tensor::{Dtype, TensorView, serialize};
use serde_json::{Value, json};
use tempfile::TempDir;

fn agrees(embedder: &dyn Embedder, reference: &str) {
    let entries: Vec<Value> = serde_json::from_slice(&fs::read(data(reference)).unwrap()).unwrap();
    assert_eq!(entries.len(), 5);
    let texts: Vec<&str> = entries
        .iter()
        .map(|e| e["text"].as_str().unwrap())
        .collect();
    let vectors = embedder.embed(&texts).unwrap();
    let mut worst = 0.0f64;
    for (entry, vector) in entries.iter().zip(&vectors) {
        let wanted: Vec<f64> = serde_json::from_value(entry["vector"].clone()).unwrap();
        assert_eq!(vector.len(), embedder.dimension());
        assert_eq!(vector.len(), wanted.len());
        for (found, wanted) in vector.iter().zip(wanted) {
            worst = worst.max((f64::from(*found) - wanted).abs());
        }
    }
    println!("{reference}: largest difference {worst:e}");
    assert!(worst < 1e-5, "{worst:e}");
    // Neighbours change nothing but the rounding of sums.
    for (text, vector) in texts.iter().zip(&vectors) {
        let alone = embedder.embed(&[text]).unwrap().remove(0);
        let far = alone.iter().zip(vector).map(|(a, b)| (a - b).abs());
        assert!(far.fold(0.0, f32::max) < 1e-6);
    }
    let length: f32 = embedder.embed(&[""]).unwrap()[0]
        .iter()
        .map(|x| x * x)
        .sum();
    assert!(length.is_finite());
    assert!(embedder.embed(&[]).unwrap().is_empty());
}

#[test]
#[ignore = "needs GUESTLIST_MINILM, the folder of all-MiniLM-L6-v2"]
fn minilm_agrees_with_transformers() {
    let folder = std::env::var("GUESTLIST_MINILM").expect("GUESTLIST_MINILM names the folder");
    let embedder = open_embedder(Path::new(&folder)).unwrap();
    assert_eq!(embedder.dimension(), 384);
    agrees(&*embedder, "minilm.vectors.json");
}

#[test]
#[ignore = "needs GUESTLIST_WORDLLAMA, the folder of the Python package"]
fn wordllama_agrees_with_its_package() {
    let folder = std::env::var("GUESTLIST_WORDLLAMA").expect("GUESTLIST_WORDLLAMA names it");
    let folder = Path::new(&folder);
    let file = folder.join("weights/l2_supercat_256.safetensors");
    for path in [folder, &file] {
        let embedder = open_embedder(path).unwrap();
        assert_eq!(embedder.name(), "l2_supercat_256");
        agrees(&*embedder, "wordllama.vectors.json");
    }
}

fn write_tensors(path: &Path, tensors: &[(&str, Vec<usize>, Vec<f32>)]) {
    let bytes: Vec<Vec<u8>> = tensors
        .iter()
        .map(|(_, _, values)| values.iter().flat_map(|x| x.to_le_bytes()).collect())
        .collect();
    let views = tensors.iter().zip(&bytes).map(|((name, shape, _), bytes)| {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap();
        (name.to_string(), view)
    });
    fs::write(path, serialize(views, None).unwrap()).unwrap();
}

/// Vectors for the small tokenizer: token i points along axis i mod 3.
fn static_folder(rows: usize) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let values = (0..rows * 3).map(|i| f32::from(i / 3 % 3 == i % 3));
    let path = folder.path().join("vectors.safetensors");
    let tensor = ("embedding.weight", vec![rows, 3], values.collect());
    write_tensors(&path, &[tensor]);
    fs::copy(data("tokenizer.json"), folder.path().join("tokenizer.json")).unwrap();
    (folder, path)
}

#[test]
fn static_vectors_are_the_mean_of_their_tokens_rows() {
    let (folder, path) = static_folder(320);
    let text = "The keeper counted gulls.";
    let tokenizer = guestlist_lm::Tokenizer::open(&data("tokenizer.json")).unwrap();
    let mut wanted = [0.0f64; 3];
    for token in tokenizer.encode(text).unwrap() {
        wanted[token as usize % 3] += 1.0;
    }
    let length = wanted.iter().map(|x| x * x).sum::<f64>().sqrt();
    for path in [folder.path(), &path] {
        let embedder = open_embedder(path).unwrap();
        let vectors = embedder.embed(&[text, ""]).unwrap();
        for (found, wanted) in vectors[0].iter().zip(wanted) {
            assert!((f64::from(*found) - wanted / length).abs() < 1e-6);
        }
        assert_eq!(vectors[1], [0.0; 3]);
    }
}

fn refused(path: &Path) -> Error {
    match open_embedder(path) {
        Ok(_) => panic!("{} was opened", path.display()),
        Err(error) => error,
    }
}

fn says(error: &Error, kind: ErrorKind, part: &str) {
    let text = error.to_string();
    assert_eq!(error.kind, kind, "{text}");
    assert!(text.contains(part), "{text:?} lacks {part:?}");
    assert!(error.hint.is_some(), "{text:?} has no remedy");
}

#[test]
fn folders_that_hold_something_else_are_refused() {
    says(
        &refused(Path::new("nowhere")),
        ErrorKind::NotFound,
        "nowhere",
    );
    let empty = tempfile::tempdir().unwrap();
    says(&refused(empty.path()), ErrorKind::NotFound, "neither");
    says(&refused(&data("gpt2")), ErrorKind::Unsupported, "\"gpt2\"");
    let weights = data("gpt2").join("model.safetensors");
    says(
        &refused(&weights),
        ErrorKind::Unsupported,
        "embedding.weight",
    );
    let (folder, path) = static_folder(320);
    fs::copy(&path, folder.path().join("other.safetensors")).unwrap();
    says(
        &refused(folder.path()),
        ErrorKind::Mismatch,
        "2 .safetensors",
    );
}

#[test]
fn damaged_vectors_are_refused() {
    let (_folder, path) = static_folder(300);
    says(&refused(&path), ErrorKind::Mismatch, "320 tokens");
    let (folder, path) = static_folder(320);
    fs::remove_file(folder.path().join("tokenizer.json")).unwrap();
    says(&refused(&path), ErrorKind::NotFound, "tokenizer");
    let sound = fs::read(&path).unwrap();
    fs::write(&path, &sound[..sound.len() / 2]).unwrap();
    says(&refused(&path), ErrorKind::Malformed, "safetensors");
    write_tensors(&path, &[("embedding.weight", vec![4], vec![0.0; 4])]);
    says(&refused(&path), ErrorKind::Malformed, "shape");
}

type Tensor = (String, Vec<usize>, Vec<f32>);

/// A BERT of one layer, all of whose weights follow a rule.
fn small_bert() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = json!({
        "model_type": "bert", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": 12, "vocab_size": 320, "max_position_embeddings": 16,
        "type_vocab_size": 2, "hidden_act": "gelu", "layer_norm_eps": 1e-12,
    });
    fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
    fs::copy(data("tokenizer.json"), folder.path().join("tokenizer.json")).unwrap();
    let tensors = small_tensors();
    let tensors: Vec<(&str, Vec<usize>, Vec<f32>)> = tensors
        .iter()
        .map(|(name, shape, values)| (name.as_str(), shape.clone(), values.clone()))
        .collect();
    write_tensors(&folder.path().join("model.safetensors"), &tensors);
    folder
}

fn small_tensors() -> Vec<Tensor> {
    let layer = "encoder.layer.0.";
    let mut shapes: Vec<(String, Vec<usize>)> = vec![
        ("embeddings.word_embeddings.weight".into(), vec![320, 8]),
        ("embeddings.position_embeddings.weight".into(), vec![16, 8]),
        ("embeddings.token_type_embeddings.weight".into(), vec![2, 8]),
    ];
    let maps = [
        ("attention.self.query", 8, 8),
        ("attention.self.key", 8, 8),
        ("attention.self.value", 8, 8),
        ("attention.output.dense", 8, 8),
        ("intermediate.dense", 12, 8),
        ("output.dense", 8, 12),
    ];
    for (map, out, input) in maps {
        shapes.push((format!("{layer}{map}.weight"), vec![out, input]));
        shapes.push((format!("{layer}{map}.bias"), vec![out]));
    }
    let norms = ["attention.output.LayerNorm", "output.LayerNorm"];
    let norms = norms.map(|norm| format!("{layer}{norm}"));
    for norm in norms.iter().chain([&"embeddings.LayerNorm".to_owned()]) {
        shapes.push((format!("{norm}.weight"), vec![8]));
        shapes.push((format!("{norm}.bias"), vec![8]));
    }
    let values = |index: usize, count: usize| {
        let value = |i: usize| ((i * 31 + index * 17) % 23) as f32 / 23.0 - 0.4;
        (0..count).map(value).collect()
    };
    let tensor = |(index, (name, shape)): (usize, (String, Vec<usize>))| {
        let count = shape.iter().product();
        (name, shape, values(index, count))
    };
    shapes.into_iter().enumerate().map(tensor).collect()
}

/// The small BERT in double precision, one number at a time, with a ReLU; the last state of each token.
fn slow_states(tokens: &[u32]) -> Vec<Vec<f64>> {
    let tensors = small_tensors();
    let find = |name: &str| -> &Tensor { tensors.iter().find(|one| one.0 == name).unwrap() };
    let row = |name: &str, row: usize| -> Vec<f64> {
        let (_, shape, values) = find(name);
        let width = shape[1];
        (0..width)
            .map(|i| f64::from(values[row * width + i]))
            .collect()
    };
    let vector = |name: &str| -> Vec<f64> { find(name).2.iter().map(|x| f64::from(*x)).collect() };
    let map = |module: &str, x: &[f64]| -> Vec<f64> {
        let bias = vector(&format!("{module}.bias"));
        let weight = format!("{module}.weight");
        let dot = |out: usize| -> f64 { row(&weight, out).iter().zip(x).map(|(w, x)| w * x).sum() };
        (0..bias.len()).map(|out| dot(out) + bias[out]).collect()
    };
    let norm = |module: &str, x: Vec<f64>| -> Vec<f64> {
        let (weight, bias) = (
            vector(&format!("{module}.weight")),
            vector(&format!("{module}.bias")),
        );
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64;
        let scale = 1.0 / (variance + 1e-12).sqrt();
        (0..x.len())
            .map(|i| (x[i] - mean) * scale * weight[i] + bias[i])
            .collect()
    };
    let sum = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
    let layer = |module: &str| format!("encoder.layer.0.{module}");
    let states: Vec<Vec<f64>> = tokens
        .iter()
        .enumerate()
        .map(|(position, &token)| {
            let word = row("embeddings.word_embeddings.weight", token as usize);
            let place = row("embeddings.position_embeddings.weight", position);
            let kind = row("embeddings.token_type_embeddings.weight", 0);
            norm("embeddings.LayerNorm", sum(&sum(&word, &place), &kind))
        })
        .collect();
    let part = |name: &str| -> Vec<Vec<f64>> {
        let module = layer(&format!("attention.self.{name}"));
        states.iter().map(|state| map(&module, state)).collect()
    };
    let (queries, keys, values) = (part("query"), part("key"), part("value"));
    let attended = |place: usize| -> Vec<f64> {
        let mut out = vec![0.0; 8];
        for head in [0..4, 4..8] {
            let dot = |key: &Vec<f64>| -> f64 {
                head.clone()
                    .map(|i| queries[place][i] * key[i])
                    .sum::<f64>()
                    / 2.0
            };
            let weights: Vec<f64> = keys.iter().map(|key| dot(key).exp()).collect();
            let all: f64 = weights.iter().sum();
            for (weight, value) in weights.iter().zip(&values) {
                head.clone().for_each(|i| out[i] += weight / all * value[i]);
            }
        }
        out
    };
    (0..tokens.len())
        .map(|place| {
            let out = map(&layer("attention.output.dense"), &attended(place));
            let state = norm(
                &layer("attention.output.LayerNorm"),
                sum(&states[place], &out),
            );
            let lifted = map(&layer("intermediate.dense"), &state);
            let lifted: Vec<f64> = lifted.into_iter().map(|x| x.max(0.0)).collect();
            let down = map(&layer("output.dense"), &lifted);
            norm(&layer("output.LayerNorm"), sum(&state, &down))
        })
        .collect()
}

/// Says how the small BERT pools.
fn pool(folder: &Path, flags: &str) {
    let pooling = folder.join("1_Pooling");
    fs::create_dir_all(&pooling).unwrap();
    fs::write(pooling.join("config.json"), flags).unwrap();
}

const CLS: &str = r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#;
const MEAN: &str = r#"{"pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true}"#;

#[test]
fn a_bert_pools_as_its_folder_says() {
    let folder = small_bert();
    let config = folder.path().join("config.json");
    let relu = fs::read_to_string(&config).unwrap().replace("gelu", "relu");
    fs::write(&config, relu).unwrap();
    let texts = ["The keeper counted gulls.", "snow", "gulls and snow", ""];
    let tokenizer = guestlist_lm::Tokenizer::open(&data("tokenizer.json")).unwrap();
    let mut found = Vec::new();
    for flags in [CLS, MEAN] {
        pool(folder.path(), flags);
        let vectors = open_embedder(folder.path()).unwrap().embed(&texts).unwrap();
        for (text, vector) in texts.iter().zip(&vectors) {
            let mut tokens = tokenizer.encode(text).unwrap();
            tokens.truncate(16);
            let states = slow_states(&tokens);
            let pooled = match flags {
                CLS => 1.min(states.len()),
                _ => states.len(),
            };
            let sum = |i: usize| states[..pooled].iter().map(|state| state[i]).sum::<f64>();
            let sums: Vec<f64> = (0..8).map(sum).collect();
            let length = sums.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-300);
            for (found, wanted) in vector.iter().zip(&sums) {
                let far = (f64::from(*found) - wanted / length).abs();
                assert!(far < 1e-5, "{text:?}: {vector:?} and {sums:?}");
            }
        }
        found.push(vectors);
    }
    assert_ne!(found[0], found[1]);
}

#[test]
fn long_texts_are_cut_and_read_alike_in_any_company() {
    let folder = small_bert();
    let embedder = open_embedder(folder.path()).unwrap();
    let long = "The keeper counted gulls, and then she counted them once more. ".repeat(9);
    let texts = ["gulls", &long, "snow", ""];
    let together = embedder.embed(&texts).unwrap();
    for (text, vector) in texts.iter().zip(&together) {
        let alone = embedder.embed(&[text]).unwrap().remove(0);
        let far = alone.iter().zip(vector).map(|(a, b)| (a - b).abs());
        assert!(far.fold(0.0, f32::max) < 1e-6);
    }
    assert_ne!(together[0], together[2]);
}

#[test]
fn damaged_berts_are_refused() {
    let folder = small_bert();
    let config = folder.path().join("config.json");
    let sound = fs::read_to_string(&config).unwrap();
    let edits = [
        (
            "\"hidden_size\":8",
            "\"hidden_size\":7",
            ErrorKind::Malformed,
            "2 heads",
        ),
        (
            "\"vocab_size\":320",
            "\"vocab_size\":0",
            ErrorKind::Malformed,
            "vocab_size",
        ),
        (
            "\"vocab_size\":320",
            "\"vocab_size\":319",
            ErrorKind::Mismatch,
            "tokens",
        ),
        (
            "\"vocab_size\":320",
            "\"vocab_size\":321",
            ErrorKind::Mismatch,
            "shape",
        ),
        ("layers\":1", "layers\":2", ErrorKind::NotFound, "layer.1"),
    ];
    for (from, to, kind, part) in edits {
        assert!(sound.contains(from), "{sound}");
        fs::write(&config, sound.replace(from, to)).unwrap();
        says(&refused(folder.path()), kind, part);
    }
    fs::write(&config, &sound).unwrap();
    for (flags, part) in [
        (
            r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}"#,
            "at once",
        ),
        (
            r#"{"pooling_mode_cls_token": false}"#,
            "neither by the mean",
        ),
        (
            r#"{"pooling_mode_max_tokens": true}"#,
            "pooling_mode_max_tokens",
        ),
    ] {
        pool(folder.path(), flags);
        says(&refused(folder.path()), ErrorKind::Unsupported, part);
    }
    pool(folder.path(), r#"{"pooling_mode_cls_token": 1}"#);
    says(
        &refused(folder.path()),
        ErrorKind::Malformed,
        "pooling_mode_cls_token",
    );
}
