//! The texts that an audit is about, held against one question: which of them it is closest to, and whether
//! it is so close to one that somebody may notice.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::stems::content_stems;

/// Texts in an order of their own, which neither files nor sets show in.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    /// By their digests.
    texts: Vec<(u64, Arc<str>)>,
    /// Made when somebody first compares.
    vectors: OnceLock<Arc<Vectors>>,
}

/// How close a question is to one text, and to the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closeness {
    /// The cosine with the text.
    pub similarity: f64,
    /// The largest cosine with another text.
    pub next: f64,
    /// Texts that are closer.
    pub ahead: usize,
    /// From here on a question is closer to its closest text than chance explains.
    pub threshold: f64,
}

impl Closeness {
    /// The similarity as a share of the threshold: from 1 on it is conspicuous.
    pub fn share(&self) -> f64 {
        match self.threshold > 0.0 {
            true => self.similarity / self.threshold,
            false => f64::INFINITY,
        }
    }
}

impl Collection {
    pub fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut texts: Vec<(u64, Arc<str>)> =
            texts.map(|text| (digest(text), Arc::from(text))).collect();
        texts.sort();
        texts.dedup();
        Self {
            texts,
            vectors: OnceLock::new(),
        }
    }

    /// Other texts than this one, from its own place on and round: the same for the same texts.
    pub fn others(&self, text: &str) -> impl Iterator<Item = &str> {
        let place = self
            .texts
            .partition_point(|(other, _)| *other < digest(text));
        let (before, after) = self.texts.split_at(place);
        let round = after.iter().chain(before).map(|(_, other)| &**other);
        round.filter(move |other| *other != text)
    }

    /// How close a question is to a text of the collection; nothing where the text is none of it, or where
    /// there are too few to compare with.
    pub fn closeness(&self, question: &str, text: &str) -> Option<Closeness> {
        let key = (digest(text), Arc::from(text));
        let place = self.texts.binary_search(&key).ok()?;
        let vectors = self
            .vectors
            .get_or_init(|| Arc::new(Vectors::new(self.texts.iter().map(|(_, text)| &**text))));
        vectors.closeness(question, place)
    }
}

/// FNV-1a: an order that has nothing to do with what the texts are.
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// TF-IDF vectors, word by word.
#[derive(Debug, Default)]
struct Vectors {
    texts: usize,
    /// In order, so that sums over them are the same to the last bit: the choice of words rests on them.
    words: BTreeMap<String, Vec<(u32, f64)>>,
    lengths: Vec<f64>,
}

/// The customary rate of false alarms of a service that looks for questions about one document.
const RATE: f64 = 0.05;

impl Vectors {
    fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut vectors = Self::default();
        for (place, text) in texts.enumerate() {
            for (word, count) in counted(content_stems(text)) {
                let list = vectors.words.entry(word).or_default();
                list.push((place as u32, weight(count)));
            }
            vectors.texts += 1;
        }
        let mut squares = vec![0.0; vectors.texts];
        for list in vectors.words.values() {
            let idf = vectors.idf(list.len());
            for (place, weight) in list {
                squares[*place as usize] += (weight * idf).powi(2);
            }
        }
        vectors.lengths = squares.into_iter().map(f64::sqrt).collect();
        vectors
    }

    fn idf(&self, texts_with: usize) -> f64 {
        let (all, with) = (self.texts as f64, texts_with as f64);
        ((all - with + 0.5) / (with + 0.5)).ln_1p()
    }

    fn cosines(&self, question: &str) -> Vec<f64> {
        let mut products = vec![0.0; self.texts];
        let mut square = 0.0;
        for (word, count) in counted(content_stems(question)) {
            let list = self.words.get(&word).map_or(&[][..], Vec::as_slice);
            let idf = self.idf(list.len());
            let own = weight(count) * idf;
            square += own * own;
            for (place, weight) in list {
                products[*place as usize] += own * weight * idf;
            }
        }
        let length: f64 = square.sqrt();
        for (product, own) in products.iter_mut().zip(&self.lengths) {
            if *product > 0.0 {
                *product /= length * own;
            }
        }
        products
    }

    fn closeness(&self, question: &str, place: usize) -> Option<Closeness> {
        let cosines = self.cosines(question);
        let similarity = cosines[place];
        let (mut next, mut ahead, mut sum, mut squares) = (0.0_f64, 0, 0.0, 0.0);
        for (other, &cosine) in cosines.iter().enumerate() {
            sum += cosine;
            squares += cosine * cosine;
            if other != place {
                next = next.max(cosine);
                ahead += usize::from(cosine > similarity);
            }
        }
        let largest = similarity.max(next);
        let (sum, squares) = (sum - largest, squares - largest * largest);
        let threshold = outlier_threshold(sum, squares, self.texts, RATE)?;
        Some(Closeness {
            similarity,
            next,
            ahead,
            threshold,
        })
    }
}

