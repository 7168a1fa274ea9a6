//! Did the questions reach the members' documents?
//!
//! A service that says the same to everything has an AUC of one half, and so has one whose store is
//! empty. A pass needs a sign that members were there to be found: answers or sources that tell them
//! from non-members, however little, or a control that was found again.

use super::{Evidence, Status, percent, store_contents};
use crate::measure::Auc;
use crate::rag::Reach;

/// One-sided, over all signs together.
const LEVEL: f64 = 0.01;
/// Above this share of the same reply, it is said.
const MOSTLY: f64 = 0.9;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.probes?;
    let reach = facts.reach.as_ref()?;
    if let Some(controls) = &facts.controls {
        // Where they were not found, `controls` says what to do.
        return (controls.are_found() && controls.are_kept())
            .then(|| through_controls(sign(evidence, reach)));
    }
    if let Some(sign) = sign(evidence, reach) {
        return Some((Status::Ok, sign));
    }
    // Where members never turn up among visible sources, it says what to do.
    match store_contents::check(evidence) {
        Some((Status::Violated, _)) => None,
        _ => Some((Status::Violated, untested(reach, facts.echoes.is_some()))),
    }
}

/// Controls show that the way to the store is open; whether a member lies there is another question.
fn through_controls(sign: Option<String>) -> (Status, String) {
    let found = "the controls were found again, so that questions reach the store";
    match sign {
        Some(sign) => (Status::Ok, format!("{found}; {sign}")),
        None => {
            let detail = format!(
                "{found}, but no answer and no source tells the members themselves from non-members (one-sided, 1% level), \
                 and a store that holds the controls alone would look the same: see in the index itself that it holds the members, and look at \
                 an answer about one with `guestlist probe`; a pass says nothing of members that are not there"
            );
            (Status::Warn, detail)
        }
    }
}

/// The clearest sign, where one is beyond chance.
fn sign(evidence: &Evidence, reach: &Reach) -> Option<String> {
    telling(evidence, reach).or_else(|| word_for_word(reach))
}

/// Documents of a few members that came back as they are.
fn word_for_word(reach: &Reach) -> Option<String> {
    let verbatim = reach.verbatim?;
    let chance = verbatim.chance_of_members_alone()?;
    (chance <= 2.0 * LEVEL).then(|| {
        format!(
            "documents of {} of {} members came back word for word, and of {} non-members none did, which shows that \
             questions reach members (one-sided, 1% level)",
            verbatim.members_seen, verbatim.members, verbatim.nonmembers
        )
    })
}

fn telling(evidence: &Evidence, reach: &Reach) -> Option<String> {
    let attacks = evidence.attacks.iter();
    let mut signs: Vec<(String, &Auc)> = attacks
        .map(|attack| (format!("the scores of {}", attack.id), &attack.auc))
        .collect();
    let overlap = reach.overlap.iter();
    signs.extend(overlap.map(|auc| ("what answers repeat of documents".to_owned(), auc)));
    let sources = reach.sources.iter();
    signs.extend(sources.map(|auc| ("the sources of answers".to_owned(), auc)));
    let confidence = 1.0 - 2.0 * LEVEL / signs.len().max(1) as f64;
    let surely = |auc: &Auc| auc.at_confidence(confidence).low;
    let (name, auc) = signs
        .into_iter()
        .max_by(|a, b| surely(a.1).total_cmp(&surely(b.1)))?;
    (surely(auc) > 0.5).then(|| {
        format!(
            "{name} tell members from non-members (AUC {:.3}), which shows that questions reach members \
             (one-sided, 1% level over all signs)",
            auc.value
        )
    })
}

fn untested(reach: &Reach, of_sources: bool) -> String {
    let share = reach.commonest as f64 / reach.answers.max(1) as f64;
    let same = match share > MOSTLY {
        true => format!(
            ": {} of the answers are one and the same reply",
            percent(share, 1.0)
        ),
        false => String::new(),
    };
    let remedy = match of_sources {
        true => {
            "check that the store holds the items called retrieved, and that source.question makes the \
             service answer with what it finds, then run again"
        }
        false => {
            "look at an answer with `guestlist probe`, then index documents with invented facts, which \
             `guestlist init rag --controls` writes, and run again"
        }
    };
    format!(
        "nothing shows that any question reached a member's document{same}; no attack, no content of \
         answers and no source tells members from non-members (one-sided, 1% level), and an empty store or \
         a service that is down would look the same: {remedy}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;
    use crate::measure::AucScale;
    use crate::measure::auc::auc;
    use crate::rag::{Controls, Hits, ProbeFacts, Verbatim};
    use stats::roc::Roc;

    /// Of a value that members have with this share, and others never.
    fn seen(members: usize, of: usize) -> Option<Auc> {
        let member = |place: usize| (f64::from(u8::from(place < members)), true);
        let values = (0..of).map(member).chain((0..of).map(|_| (0.0, false)));
        Some(auc(&Roc::new(values)?, 0.95, AucScale::Logit))
    }

    fn status(facts: &ProbeFacts) -> Option<Status> {
        let gate = Gate::default();
        let evidence = Evidence {
            probes: Some(facts),
            ..Evidence::new(60, 60, &gate, &[])
        };
        check(&evidence).map(|(status, _)| status)
    }

    fn facts(overlap: Option<Auc>, controls: Option<Controls>) -> ProbeFacts {
        ProbeFacts {
            reach: Some(Reach {
                overlap,
                ..Reach::default()
            }),
            controls,
            ..ProbeFacts::default()
        }
    }

    #[test]
    fn a_sign_beyond_chance_or_controls_show_that_something_was_tested() {
        assert_eq!(status(&ProbeFacts::default()), None);
        assert_eq!(status(&facts(seen(0, 60), None)), Some(Status::Violated));
        assert_eq!(status(&facts(seen(2, 60), None)), Some(Status::Violated));
        assert_eq!(status(&facts(seen(20, 60), None)), Some(Status::Ok));
        let controls = |found| {
            Some(Controls {
                documents: 5,
                found,
                ..Controls::default()
            })
        };
        let alone = status(&facts(None, controls(3)));
        assert_eq!(alone, Some(Status::Warn), "nothing of the members");
        let both = status(&facts(seen(20, 60), controls(3)));
        assert_eq!(both, Some(Status::Ok));
        assert_eq!(status(&facts(None, controls(2))), None, "controls speaks");
        let lost = controls(5).map(|found| Controls {
            asked_later: 8,
            lost_later: 4,
            ..found
        });
        assert_eq!(status(&facts(None, lost)), None, "controls speaks");
    }

    #[test]
    fn a_few_documents_that_come_back_word_for_word_are_a_sign() {
        let few = |members_seen, nonmembers_seen| ProbeFacts {
            reach: Some(Reach {
                verbatim: Some(Verbatim {
                    members: 110,
                    members_seen,
                    nonmembers: 110,
                    nonmembers_seen,
                }),
                ..Reach::default()
            }),
            ..ProbeFacts::default()
        };
        assert_eq!(status(&few(8, 0)), Some(Status::Ok));
        assert_eq!(status(&few(8, 4)), Some(Status::Violated));
    }

    #[test]
    fn where_members_never_turn_up_among_sources_the_store_is_blamed_once() {
        let unseen = ProbeFacts {
            hits: Some(Hits {
                members: 60,
                nonmembers: 60,
                ..Hits::default()
            }),
            ..facts(None, None)
        };
        assert_eq!(status(&unseen), None);
    }
}
