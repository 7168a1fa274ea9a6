//! The texts that an audit is about, held against one question: which of them it is closest to, and whether
//! it is so close to one that somebody may notice.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::language::Language;
use crate::maps::HashMap;
use crate::parts::plain_parts;
use crate::stems::{content_stems, stem};
use crate::stop_words::is_function_word;

/// Texts in an order of their own, which neither files nor sets show in.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    texts: Vec<Text>,
    /// Made when somebody first compares.
    vectors: OnceLock<Arc<Vectors>>,
}

#[derive(Clone, Debug)]
struct Text {
    digest: u64,
    text: Arc<str>,
    /// Found out when somebody first asks.
    language: OnceLock<Language>,
}

impl Text {
    fn new(text: &str) -> Self {
        Self {
            digest: digest(text),
            text: Arc::from(text),
            language: OnceLock::new(),
        }
    }

    /// Texts are in the order of their digests.
    fn order(&self, digest: u64, text: &str) -> Ordering {
        let digests = self.digest.cmp(&digest);
        digests.then_with(|| (*self.text).cmp(text))
    }

    fn language(&self) -> Language {
        *self.language.get_or_init(|| Language::of(&self.text))
    }
}

/// A text of the collection, and where it stands in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Other<'a> {
    pub place: usize,
    pub text: &'a str,
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
        let mut texts: Vec<Text> = texts.map(Text::new).collect();
        texts.sort_by(|one, other| one.order(other.digest, &other.text));
        texts.dedup_by(|one, other| one.order(other.digest, &other.text).is_eq());
        Self {
            texts,
            vectors: OnceLock::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.texts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Other texts than this one in a language, from its own place on and round: the same for the same texts.
    pub fn others(&self, text: &str, language: Language) -> impl Iterator<Item = Other<'_>> {
        let speaks = move |place: &usize| self.texts[*place].language() == language;
        self.round(text)
            .filter(speaks)
            .map(|place| self.other_at(place))
    }

    /// The first of them that stands behind so many others in any language.
    pub fn other(&self, text: &str, behind: usize, language: Language) -> Option<Other<'_>> {
        let mut round = self.round(text).skip(behind);
        let place = round.find(|place| self.texts[*place].language() == language)?;
        Some(self.other_at(place))
    }

    fn round(&self, text: &str) -> impl Iterator<Item = usize> {
        let digest = digest(text);
        let start = self.texts.partition_point(|other| other.digest < digest);
        let round = (start..self.texts.len()).chain(0..start);
        round.filter(move |place| {
            let other = &self.texts[*place];
            other.digest != digest || &*other.text != text
        })
    }

    fn other_at(&self, place: usize) -> Other<'_> {
        let text = &self.texts[place].text;
        Other { place, text }
    }

    /// To hold questions against a text of the collection; nothing where the text is none of it.
    pub fn comparing(&self, text: &str) -> Option<Comparing<'_>> {
        let digest = digest(text);
        let place = self.texts.binary_search_by(|own| own.order(digest, text));
        let vectors = self
            .vectors
            .get_or_init(|| Arc::new(Vectors::new(self.texts.iter().map(|own| &*own.text))));
        Some(Comparing {
            vectors,
            place: place.ok()?,
            known: HashMap::default(),
            words: Vec::new(),
            products: vec![0.0; self.texts.len()],
        })
    }
}

/// One text among all, against which many questions are held that share their words.
pub struct Comparing<'a> {
    vectors: &'a Vectors,
    place: usize,
    /// By plain part: which of the words it is; nothing of one that holds sentences together.
    known: HashMap<String, Option<usize>>,
    words: Vec<Known<'a>>,
    /// With every text: room that one question leaves to the next.
    products: Vec<f64>,
}

/// A stem, and the texts that have it.
struct Known<'a> {
    stem: String,
    word: &'a Weighed,
}

impl<'a> Comparing<'a> {
    /// How close a question is to the text; nothing where there are too few to compare with.
    pub fn closeness(&mut self, question: &str) -> Option<Closeness> {
        self.closeness_of_parts(&plain_parts(question))
    }

