//! Which attacks have scores to judge, and why the others have not.

use attacks::scores::Scores;
use judge::Truth;
use report::Skipped;

use super::AuditContext;
use crate::Error;

/// Scores by attack, and the attacks that have none.
pub type Attacked = (Vec<(String, Scores)>, Vec<Skipped>);

/// An attack that was asked for by its name and cannot run is an error.
pub fn check_named(context: &AuditContext, skipped: &[Skipped], remedy: &str) -> Result<(), Error> {
    match skipped.first().filter(|_| context.named) {
        None => Ok(()),
        Some(refused) => Err(Error::usage(
            format!("{} cannot run here: {}", refused.id, refused.reason),
            remedy,
        )),
    }
}

/// Sets attacks aside that could judge members only, or non-members only.
pub fn one_sided(attacked: Attacked, truth: &Truth) -> Attacked {
    let (scores, mut skipped) = attacked;
    let judged = |scores: &Scores, kind: bool| {
        let judged = scores.iter().zip(truth.iter());
        judged
            .filter(|(score, member)| score.is_some() && *member == Some(kind))
            .count()
    };
    let any = |scores: &Scores, kind: bool| {
        let mut known = truth.known().filter(|(_, member)| *member == kind);
        known.any(|(record, _)| scores.get(record).is_some())
    };
    let (whole, partial): (Vec<_>, Vec<_>) = scores.into_iter().partition(|(_, scores)| {
        // Where no member is known, records are called by how non-members score.
        (any(scores, true) || !truth.decides()) && any(scores, false)
    });
    skipped.extend(partial.into_iter().map(|(id, scores)| Skipped {
        id,
        reason: format!(
            "it could judge {} members and {} non-members: what it needs was collected for one side \
             only",
            judged(&scores, true),
            judged(&scores, false)
        ),
    }));
    (whole, skipped)
}

pub fn all_abstained(scores: &Scores) -> String {
    let reasons: Vec<&str> = scores
        .abstentions()
        .keys()
        .map(|reason| reason.as_str())
        .collect();
    format!("abstained on every record: {}", reasons.join(", "))
}

pub fn first_reason(skipped: &[Skipped]) -> &str {
    skipped
        .first()
        .map_or("no attack was asked for", |skipped| &skipped.reason)
}
