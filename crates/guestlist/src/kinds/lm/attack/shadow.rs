//! A shadow that teaches: token signals of a fine-tune of the user's own whose members are known.
//!
//! Its members may not be those of the audited model: then it would tell the attacks what they are judged
//! by. Texts that both have are compared once all scores are there.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use attacks::lm::{Taught, teach};
use attacks::signals::tokens::TextSignals;
use base::Progress;
use formats::tokens::Row;
use judge::Truth;
use stats::streams::Seed;

use crate::Error;

/// How many deviations from independence say that the shadow knows the audited members.
const TELLING: f64 = 4.0;

/// What was learnt, and from which texts.
pub struct Shadow {
    path: PathBuf,
    pub taught: Taught,
    /// Whether the shadow trained on a text, by each of the text's fingerprints.
    members: HashMap<u64, bool>,
}

impl Shadow {
    pub fn learn(path: &Path, seed: Seed, progress: Progress<'_>) -> Result<Self, Error> {
        let mut lessons: Vec<(TextSignals, bool)> = Vec::new();
        let mut members = HashMap::new();
        for batch in formats::tokens::open(path)? {
            if progress.cancelled() {
                return Err(Error::interrupted());
            }
            for row in batch? {
                if let Some(member) = row.member {
                    members.extend(
                        fingerprints(&row)
                            .into_iter()
                            .flatten()
                            .map(|text| (text, member)),
                    );
                    lessons.push((row.signals, member));
                }
            }
        }
        let taught = teach(&lessons, seed, progress).map_err(|error| error.within_file(path))?;
        Ok(Self {
            path: path.to_owned(),
            taught: taught.ok_or_else(Error::interrupted)?,
            members,
        })
    }

    /// Refuses a shadow that tells the audited members: by who trained it among the texts that both have, or
    /// by which texts both have. Both were drawn by lot, so what the shadow knows of an audited text (a
    /// member, none, not there) is independent of its membership, and √n times their correlation is about
    /// standard normal.
    pub fn check(&self, fingerprints: &[Fingerprints], truth: &Truth) -> Result<(), Error> {
        let known = |place: usize| {
            let mut known = fingerprints.get(place)?.iter().flatten();
            known.find_map(|text| self.members.get(text))
        };
        let sign = |member: bool| if member { 1.0 } else { -1.0 };
        let pairs: Vec<(f64, f64)> = truth
            .known()
            .map(|(place, member)| (sign(member), known(place).map_or(0.0, |own| sign(*own))))
            .collect();
        let telling = correlation(&pairs) * (pairs.len() as f64).sqrt();
        if telling.abs() < TELLING {
            return Ok(());
        }
        let shared = pairs.iter().filter(|pair| pair.1 != 0.0).count();
        Err(Error::usage(
            format!(
                "{}: {} of its texts are audited too, and what the shadow trained on says who is a member of the \
                 audited model",
                self.path.display(),
                shared
            ),
            "teach by a fine-tune of other texts, or of texts drawn anew: the audited truth must not be in it",
        ))
    }

    pub fn note(&self) -> String {
        format!(
            "understudy-lm learnt further from a shadow: {} texts that it trained on and {} that it did not",
            self.taught.members, self.taught.nonmembers
        )
    }
}

/// What a text is known by in another file: its tokens, its words, and what the reference says of it, which
/// is the same whoever was fine-tuned. Each by itself: files may differ in tokens, spelling or columns.
pub type Fingerprints = [Option<u64>; 3];

pub fn fingerprints(row: &Row) -> Fingerprints {
    let tokens = row.token_ids.as_ref().map(|tokens| hashed(&(0, tokens)));
    let words = row.signals.text.as_deref().map(|text| {
        let letters = text.chars().filter(|letter| letter.is_alphanumeric());
        hashed(&(1, letters.flat_map(char::to_lowercase).collect::<String>()))
    });
    let said = row.signals.reference.as_ref().map(|reference| {
        let rounded = reference
            .iter()
            .map(|value| (value * ROUNDED).round() as i64);
        hashed(&(2, rounded.collect::<Vec<i64>>()))
    });
    [tokens, words, said]
}

/// Log-probabilities are compared to the third digit.
const ROUNDED: f64 = 1e3;

fn hashed(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// 0 where either never changes.
fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len().max(1) as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let (a, b, both) = (mean(|p| p.0), mean(|p| p.1), mean(|p| p.0 * p.1));
    let spread = ((mean(|p| p.0 * p.0) - a * a) * (mean(|p| p.1 * p.1) - b * b)).sqrt();
    match spread > 0.0 {
        true => (both - a * b) / spread,
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign(yes: bool) -> f64 {
        if yes { 1.0 } else { -1.0 }
    }

    #[test]
    fn memberships_that_go_together_correlate() {
        let same: Vec<(f64, f64)> = (0..40)
            .map(|i| (sign(i % 2 == 0), sign(i % 2 == 0)))
            .collect();
        assert!((correlation(&same) - 1.0).abs() < 1e-12);
        let opposite: Vec<(f64, f64)> = same.iter().map(|(a, b)| (*a, -b)).collect();
        assert!((correlation(&opposite) + 1.0).abs() < 1e-12);
        let apart: Vec<(f64, f64)> = (0..40)
            .map(|i| (sign(i % 2 == 0), sign(i % 4 < 2)))
            .collect();
        assert!(correlation(&apart).abs() < 1e-12);
        assert_eq!(correlation(&[]), 0.0);
        assert_eq!(correlation(&[(1.0, 1.0), (1.0, -1.0)]), 0.0);
    }

    /// The audited members were all trained on again, and the others are not in the shadow.
    #[test]
    fn texts_that_only_members_share_correlate() {
        let pairs: Vec<(f64, f64)> = (0..40)
            .map(|i| (sign(i % 2 == 0), if i % 2 == 0 { 1.0 } else { 0.0 }))
            .collect();
        assert!((correlation(&pairs) - 1.0).abs() < 1e-12);
    }
}
