//! What a CUDA device says, against PyTorch and against the CPU. With a device at hand:
//!
//! `GUESTLIST_CUDA=0 cargo test --release -p guestlist-lm --features cuda --test cuda -- --include-ignored --nocapture`
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;
mod random;

use std::sync::Arc;

use common::{Reference, data, open, source};
use guestlist_lm::{DeviceChoice, ErrorKind, Generator, Model, Precision, Sampling, Source, Wants};

const WANTS: Wants = Wants { moments: true };
const ALL: [&str; 7] = [
    "gpt2",
    "llama",
    "llama_yarn",
    "llama_sharded",
    "qwen2",
    "gpt_neox",
    "gpt_neox_serial",
];

fn device() -> DeviceChoice {
    let number = std::env::var("GUESTLIST_CUDA").expect("GUESTLIST_CUDA is a device's number");
    DeviceChoice::Cuda(number.parse().unwrap())
}

fn on_cuda(name: &str, precision: Precision) -> Model {
    Model::open(&source(name), device(), precision).unwrap()
}

fn references(name: &str) -> Vec<Reference> {
    Reference::read(&data(&format!("{name}.scores.json")))
}

fn worst(model: &Model, references: &[Reference]) -> [f64; 3] {
    let mut worst = [0.0f64; 3];
    for references in references.chunks(8) {
        let ids: Vec<&[u32]> = references.iter().map(|r| r.ids.as_slice()).collect();
        let scores = model.score(&ids, WANTS).unwrap();
        for (scores, reference) in scores.iter().zip(references) {
            for (worst, far) in worst.iter_mut().zip(reference.compare(scores)) {
                *worst = worst.max(far);
            }
        }
    }
    worst
}

#[test]
#[ignore = "needs GUESTLIST_CUDA, the number of a CUDA device"]
fn on_cuda_f32_agrees_with_pytorch() {
    for name in ALL {
        let far = worst(&on_cuda(name, Precision::F32), &references(name));
        println!("{name}: largest differences (log-probability, mean, variance) {far:?}");
        assert!(far.iter().all(|far| *far < 1e-4), "{name}: {far:?}");
    }
}

#[test]
#[ignore = "needs GUESTLIST_CUDA, the number of a CUDA device"]
fn on_cuda_adapters_and_gguf_agree_with_pytorch() {
    for name in ["gpt2", "llama"] {
        let adapter = format!("{name}_lora");
        let source = Source {
            adapter: Some(data(&adapter)),
            ..source(name)
        };
        let model = Model::open(&source, device(), Precision::F32).unwrap();
        let far = worst(&model, &references(&adapter));
        assert!(far.iter().all(|far| *far < 1e-4), "{adapter}: {far:?}");
    }
    let source = Source::new(data("llama.gguf"));
    let model = Model::open(&source, device(), Precision::F32).unwrap();
    let far = worst(&model, &references("llama"));
    assert!(far.iter().all(|far| *far < 1e-4), "GGUF: {far:?}");
}

/// How far 16 bits are from PyTorch in f32: mean and largest difference of log-probabilities.
fn strayed(name: &str, precision: Precision) -> (f64, f64) {
    let model = on_cuda(name, precision);
    let references = references(name);
    let ids: Vec<&[u32]> = references.iter().map(|r| r.ids.as_slice()).collect();
    let scores = model.score(&ids, Wants::default()).unwrap();
    let far = scores
        .iter()
        .zip(&references)
        .flat_map(|(scores, reference)| {
            let pairs = scores.logprob.iter().zip(&reference.logprob);
            pairs.map(|(ours, theirs)| (f64::from(*ours) - theirs).abs())
        });
    let far: Vec<f64> = far.collect();
    let mean = far.iter().sum::<f64>() / far.len() as f64;
    (mean, far.iter().copied().fold(0.0, f64::max))
}

#[test]
#[ignore = "needs GUESTLIST_CUDA, the number of a CUDA device"]
fn on_cuda_sixteen_bits_stay_near() {
    for (precision, bound) in [(Precision::Bf16, 0.05), (Precision::F16, 0.006)] {
        for name in ALL {
            let (mean, largest) = strayed(name, precision);
            println!("{name} in {precision:?}: mean difference {mean:.6}, largest {largest:.6}");
            assert!(mean < bound, "{name} in {precision:?}: {mean}");
        }
    }
}

