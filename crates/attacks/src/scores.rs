//! What an attack answers: a score per record, or an abstention with its reason.

use std::collections::BTreeMap;

/// Why an attack said nothing about a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Abstention {
    /// No shadow model trained on the record.
    NoInShadow,
    /// Every shadow model trained on the record.
    NoOutShadow,
    /// The formula has no value here (for instance +∞ and −∞ averaged over augmentations).
    Undefined,
}

impl Abstention {
    pub fn words(self) -> &'static str {
        match self {
            Abstention::NoInShadow => "no shadow model trained on the record",
            Abstention::NoOutShadow => "every shadow model trained on the record",
            Abstention::Undefined => "the score is undefined for the record",
        }
    }
}

/// The answer for one record. Larger scores mean "more likely a member".
pub type Answer = Result<f64, Abstention>;

/// One answer per record. A score is never NaN: a NaN handed in becomes an abstention.
#[derive(Clone, Debug, Default)]
pub struct Scores {
    // NaN stands for an abstention inside this type only: one word per record at any size.
    values: Vec<f64>,
    reasons: BTreeMap<Abstention, usize>,
}

impl Scores {
    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The score of a record, or nothing where the attack abstained.
    pub fn get(&self, record: usize) -> Option<f64> {
        let value = self.values[record];
        (!value.is_nan()).then_some(value)
    }

    pub fn iter(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        self.values.iter().map(|&v| (!v.is_nan()).then_some(v))
    }

    /// How many records were abstained on, by reason.
    pub fn abstentions(&self) -> &BTreeMap<Abstention, usize> {
        &self.reasons
    }

    pub fn abstained(&self) -> usize {
        self.reasons.values().sum()
    }
}

impl FromIterator<Answer> for Scores {
    fn from_iter<I: IntoIterator<Item = Answer>>(answers: I) -> Self {
        let mut scores = Scores::default();
        for answer in answers {
            let value = match answer {
                Ok(value) if !value.is_nan() => value,
                Ok(_) => scores.note(Abstention::Undefined),
                Err(reason) => scores.note(reason),
            };
            scores.values.push(value);
        }
        scores
    }
}

impl Scores {
    fn note(&mut self, reason: Abstention) -> f64 {
        *self.reasons.entry(reason).or_default() += 1;
        f64::NAN
    }
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
        assert_eq!(
            scores.iter().collect::<Vec<_>>(),
            [Some(1.0), None, None, Some(f64::INFINITY)]
        );
    }
}
