//! Passages of speeches, models that read them, and words that two texts share.

use std::collections::HashSet;
use std::path::Path;

use formats::tokens;
use lm::{DeviceChoice, Model, Precision, Source, Wants};
use tempfile::TempDir;

use super::broken;
use crate::demo;
use guestlist::Error;

/// Texts that are scored at once.
const AT_ONCE: usize = 16;

/// A passage.
pub struct Speech {
    pub id: String,
    pub text: String,
    pub year: u32,
}

/// A folder for what is unpacked, gone when it is dropped.
pub fn folder() -> Result<TempDir, Error> {
    tempfile::tempdir().map_err(|error| broken("no temporary folder", error))
}

/// Unpacks the texts and models of `guestlist demo lm`.
pub fn unpack(folder: &Path) -> Result<(), Error> {
    demo::language_model(folder, 0).map(drop)
}

/// The passages of one file.
pub fn read(path: &Path) -> Result<Vec<Speech>, Error> {
    let speech = |row: tokens::Row| {
        let year = row.date.and_then(|date| date.parse().ok());
        Some(Speech {
            id: row.id,
            text: row.signals.text?,
            year: year?,
        })
    };
    let mut speeches = Vec::new();
    for batch in tokens::open(path)? {
        speeches.extend(batch?.into_iter().filter_map(speech));
    }
    Ok(speeches)
}

/// Opens an embedded model.
pub fn open(folder: &Path, tokenizer: &Path) -> Result<Model, Error> {
    let source = Source {
        tokenizer: Some(tokenizer.to_owned()),
        ..Source::new(folder)
    };
    Model::open(&source, DeviceChoice::Cpu, Precision::F32)
        .map_err(|error| broken("the demonstration's model cannot be opened", error))
}

/// What a model makes of texts that are cut into tokens already.
pub fn scored(model: &Model, texts: &[Vec<u32>]) -> Result<Vec<lm::Scores>, Error> {
    let mut all = Vec::with_capacity(texts.len());
    for batch in texts.chunks(AT_ONCE) {
        let batch: Vec<&[u32]> = batch.iter().map(Vec::as_slice).collect();
        let scores = model.score(&batch, Wants::default());
        all.extend(scores.map_err(|error| broken("the model cannot read a text", error))?);
    }
    Ok(all)
}

/// A text as tokens, without any around it.
pub fn tokens(model: &Model, text: &str) -> Result<Vec<u32>, Error> {
    let cut = model.tokenizer().encode_bare(text);
    cut.map_err(|error| broken("a text cannot be cut", error))
}

/// The first half of a text's words, and the second.
pub fn halves(text: &str) -> (String, String) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (first, second) = words.split_at(words.len() / 2);
    (first.join(" "), second.join(" "))
}

/// The words that say something: four letters or more.
pub fn key_words(text: &str) -> HashSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= 4)
        .map(str::to_lowercase)
        .collect()
}

/// The share of one text's words that another has.
pub fn shared(of: &HashSet<String>, with: &HashSet<String>) -> f64 {
    of.intersection(with).count() as f64 / (of.len() as f64).max(1.0)
}
