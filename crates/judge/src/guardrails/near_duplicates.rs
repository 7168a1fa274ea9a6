//! Are non-members nearly copies of members?
//!
//! Canaries share their frame by design and each had its own coin: of them, only exact copies are looked
//! for, which the model knows whatever the coin of either said.

use super::{Evidence, Status, percent};
use crate::records::numbered;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let found = evidence.texts?.duplicates.as_ref()?;
    let canaries = evidence.canaries.is_some();
    let looked = match found.one_run_in {
        1 => String::new(),
        many => {
            format!(" (one in {many} runs of eight words was looked at, the same in every text)")
        }
    };
    if found.copies == 0 {
        let detail = match canaries {
            true => "no canary is a copy of another; frames that they share are meant to be shared",
            false => "no non-member is nearly a copy of a member",
        };
        return Some((Status::Ok, format!("{detail}{looked}")));
    }
    let share = found.copies as f64 / found.nonmembers as f64;
    let (alike, remedy) = match canaries {
        true => ("are copies of included canaries", "draw others"),
        false => (
            "share half of their runs of eight words with members",
            "take them out",
        ),
    };
    let detail = format!(
        "{} of {} non-members ({}) {alike}, such as {}: the model knows them too; {remedy}{looked}",
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
