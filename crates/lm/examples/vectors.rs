//! Texts and tokens per second of turning texts into vectors:
//!
//! `cargo run --release -p guestlist-lm --example vectors -- MODEL TEXTS WORDS REPEATS`
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use guestlist_lm::open_embedder;

const WORDS: [&str; 12] = [
    "harbour", "the", "keeper", "counted", "gulls", "and", "water", "tea", "of", "snow", "ice",
    "Tuesday",
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, count, words, repeats] = arguments.as_slice() else {
        return Err("usage: vectors MODEL TEXTS WORDS REPEATS".into());
    };
    let (count, words): (usize, usize) = (count.parse()?, words.parse()?);
    let embedder = open_embedder(Path::new(path))?;
    let texts: Vec<String> = (0..count).map(|text| sentence(text, words)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut best = f64::INFINITY;
    for _ in 0..repeats.parse()? {
        let began = Instant::now();
        embedder.embed(&texts)?;
        best = best.min(began.elapsed().as_secs_f64());
    }
    println!(
        "{}: {:.1} texts/s of {words} words, {:.0} words/s",
        embedder.name(),
        count as f64 / best,
        (count * words) as f64 / best
    );
    Ok(())
}

fn sentence(text: usize, words: usize) -> String {
    let word = |place: usize| WORDS[(text * 7 + place * 5 + place * place) % WORDS.len()];
    let words: Vec<&str> = (0..words).map(word).collect();
    words.join(" ")
}
