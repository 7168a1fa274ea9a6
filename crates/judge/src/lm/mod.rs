//! What the texts themselves give away, without any model: whether members and non-members could
//! be told apart by anybody who can read.

mod blind;
mod dates;
mod difference;
mod duplicates;
pub mod inference;
mod training;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stats::streams::Seed;
use text::{Grams, count_words};

pub use self::blind::Blind;
pub use self::difference::Difference;
pub use self::duplicates::Duplicates;
pub use self::inference::Inference;
pub use self::training::{TrainingSet, TrainingShare};

/// So many texts are enough to judge a set; of more, every second, third… is taken.
const MOST_TEXTS: usize = 50_000;

/// Facts about the texts and their tokens that guardrails look at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TextFacts {
    /// Texts that were looked at word by word.
    pub texts: usize,
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
    /// What the reference alone tells; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceAlone>,
}

/// The AUC of the reference model's mean log-probability, with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReferenceAlone {
    pub auc: f64,
    pub low: f64,
    pub high: f64,
}

/// What is remembered of a text until all are read.
struct Remembered {
    record: usize,
    /// Its number in a report.
    row: usize,
    text: String,
}

/// Gathers texts as they are read.
#[derive(Default)]
pub struct Corpus {
    texts: Vec<Remembered>,
    stride: usize,
    lengths: Vec<f64>,
    dates: Vec<Option<f64>>,
    unread: usize,
    unread_example: Option<usize>,
}

impl Corpus {
    /// Takes the next text under its number in the report, with the number of its tokens where a
    /// model has read it.
    pub fn add(
        &mut self,
        row: usize,
        text: Option<&str>,
        tokens: Option<usize>,
        date: Option<&str>,
    ) {
        let record = self.lengths.len();
        let words = || text.map_or(0, count_words);
        self.lengths.push(tokens.unwrap_or_else(words) as f64);
        self.add_date(row, date);
        let stride = self.stride.max(1);
        if let Some(text) = text.filter(|_| record.is_multiple_of(stride)) {
            self.texts.push(Remembered {
                record,
                row,
                text: text.to_owned(),
            });
        }
        if self.texts.len() > MOST_TEXTS {
            self.stride = 2 * stride;
            let stride = self.stride;
            self.texts.retain(|kept| kept.record.is_multiple_of(stride));
        }
    }

    fn add_date(&mut self, row: usize, date: Option<&str>) {
        let date = date.filter(|date| !date.trim().is_empty());
        let read = date.and_then(dates::parse);
        if date.is_some() && read.is_none() {
            self.unread += 1;
            self.unread_example.get_or_insert(row);
        }
        self.dates.push(read);
    }

    fn dating(&self, members: &[bool]) -> Option<Dating> {
        let count = |kind: bool, dated: bool| {
            let of = self.dates.iter().zip(members);
            of.filter(|(date, member)| **member == kind && (date.is_some() || !dated))
                .count()
        };
        let any = self.unread > 0 || self.dates.iter().any(Option::is_some);
        any.then(|| Dating {
            members: count(true, false),
            members_dated: count(true, true),
            nonmembers: count(false, false),
            nonmembers_dated: count(false, true),
            unread: self.unread,
            example: self.unread_example,
        })
    }

    /// The facts, once the truth may be known.
    pub fn facts(
        &self,
        members: &[bool],
        training: Option<&TrainingSet>,
        confidence: f64,
        seed: Seed,
    ) -> TextFacts {
        let labels: Vec<bool> = self.texts.iter().map(|kept| members[kept.record]).collect();
        let grams: Vec<Grams> = self
            .texts
            .par_iter()
            .map(|kept| Grams::new(&kept.text))
            .collect();
        let dated = self.dates.iter().zip(members);
        let dated: Vec<(f64, bool)> = dated
            .filter_map(|(date, member)| Some(((*date)?, *member)))
            .collect();
        let lengths = self.lengths.iter().copied().zip(members.iter().copied());
        TextFacts {
            texts: grams.len(),
            blind: blind::blind(
                &grams,
                &labels,
                |place| &self.texts[place].text,
                confidence,
                seed,
            ),
            duplicates: duplicates::find(&grams, &labels, |place| self.texts[place].row),
            lengths: Difference::new(lengths.collect(), confidence),
            dates: Difference::new(dated, confidence),
            dating: self.dating(members),
            training: training.map(|set| set.share(&grams, &labels)),
            ..TextFacts::default()
        }
    }
}

impl Corpus {
    /// Texts that are the same from beginning to end, where being alike in part means nothing.
    pub fn exact_copies(&self, members: &[bool]) -> Option<Duplicates> {
        let labels: Vec<bool> = self.texts.iter().map(|kept| members[kept.record]).collect();
        let texts: Vec<&str> = self.texts.iter().map(|kept| kept.text.as_str()).collect();
        duplicates::find_exact(&texts, &labels, |place| self.texts[place].row)
    }
}

#[cfg(test)]
mod tests;
