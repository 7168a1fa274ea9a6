//! What a service can do against being probed. Each defence is switched by itself.

mod citations;
mod output;
mod probing;
mod reworded;
mod verbatim;

pub(crate) use citations::{cited, strip_marks};
pub(crate) use output::filtered;
pub(crate) use probing::{beyond_chance, closest, usual};
pub(crate) use reworded::reworded;
pub(crate) use verbatim::{runs, shares_run};

use crate::{Error, ErrorKind, Result};

/// The defences that are on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Defences {
    /// Refuse where question or answer shares so many words in a row with a source.
    pub refuse_verbatim: Option<usize>,
    /// Take stretches of so many words in a row that a source has out of the answer.
    pub filter_output: Option<usize>,
    /// Say the answer in other words.
    pub paraphrase: bool,
    /// Say nothing about which documents an answer is from.
    pub hide_citations: bool,
    /// Hide the document that a question fits too well, at this rate of false alarms.
    pub detect_probing: Option<f64>,
    /// One and the same text for all that is refused, filtered away or not known.
    pub one_refusal: bool,
    /// The same by a status, without a text.
    pub refuse_by_status: bool,
}

pub const REFUSE_VERBATIM: &str = "refuse-verbatim";
pub const FILTER_OUTPUT: &str = "filter-output";
pub const PARAPHRASE: &str = "paraphrase";
pub const HIDE_CITATIONS: &str = "hide-citations";
pub const DETECT_PROBING: &str = "detect-probing";
pub const ONE_REFUSAL: &str = "one-refusal";
pub const REFUSE_BY_STATUS: &str = "refuse-by-status";

impl Defences {
    /// The names of all defences.
    pub const NAMES: [&'static str; 7] = [
        REFUSE_VERBATIM,
        FILTER_OUTPUT,
        PARAPHRASE,
        HIDE_CITATIONS,
        DETECT_PROBING,
        ONE_REFUSAL,
        REFUSE_BY_STATUS,
    ];

    /// With the customary settings: runs of 8 words, of 5 in what is filtered, false alarms at 0.05.
    pub fn parse(names: &[String]) -> Result<Self> {
        let mut defences = Self::default();
        for name in names {
            match name.trim() {
                REFUSE_VERBATIM => defences.refuse_verbatim = Some(8),
                FILTER_OUTPUT => defences.filter_output = Some(5),
                PARAPHRASE => defences.paraphrase = true,
                HIDE_CITATIONS => defences.hide_citations = true,
                DETECT_PROBING => defences.detect_probing = Some(0.05),
                ONE_REFUSAL => defences.one_refusal = true,
                REFUSE_BY_STATUS => defences.refuse_by_status = true,
                other => {
                    let message = format!("there is no defence {other:?}");
                    return Err(Error::new(ErrorKind::Setting, message)
                        .hint(format!("choose from {}", Self::NAMES.join(", "))));
                }
            }
        }
        Ok(defences)
    }

    /// Whether an answer must be whole before anybody sees it.
    pub(crate) fn screen_answers(self) -> bool {
        self.names().iter().any(|name| *name != DETECT_PROBING)
    }

    /// Whether all that is no answer is told alike.
    pub(crate) fn tells_alike(self) -> bool {
        self.one_refusal || self.refuse_by_status
    }

    /// The names of those that are on.
    pub fn names(self) -> Vec<&'static str> {
        let on = [
            self.refuse_verbatim.is_some(),
            self.filter_output.is_some(),
            self.paraphrase,
            self.hide_citations,
            self.detect_probing.is_some(),
            self.one_refusal,
            self.refuse_by_status,
        ];
        Self::NAMES
            .into_iter()
            .zip(on)
            .filter_map(|(name, on)| on.then_some(name))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defences_are_known_by_their_names() {
        let all: Vec<String> = Defences::NAMES.map(str::to_owned).into();
        assert_eq!(Defences::parse(&all).unwrap().names(), Defences::NAMES);
        assert_eq!(Defences::parse(&[]).unwrap(), Defences::default());
        let error = Defences::parse(&["moat".into()]).unwrap_err().to_string();
        assert!(
            error.contains("moat") && error.contains("hide-citations"),
            "{error}"
        );
    }
}
