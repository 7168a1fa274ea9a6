//! Can somebody who never saw the model tell members from non-members?

use super::{Evidence, Status};

/// An audit is void when words reach this AUC for sure, or letters and marks, which differ more
/// easily without a difference in what is said, the second.
const VOID: f64 = 0.6;
const VOID_BY_LETTERS: f64 = 0.7;
/// Words alone that do better than chance with less than this probability are worth a warning.
const CHANCE: f64 = 0.01;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.texts?;
    let blind = facts.blind.as_ref()?;
    let drawn = match facts.drawn_from {
        Some(all) => format!(" drawn by lot from {all}"),
        None => String::new(),
    };
    let found = format!(
        "{}, without any model, tell members from non-members with AUC {:.3} ({:.3} to {:.3}, \
         {} texts{drawn})",
        blind.by, blind.auc, blind.low, blind.high, blind.texts
    );
    if blind.p_below < CHANCE && blind.p_value >= CHANCE {
        let detail = format!(
            "words tell members from non-members worse than chance, as they do when non-members are \
             reworded members: look for texts that occur in both sets ({found})"
        );
        return Some((Status::Warn, detail));
    }
    let void = blind.words_low >= VOID || blind.low >= VOID_BY_LETTERS;
    if !void && blind.p_value >= CHANCE {
        return Some((Status::Ok, found));
    }
    // The words themselves may be somebody's name.
    let words = "; --show-records, or audit.show_records = true, shows what is typical of either";
    let best = evidence.gated_attack();
    let beaten = match best.filter(|attack| attack.auc.value <= blind.auc) {
        Some(attack) => format!("; {} with the model does no better", attack.id),
        None => String::new(),
    };
    let remedy = "draw members and non-members at random from one pool";
    Some(if void {
        let why =
            "the audit is void, because the sets differ by themselves and every attack finds that";
        let detail = format!("{found}: {why}{words}{beaten}; {remedy}");
        (Status::Violated, detail)
    } else {
        let why = "part of what attacks find may be this difference";
        let detail = format!("{found}: {why}{words}{beaten}; {remedy}");
        (Status::Warn, detail)
    })
}
