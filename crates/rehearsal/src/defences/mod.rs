//! What a service can do against being probed. Each defence is switched by itself.

mod citations;
mod probing;
mod verbatim;

pub(crate) use citations::{cited, strip_marks};
pub(crate) use probing::outlier;
pub(crate) use verbatim::{runs, shares_run};

use crate::{Error, ErrorKind, Result};

/// The defences that are on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Defences {
    /// Refuse where question or answer shares so many words in a row with a source.
    pub refuse_verbatim: Option<usize>,
    /// Say nothing about which documents an answer is from.
    pub hide_citations: bool,
    /// Hide the document that a question fits too well, at this rate of false alarms.
    pub detect_probing: Option<f64>,
}

pub const REFUSE_VERBATIM: &str = "refuse-verbatim";
pub const HIDE_CITATIONS: &str = "hide-citations";
pub const DETECT_PROBING: &str = "detect-probing";

impl Defences {
    /// The names of all defences.
    pub const NAMES: [&'static str; 3] = [REFUSE_VERBATIM, HIDE_CITATIONS, DETECT_PROBING];

    /// With the customary settings: runs of 8 words, false alarms at 0.05.
    pub fn parse(names: &[String]) -> Result<Self> {
        let mut defences = Self::default();
        for name in names {
            match name.trim() {
                REFUSE_VERBATIM => defences.refuse_verbatim = Some(8),
                HIDE_CITATIONS => defences.hide_citations = true,
                DETECT_PROBING => defences.detect_probing = Some(0.05),
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
        self.refuse_verbatim.is_some() || self.hide_citations
    }

    /// The names of those that are on.
    pub fn names(self) -> Vec<&'static str> {
        let on = [
            self.refuse_verbatim.is_some(),
            self.hide_citations,
            self.detect_probing.is_some(),
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
