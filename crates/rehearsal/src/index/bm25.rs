//! BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009) with
//! the customary k₁ = 1.2 and b = 0.75.

use super::postings::{Postings, counted};

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// The score of every chunk for the folded words of a question. Only the lists of those words are
/// walked.
pub fn scores(postings: &Postings, words: &[String]) -> Vec<f32> {
    let mut scores = vec![0.0; postings.chunks()];
    for (word, count) in counted(words) {
        let factor = count as f32 * postings.idf(word) as f32 * (K1 + 1.0);
        for entry in postings.entries(word) {
            let chunk = entry.chunk as usize;
            let length = postings.lengths[chunk] as f32 / postings.mean_length;
            let times = entry.count as f32;
            scores[chunk] += factor * times / (times + K1 * (1.0 - B + B * length));
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::super::postings::tests::store;
    use super::*;

    /// The formula word by word, without an index.
    fn slow(store: &[Vec<String>], question: &[String], chunk: usize) -> f64 {
        let mean = store.iter().map(Vec::len).sum::<usize>() as f64 / store.len() as f64;
        let mut sum = 0.0;
        for word in question {
            let with = store.iter().filter(|words| words.contains(word)).count() as f64;
            let idf = (1.0 + (store.len() as f64 - with + 0.5) / (with + 0.5)).ln();
            let times = store[chunk].iter().filter(|other| *other == word).count() as f64;
            let length = store[chunk].len() as f64 / mean;
            sum += idf * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length));
        }
        sum
    }

    #[test]
    fn agrees_with_the_formula_written_out() {
        let store = store(200);
        let postings = Postings::new(store.clone());
        for question in [
            &store[3],
            &store[150],
            &vec!["w1".into(), "w1".into(), "nowhere".into()],
        ] {
            let fast = scores(&postings, question);
            for (chunk, &score) in fast.iter().enumerate() {
                let exact = slow(&store, question, chunk);
                assert!(
                    (f64::from(score) - exact).abs() < 1e-4 * exact.max(1.0),
                    "{score} {exact}"
                );
            }
        }
        assert!(scores(&Postings::new([]), &store[0]).is_empty());
    }
}
