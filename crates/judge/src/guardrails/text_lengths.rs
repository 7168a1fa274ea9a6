//! Are members and non-members about equally long?

use super::text_dates::{auc_interval, judge};
use super::{Evidence, Status};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let texts = evidence.texts?;
    let lengths = texts.lengths.as_ref()?;
    let unit = match texts.tokens.scored {
        0 => "words",
        _ => "tokens",
    };
    let found = format!(
        "members have {} {unit} in the middle, non-members {} ({})",
        lengths.median_members,
        lengths.median_nonmembers,
        auc_interval(lengths)
    );
    Some(judge(lengths, &found, "cut all texts to the same length"))
}
