//! `policy.toml`, and what is refused of it.

use std::path::Path;

use judge::attacker::Wanted;
use judge::gate::{CONFIDENCES, Gate, Measure, Rule, is_confidence};
use judge::policy::{Criterion, Policy, Scope, Smallest};
use serde::Deserialize;

use crate::Error;
use crate::pipeline::Document;

/// Nobody writes more by hand, and every one of them costs time.
pub const fn most() -> usize {
    20
}

/// A name and a sentence of justification stand in every report.
const LONGEST_NAME: usize = 80;
const LONGEST_WHY: usize = 1000;
/// A policy is a page of text.
const LARGEST_FILE: u64 = 1 << 20;

/// As it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    #[serde(default = "usual_confidence")]
    confidence: f64,
    #[serde(default = "the_strongest")]
    attackers: Vec<Wanted>,
    #[serde(default)]
    smallest: Smallest,
    criteria: Vec<WrittenCriterion>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCriterion {
    measure: String,
    #[serde(default)]
    scope: Scope,
    threshold: f64,
    /// Of epsilon alone, which needs it.
    delta: Option<f64>,
    #[serde(default)]
    rule: Rule,
    why: String,
}

fn usual_confidence() -> f64 {
    0.95
}

fn the_strongest() -> Vec<Wanted> {
    vec![Wanted::Strongest]
}

/// Reads and checks a policy; its digest is that of the file's bytes.
pub fn read(path: &Path) -> Result<Policy, Error> {
    let hint = "`guestlist init policy --out policy.toml` writes one";
    let cannot = |why: String| {
        Error::usage(
            format!("{}: the policy cannot be read: {why}", path.display()),
            hint,
        )
    };
    let about = std::fs::metadata(path).map_err(|error| cannot(error.to_string()))?;
    if !about.is_file() {
        return Err(cannot("it is not a file".into()));
    }
    if about.len() > LARGEST_FILE {
        return Err(cannot("it is too large for a policy".into()));
    }
    let bytes = std::fs::read(path).map_err(|error| cannot(error.to_string()))?;
    let sha256 = formats::files::sha256_of(&bytes);
    let text = String::from_utf8(bytes).map_err(|_| cannot("it is not text in UTF-8".into()))?;
    let of_policies = |hint: String| hint.replace("init KIND", "init policy");
    let refused = |error: Error| Error {
        hint: error.hint.clone().map(of_policies),
        ..error
    };
    let written: Written = Document::new(path, &text)
        .and_then(|document| document.parse())
        .map_err(refused)?;
    written
        .checked(sha256)
        .map_err(|error| error.within_file(path))
}

impl Written {
    fn checked(self, sha256: String) -> Result<Policy, Error> {
        if !is_text(&self.name, LONGEST_NAME) {
            return Err(Error::setting(
                format!("name is {:?}", report::printable(&self.name)),
                format!("name the policy in 1 to {LONGEST_NAME} characters"),
            ));
        }
        if !is_confidence(self.confidence) {
            return Err(Error::setting(
                format!("confidence is {}", self.confidence),
                CONFIDENCES,
            ));
        }
        if self.attackers.is_empty() {
            return Err(Error::setting(
                "attackers is empty, so that no audit could pass",
                "name at least one of strongest, target-only and few-shot",
            ));
        }
        if self.criteria.is_empty() || self.criteria.len() > most() {
            return Err(Error::setting(
                format!("there are {} criteria", self.criteria.len()),
                format!("write 1 to {} tables [[criteria]]", most()),
            ));
        }
        let confidence = self.confidence;
        let criteria: Vec<Criterion> = (self.criteria.into_iter().enumerate())
            .map(|(place, written)| {
                let named = |error: Error| error.within(&format!("criterion {}", place + 1));
                written.checked(confidence).map_err(named)
            })
            .collect::<Result<_, Error>>()?;
        refuse_repeats(&criteria)?;
        Ok(Policy {
            name: self.name,
            sha256,
            criteria,
            smallest: self.smallest,
            attackers: self.attackers,
        })
    }
}

impl WrittenCriterion {
    fn checked(self, confidence: f64) -> Result<Criterion, Error> {
        let measure = self.measure()?;
        if !measure.takes(self.threshold) {
            return Err(Error::setting(
                format!("threshold of {} is {}", self.measure, self.threshold),
                measure.thresholds(),
            ));
        }
        if let (Measure::Epsilon(_), Rule::Conservative) = (measure, self.rule) {
            return Err(Error::setting(
                "rule is conservative for epsilon, of which only a lower end is known: no audit could pass",
                "leave rule out",
            ));
        }
        if !is_text(&self.why, LONGEST_WHY) || self.why.split_whitespace().count() < 3 {
            return Err(Error::setting(
                format!("why is {:?}", report::printable(&self.why)),
                "say in a sentence why this is the threshold",
            ));
        }
        Ok(Criterion {
            gate: Gate {
                measure,
                threshold: self.threshold,
                rule: self.rule,
                confidence,
            },
            scope: self.scope,
            why: self.why,
        })
    }

