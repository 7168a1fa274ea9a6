//! Do the sources that the service shows agree with who is said to be a member?

use super::{Evidence, Status};
use crate::rag::SourcesNamed;
use crate::records::numbered;

/// A store that never shows a member may not hold them; one that shows non-members does.
const SEEN: f64 = 0.5;
const STRAY: f64 = 0.02;

/// No answer of the whole audit shows a source.
fn unseen(named: SourcesNamed) -> Option<(Status, String)> {
    let found = "no answer showed any source, though the target names where they are";
    match named {
        SourcesNamed::No => None,
        SourcesNamed::ByPreset => {
            let detail =
                format!("{found} (its preset does): if it should show some, look with probe");
            Some((Status::Ok, detail))
        }
        SourcesNamed::ByHand => {
            let detail = format!(
                "{found}: look with `guestlist probe` whether target.extract.citations and retrieved \
                 are right; if the service hides its sources, leave them out"
            );
            Some((Status::Violated, detail))
        }
    }
}

/// Either the store does not hold the members, or its sources go by other names.
fn never_seen(evidence: &Evidence, found: &str) -> (Status, String) {
    let tried = evidence.attacks.len();
    let confidence = evidence.gate.confidence_for(tried);
    let leaks = |attack: &crate::AttackMeasures| attack.auc.at_confidence(confidence).low > 0.5;
    match evidence.gated_attack().is_some_and(leaks) {
        true => {
            let detail = format!(
                "{found}: the answers tell members apart, so that they are in the store, but ids, titles \
                 and texts of the sources are not those of the documents; the hit rate says nothing"
            );
            (Status::Warn, detail)
        }
        false => {
            let detail = format!(
                "{found}: no member was ever retrieved, so nothing was tested; check that the store \
                 holds the members, and that sources have the documents' ids, titles or texts \
                 (target.extract.citations and retrieved)"
            );
            (Status::Violated, detail)
        }
    }
}

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.probes?;
    let Some(hits) = &facts.hits else {
        return unseen(facts.sources_named);
    };
    let found = format!(
        "seen among the sources of answers: {} of {} members, {} of {} non-members",
        hits.members_seen, hits.members, hits.nonmembers_seen, hits.nonmembers
    );
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    if hits.nonmembers_seen > 0 {
        let example = hits
            .example
            .iter()
            .map(|&row| format!(" such as {}", numbered(&[row])));
        let example: String = example.collect();
        let detail = format!(
            "{found}: the store holds non-members{example}, or copies of them; take them out of \
             the non-members, or out of the store"
        );
        let stray = share(hits.nonmembers_seen, hits.nonmembers) > STRAY;
        return Some((
            if stray {
                Status::Violated
            } else {
                Status::Warn
            },
            detail,
        ));
    }
    if hits.members_seen == 0 {
        return Some(never_seen(evidence, &found));
    }
    if share(hits.members_seen, hits.members) < SEEN {
        let detail = format!(
            "{found}: most questions do not reach their document; a pass says little about the rest"
        );
        return Some((Status::Warn, detail));
    }
    Some((Status::Ok, found))
}
