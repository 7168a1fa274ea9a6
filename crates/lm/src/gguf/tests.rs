//! Beside candle, which reads the same format.

use std::io::Cursor;

use candle_core::Device;
use candle_core::quantized::gguf_file;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::kinds::KINDS;
use super::*;

/// A file with one field of each simple kind and one tensor of three blocks.
fn file(kind: &Kind, seed: u64) -> Vec<u8> {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3u32.to_le_bytes());
    bytes.extend(1u64.to_le_bytes());
    bytes.extend(1u64.to_le_bytes());
    string(&mut bytes, "general.name");
    bytes.extend(8u32.to_le_bytes());
    string(&mut bytes, "few bits\0");
    string(&mut bytes, "weights");
    bytes.extend(2u32.to_le_bytes());
    bytes.extend((kind.numbers as u64).to_le_bytes());
    bytes.extend(3u64.to_le_bytes());
    bytes.extend(kind.number().to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    bytes.resize(bytes.len().next_multiple_of(32), 0);
    let mut stored = vec![0; 3 * kind.bytes];
    ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut stored);
    bytes.extend(stored);
    bytes
}

fn string(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

fn by_candle(bytes: &[u8]) -> Vec<f32> {
    let mut reader = Cursor::new(bytes);
    let content = gguf_file::Content::read(&mut reader).unwrap();
    let tensor = content.tensor(&mut reader, "weights", &Device::Cpu);
    let tensor = tensor.unwrap().dequantize(&Device::Cpu).unwrap();
    tensor.flatten_all().unwrap().to_vec1().unwrap()
}

#[test]
fn every_kind_of_block_is_read_to_the_last_bit_as_candle_reads_it() {
    for kind in &KINDS {
        for seed in 0..40 {
            let bytes = file(kind, seed);
            let content = Content::read(&bytes).unwrap();
            let info = &content.tensor_infos["weights"];
            assert_eq!(info.shape, [3, kind.numbers]);
            assert_eq!(
                content.metadata["general.name"].as_str(),
                Some("few bits"),
                "a zero at the end is no part of the text"
            );
            let ours = content.tensor(&bytes, info).unwrap();
            let theirs = by_candle(&bytes);
            assert_eq!(ours.len(), theirs.len());
            for (our, their) in ours.iter().zip(&theirs) {
                let same = our.to_bits() == their.to_bits() || our.is_nan() && their.is_nan();
                assert!(same, "{}: {our} and {their}", kind.name);
            }
        }
    }
}

#[test]
fn a_file_that_ends_early_is_refused_wherever_it_ends() {
    let bytes = file(&KINDS[4], 0);
    for end in 0..bytes.len() {
        let cut = &bytes[..end];
        let read = Content::read(cut).and_then(|content| {
            let info = &content.tensor_infos["weights"];
            content.tensor(cut, info)
        });
        assert!(read.is_err(), "{end} of {} bytes", bytes.len());
    }
}
