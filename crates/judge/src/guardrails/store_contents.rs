//! Do the sources that the service shows agree with who is said to be a member?

use super::{Evidence, Status};
use crate::rag::{Hits, SourcesNamed};
use crate::records::numbered;
use stats::binomial::binomial_sf;

/// A store that never shows a member may not hold them; one that shows non-members does.
const SEEN: f64 = 0.5;
const STRAY: f64 = 0.02;
const BY_CHANCE: f64 = 0.05;

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

/// Whether chance alone would show so many members in the answers to their own questions: by the sign
/// test, of those that are seen more often in one kind of answers. A service that shows the same sources
/// whatever is asked has none of them.
fn at_random(hits: &Hits) -> bool {
    let (own, all) = (hits.own as u64, (hits.own + hits.elsewhere) as u64);
    hits.compared > 0 && binomial_sf(own, all, 0.5) > BY_CHANCE
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
    if at_random(hits) {
        let detail = format!(
            "{found}, but no oftener in answers to their own questions than in answers to those of other \
             documents: sources that have nothing to do with the questions show nothing; check that every answer \
             stands beside the question that it answers"
        );
        return Some((Status::Violated, detail));
    }
    if share(hits.members_seen, hits.members) < SEEN {
        let detail = format!(
            "{found}: most questions do not reach their document; a pass says little about the rest"
        );
        return Some((Status::Warn, detail));
    }
    Some((Status::Ok, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_at_random_or_always_the_same_show_nothing() {
        let hits = |own, elsewhere, compared| Hits {
            own,
            elsewhere,
            compared,
            ..Hits::default()
        };
        assert!(at_random(&hits(20, 18, 60)));
        assert!(at_random(&hits(0, 0, 60)), "the same for every question");
        assert!(!at_random(&hits(50, 2, 60)));
        assert!(!at_random(&hits(8, 0, 60)));
        assert!(!at_random(&Hits::default()), "nothing was compared");
    }
}
