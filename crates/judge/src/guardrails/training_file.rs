//! Were members really trained on, and non-members not?

use super::{Evidence, Status, percent};

/// A few texts may have been changed on the way into training.
const FEW: f64 = 0.02;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.texts?;
    let found = facts.training.as_ref()?;
    let drawn = match facts.drawn_from {
        Some(all) => format!("; texts drawn by lot from {all}"),
        None => String::new(),
    };
    let missing = found.members - found.members_found;
    let counts = format!(
        "{} of {} members and {} of {} non-members are in the training file ({} texts{drawn})",
        found.members_found,
        found.members,
        found.nonmembers_found,
        found.nonmembers,
        found.training_texts
    );
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let worst = share(missing, found.members).max(share(found.nonmembers_found, found.nonmembers));
    if worst == 0.0 {
        return Some((Status::Ok, counts));
    }
    let detail = format!(
        "{counts}: {} members were never trained on, and {} non-members were; the list of members \
         must be what the model was trained on",
        percent(missing as f64, found.members as f64),
        percent(found.nonmembers_found as f64, found.nonmembers as f64)
    );
    let status = match worst {
        worst if worst > FEW => Status::Violated,
        _ => Status::Warn,
    };
    Some((status, detail))
}
