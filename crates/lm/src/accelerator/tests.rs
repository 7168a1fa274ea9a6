//! Plain tensor operations say the same as the CPU's own engine.

use std::path::Path;

use candle_core::{DType, Device};

use super::{Limits, TensorEngine};
use crate::config;
use crate::cpu::CpuEngine;
use crate::decoder::Decoder;
use crate::scores::{Piece, Wants};
use crate::weights::{Files, SafetensorsFiles, Weights};

fn decoder(name: &str) -> Decoder {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    let config = config::from_folder(&folder).unwrap();
    let files = Files::Folder(SafetensorsFiles::open_folder(&folder).unwrap());
    let weights = Weights::new(files, None, config.architecture).unwrap();
    Decoder::read(config, &weights).unwrap()
}

const ALL: [&str; 7] = [
    "gpt2",
    "llama",
    "llama_yarn",
    "qwen2",
    "gpt_neox",
    "gpt_neox_serial",
    "phi3_long",
];
const WANTS: Wants = Wants { moments: true };

fn tokens() -> Vec<u32> {
    (0..90).map(|i| i * 37 % 320).collect()
}

fn pieces(tokens: &[u32]) -> [Piece<'_>; 3] {
    [
        Piece { tokens, skip: 0 },
        Piece {
            tokens: &tokens[3..40],
            skip: 12,
        },
        Piece {
            tokens: &tokens[..2],
            skip: 0,
        },
    ]
}

fn agree(limits: fn() -> Limits) {
    let tokens = tokens();
    let pieces = pieces(&tokens);
    for name in ALL {
        let mut tensor = TensorEngine::new(&decoder(name), &Device::Cpu, DType::F32).unwrap();
        tensor.limits = limits();
        let theirs = tensor.score(&pieces, WANTS).unwrap();
        let ours = CpuEngine::new(decoder(name)).score(&pieces, WANTS).unwrap();
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(ours.rank, theirs.rank, "{name}");
            close(&ours.logprob, &theirs.logprob, name);
            close(&ours.mean, &theirs.mean, name);
            close(&ours.variance, &theirs.variance, name);
            close(&ours.max_logprob, &theirs.max_logprob, name);
        }
    }
}

#[test]
fn both_engines_agree() {
    agree(Limits::default);
}

#[test]
fn work_in_small_parts_changes_nothing() {
    agree(|| Limits {
        tokens: 200,
        scores: 12_000,
        logits: 7 * 320,
    });
    agree(|| Limits {
        tokens: 1,
        scores: 1,
        logits: 1,
    });
}

#[test]
fn moments_come_only_when_wanted() {
    let tensor = TensorEngine::new(&decoder("llama"), &Device::Cpu, DType::F32).unwrap();
    let tokens = tokens();
    let all = tensor.score(&pieces(&tokens), WANTS).unwrap();
    let few = tensor.score(&pieces(&tokens), Wants::default()).unwrap();
    for (all, few) in all.iter().zip(&few) {
        assert_eq!((&all.logprob, &all.rank), (&few.logprob, &few.rank));
        assert!(few.mean.is_empty() && few.variance.is_empty());
    }
}

/// As the CPU of candle computes them; what a GPU says may differ in the last bit of 16.
#[test]
fn sixteen_bits_stay_near() {
    for (kind, bound) in [(DType::BF16, 0.05), (DType::F16, 0.006)] {
        for name in ALL {
            let tokens = tokens();
            let pieces = pieces(&tokens);
            let exact = CpuEngine::new(decoder(name)).score(&pieces, WANTS).unwrap();
            let tensor = TensorEngine::new(&decoder(name), &Device::Cpu, kind).unwrap();
            let rough = tensor.score(&pieces, WANTS).unwrap();
            let far = exact.iter().zip(&rough).flat_map(|(exact, rough)| {
                let pairs = exact.logprob.iter().zip(&rough.logprob);
                pairs.map(|(exact, rough)| (exact - rough).abs())
            });
            let far: Vec<f32> = far.collect();
            let mean = far.iter().sum::<f32>() / far.len() as f32;
            assert!(mean < bound, "{name} in {kind:?}: {mean}");
        }
    }
}

fn close(ours: &[f32], theirs: &[f32], name: &str) {
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert!((ours - theirs).abs() < 1e-4, "{name}: {ours} and {theirs}");
    }
}

#[test]
fn both_engines_expect_the_same_token_next() {
    let tokens = tokens();
    for name in ALL {
        let tensor = TensorEngine::new(&decoder(name), &Device::Cpu, DType::F32).unwrap();
        let cpu = CpuEngine::new(decoder(name));
        for length in [1, 2, 90] {
            let theirs = tensor.next(&tokens[..length]).unwrap();
            let ours = cpu.read(&mut cpu.memory(), &tokens[..length]);
            assert_eq!(ours.len(), theirs.len());
            let far = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs());
            let far = far.fold(0.0, f32::max);
            assert!(far < 1e-4, "{name}: {far}");
        }
    }
}

/// Texts of different lengths, read together and grown token by token, against each read whole.
#[test]
fn texts_that_grow_together_are_each_what_they_are_alone() {
    let tokens = tokens();
    let beginnings: [&[u32]; 3] = [&tokens[..31], &tokens[5..9], &tokens[40..57]];
    for name in ALL {
        let mut tensor = TensorEngine::new(&decoder(name), &Device::Cpu, DType::F32).unwrap();
        for scores in [usize::MAX, 200] {
            tensor.limits.scores = scores;
            let mut texts: Vec<Vec<u32>> = beginnings.map(<[u32]>::to_vec).into();
            let (mut growing, mut following) = tensor.begin(&beginnings, 8, true).unwrap();
            for step in 0..6_u32 {
                let logits = following.logits.unwrap();
                for (row, text) in texts.iter().enumerate() {
                    close(&logits[row], &tensor.next(text).unwrap(), name);
                    let largest = logits[row].iter().copied().fold(f32::MIN, f32::max);
                    assert_eq!(logits[row][following.likeliest[row] as usize], largest);
                }
                if step == 3 {
                    texts.remove(1);
                    tensor.keep(&mut growing, &[0, 2]).unwrap();
                }
                let next: Vec<u32> = (0..texts.len() as u32).map(|row| row * 7 + step).collect();
                following = tensor.grow(&mut growing, &next, true).unwrap();
                for (text, token) in texts.iter_mut().zip(next) {
                    text.push(token);
                }
            }
        }
    }
}
