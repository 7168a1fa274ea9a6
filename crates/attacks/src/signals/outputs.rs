//! A model's whole answer to a record: ln p of every class, exact where one class is almost
//! certain.

use super::membership::MemberRow;
use super::shadow::{Meaning, ModelOutputs};

/// What one model puts out for one record.
#[derive(Clone, Debug, Default)]
pub struct ClassOutputs {
    /// ln p of every class.
    pub ln_p: Vec<f64>,
    /// The true class.
    pub label: usize,
    /// The class with the largest p; the first of several.
    pub top: usize,
    /// ln of what all classes but the top one have together.
    pub ln_rest: f64,
}

impl ClassOutputs {
    /// ln(1 − p) of a class, without the digits that 1 − p loses beside a p of almost one.
    pub fn ln_complement(&self, class: usize) -> f64 {
        match class == self.top {
            true => self.ln_rest,
            false => (-self.ln_p[class].exp()).ln_1p(),
        }
    }

    /// Whether no class has a larger p than the true one.
    pub fn is_right(&self) -> bool {
        self.ln_p[self.label] == self.ln_p[self.top]
    }

    /// From unnormalised logarithms, which logits are and logarithms of probabilities are too.
    fn normalise(&mut self) {
        let top = largest(&self.ln_p);
        let peak = self.ln_p[top];
        let others = self.ln_p.iter().enumerate().filter(|(k, _)| *k != top);
        let rest: f64 = others.map(|(_, z)| (z - peak).exp()).sum();
        let total = rest.ln_1p();
        self.ln_p.iter_mut().for_each(|z| *z = (*z - peak) - total);
        self.top = top;
        self.ln_rest = rest.ln() - total;
    }
}

fn largest(values: &[f64]) -> usize {
    let better = |best: usize, (class, value): (usize, &f64)| match *value > values[best] {
        true => class,
        false => best,
    };
    values.iter().enumerate().fold(0, better)
}

/// Whether a model names the true class of each record, asked about in each way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RightAnswers {
    /// A record's augmentations lie side by side.
    answers: MemberRow,
    augmentations: usize,
}

impl RightAnswers {
    pub fn new(answers: &[bool], augmentations: usize) -> Self {
        Self {
            answers: MemberRow::from_fn(answers.len(), |place| answers[place]),
            augmentations,
        }
    }

    /// The answers about these records, in this order.
    pub fn select(&self, records: &[usize]) -> Self {
        let augmentations = self.augmentations.max(1);
        let answer = |place: usize| self.get(records[place / augmentations], place % augmentations);
        Self {
            answers: MemberRow::from_fn(records.len() * augmentations, answer),
            augmentations,
        }
    }

    pub fn get(&self, record: usize, augmentation: usize) -> bool {
        self.answers.get(record * self.augmentations + augmentation)
    }
}

impl ModelOutputs {
    /// Whether the outputs for all classes were stored.
    pub fn has_classes(&self) -> bool {
        matches!(
            self.meaning,
            Meaning::Logits { .. } | Meaning::Probabilities { .. }
        )
    }

    /// The true class of every record, where it is known.
    pub fn true_classes(&self) -> Option<&[u32]> {
        match &self.meaning {
            Meaning::Logits { labels, .. } | Meaning::Probabilities { labels, .. } => Some(labels),
            Meaning::Phi | Meaning::Probability => self.labels.as_deref(),
        }
    }

    /// Whether it is known of every answer that it names the true class, or does not.
    pub fn tells_right(&self) -> bool {
        self.right.is_some() || self.has_classes()
    }

    /// Whether a model names the true class of a record; nothing where that is not known.
    pub fn is_right(
        &self,
        model: usize,
        record: usize,
        augmentation: usize,
        scratch: &mut ClassOutputs,
    ) -> Option<bool> {
        if let Some(right) = &self.right {
            return Some(right[model].get(record, augmentation));
        }
        let known = self.read_classes(model, record, augmentation, scratch);
        known.then(|| scratch.is_right())
    }

    /// A model's whole answer to a record, into `found`; false where only φ was stored.
    pub fn read_classes(
        &self,
        model: usize,
        record: usize,
        augmentation: usize,
        found: &mut ClassOutputs,
    ) -> bool {
        let (labels, classes) = match &self.meaning {
            Meaning::Logits { labels, classes } | Meaning::Probabilities { labels, classes } => {
                (labels, *classes)
            }
            Meaning::Phi | Meaning::Probability => return false,
        };
        found.label = labels[record] as usize;
        found.ln_p.resize(classes, 0.0);
        self.planes[model].read_classes(record, augmentation, &mut found.ln_p);
        match self.meaning {
            Meaning::Probabilities { .. } => found.ln_p.iter_mut().for_each(|p| *p = p.ln()),
            // A single logit is the log-odds of class 1 against class 0.
            _ if classes == 1 => found.ln_p.insert(0, 0.0),
            _ => {}
        }
        found.normalise();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs(logits: &[f64], label: usize) -> ClassOutputs {
        let mut outputs = ClassOutputs {
            ln_p: logits.to_vec(),
            label,
            ..ClassOutputs::default()
        };
        outputs.normalise();
        outputs
    }

    #[test]
    fn probabilities_add_up_and_the_rest_is_what_the_top_leaves() {
        let found = outputs(&[1.0, 3.0, -0.5], 0);
        let p: Vec<f64> = found.ln_p.iter().map(|ln_p| ln_p.exp()).collect();
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert_eq!(found.top, 1);
        assert!(!found.is_right());
        assert!((found.ln_rest - (p[0] + p[2]).ln()).abs() < 1e-14);
        assert!((found.ln_complement(0) - (1.0 - p[0]).ln()).abs() < 1e-14);
    }

    #[test]
    fn right_answers_go_with_their_records() {
        let all = RightAnswers::new(&[true, false, false, false, true, true], 2);
        let some = all.select(&[2, 0]);
        let answers: Vec<bool> = [(0, 0), (0, 1), (1, 0), (1, 1)]
            .map(|(r, a)| some.get(r, a))
            .into();
        assert_eq!(answers, [true, true, true, false]);
    }

    #[test]
    fn near_certainty_keeps_its_digits() {
        let found = outputs(&[60.0, 0.0], 0);
        assert!((found.ln_rest + 60.0).abs() < 1e-12);
        assert!((found.ln_p[0] + (-60f64).exp()).abs() < 1e-40);
    }

    #[test]
    fn a_class_of_probability_zero_leaves_the_others_alone() {
        let found = outputs(&[0f64.ln(), 0.25f64.ln(), 0.75f64.ln()], 2);
        assert!(found.is_right());
        assert_eq!(found.ln_p[0], f64::NEG_INFINITY);
        assert!((found.ln_p[1].exp() - 0.25).abs() < 1e-15);
    }
}