    /// The same of the plain parts of a question.
    pub fn closeness_of_parts(&mut self, parts: &[String]) -> Option<Closeness> {
        // In the order of their stems.
        let mut asked: Vec<(usize, u32)> = Vec::new();
        for part in parts {
            let Some(known) = self.known(part) else {
                continue;
            };
            let stem = &self.words[known].stem;
            match asked.binary_search_by(|(word, _)| self.words[*word].stem.cmp(stem)) {
                Ok(place) => asked[place].1 += 1,
                Err(place) => asked.insert(place, (known, 1)),
            }
        }
        let words = asked
            .iter()
            .map(|(word, count)| (self.words[*word].word, *count));
        self.products.fill(0.0);
        self.vectors
            .closeness(words, self.place, &mut self.products)
    }

    /// Which of the words a part is.
    fn known(&mut self, part: &str) -> Option<usize> {
        if let Some(known) = self.known.get(part) {
            return *known;
        }
        let known = (!is_function_word(part)).then(|| {
            let stem = stem(part.to_owned());
            let word = self.vectors.words.get(&stem);
            self.words.push(Known {
                word: word.unwrap_or(&self.vectors.unknown),
                stem,
            });
            self.words.len() - 1
        });
        self.known.insert(part.to_owned(), known);
        known
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
    words: HashMap<String, Weighed>,
    /// Any word that no text has.
    unknown: Weighed,
    lengths: Vec<f64>,
}

/// A word, and what it weighs in the texts that have it.
#[derive(Debug, Default)]
struct Weighed {
    idf: f64,
    weights: Weights,
}

#[derive(Debug)]
enum Weights {
    /// In some texts, by their places.
    Some(Vec<(u32, f64)>),
    /// In every text, zero where it does not stand: a plain loop over all takes less time than many places.
    All(Vec<f64>),
}

impl Default for Weights {
    fn default() -> Self {
        Self::Some(Vec::new())
    }
}

impl Weights {
    /// One text in so many, and a word is looked at in all of them.
    const OFTEN: usize = 4;

    fn new(list: Vec<(u32, f64)>, texts: usize) -> Self {
        if list.len() * Self::OFTEN < texts {
            return Self::Some(list);
        }
        let mut all = vec![0.0; texts];
        for (place, weight) in list {
            all[place as usize] = weight;
        }
        Self::All(all)
    }
}

/// The customary rate of false alarms of a service that looks for questions about one document.
const RATE: f64 = 0.05;

/// Sums that run side by side.
const LANES: usize = 8;

impl Vectors {
    fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        // In order, so that sums over them are the same to the last bit: the choice of words rests on them.
        let mut words: BTreeMap<String, Vec<(u32, f64)>> = BTreeMap::new();
        let mut vectors = Self::default();
        for (place, text) in texts.enumerate() {
            for (word, count) in counted(content_stems(text)) {
                let list = words.entry(word).or_default();
                list.push((place as u32, weight(count)));
            }
            vectors.texts += 1;
        }
        let mut squares = vec![0.0; vectors.texts];
        for list in words.values() {
            let idf = vectors.idf(list.len());
            for (place, weight) in list {
                squares[*place as usize] += (weight * idf).powi(2);
            }
        }
        vectors.lengths = squares.into_iter().map(f64::sqrt).collect();
        vectors.unknown.idf = vectors.idf(0);
        let weighed = |list: Vec<(u32, f64)>| Weighed {
            idf: vectors.idf(list.len()),
            weights: Weights::new(list, vectors.texts),
        };
        let words = words.into_iter();
        vectors.words = words.map(|(word, list)| (word, weighed(list))).collect();
        vectors
    }

    fn idf(&self, texts_with: usize) -> f64 {
        let (all, with) = (self.texts as f64, texts_with as f64);
        ((all - with + 0.5) / (with + 0.5)).ln_1p()
    }

