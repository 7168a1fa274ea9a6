//! Are non-members nearly copies of members?

use super::{Evidence, Status, percent};
use crate::records::numbered;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let found = evidence.texts?.duplicates.as_ref()?;
    if found.copies == 0 {
        let detail = "no non-member is nearly a copy of a member".to_owned();
        return Some((Status::Ok, detail));
    }
    let share = found.copies as f64 / found.nonmembers as f64;
    let detail = format!(
        "{} of {} non-members ({}) share half of their runs of eight words with members, such as \
         {}: the model knows them too; take them out",
        found.copies,
        found.nonmembers,
        percent(found.copies as f64, found.nonmembers as f64),
        numbered(&found.examples)
    );
    let status = match share {
        share if share > 0.2 => Status::Violated,
        share if share > 0.005 => Status::Warn,
        _ => Status::Ok,
    };
    Some((status, detail))
}
