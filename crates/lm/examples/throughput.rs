//! Tokens per second and peak memory of scoring:
//!
//! `cargo run --release -p guestlist-lm --example throughput -- MODEL BATCH LENGTH REPEATS [moments]`
//!
//! With the feature `cuda`, the words `cuda` and `bf16` or `f16` may follow, and `agreement`, which
//! says how far scores lie from those in f32.
//!
//! `scripts/lm_throughput.py` does the same with transformers, `bench/lm/transformers_gpu.py` on a GPU.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Instant;

use guestlist_lm::{DeviceChoice, Model, Precision, Scores, Source, Wants};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, batch, length, repeats, rest @ ..] = arguments.as_slice() else {
        return Err("usage: throughput MODEL BATCH LENGTH REPEATS [moments]".into());
    };
    let (batch, length): (usize, usize) = (batch.parse()?, length.parse()?);
    let repeats: usize = repeats.parse()?;
    let said = |word: &str| rest.iter().any(|said| said == word);
    let wants = Wants {
        moments: said("moments"),
    };
    let device = match said("cuda") {
        true => DeviceChoice::Cuda(0),
        false => DeviceChoice::Cpu,
    };
    let precision = match (said("bf16"), said("f16")) {
        (true, _) => Precision::Bf16,
        (_, true) => Precision::F16,
        _ => Precision::F32,
    };
    let began = Instant::now();
    let model = Model::open(&Source::new(path), device, precision)?;
    println!("opened in {:.2} s", began.elapsed().as_secs_f64());
    let texts = texts(batch, length, model.about().vocabulary as u32);
    let texts: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
    model.score(&texts, wants)?;
    let before = processor_seconds();
    let mut best = f64::INFINITY;
    for _ in 0..repeats {
        let began = Instant::now();
        let scores = model.score(&texts, wants)?;
        let seconds = began.elapsed().as_secs_f64();
        best = best.min(seconds);
        let sum: f32 = scores.iter().flat_map(|scores| &scores.logprob).sum();
        let speed = (batch * length) as f64 / seconds;
        println!("{speed:.1} tokens/s ({seconds:.3} s, sum of log-probabilities {sum:.3})");
    }
    let seconds = (processor_seconds() - before) / repeats as f64;
    println!("processor time {seconds:.3} s a batch, all threads together");
    println!("best {:.1} tokens/s", (batch * length) as f64 / best);
    println!("peak memory {}", peak_memory());
    if said("agreement") {
        let rough = model.score(&texts, wants)?;
        drop(model);
        let model = Model::open(&Source::new(path), device, Precision::F32)?;
        agreement(&rough, &model.score(&texts, wants)?);
    }
    Ok(())
}

/// Some numbers of every token.
type Numbers = fn(&Scores) -> &[f32];

fn agreement(rough: &[Scores], exact: &[Scores]) {
    let measures: [(&str, Numbers); 3] = [
        ("log-probabilities", |scores| &scores.logprob),
        ("means", |scores| &scores.mean),
        ("variances", |scores| &scores.variance),
    ];
    for (name, values) in measures {
        let pairs = rough.iter().zip(exact);
        let far = pairs.flat_map(|(rough, exact)| values(rough).iter().zip(values(exact)));
        let far: Vec<f32> = far.map(|(rough, exact)| (rough - exact).abs()).collect();
        let mean = far.iter().map(|far| f64::from(*far)).sum::<f64>() / far.len().max(1) as f64;
        let largest = far.iter().copied().fold(0.0, f32::max);
        println!("{name} from f32: mean {mean:.6}, largest {largest:.6}");
    }
}

/// The same tokens as `lm_throughput.py` draws: a linear congruential generator.
fn texts(batch: usize, length: usize, vocabulary: u32) -> Vec<Vec<u32>> {
    let mut state = 1u64;
    let mut next = || {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        (state >> 8) as u32 % vocabulary
    };
    (0..batch)
        .map(|_| (0..length).map(|_| next()).collect())
        .collect()
}

/// Of this process so far, user and system; the kernel counts hundredths.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields = after_name.split_whitespace().skip(11).take(2);
    fields
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.map_or("unknown".into(), |line| {
        line.trim_start_matches("VmHWM:").trim().to_owned()
    })
}
