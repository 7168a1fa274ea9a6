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
    let tensors: Vec<(&str, Vec<usize>, Vec<f32>)> = shapes
        .iter()
        .enumerate()
        .map(|(index, (name, shape))| {
            let count: usize = shape.iter().product();
            let value = |i: usize| ((i * 31 + index * 17) % 23) as f32 / 23.0 - 0.4;
            (
                name.as_str(),
                shape.clone(),
                (0..count).map(value).collect(),
            )
        })
        .collect();
    write_tensors(&folder.path().join("model.safetensors"), &tensors);
    folder
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
    let pooling = folder.path().join("1_Pooling");
    fs::create_dir(&pooling).unwrap();
    let cls = r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#;
    fs::write(pooling.join("config.json"), cls).unwrap();
    says(&refused(folder.path()), ErrorKind::Unsupported, "mean");
}