/// Heads of the widths that models have, texts longer than what looks back at once, and windows.
#[test]
#[ignore = "needs GUESTLIST_CUDA, the number of a CUDA device"]
fn on_cuda_kernels_agree_with_the_cpu() {
    let texts: Vec<Vec<u32>> = [300, 2, 64, 65, 66, 130, 1100]
        .iter()
        .zip(0..)
        .map(|(length, seed)| tokens(seed, *length))
        .collect();
    let batch: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
    for head_width in [24, 64, 80, 96, 128, 256] {
        let folder = random::llama(head_width);
        let source = Source {
            path: folder.path().to_owned(),
            ..source("llama")
        };
        for context in [2048, 200] {
            let open = |device, precision| {
                let mut model = Model::open(&source, device, precision).unwrap();
                model.cap_context(context);
                model
            };
            let theirs = open(DeviceChoice::Cpu, Precision::F32).score(&batch, WANTS);
            let theirs = theirs.unwrap();
            for (precision, bound) in [(Precision::Bf16, 0.06), (Precision::F16, 0.008)] {
                let model = open(device(), precision);
                let ours = model.score(&batch, WANTS).unwrap();
                assert!(ours == model.score(&batch, WANTS).unwrap(), "{head_width}");
                let far = random::mean_differences(&ours, &theirs);
                println!("heads of {head_width} in {precision:?}, context {context}: {far:?}");
                assert!(far.iter().all(|far| *far < bound), "{head_width}: {far:?}");
            }
        }
    }
}

/// Scores rank first what a text was continued with.
#[test]
#[ignore = "needs GUESTLIST_CUDA, the number of a CUDA device"]
fn on_cuda_sixteen_bits_continue_as_they_score() {
    let folder = random::llama(64);
    let source = Source {
        path: folder.path().to_owned(),
        ..source("llama")
    };
    let model = Arc::new(Model::open(&source, device(), Precision::Bf16).unwrap());
    let settings = Sampling {
        max_tokens: 40,
        ..Sampling::default()
    };
    let mut text = tokens(3, 80);
    let generator = Generator::new(Arc::clone(&model));
    let generated = generator.generate(&text, &settings, &mut |_| true).unwrap();
    assert!(!generated.tokens.is_empty());
    text.extend(&generated.tokens);
    let scores = model.score(&[&text], WANTS).unwrap();
    assert!(scores[0].rank[79..].iter().all(|rank| *rank == 1));
}

fn tokens(seed: u32, length: usize) -> Vec<u32> {
    (0..length as u32)
        .map(|i| (i * i * 31 + seed * 17 + i) % 320)
        .collect()
}

#[test]
#[ignore = "needs GUESTLIST_CUDA, the number of a CUDA device"]
fn on_cuda_threads_take_turns() {
    let model = on_cuda("llama", Precision::F32);
    let texts: Vec<Vec<u32>> = (0..64).map(|n| tokens(n, 90)).collect();
    let batch: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
    let alone = model.score(&batch, WANTS).unwrap();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..20 {
                        assert!(model.score(&batch, WANTS).unwrap() == alone);
                    }
                })
            })
            .collect();
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    });
    let exact = open("llama").score(&batch, WANTS).unwrap();
    for (ours, theirs) in alone.iter().zip(&exact) {
        for (ours, theirs) in ours.logprob.iter().zip(&theirs.logprob) {
            assert!((ours - theirs).abs() < 1e-4, "{ours} and {theirs}");
        }
    }
}

/// With or without the feature, a driver or a device: an error that says what to do, no panic.
#[test]
fn a_device_that_is_not_there_is_an_error() {
    for number in [4096, 1 << 32] {
        let opened = Model::open(&source("gpt2"), DeviceChoice::Cuda(number), Precision::F32);
        let error = opened.err().unwrap();
        println!("{error}");
        assert_eq!(error.kind, ErrorKind::Device);
        assert!(error.hint.is_some());
    }
}
