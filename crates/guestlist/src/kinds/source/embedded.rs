//! Likeness by an embedder of this machine.

use std::collections::HashMap;
use std::path::Path;

use attacks::source::Similarity;
use lm::Embedder;

use crate::Error;

/// Texts that are embedded at once.
const AT_ONCE: usize = 256;

/// The cosine between the vectors of two texts.
pub struct Embedded {
    embedder: Box<dyn Embedder>,
}

impl Embedded {
    pub fn open(path: &Path) -> Result<Self, Error> {
        let embedder = lm::open_embedder(path)?;
        Ok(Self { embedder })
    }
}

impl Similarity for Embedded {
    fn name(&self) -> String {
        format!("cosine of embeddings by {}", self.embedder.name())
    }

    /// Every text is embedded once, however often it occurs.
    fn similarities(&self, pairs: &[(&str, &str)]) -> Result<Vec<f64>, String> {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut texts: Vec<&str> = Vec::new();
        for text in pairs.iter().flat_map(|(answer, other)| [*answer, *other]) {
            places.entry(text).or_insert_with(|| {
                texts.push(text);
                texts.len() - 1
            });
        }
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in texts.chunks(AT_ONCE) {
            let embedded = self.embedder.embed(texts);
            vectors.extend(embedded.map_err(|error| error.to_string())?);
        }
        let of = |text: &str| places.get(text).and_then(|place| vectors.get(*place));
        let cosine = |(answer, other): &(&str, &str)| match (of(answer), of(other)) {
            (Some(a), Some(b)) => a
                .iter()
                .zip(b.iter())
                .map(|(a, b)| f64::from(*a) * f64::from(*b))
                .sum(),
            _ => 0.0,
        };
        Ok(pairs.iter().map(cosine).collect())
    }
}