/// From which similarity on the largest of `count` is beyond chance, at a rate of false alarms, given sum and
/// sum of squares of the others: μ + σ √(2 ln n) + c σ / √(2 ln n), c = −ln(−ln(1 − ρ)), where similarities are
/// normal and their largest follows Gumbel (Choi et al. 2025, arXiv:2505.22061). Nothing for fewer than three.
pub fn outlier_threshold(sum: f64, squares: f64, count: usize, rate: f64) -> Option<f64> {
    if count < 3 {
        return None;
    }
    let (all, others) = (count as f64, count as f64 - 1.0);
    let mean = sum / others;
    let deviation = (squares / others - mean * mean).max(0.0).sqrt();
    let scale = (2.0 * all.ln()).sqrt();
    let gumbel = -(-(-rate).ln_1p()).ln();
    Some(mean + deviation * scale + gumbel * deviation / scale)
}

fn counted(words: Vec<String>) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

fn weight(count: u32) -> f64 {
    1.0 + f64::from(count).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 5] = [
        "Cats sit on mats and purr.",
        "Dogs run after cats in gardens.",
        "Ships leave the harbour at dawn.",
        "The harbour master counts ships and dogs.",
        "Gardens need water at dawn.",
    ];

    /// The definition, vector by vector.
    fn naive(question: &str, text: &str) -> f64 {
        let stems = |text: &str| content_stems(text);
        let vector = |text: &str| -> BTreeMap<String, f64> {
            let weigh = |(word, count): (String, u32)| {
                let with = TEXTS
                    .iter()
                    .filter(|text| stems(text).contains(&word))
                    .count() as f64;
                let idf = (1.0 + (TEXTS.len() as f64 - with + 0.5) / (with + 0.5)).ln();
                (word, weight(count) * idf)
            };
            counted(stems(text)).into_iter().map(weigh).collect()
        };
        let (one, two) = (vector(question), vector(text));
        let product: f64 = one
            .iter()
            .map(|(word, w)| w * two.get(word).unwrap_or(&0.0))
            .sum();
        let norm = |v: &BTreeMap<String, f64>| v.values().map(|w| w * w).sum::<f64>().sqrt();
        product / (norm(&one) * norm(&two))
    }

    #[test]
    fn closeness_is_the_cosine_written_out() {
        let collection = Collection::new(TEXTS.into_iter());
        for question in [
            "Where do cats purr?",
            "Which dogs and ships, and what of zebras?",
        ] {
            let cosines: Vec<f64> = TEXTS.iter().map(|text| naive(question, text)).collect();
            for (place, text) in TEXTS.iter().enumerate() {
                let found = collection.closeness(question, text).unwrap();
                assert!((found.similarity - cosines[place]).abs() < 1e-12);
                let closer = cosines
                    .iter()
                    .filter(|other| **other > cosines[place] + 1e-12);
                assert_eq!(found.ahead, closer.count());
                let mut others = cosines.clone();
                let most = others.iter().copied().fold(0.0, f64::max);
                others.remove(others.iter().position(|other| *other == most).unwrap());
                let mean = others.iter().sum::<f64>() / 4.0;
                let deviation =
                    (others.iter().map(|o| (o - mean).powi(2)).sum::<f64>() / 4.0).sqrt();
                let scale = (2.0 * 5_f64.ln()).sqrt();
                let slow = mean + deviation * (scale + 2.970_195_249_042_164_6 / scale);
                assert!((found.threshold - slow).abs() < 1e-9, "{found:?} {slow}");
            }
        }
        assert_eq!(collection.closeness("cats", "no text of it"), None);
    }

    #[test]
    fn others_come_in_an_order_of_their_own() {
        let (mut turned, collection) = (TEXTS, Collection::new(TEXTS.into_iter()));
        turned.reverse();
        let turned = Collection::new(turned.into_iter());
        for text in TEXTS {
            let others: Vec<&str> = collection.others(text).collect();
            assert_eq!(others, turned.others(text).collect::<Vec<_>>());
            assert!(others.len() == 4 && !others.contains(&text));
            let question = "Which dogs and ships run in gardens at dawn?";
            let (one, two) = (
                collection.closeness(question, text),
                turned.closeness(question, text),
            );
            assert_eq!(one, two, "to the last bit");
        }
        assert_eq!(Collection::default().others("a").count(), 0);
    }
}
