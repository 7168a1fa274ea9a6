//! What a kind of audit says of itself in a report: its question, how its page is read, what it counted.

use crate::Scores;
use crate::document::Data;

pub(crate) const MEASURES: &str = "AUC is the chance that a member scores above a non-member: 0.5 is \
    guessing, 1 is certainty. TPR at 1% FPR is the share of members caught when one non-member in a \
    hundred is accused; guessing catches 1%.";
pub(crate) const INTERVALS: &str = "The range beside a number is its interval: what other records of \
    the same kind could well have given. Look at it before comparing two numbers.";

/// The detail of every kind has these; what most have in common is here.
pub(crate) trait Particulars {
    /// The question that the audit answers, for somebody who opens its page.
    fn question(&self) -> &str;

    /// How to read the numbers of this kind.
    fn hints(&self) -> &'static [&'static str] {
        &[MEASURES, INTERVALS]
    }

    /// Words of the page that are explained on it.
    fn glossary(&self) -> &'static [&'static str] {
        &[
            "auc",
            "tpr-at-fpr",
            "balanced-accuracy",
            "advantage",
            "log-mia",
            "epsilon",
            "verdict",
        ]
    }

    /// What was judged, in one sentence; `counts` are its members and non-members.
    fn judged(&self, data: &Data, counts: &str) -> String;

    /// How much of what the audit had, under the keys of the document.
    fn counts(&self) -> Vec<(&str, usize)> {
        Vec::new()
    }

    /// The attacks that are named here alone.
    fn attacks(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Leaves out texts, exchanges and who is a member.
    fn withhold(&mut self) {}
}

impl Particulars for Scores {
    fn question(&self) -> &str {
        "The question: do these scores, made by somebody else's attack, tell members from others? A \
         member is a record that was in the training set."
    }

    fn hints(&self) -> &'static [&'static str] {
        &[
            MEASURES,
            INTERVALS,
            "Nothing is known of how the scores were made: whether the attack saw what it should not \
             have cannot be seen from them.",
        ]
    }

    fn glossary(&self) -> &'static [&'static str] {
        crate::classifier::GLOSSARY
    }

    fn judged(&self, data: &Data, counts: &str) -> String {
        format!(
            "{} records {counts}; scores made elsewhere",
            data.judged_records
        )
    }
}
