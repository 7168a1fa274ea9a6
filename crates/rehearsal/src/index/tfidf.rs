//! Cosine between TF-IDF vectors, weight (1 + ln count) · idf: how alike two texts are by their words.

use super::postings::{Postings, counted, weight};

/// The cosine of every chunk with the folded words of a question. Words that the store does not have
/// lengthen the question's vector, as they should.
pub fn scores(postings: &Postings, words: &[String]) -> Vec<f32> {
    let mut products = vec![0.0_f32; postings.chunks()];
    let mut square = 0.0;
    for (word, count) in counted(words) {
        let idf = postings.idf(word);
        let own = weight(count) * idf;
        square += own * own;
        for entry in postings.entries(word) {
            products[entry.chunk as usize] += (own * weight(entry.count) * idf) as f32;
        }
    }
    let length = square.sqrt() as f32;
    let cosine = |(product, norm): (f32, &f32)| {
        if product > 0.0 {
            product / (norm * length)
        } else {
            0.0
        }
    };
    products
        .into_iter()
        .zip(&postings.norms)
        .map(cosine)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::postings::tests::store;
    use super::*;

    fn vector(store: &[Vec<String>], words: &[String], all: &BTreeSet<&String>) -> Vec<f64> {
        let weigh = |word: &&String| {
            let with = store.iter().filter(|words| words.contains(*word)).count() as f64;
            let idf = (1.0 + (store.len() as f64 - with + 0.5) / (with + 0.5)).ln();
            match words.iter().filter(|other| other == word).count() {
                0 => 0.0,
                times => (1.0 + (times as f64).ln()) * idf,
            }
        };
        all.iter().map(weigh).collect()
    }

    #[test]
    fn agrees_with_vectors_written_out() {
        let store = store(60);
        let postings = Postings::new(store.clone());
        let mut question = store[7].clone();
        question.push("nowhere".into());
        let all: BTreeSet<&String> = store.iter().flatten().chain(&question).collect();
        let own = vector(&store, &question, &all);
        for (chunk, cosine) in scores(&postings, &question).into_iter().enumerate() {
            let other = vector(&store, &store[chunk], &all);
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
            let exact = dot(&own, &other) / (dot(&own, &own) * dot(&other, &other)).sqrt();
            assert!((f64::from(cosine) - exact).abs() < 1e-5, "{cosine} {exact}");
        }
    }
}
