//! What the texts themselves give away, without any model: whether members and non-members could
//! be told apart by anybody who can read.

mod blind;
mod dates;
mod difference;
mod duplicates;
pub mod inference;
mod kept;
mod runs;
mod training;

use std::hash::{DefaultHasher, Hash, Hasher};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stats::streams::Seed;
use text::count_words;

pub use self::blind::Blind;
use self::dates::Dates;
pub use self::difference::Difference;
pub use self::duplicates::Duplicates;
pub use self::inference::Inference;
use self::kept::Kept;
use self::runs::Runs;
pub use self::training::{TrainingSet, TrainingShare};

/// Facts about the texts and their tokens that guardrails look at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TextFacts {
    /// Texts that were looked at word by word, and those that there are, where some were drawn by lot.
    pub texts: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn_from: Option<usize>,
    pub blind: Option<Blind>,
    pub duplicates: Option<Duplicates>,
    pub lengths: Option<Difference>,
    pub dates: Option<Difference>,
    pub dating: Option<Dating>,
    pub training: Option<TrainingShare>,
    pub tokens: TokenFacts,
    pub inference: Option<Inference>,
}

/// How many texts have a date.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Dating {
    pub members: usize,
    pub members_dated: usize,
    pub nonmembers: usize,
    pub nonmembers_dated: usize,
    /// Written in a way that is not read, with the first record of them.
    pub unread: usize,
    pub example: Option<usize>,
}

/// Counts over all texts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TokenFacts {
    /// Texts that a model has scored.
    pub scored: usize,
    /// Scored texts with fewer than 100 tokens, and the median of all.
    pub short: usize,
    pub median: usize,
    /// The median number of tokens that the model had to predict.
    #[serde(default)]
    pub median_predicted: usize,
    /// Texts whose tokens under the reference model are known, and those where they differ.
    pub compared: usize,
    pub mismatched: usize,
    /// The first record with a mismatch.
    pub example: Option<usize>,
    /// Target and reference gave every token the same log-probability.
    pub identical: bool,
    /// Predicted tokens, and at least so many of them that have one and the same log-probability under the target.
    #[serde(default)]
    pub predicted: usize,
    #[serde(default)]
    pub alike: usize,
    /// What tokens explain of their log-probabilities; absent where ids are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_token: Option<ByToken>,
    /// The same of the reference's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_by_token: Option<ByToken>,
    /// What the reference alone tells; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceAlone>,
}

/// Which share of the variance of log-probabilities the tokens explain: beside their own, and beside another row's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ByToken {
    /// Those of tokens that are seen often.
    pub predictions: usize,
    pub own: f64,
    pub other: f64,
}

/// The AUC of the reference model's mean log-probability, with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReferenceAlone {
    pub auc: f64,
    pub low: f64,
    pub high: f64,
}

/// What is remembered of every text until all are read.
struct Known {
    record: u32,
    /// Its number in a report.
    row: u32,
    digest: u64,
}

/// Gathers texts as they are read. Of every text little is kept; what must be looked at word by word
/// is some of them, drawn by lot where there are very many.
pub struct Corpus {
    known: Vec<Known>,
    kept: Kept,
    runs: Runs,
    lengths: Vec<f64>,
    dates: Dates,
}

impl Default for Corpus {
    fn default() -> Self {
        Self::seeded(Seed(0))
    }
}

/// What can be said of a text before it is known which others there are: so it can be made on any core.
pub struct Looked {
    runs: Vec<u64>,
    digest: u64,
}

impl Looked {
    pub fn at(text: &str) -> Self {
        Self {
            runs: text::runs(text),
            digest: digest(text.trim()),
        }
    }
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl Corpus {
    /// Where some texts are drawn by lot, by this seed.
    pub fn seeded(seed: Seed) -> Self {
        Self {
            known: Vec::new(),
            kept: Kept::new(seed),
            runs: Runs::default(),
            lengths: Vec::new(),
            dates: Dates::default(),
        }
    }

    /// Takes the next text under its number in the report, with the number of its tokens where a
    /// model has read it.
    pub fn add(
        &mut self,
        row: usize,
        text: Option<&str>,
        tokens: Option<usize>,
        date: Option<&str>,
    ) {
        let text = text.map(|text| (text, Looked::at(text)));
        self.add_looked(row, text, tokens, date);
    }

    /// The same of a text that was looked at elsewhere.
    pub fn add_looked(
        &mut self,
        row: usize,
        text: Option<(&str, Looked)>,
        tokens: Option<usize>,
        date: Option<&str>,
    ) {
        let record = self.lengths.len();
        let words = || text.as_ref().map_or(0, |(text, _)| count_words(text));
        self.lengths.push(tokens.unwrap_or_else(words) as f64);
        self.dates.add(row, date);
        if let Some((text, looked)) = text {
            let place = self.known.len();
            self.runs.add(place, &looked.runs);
            self.kept.add(place, text);
            self.known.push(Known {
                record: record as u32,
                row: row as u32,
                digest: looked.digest,
            });
        }
    }

    /// What a training file is held against.
    pub fn training(&self) -> TrainingSet {
        let texts = self.kept.texts().par_iter();
        TrainingSet::new(texts.map(|kept| kept.text.as_str()))
    }

    /// The facts, once the truth may be known.
    pub fn facts(
        &self,
        members: &[bool],
        training: Option<&TrainingSet>,
        confidence: f64,
        seed: Seed,
    ) -> TextFacts {
        let known = self.of_known(members);
        let kept = self.kept.texts();
        let labels: Vec<bool> = kept.iter().map(|kept| known[kept.place]).collect();
        let texts: Vec<&str> = kept.iter().map(|kept| kept.text.as_str()).collect();
        let lengths = self.lengths.iter().copied().zip(members.iter().copied());
        TextFacts {
            texts: texts.len(),
            drawn_from: (texts.len() < known.len()).then_some(known.len()),
            blind: blind::blind(&texts, &labels, confidence, seed),
            duplicates: duplicates::find(&self.runs, &known, |place| self.row(place)),
            lengths: Difference::new(lengths.collect(), confidence),
            dates: Difference::new(self.dates.of(members), confidence),
            dating: self.dates.dating(members),
            training: training.map(|set| set.share(&texts, &labels)),
            ..TextFacts::default()
        }
    }

    /// Texts that are the same from beginning to end, where being alike in part means nothing.
    pub fn exact_copies(&self, members: &[bool]) -> Option<Duplicates> {
        let digests: Vec<u64> = self.known.iter().map(|known| known.digest).collect();
        let known = self.of_known(members);
        duplicates::find_exact(&digests, &known, |place| self.row(place))
    }

    /// Of those that have a text.
    fn of_known(&self, members: &[bool]) -> Vec<bool> {
        let known = self.known.iter();
        known.map(|known| members[known.record as usize]).collect()
    }

    fn row(&self, place: usize) -> usize {
        self.known[place].row as usize
    }
}

#[cfg(test)]
mod tests;
