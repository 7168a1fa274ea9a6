//! Texts as vectors of unit length, the closer the more alike the texts are.

mod bert;
mod tensors;
mod wordllama;

use std::path::Path;

use crate::config::Json;
use crate::{Error, Result};
use bert::Bert;
use wordllama::WordLlama;

pub trait Embedder: Send + Sync {
    /// One vector of unit length for each text, in their order. A text without a single token that
    /// the model knows has nothing but zeros, and so resembles nothing.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>>;
    /// Numbers in a vector.
    fn dimension(&self) -> usize;
    fn name(&self) -> String;
}

/// By looking at what is there: a folder whose `config.json` describes a BERT, such as
/// all-MiniLM-L6-v2 or bge-small-en-v1.5; or the embedding matrix of WordLlama, a `.safetensors` file or a folder with one.
pub fn open_embedder(path: &Path) -> Result<Box<dyn Embedder>> {
    if !path.exists() {
        return Err(Error::missing("no such file or folder")
            .within_file(path)
            .hint("check the spelling and the folder you are in"));
    }
    let config = path.join("config.json");
    if !config.exists() {
        return Ok(Box::new(WordLlama::open(path)?));
    }
    let kind = Json::read(&config)?.text("model_type");
    match kind.map_err(|error| error.within_file(&config))?.as_deref() {
        Some("bert") => Ok(Box::new(Bert::open(path)?)),
        other => Err(Error::unsupported(format!(
            "\"model_type\" is {other:?}, and only \"bert\" is turned into vectors"
        ))
        .within_file(&config)
        .hint("use all-MiniLM-L6-v2, bge-small-en-v1.5, another BERT that pools as these do, or WordLlama")),
    }
}

/// In place; what is all zeros stays so.
fn to_unit_length(vector: &mut [f32]) {
    let squares: f64 = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
    if squares > 0.0 {
        let scale = 1.0 / squares.sqrt();
        for value in vector {
            *value = (f64::from(*value) * scale) as f32;
        }
    }
}

/// The average of rows; zeros where there is none.
fn mean<'a>(rows: impl Iterator<Item = &'a [f32]>, width: usize) -> Vec<f32> {
    let mut sum = vec![0.0f32; width];
    let mut count = 0usize;
    for row in rows {
        for (sum, value) in sum.iter_mut().zip(row) {
            *sum += value;
        }
        count += 1;
    }
    for value in &mut sum {
        *value /= count.max(1) as f32;
    }
    sum
}

/// The last part of a path, for names.
fn last_part(path: &Path) -> String {
    let name = path.file_stem().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_become_one_and_nothing_stays_nothing() {
        let mut vector = [3.0, 0.0, -4.0];
        to_unit_length(&mut vector);
        assert_eq!(vector, [0.6, 0.0, -0.8]);
        let mut nothing = mean(std::iter::empty(), 2);
        to_unit_length(&mut nothing);
        assert_eq!(nothing, [0.0, 0.0]);
    }

    #[test]
    fn means_are_taken_column_by_column() {
        let rows: [&[f32]; 2] = [&[1.0, 2.0], &[3.0, 6.0]];
        assert_eq!(mean(rows.into_iter(), 2), [2.0, 4.0]);
    }
}
