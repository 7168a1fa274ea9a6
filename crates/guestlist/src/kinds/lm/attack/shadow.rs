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
    /// Whether the shadow trained on a text, by the text's fingerprint.
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
                    members.insert(fingerprint(&row), member);
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

    /// Refuses a shadow whose members go with those of the audited model. Both were drawn by lot, so among
    /// the texts that both have the two memberships are independent, and √n times their correlation is
    /// about standard normal.
    pub fn check(&self, fingerprints: &[u64], truth: &Truth) -> Result<(), Error> {
        let pairs: Vec<(bool, bool)> = truth
            .known()
            .filter_map(|(place, member)| {
                let own = self.members.get(fingerprints.get(place)?)?;
                Some((*own, member))
            })
            .collect();
        let telling = correlation(&pairs) * (pairs.len() as f64).sqrt();
        if telling.abs() < TELLING {
            return Ok(());
        }
        Err(Error::usage(
            format!(
                "{}: {} of its texts are audited too, and who is a member of the shadow says who is a member of the \
                 audited model",
                self.path.display(),
                pairs.len()
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

/// What a text is known by: its tokens, else its words, else its id.
pub fn fingerprint(row: &Row) -> u64 {
    let mut hasher = DefaultHasher::new();
    match (&row.token_ids, &row.signals.text) {
        (Some(tokens), _) => tokens.hash(&mut hasher),
        (None, Some(text)) => text.hash(&mut hasher),
        (None, None) => row.id.hash(&mut hasher),
    }
    hasher.finish()
}

/// Of two kinds of yes and no; 0 where either never changes.
fn correlation(pairs: &[(bool, bool)]) -> f64 {
    let count = pairs.len() as f64;
    let share =
        |of: fn(&(bool, bool)) -> bool| pairs.iter().filter(|pair| of(pair)).count() as f64 / count;
    let (a, b, both) = (share(|p| p.0), share(|p| p.1), share(|p| p.0 && p.1));
    let spread = (a * (1.0 - a) * b * (1.0 - b)).sqrt();
    match spread > 0.0 {
        true => (both - a * b) / spread,
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memberships_that_go_together_correlate() {
        let same: Vec<(bool, bool)> = (0..40).map(|i| (i % 2 == 0, i % 2 == 0)).collect();
        assert!((correlation(&same) - 1.0).abs() < 1e-12);
        let opposite: Vec<(bool, bool)> = same.iter().map(|(a, b)| (*a, !b)).collect();
        assert!((correlation(&opposite) + 1.0).abs() < 1e-12);
        let apart: Vec<(bool, bool)> = (0..40).map(|i| (i % 2 == 0, i % 4 < 2)).collect();
        assert!(correlation(&apart).abs() < 1e-12);
        assert_eq!(correlation(&[]), 0.0);
        assert_eq!(correlation(&[(true, true), (true, false)]), 0.0);
    }
}
