//! Tokens per second of reading a prompt and of writing, beside what memory gives:
//!
//! `cargo run --release -p guestlist-lm --example writing -- MODEL PROMPT_TOKENS NEW_TOKENS REPEATS`
//!
//! Processor time is said too, which other programs disturb less.
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
    let model = Model::open(&Source::new(path), DeviceChoice::Cpu, Precision::F32)?;
    let bytes = model.about().parameters * size_of::<f32>();
    let model = Arc::new(model);
    let (mut reading, mut writing, mut plain) = (Spent::MOST, Spent::MOST, Spent::MOST);
    let numbers = vec![1.0f32; bytes / size_of::<f32>()];
    for repeat in 0..repeats.parse()? {
        let (read, written) = round(&model, length, new, repeat)?;
        reading = reading.least(read);
        writing = writing.least(written);
        let began = Spent::so_far();
        let sum: f32 = numbers.par_chunks(1 << 16).map(sum).sum();
        black_box(sum);
        plain = plain.least(Spent::since(&began));
    }
    reading.tell("reading a prompt, tokens/s", length as f64);
    writing.tell("writing, tokens/s", 1.0);
    writing.tell("weights read while writing, GB/s", bytes as f64 / 1e9);
    plain.tell("as many bytes added up, GB/s", bytes as f64 / 1e9);
    Ok(())
}

/// Until the first new token, and for each further one. Nothing is remembered of earlier rounds.
fn round(
    model: &Arc<Model>,
    length: usize,
    new: usize,
    seed: u64,
) -> Result<(Spent, Spent), Box<dyn Error>> {
    let generator = Generator::new(model.clone());
    let prompt = prompt(length, model.about().vocabulary as u32, seed + 1);
    let options = Sampling {
        max_tokens: new,
        ..Sampling::default()
    };
    let began = Spent::so_far();
    let mut first = None;
    let generated = generator.generate(&prompt, &options, &mut |_| {
        first.get_or_insert_with(Spent::so_far);
        true
    })?;
    let count = generated.tokens.len();
    match first {
        Some(first) if count > 1 => {
            let read = Spent {
                wall: first.wall - began.wall,
                processor: first.processor - began.processor,
            };
            let all = Spent::since(&first);
            let each = Spent {
                wall: all.wall / (count - 1) as f64,
                processor: all.processor / (count - 1) as f64,
            };
            Ok((read, each))
        }
        _ => Err("the model had too little to say; choose other lengths".into()),
    }
}

/// Seconds on the clock, and of all threads together on processors.
#[derive(Clone, Copy)]
struct Spent {
    wall: f64,
    processor: f64,
}

impl Spent {
    const MOST: Self = Self {
        wall: f64::INFINITY,
        processor: f64::INFINITY,
    };

    fn so_far() -> Self {
        static BEGAN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        Self {
            wall: BEGAN.get_or_init(Instant::now).elapsed().as_secs_f64(),
            processor: processor_seconds(),
        }
    }

    fn since(began: &Self) -> Self {
        let now = Self::so_far();
        Self {
            wall: now.wall - began.wall,
            processor: now.processor - began.processor,
        }
    }

    fn least(self, other: Self) -> Self {
        Self {
            wall: self.wall.min(other.wall),
            processor: self.processor.min(other.processor),
        }
    }

    fn tell(self, what: &str, amount: f64) {
        let (clock, busy) = (amount / self.wall, amount / self.processor);
        println!("{what}: {clock:.1} by the clock, {busy:.1} for each second of a processor");
    }
}

/// Of all threads that live; the kernel counts nanoseconds.
fn processor_seconds() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let nanoseconds = tasks.flatten().filter_map(|task| {
        let line = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<f64>() / 1e9
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
