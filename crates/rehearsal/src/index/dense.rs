//! Search by meaning: the cosine of embeddings, every chunk compared.

use lm::Embedder;
use rayon::prelude::*;

use crate::{Error, ErrorKind, Result};

/// How many chunks one thread compares in a go.
const BLOCK: usize = 4096;

/// How many texts an embedder is handed at once.
const BATCH: usize = 256;

pub struct Dense {
    embedder: Box<dyn Embedder>,
    /// Vectors of length one, one after the other.
    rows: Vec<f32>,
    width: usize,
}

impl Dense {
    pub fn new(embedder: Box<dyn Embedder>, texts: &[&str]) -> Result<Self> {
        let mut dense = Self {
            embedder,
            rows: Vec::new(),
            width: 0,
        };
        for batch in texts.chunks(BATCH) {
            for row in dense.embed(batch)? {
                if dense.width == 0 {
                    dense.width = row.len();
                }
                dense.check_width(&row)?;
                dense.rows.extend(row);
            }
        }
        Ok(dense)
    }

    /// The cosine of every chunk with a question.
    pub fn scores(&self, question: &str) -> Result<Vec<f32>> {
        let question = self.embed(&[question])?.pop().unwrap_or_default();
        if self.width == 0 {
            return Ok(Vec::new());
        }
        self.check_width(&question)?;
        let blocks = self.rows.par_chunks(self.width * BLOCK);
        let cosines = blocks.flat_map_iter(|block| {
            block
                .chunks_exact(self.width)
                .map(|row| dot(row, &question))
        });
        Ok(cosines.collect())
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut rows = self.embedder.embed(texts)?;
        if rows.len() != texts.len() {
            let message = format!("{} texts gave {} embeddings", texts.len(), rows.len());
            return Err(self.broken(message));
        }
        rows.iter_mut().for_each(|row| scale(row));
        Ok(rows)
    }

    fn check_width(&self, row: &[f32]) -> Result<()> {
        if row.len() == self.width && !row.is_empty() {
            return Ok(());
        }
        Err(self.broken(format!(
            "embeddings have {} and {} numbers",
            self.width,
            row.len()
        )))
    }

    fn broken(&self, message: String) -> Error {
        Error::new(
            ErrorKind::Device,
            format!("{}: {message}", self.embedder.name()),
        )
        .hint("give the embedder's files as they were published")
    }
}

/// To length one; a vector of zeros, or with numbers that are none, is like nothing.
fn scale(row: &mut [f32]) {
    let length = dot(row, row).sqrt();
    let factor = if length.is_normal() {
        length.recip()
    } else {
        0.0
    };
    for number in row {
        *number = if factor > 0.0 { *number * factor } else { 0.0 };
    }
}

/// Eight sums side by side, which the compiler turns into one vector of them.
fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (lefts, rights) = (left.chunks_exact(8), right.chunks_exact(8));
    let rest: f32 = lefts
        .remainder()
        .iter()
        .zip(rights.remainder())
        .map(|(a, b)| a * b)
        .sum();
    for (left, right) in lefts.zip(rights) {
        for lane in 0..8 {
            sums[lane] += left[lane] * right[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts letters: texts with the same letters mean the same.
    struct Letters;

    impl Embedder for Letters {
        fn name(&self) -> String {
            "letters".into()
        }

        fn dimension(&self) -> usize {
            26
        }

        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
            let count =
                |text: &str, letter| text.chars().filter(|other| *other == letter).count() as f32;
            let embed = |text: &&str| ('a'..='z').map(|letter| count(text, letter)).collect();
            Ok(texts.iter().map(embed).collect())
        }
    }

    /// Forgets every second text.
    struct Lazy;

    impl Embedder for Lazy {
        fn name(&self) -> String {
            "lazy".into()
        }

        fn dimension(&self) -> usize {
            1
        }

        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
            Ok(texts.iter().step_by(2).map(|_| vec![1.0]).collect())
        }
    }

    #[test]
    fn agrees_with_the_cosine_written_out() {
        let texts: Vec<String> = (0..9000_u32)
            .map(|n| format!("{:x} abc {:o}", n * 7919, n))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).chain(["123"]).collect();
        let dense = Dense::new(Box::new(Letters), &texts).unwrap();
        let question = "a bad cafe";
        let vectors = Letters.embed(&texts).unwrap();
        let own = &Letters.embed(&[question]).unwrap()[0];
        for (row, cosine) in vectors.iter().zip(dense.scores(question).unwrap()) {
            let product =
                |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(x * y)).sum::<f64>();
            let square = product(own, own) * product(row, row);
            let exact = if square > 0.0 {
                product(own, row) / square.sqrt()
            } else {
                0.0
            };
            assert!((f64::from(cosine) - exact).abs() < 1e-5);
        }
    }

    #[test]
    fn an_embedder_that_loses_texts_is_named() {
        let error = Dense::new(Box::new(Lazy), &["a", "b"]).err().unwrap();
        assert!(
            error.to_string().contains("lazy: 2 texts gave 1"),
            "{error}"
        );
    }
}
