//! What an attack answers: a score per record, or an abstention with its reason.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

/// Why an attack said nothing about a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Abstention {
    /// No shadow model trained on the record.
    NoInShadow = 1,
    /// Every shadow model trained on the record.
    NoOutShadow = 2,
    /// The formula has no value here (for instance +∞ and −∞ averaged over augmentations).
    Undefined = 3,
    /// The text has no token with a prediction.
    NoPrediction = 4,
    /// What the attack needs was not collected for the text.
    NoText = 5,
    NoRank = 6,
    NoMoments = 7,
    NoReference = 8,
    NoLowercase = 9,
    /// No answer about the document came.
    NoAnswer = 10,
    /// The attack found nothing to ask about the document.
    NoQuestion = 11,
    /// No helper model read the answers.
    NoPerplexity = 12,
    /// Too few questions were answered to weigh the answers.
    TooFewAnswers = 13,
    /// The questions were not asked without retrieval as well.
    NoOtherArm = 14,
    /// The document comes from a source that the attack does not look for.
    OtherSource = 15,
    /// No episode asked about the record.
    NotAsked = 16,
    /// Scores that were made elsewhere have none for the record.
    NotGiven = 17,
    /// The text has no position that the attack looks at.
    NoPosition = 18,
}

impl Abstention {
    pub fn as_str(self) -> &'static str {
        match self {
            Abstention::NoInShadow => "no shadow model trained on the record",
            Abstention::NoOutShadow => "every shadow model trained on the record",
            Abstention::Undefined => "the score is undefined for the record",
            Abstention::NoPrediction => "the text has no token with a prediction",
            Abstention::NoText => "the text itself is not in the signals",
            Abstention::NoRank => "there are no token ranks, or none as deep as asked for",
            Abstention::NoMoments => "there is no mean and variance over the vocabulary",
            Abstention::NoReference => "there are no log-probabilities under a reference model",
            Abstention::NoLowercase => "the lower-cased text was not scored",
            Abstention::NoAnswer => "the service gave no answer about the document",
            Abstention::NoQuestion => "there was nothing to ask about the document",
            Abstention::NoPerplexity => "no helper model gave the answers' perplexity",
            Abstention::TooFewAnswers => "too few questions about the document were answered",
            Abstention::NoOtherArm => "the service was not asked without retrieval as well",
            Abstention::OtherSource => "the document comes from another source",
            Abstention::NotAsked => "no episode asked about the record",
            Abstention::NotGiven => "no score was given for the record",
            Abstention::NoPosition => "the text has no token that the attack looks at",
        }
    }

    /// Whether the record was none of the attack's business: of a source that it does not look for, or
    /// drawn by no episode. Such a record is no part of what the attack is measured on; on every other
    /// one an abstention is knowing nothing.
    pub fn is_by_design(self) -> bool {
        matches!(self, Abstention::OtherSource | Abstention::NotAsked)
    }

    const ALL: [Abstention; 18] = [
        Abstention::NoInShadow,
        Abstention::NoOutShadow,
        Abstention::Undefined,
        Abstention::NoPrediction,
        Abstention::NoText,
        Abstention::NoRank,
        Abstention::NoMoments,
        Abstention::NoReference,
        Abstention::NoLowercase,
        Abstention::NoAnswer,
        Abstention::NoQuestion,
        Abstention::NoPerplexity,
        Abstention::TooFewAnswers,
        Abstention::NoOtherArm,
        Abstention::OtherSource,
        Abstention::NotAsked,
        Abstention::NotGiven,
        Abstention::NoPosition,
    ];
}

impl std::fmt::Display for Abstention {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str(self.as_str())
    }
}

/// The answer for one record. Larger scores mean "more likely a member".
pub type Answer = Result<f64, Abstention>;

/// One answer per record. A score is never NaN: a NaN handed in becomes an abstention.
#[derive(Clone, Debug, Default)]
pub struct Scores {
    // Inside this type only, an abstention is a NaN that carries its reason: one word per record.
    values: Vec<f64>,
    cross_fitted: bool,
}

impl Scores {
    /// The same, made by models that learnt from each other's records.
    pub fn by_cross_fitting(self) -> Self {
        Self {
            cross_fitted: true,
            ..self
        }
    }

