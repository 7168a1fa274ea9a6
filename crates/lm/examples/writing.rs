//! Tokens per second of reading a prompt and of writing, beside what memory gives:
//!
//! `cargo run --release -p guestlist-lm --example writing -- MODEL PROMPT_TOKENS NEW_TOKENS REPEATS`
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use guestlist_lm::{DeviceChoice, Generator, Model, Precision, Sampling, Source};
use rayon::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, length, new, repeats] = arguments.as_slice() else {
        return Err("usage: writing MODEL PROMPT_TOKENS NEW_TOKENS REPEATS".into());
    };
    let (length, new): (usize, usize) = (length.parse()?, new.parse()?);
    let repeats: usize = repeats.parse()?;
    let model = Model::open(&Source::new(path), DeviceChoice::Cpu, Precision::F32)?;
    let weights = model.about().parameters * size_of::<f32>();
    let vocabulary = model.about().vocabulary as u32;
    let model = Arc::new(model);
    let (mut reading, mut writing) = (f64::INFINITY, f64::INFINITY);
    for repeat in 0..repeats {
        // Nothing is remembered of the last round.
        let generator = Generator::new(model.clone());
        let prompt = prompt(length, vocabulary, repeat as u64 + 1);
        let began = Instant::now();
        let mut heard = Vec::new();
        let options = Sampling {
            max_tokens: new,
            ..Sampling::default()
        };
        let generated = generator.generate(&prompt, &options, &mut |_| {
            heard.push(began.elapsed().as_secs_f64());
            true
        })?;
        let (Some(first), Some(last)) = (heard.first(), heard.last()) else {
            return Err("the model had nothing to say".into());
        };
        reading = reading.min(*first);
        let count = generated.tokens.len() - 1;
        if count > 0 {
            writing = writing.min((last - first) / count as f64);
        }
    }
    let rate = |seconds: f64| weights as f64 / seconds / 1e9;
    println!("reading {:.1} tokens/s", length as f64 / reading);
    println!(
        "writing {:.1} tokens/s, {:.1} GB/s of weights",
        1.0 / writing,
        rate(writing)
    );
    println!(
        "plain reading of as many bytes {:.1} GB/s",
        rate(plain(weights, repeats))
    );
    Ok(())
}

/// The best time of adding up as many bytes of f32, on all threads.
fn plain(bytes: usize, repeats: usize) -> f64 {
    let numbers = vec![1.0f32; bytes / size_of::<f32>()];
    let mut best = f64::INFINITY;
    for _ in 0..repeats.max(3) {
        let began = Instant::now();
        let sum: f32 = numbers.par_chunks(1 << 16).map(sum).sum();
        black_box(sum);
        best = best.min(began.elapsed().as_secs_f64());
    }
    best
}

fn sum(numbers: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 64];
    for chunk in numbers.chunks_exact(64) {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += number;
        }
    }
    lanes.iter().sum()
}

/// Tokens of a linear congruential generator.
fn prompt(length: usize, vocabulary: u32, seed: u64) -> Vec<u32> {
    let mut state = seed;
    (0..length)
        .map(|_| {
            state = (state * 1_103_515_245 + 12_345) % (1 << 31);
            (state >> 8) as u32 % vocabulary
        })
        .collect()
}
