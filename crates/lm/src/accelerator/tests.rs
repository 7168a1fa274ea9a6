//! Plain tensor operations say the same as the CPU's own engine.

use std::path::Path;

use candle_core::{DType, Device};

use super::TensorEngine;
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

#[test]
fn both_engines_agree() {
    let tokens: Vec<u32> = (0..90).map(|i| i * 37 % 320).collect();
    let pieces = [
        Piece {
            tokens: &tokens,
            skip: 0,
        },
        Piece {
            tokens: &tokens[3..40],
            skip: 12,
        },
        Piece {
            tokens: &tokens[..2],
            skip: 0,
        },
    ];
    let wants = Wants { moments: true };
    for name in [
        "gpt2",
        "llama",
        "llama_yarn",
        "qwen2",
        "gpt_neox",
        "gpt_neox_serial",
    ] {
        let tensor = TensorEngine::new(&decoder(name), &Device::Cpu, DType::F32).unwrap();
        let theirs = tensor.score(&pieces, wants).unwrap();
        let ours = CpuEngine::new(decoder(name)).score(&pieces, wants).unwrap();
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(ours.rank, theirs.rank, "{name}");
            close(&ours.logprob, &theirs.logprob, name);
            close(&ours.mean, &theirs.mean, name);
            close(&ours.variance, &theirs.variance, name);
        }
    }
}

fn close(ours: &[f32], theirs: &[f32], name: &str) {
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert!((ours - theirs).abs() < 1e-4, "{name}: {ours} and {theirs}");
    }
}
