//! Are there as many records as the policy asks for?

use super::{Evidence, Status};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let smallest = evidence.policy?.smallest;
    let (members, nonmembers) = (evidence.members, evidence.nonmembers);
    let wanted = format!(
        "the policy asks for {} members and {} non-members at the least",
        smallest.members, smallest.nonmembers
    );
    if members >= smallest.members && nonmembers >= smallest.nonmembers {
        return Some((Status::Ok, wanted));
    }
    let detail = format!(
        "{wanted}, but {members} members and {nonmembers} non-members were judged; add records"
    );
    Some((Status::Violated, detail))
}
