//! Is the reference a reference? What it is compared for is what the audited model learned beyond it,
//! token by token. A copy of the audited model, one number everywhere, or the tokens of other texts
//! leave nothing to compare, and an attacker who has no more than that has the audited model alone.

/// Deviations below this share of the target's count as none: rounding, or a target that was
/// quantised, makes no more.
const NOTHING: f64 = 0.02;
/// Models that predict the same tokens agree more than this on which of them are hard.
const RELATED: f64 = 0.2;
/// Fewer tokens than this say nothing about agreement.
const ENOUGH: usize = 200;

/// Sums over the tokens of all texts, each text less its own means.
#[derive(Clone, Copy, Debug, Default)]
pub struct Agreement {
    tokens: usize,
    own: f64,
    reference: f64,
    product: f64,
    difference: f64,
}

/// Why a reference tells nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Useless {
    Copy,
    Constant,
    Unrelated,
}

impl Agreement {
    pub fn add(&mut self, own: &[f64], reference: &[f64]) {
        let tokens = own.len().min(reference.len());
        if tokens < 2 {
            return;
        }
        let mean = |list: &[f64]| list[..tokens].iter().sum::<f64>() / tokens as f64;
        let (own_mean, reference_mean) = (mean(own), mean(reference));
        for (one, other) in own.iter().zip(reference) {
            let (one, other) = (one - own_mean, other - reference_mean);
            if one.is_finite() && other.is_finite() {
                self.tokens += 1;
                self.own += one * one;
                self.reference += other * other;
                self.product += one * other;
                self.difference += (one - other).powi(2);
            }
        }
    }

    /// Nothing where the reference is one, or where so few tokens do not say.
    pub fn useless(&self) -> Option<Useless> {
        let nothing = NOTHING * NOTHING * self.own;
        if self.tokens < ENOUGH || self.own == 0.0 {
            return None;
        }
        if self.reference <= nothing {
            return Some(Useless::Constant);
        }
        if self.difference <= nothing {
            return Some(Useless::Copy);
        }
        let correlation = self.product / (self.own * self.reference).sqrt();
        (correlation < RELATED).then_some(Useless::Unrelated)
    }
}

impl Useless {
    /// Ends "a stronger one, who may find far more, …".
    pub fn stronger(self) -> &'static str {
        match self {
            Useless::Copy => {
                "compares with the model that fine-tuning started from: the reference that was given \
                 differs from the audited model by less than a fiftieth of its spread, as a rounded or \
                 quantised copy of it does, so name the model before fine-tuning in its place"
            }
            Useless::Constant => {
                "compares with a reference model: the one that was given says the same of every token, \
                 so score the same texts again with the model that fine-tuning started from"
            }
            Useless::Unrelated => {
                "compares with a reference model token by token: the log-probabilities that were given \
                 do not go with the audited model's (they are hardly correlated within texts), as \
                 those of other texts or in another order, so score the same texts again with the \
                 model that fine-tuning started from, row by row and token by token"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: usize = 40;

    /// A repeatable number between 0 and 1.
    fn number(seed: usize) -> f64 {
        (seed as f64 * 12.9898)
            .sin()
            .mul_add(43758.5453, 0.0)
            .rem_euclid(1.0)
    }

    fn text(seed: usize, spread: f64) -> Vec<f64> {
        let token = |place: usize| -6.0 * spread * number(seed * 1000 + place);
        (0..30).map(token).collect()
    }

    fn found(reference: impl Fn(usize, &[f64]) -> Vec<f64>) -> Option<Useless> {
        let mut agreement = Agreement::default();
        for place in 0..TEXTS {
            let own = text(place, 1.0);
            agreement.add(&own, &reference(place, &own));
        }
        agreement.useless()
    }

    fn moved(own: &[f64], seed: usize, by: f64) -> Vec<f64> {
        let noise = text(seed + 500, by / 6.0);
        own.iter()
            .zip(noise)
            .map(|(own, noise)| own + noise)
            .collect()
    }

    #[test]
    fn copies_constants_and_other_texts_are_no_references() {
        assert_eq!(found(|place, own| moved(own, place, 1.0)), None);
        assert_eq!(
            found(|place, own| moved(own, place, 0.05)),
            Some(Useless::Copy)
        );
        assert_eq!(
            found(|_, own| vec![-7.0; own.len()]),
            Some(Useless::Constant)
        );
        let other = |place: usize, _: &[f64]| text(place + 1, 1.0);
        assert_eq!(found(other), Some(Useless::Unrelated));
    }

    #[test]
    fn a_few_tokens_do_not_say() {
        let mut agreement = Agreement::default();
        agreement.add(&text(1, 1.0), &text(2, 1.0));
        assert_eq!(agreement.useless(), None);
    }
}