    /// Of a question by its words, and how often each stands in it, in the order of the words. `products` has
    /// room for every text, and is empty.
    fn closeness<'w>(
        &self,
        words: impl Iterator<Item = (&'w Weighed, u32)>,
        place: usize,
        products: &mut [f64],
    ) -> Option<Closeness> {
        let mut square = 0.0;
        for (Weighed { idf, weights }, count) in words {
            let own = weight(count) * idf;
            square += own * own;
            match weights {
                Weights::Some(list) => {
                    for (place, weight) in list {
                        products[*place as usize] += own * weight * idf;
                    }
                }
                Weights::All(all) => {
                    for (product, weight) in products.iter_mut().zip(all) {
                        *product += own * weight * idf;
                    }
                }
            }
        }
        let length: f64 = square.sqrt();
        let similarity = cosine(products[place], length, self.lengths[place]);
        // The others, and it by itself.
        products[place] = 0.0;
        let others = Cosines::new(products, length, &self.lengths, similarity);
        let largest = similarity.max(others.largest);
        let sum = others.sum + similarity - largest;
        let squares = others.squares + similarity * similarity - largest * largest;
        let threshold = outlier_threshold(sum, squares, self.texts, RATE)?;
        Some(Closeness {
            similarity,
            next: others.largest,
            ahead: others.ahead,
            threshold,
        })
    }
}

/// No word in common is no likeness, whatever the lengths.
fn cosine(product: f64, one: f64, other: f64) -> f64 {
    let cosine = product / (one * other);
    if product > 0.0 { cosine } else { 0.0 }
}

/// The cosines of a question with many texts, summed up.
struct Cosines {
    sum: f64,
    squares: f64,
    largest: f64,
    /// Those above a similarity.
    ahead: usize,
}

impl Cosines {
    fn new(products: &[f64], length: f64, lengths: &[f64], similarity: f64) -> Self {
        let mut lanes = Lanes::default();
        let (eights, rest) = products.as_chunks::<LANES>();
        let (their_lengths, rest_lengths) = lengths.as_chunks::<LANES>();
        for (products, lengths) in eights.iter().zip(their_lengths) {
            lanes.add(products, length, lengths, similarity);
        }
        // What is left over stands among texts that share nothing with the question.
        let (mut products, mut lengths) = ([0.0; LANES], [1.0; LANES]);
        products[..rest.len()].copy_from_slice(rest);
        lengths[..rest.len()].copy_from_slice(rest_lengths);
        lanes.add(&products, length, &lengths, similarity);
        Self {
            sum: lanes.sum.iter().sum(),
            squares: lanes.squares.iter().sum(),
            largest: lanes.largest.iter().copied().fold(0.0, f64::max),
            ahead: lanes.ahead.iter().sum::<u64>() as usize,
        }
    }
}

#[derive(Default)]
struct Lanes {
    sum: [f64; LANES],
    squares: [f64; LANES],
    largest: [f64; LANES],
    ahead: [u64; LANES],
}

impl Lanes {
    #[inline(always)]
    fn add(
        &mut self,
        products: &[f64; LANES],
        length: f64,
        lengths: &[f64; LANES],
        similarity: f64,
    ) {
        for i in 0..LANES {
            let cosine = cosine(products[i], length, lengths[i]);
            self.sum[i] += cosine;
            self.squares[i] += cosine * cosine;
            self.largest[i] = if cosine > self.largest[i] {
                cosine
            } else {
                self.largest[i]
            };
            self.ahead[i] += u64::from(cosine > similarity);
        }
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
                let mut comparing = collection.comparing(text).unwrap();
                let found = comparing.closeness(question).unwrap();
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
        assert!(collection.comparing("no text of it").is_none());
    }

    #[test]
    fn others_come_in_an_order_of_their_own() {
        let (mut turned, collection) = (TEXTS, Collection::new(TEXTS.into_iter()));
        turned.reverse();
        let turned = Collection::new(turned.into_iter());
        for text in TEXTS {
            let others: Vec<Other> = collection.others(text, Language::English).collect();
            let again: Vec<Other> = turned.others(text, Language::English).collect();
            assert_eq!(others, again);
            assert!(others.len() == 4 && others.iter().all(|other| other.text != text));
            assert_eq!(
                collection.other(text, 2, Language::English),
                Some(others[2])
            );
            assert_eq!(collection.others(text, Language::German).count(), 0);
            let question = "Which dogs and ships run in gardens at dawn?";
            let (one, two) = (
                collection.comparing(text).unwrap().closeness(question),
                turned.comparing(text).unwrap().closeness(question),
            );
            assert_eq!(one, two, "to the last bit");
        }
        let none = Collection::default();
        assert_eq!(none.others("a", Language::English).count(), 0);
    }
}
