//! What stands under `[source]` and `[images]`, and the rules that come of it.

use std::path::PathBuf;

use asking::rag::TargetSettings;
use attacks::source::{Perturbation, Reference, Rules, Thresholds, Weights};
use serde::{Deserialize, Serialize};

use crate::Error;

/// More than this many perturbed inputs of one document are never asked.
const MOST_PERTURBATIONS: usize = 4096;
/// Fewer than this the regression abstains on.
/// Below it permutations would take longer than asking.
const LEAST_LEVEL: f64 = 1e-4;
const LEAST_PERTURBATIONS: usize = attacks::source::MIN_ROWS;

/// How sources are told apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SourceSettings {
    /// Perturbed inputs of each document, asked in both arms.
    pub perturbations: usize,
    pub perturbation: Perturbation,
    /// The share of words that an input keeps.
    pub keep: f64,
    /// What is asked, with `{text}` where the perturbed input goes.
    pub question: String,
    pub reference: Reference,
    pub mode: Mode,
    /// How often a word, or a document, may be called by chance.
    pub level: f64,
    /// Fixed thresholds, in place of those of the mode.
    pub tau: Option<f64>,
    pub band: Option<f64>,
    /// Of the ridge regression.
    pub penalty: f64,
    pub length_weight: f64,
    pub similarity_weight: f64,
    /// Leave documents alone whose labels are settled.
    pub early_stopping: bool,
    /// The share of documents that are asked in full all the same.
    pub checked: f64,
    /// Questions that are asked twice, to see whether answers differ.
    pub repeats: usize,
    pub similarity: Option<SimilaritySettings>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Thresholds from permutations, at the level.
    #[default]
    Calibrated,
    /// The paper's regression and constants.
    Paper,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimilaritySettings {
    /// An embedder: WordLlama's weights, or a folder of all-MiniLM-L6-v2.
    pub model: PathBuf,
}

impl Default for SourceSettings {
    fn default() -> Self {
        let weights = Weights::default();
        Self {
            perturbations: 64,
            perturbation: Perturbation::default(),
            keep: 0.5,
            question: "{text}".into(),
            reference: Reference::default(),
            mode: Mode::default(),
            level: 0.05,
            tau: None,
            band: None,
            penalty: 1.0,
            length_weight: weights.length,
            similarity_weight: weights.similarity,
            early_stopping: true,
            checked: 0.2,
            repeats: 20,
            similarity: None,
        }
    }
}

/// Pictures: who describes them, and through how much noise.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageSettings {
    pub endpoint: TargetSettings,
    /// The standard deviation on each colour, of 255.
    #[serde(default = "usual_noise")]
    pub noise: f64,
    /// Further deviations, to see how much noise is best.
    #[serde(default)]
    pub sweep: Vec<f64>,
}

fn usual_noise() -> f64 {
    50.0
}