    /// Whether models learnt from some of the records to score the others, and the other way round.
    pub fn is_cross_fitted(&self) -> bool {
        self.cross_fitted
    }

    /// With room for so many records.
    pub fn with_capacity(records: usize) -> Self {
        Self {
            values: Vec::with_capacity(records),
            cross_fitted: false,
        }
    }

    /// Filled run by run, in parallel, with what [`as_value`] makes of answers.
    pub(crate) fn in_runs(
        records: usize,
        run: usize,
        fill: impl Fn(Range<usize>, &mut [f64]) + Sync,
    ) -> Self {
        let mut values = vec![0.0; records];
        let runs = values.par_chunks_mut(run).enumerate();
        runs.for_each(|(index, values)| {
            let first = index * run;
            fill(first..first + values.len(), values);
        });
        Self {
            values,
            cross_fitted: false,
        }
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The score of a record, or why there is none.
    pub fn answer(&self, record: usize) -> Answer {
        let value = self.values[record];
        if value.is_nan() {
            Err(reason(value))
        } else {
            Ok(value)
        }
    }

    /// The score of a record, or nothing where the attack abstained.
    pub fn get(&self, record: usize) -> Option<f64> {
        self.answer(record).ok()
    }

    pub fn iter(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        self.values.iter().map(|&v| (!v.is_nan()).then_some(v))
    }

    /// All values as they lie; NaN where the attack abstained.
    pub fn as_slice(&self) -> &[f64] {
        &self.values
    }

    /// How many records were abstained on, by reason.
    pub fn abstentions(&self) -> BTreeMap<Abstention, usize> {
        let mut counts = BTreeMap::new();
        for value in self.values.iter().filter(|value| value.is_nan()) {
            *counts.entry(reason(*value)).or_default() += 1;
        }
        counts
    }

    pub fn abstained(&self) -> usize {
        self.values.iter().filter(|value| value.is_nan()).count()
    }

    /// How many records were the attack's to judge and were not judged.
    pub fn left_out(&self) -> usize {
        let counts = self.abstentions();
        let own = counts.iter().filter(|(reason, _)| !reason.is_by_design());
        own.map(|(_, count)| count).sum()
    }
}

impl Extend<Answer> for Scores {
    fn extend<I: IntoIterator<Item = Answer>>(&mut self, answers: I) {
        self.values.extend(answers.into_iter().map(as_value));
    }
}

impl FromIterator<Answer> for Scores {
    fn from_iter<I: IntoIterator<Item = Answer>>(answers: I) -> Self {
        Self {
            values: answers.into_iter().map(as_value).collect(),
            cross_fitted: false,
        }
    }
}

impl FromParallelIterator<Answer> for Scores {
    fn from_par_iter<I: IntoParallelIterator<Item = Answer>>(answers: I) -> Self {
        Self {
            values: answers.into_par_iter().map(as_value).collect(),
            cross_fitted: false,
        }
    }
}

/// As a list of scores holds it: of an abstention a NaN with the reason.
pub(crate) fn as_value(answer: Answer) -> f64 {
    match answer {
        Ok(value) if !value.is_nan() => value,
        Ok(_) => mark(Abstention::Undefined),
        Err(reason) => mark(reason),
    }
}

const QUIET_NAN: u64 = 0x7ff8_0000_0000_0000;

fn mark(reason: Abstention) -> f64 {
    f64::from_bits(QUIET_NAN | reason as u64)
}

fn reason(nan: f64) -> Abstention {
    let code = nan.to_bits() & 0xff;
    let found = Abstention::ALL
        .into_iter()
        .find(|reason| *reason as u64 == code);
    found.unwrap_or(Abstention::Undefined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abstentions_are_counted_by_reason_and_never_scored() {
        let scores: Scores = [
            Ok(1.0),
            Err(Abstention::NoInShadow),
            Ok(f64::NAN),
            Ok(f64::INFINITY),
        ]
        .into_iter()
        .collect();
        assert_eq!(scores.len(), 4);
        assert_eq!(scores.abstained(), 2);
        assert_eq!(scores.abstentions()[&Abstention::Undefined], 1);
        assert_eq!(scores.answer(1), Err(Abstention::NoInShadow));
        assert_eq!(
            scores.iter().collect::<Vec<_>>(),
            [Some(1.0), None, None, Some(f64::INFINITY)]
        );
    }
}
