//! Is the audited model one of its own shadows? Then it agrees with that one on its members, and only there.

use super::{Evidence, Status, models_alike};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let alike = &evidence.shadows?.alike;
    let group = alike.iter().find(|group| group.same_records)?;
    let detail = format!(
        "models {} are one: as a shadow, the target agrees with itself on what it trained on, which looks like a leak",
        models_alike::named(&group.models)
    );
    Some((Status::Violated, detail))
}