    fn measure(&self) -> Result<Measure, Error> {
        match (self.measure.as_str(), self.delta) {
            ("epsilon", Some(delta)) if (0.0..1.0).contains(&delta) => Ok(Measure::Epsilon(delta)),
            ("epsilon", Some(delta)) => Err(Error::setting(
                format!("delta is {delta}"),
                "give a δ from 0 to below 1, such as 1e-5",
            )),
            ("epsilon", None) => Err(Error::setting(
                "epsilon has no delta",
                "an ε means nothing without its δ: add delta = 1e-5, or 0 where none is allowed",
            )),
            (_, Some(_)) => Err(Error::setting(
                format!(
                    "delta is for epsilon, but the measure is {}",
                    report::printable(&self.measure)
                ),
                "leave it out",
            )),
            (name, None) => {
                let measure = Measure::parse(name).map_err(|error| Error {
                    message: report::printable(&error.message),
                    ..error
                })?;
                match measure {
                    Measure::Epsilon(_) => Err(Error::setting(
                        format!("the measure is {name}"),
                        "write measure = \"epsilon\" and its δ as delta = 1e-6",
                    )),
                    measure => Ok(measure),
                }
            }
        }
    }
}

/// Two thresholds for one thing: only one of them would ever decide.
fn refuse_repeats(criteria: &[Criterion]) -> Result<(), Error> {
    for (place, one) in criteria.iter().enumerate() {
        let same =
            |other: &Criterion| (other.gate.measure, other.scope) == (one.gate.measure, one.scope);
        if let Some(earlier) = criteria[..place].iter().position(same) {
            return Err(Error::setting(
                format!(
                    "criterion {} and criterion {} are both {} of {}",
                    earlier + 1,
                    place + 1,
                    one.gate.measure.name(),
                    one.scope.word()
                ),
                "keep one of them",
            ));
        }
    }
    Ok(())
}

/// A line of printable text.
fn is_text(text: &str, longest: usize) -> bool {
    let shown = !text.trim().is_empty() && !text.chars().any(char::is_control);
    shown && text.chars().count() <= longest
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "name = \"ours\"\n";

    fn parsed(text: &str) -> Result<Policy, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.toml");
        std::fs::write(&path, text).unwrap();
        read(&path).map_err(|error| error.to_string())
    }

    fn criterion(lines: &str) -> Result<Policy, String> {
        parsed(&format!(
            "{HEAD}[[criteria]]\nwhy = \"because we say so\"\n{lines}\n"
        ))
    }

    #[test]
    fn the_least_policy_names_itself_and_one_criterion() {
        let policy = criterion("measure = \"auc\"\nthreshold = 0.6").unwrap();
        assert_eq!(policy.name, "ours");
        assert_eq!(policy.attackers, [Wanted::Strongest]);
        let one = &policy.criteria[0];
        assert_eq!((one.gate.threshold, one.gate.confidence), (0.6, 0.95));
        assert_eq!((one.scope, one.gate.rule), (Scope::Whole, Rule::Point));
        assert_eq!(policy.sha256.len(), 64);
    }

    #[test]
    fn an_epsilon_has_its_delta() {
        let policy = criterion("measure = \"epsilon\"\nthreshold = 8\ndelta = 1e-6").unwrap();
        assert_eq!(policy.criteria[0].gate.measure, Measure::Epsilon(1e-6));
        for wrong in [
            "measure = \"epsilon\"\nthreshold = 8",
            "measure = \"epsilon@1e-6\"\nthreshold = 8",
            "measure = \"epsilon\"\nthreshold = 8\ndelta = 1",
            "measure = \"epsilon\"\nthreshold = 8\ndelta = nan",
            "measure = \"epsilon\"\nthreshold = 0\ndelta = 1e-5",
            "measure = \"epsilon\"\nthreshold = inf\ndelta = 1e-5",
            "measure = \"epsilon\"\nthreshold = 8\ndelta = 1e-5\nrule = \"conservative\"",
            "measure = \"auc\"\nthreshold = 0.6\ndelta = 1e-5",
        ] {
            let error = criterion(wrong).unwrap_err();
            assert!(error.contains("criterion 1"), "{wrong}: {error}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_words() {
        let sound =
            "[[criteria]]\nmeasure = \"auc\"\nthreshold = 0.6\nwhy = \"as it was before\"\n";
        let twice = format!("{HEAD}{sound}{sound}");
        for (text, wanted) in [
            (HEAD.to_owned(), "criteria"),
            (format!("{HEAD}criteria = []\n"), "there are 0 criteria"),
            (
                twice,
                "criterion 1 and criterion 2 are both auc of all records",
            ),
            (
                format!("{HEAD}attackers = []\n{sound}"),
                "attackers is empty",
            ),
            (format!("{HEAD}attackers = [\"aunt\"]\n{sound}"), "aunt"),
            (
                format!("{HEAD}confidence = 1.0\n{sound}"),
                "confidence is 1",
            ),
            (format!("{HEAD}surprise = 1\n{sound}"), "surprise"),
            (format!("name = \"\"\n{sound}"), "name is"),
            (format!("name = \"a\\u001b[31m\"\n{sound}"), "name is"),
            ("name = [".to_owned(), "line 1"),
        ] {
            let error = parsed(&text).unwrap_err();
            assert!(error.contains(wanted), "{text}: {error}");
            assert!(
                error.contains("policy.toml") && !error.contains('\u{1b}'),
                "{error}"
            );
        }
    }

    #[test]
    fn a_threshold_without_a_reason_is_refused() {
        for why in ["", "   ", "because", "x"] {
            let text = format!(
                "{HEAD}[[criteria]]\nmeasure = \"auc\"\nthreshold = 0.6\nwhy = \"{why}\"\n"
            );
            let error = parsed(&text).unwrap_err();
            assert!(error.contains("say in a sentence"), "{error}");
        }
    }

    #[test]
    fn what_is_no_policy_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("not a file") && error.contains("init policy"),
            "{error}"
        );
        let error = read(&folder.path().join("none.toml"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("none.toml"), "{error}");
        let path = folder.path().join("bytes.toml");
        std::fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("UTF-8"), "{error}");
    }
}
