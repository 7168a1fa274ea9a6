//! What every attack says about itself: help, `explain` and the documentation come from here.

use crate::settings::Setting;
use crate::signals::tokens::Need;

/// What an attack looks at for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Only the audited model.
    TargetOnly,
    /// Shadow models, without asking which of them trained on the record.
    AnyShadow,
    /// Shadow models that did not train on the record.
    OutShadows,
    /// Shadow models that did, and shadow models that did not.
    InAndOutShadows,
    /// Log-probabilities of a text's tokens under the audited model, and these.
    Tokens(&'static [Need]),
    /// Answers of a service to questions about the document.
    Exchanges,
    /// Feature vectors of records, a few of them with known membership.
    Features,
    /// The same, and the audited model's weights where they are given.
    FeaturesAndWeights,
}

impl std::fmt::Display for Access {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str(match self {
            Access::TargetOnly => "the audited model only",
            Access::AnyShadow => "shadow models, whether or not they trained on the record",
            Access::OutShadows => "shadow models that did not train on the record (offline)",
            Access::InAndOutShadows => "shadow models with and without the record (online)",
            Access::Tokens(needs) => return out.write_str(&token_signals(needs)),
            Access::Exchanges => "answers of the service to questions about the document",
            Access::Features => "feature vectors of records, a few of them of known membership",
            Access::FeaturesAndWeights => {
                "feature vectors of records, a few of them of known membership; the model's \
                 weights where given"
            }
        })
    }
}

fn token_signals(needs: &[Need]) -> String {
    let mut named = vec!["log-probabilities of the text's tokens under the audited model"];
    named.extend(needs.iter().map(|need| need.as_str()));
    named.join("; ")
}

/// One attack in words.
#[derive(Debug)]
pub struct Card {
    pub id: &'static str,
    /// One line for tables.
    pub summary: &'static str,
    /// The question it puts to the model.
    pub asks: &'static str,
    pub why_it_works: &'static str,
    pub access: Access,
    pub when_it_misleads: &'static str,
    pub paper: &'static str,
    pub settings: &'static [&'static Setting],
}