impl SourceSettings {
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |key: &str, value: String, hint: &str| {
            Err(Error::usage(format!("source.{key} is {value}"), hint))
        };
        if !(LEAST_PERTURBATIONS..=MOST_PERTURBATIONS).contains(&self.perturbations) {
            return wrong(
                "perturbations",
                self.perturbations.to_string(),
                "give a number from 8 to 4096, such as 64",
            );
        }
        if !(self.keep > 0.0 && self.keep < 1.0) {
            let hint = "give a share between 0 and 1, such as 0.5";
            return wrong("keep", self.keep.to_string(), hint);
        }
        if !self.question.contains("{text}") {
            let hint = "put {text} where the perturbed input goes";
            return wrong("question", format!("{:?}", self.question), hint);
        }
        if !(self.level >= LEAST_LEVEL && self.level < 1.0) {
            let hint = "give a level from 0.0001 to below 1, such as 0.05";
            return wrong("level", self.level.to_string(), hint);
        }
        if !(0.0..=1.0).contains(&self.checked) {
            let hint = "give a share from 0 to 1, such as 0.2";
            return wrong("checked", self.checked.to_string(), hint);
        }
        for (key, value) in [
            ("tau", self.tau.unwrap_or(1.0)),
            ("band", self.band.unwrap_or(1.0)),
            ("penalty", self.penalty),
        ] {
            if !(value > 0.0 && value.is_finite()) {
                return wrong(key, value.to_string(), "give a number above 0");
            }
        }
        let weights = [
            ("length_weight", self.length_weight),
            ("similarity_weight", self.similarity_weight),
        ];
        for (key, value) in weights {
            if !(value >= 0.0 && value.is_finite()) {
                return wrong(key, value.to_string(), "give a number from 0, such as 0.5");
            }
        }
        if weights.iter().all(|(_, value)| *value == 0.0) {
            return Err(Error::usage(
                "source.length_weight and source.similarity_weight are both 0",
                "one of them must count: the usual values are 0.5 and 0.5",
            ));
        }
        Ok(())
    }

    pub fn weights(&self) -> Weights {
        Weights {
            length: self.length_weight,
            similarity: self.similarity_weight,
        }
    }

    pub fn rules(&self) -> Rules {
        let usual = match self.mode {
            Mode::Calibrated => Rules::default(),
            Mode::Paper => Rules::paper(),
        };
        let paper = fixed(&Rules::paper()).unwrap_or((0.1, 0.1));
        let thresholds = match (self.tau, self.band) {
            (None, None) => usual.thresholds,
            (tau, band) => Thresholds::Fixed {
                tau: tau.unwrap_or(paper.0),
                band: band.unwrap_or(paper.1),
            },
        };
        Rules {
            penalty: self.penalty,
            level: self.level,
            thresholds,
            ..usual
        }
    }
}

/// τ and the band, where they are fixed.
pub fn fixed(rules: &Rules) -> Option<(f64, f64)> {
    match rules.thresholds {
        Thresholds::Fixed { tau, band } => Some((tau, band)),
        Thresholds::Calibrated => None,
    }
}

impl ImageSettings {
    pub fn check(&self) -> Result<(), Error> {
        for sigma in self.deviations() {
            if !(0.0..=255.0).contains(&sigma) {
                return Err(Error::usage(
                    format!("images.noise or images.sweep has {sigma}"),
                    "give deviations from 0 to 255, such as 50",
                ));
            }
        }
        Ok(())
    }

    /// The one that counts first, then those of the sweep; each once.
    pub fn deviations(&self) -> Vec<f64> {
        let mut all = vec![self.noise];
        for sigma in &self.sweep {
            if !all.contains(sigma) {
                all.push(*sigma);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_thresholds_are_fixed_and_others_those_of_the_mode() {
        let mut settings = SourceSettings::default();
        assert_eq!(fixed(&settings.rules()), None);
        assert!(settings.rules().intercept);
        settings.mode = Mode::Paper;
        assert_eq!(fixed(&settings.rules()), Some((0.1, 0.1)));
        assert!(!settings.rules().intercept);
        settings.mode = Mode::Calibrated;
        settings.tau = Some(0.02);
        assert_eq!(fixed(&settings.rules()), Some((0.02, 0.1)));
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_key() {
        type Change = fn(&mut SourceSettings);
        let changes: [(&str, Change); 9] = [
            ("perturbations", |s| s.perturbations = 7),
            ("keep", |s| s.keep = 1.0),
            ("question", |s| s.question = "Say it".into()),
            ("level", |s| s.level = 0.0),
            ("checked", |s| s.checked = 1.5),
            ("tau", |s| s.tau = Some(-0.1)),
            ("penalty", |s| s.penalty = f64::NAN),
            ("length_weight", |s| s.length_weight = -1.0),
            ("both 0", |s| {
                s.length_weight = 0.0;
                s.similarity_weight = 0.0;
            }),
        ];
        for (key, change) in changes {
            let mut settings = SourceSettings::default();
            change(&mut settings);
            let error = settings.check().unwrap_err().to_string();
            assert!(error.contains(key) && error.contains("hint"), "{error}");
        }
        assert!(SourceSettings::default().check().is_ok());
    }

    #[test]
    fn noise_is_swept_once_each() {
        let settings = ImageSettings {
            endpoint: TargetSettings::default(),
            noise: 50.0,
            sweep: vec![10.0, 50.0, 10.0],
        };
        assert_eq!(settings.deviations(), [50.0, 10.0]);
        let loud = ImageSettings {
            noise: -1.0,
            ..settings
        };
        assert!(loud.check().is_err());
    }
}
