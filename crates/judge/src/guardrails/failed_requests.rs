//! Did enough of the questions get an answer?

use super::{Evidence, Status, percent, tells};
use crate::rag::ProbeFacts;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.probes?;
    if facts.asked == 0 {
        return None;
    }
    if let Some(detail) = unevenly_left_out(facts) {
        return Some((Status::Violated, detail));
    }
    let failed = facts.failures();
    if failed == 0 {
        let detail = format!("all {} questions were answered", facts.asked);
        return Some((Status::Ok, detail));
    }
    if let Some(detail) = telling(facts) {
        return Some((Status::Violated, detail));
    }
    let share = failed as f64 / facts.asked as f64;
    let detail = format!(
        "{}; run again to ask them once more, with a larger budget where it was spent",
        found(facts)
    );
    Some(match share {
        share if share > 0.5 => (Status::Violated, detail),
        share if share > 0.02 => (Status::Warn, detail),
        _ => (Status::Ok, detail),
    })
}

fn found(facts: &ProbeFacts) -> String {
    let reasons = facts.failed.iter();
    let why: Vec<String> = reasons
        .map(|(why, count)| format!("{why} ({count})"))
        .collect();
    let about = match facts.failed_about {
        Some([_, 0]) => ", all about members,".to_owned(),
        Some([0, _]) => ", all about non-members,".to_owned(),
        Some([members, others]) => {
            format!(", {members} about members and {others} about non-members,")
        }
        None => String::new(),
    };
    format!(
        "{} of {} questions ({}){about} have no answer: {}",
        facts.failures(),
        facts.asked,
        percent(facts.failures() as f64, facts.asked as f64),
        why.join(", ")
    )
}

/// A budget that ends leaves out by lot; what leaves out one kind more than the other does not.
fn unevenly_left_out(facts: &ProbeFacts) -> Option<String> {
    let auc = tells(facts.left_out_tells.as_ref()?)?;
    let more = if auc.value > 0.5 { "more" } else { "fewer" };
    Some(format!(
        "of documents whose turn it was, {more} members than non-members lack answers and were left out (AUC \
         {:.3}, {:.3} to {:.3}, 99% interval): the rest is no random sample; run again with a larger budget, \
         so that every question is asked",
        auc.value, auc.low, auc.high
    ))
}

/// Failures that fall on one kind are answers of a sort.
fn telling(facts: &ProbeFacts) -> Option<String> {
    let auc = tells(facts.failures_tell.as_ref()?)?;
    let more = if auc.value > 0.5 { "more" } else { "less" };
    Some(format!(
        "{}; questions about members fail {more} often than those about non-members (AUC {:.3}, {:.3} to \
         {:.3}, 99% interval), so that a failure itself tells who is a member: mend what fails, or name the \
         statuses that mean a refusal in target.refused_status, and run again",
        found(facts),
        auc.value,
        auc.low,
        auc.high
    ))
}
