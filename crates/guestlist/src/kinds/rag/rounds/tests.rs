//! Rounds on services of a few lines, which answer by lot: the same question always alike.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use attacks::rag::{ArmSignals, DocumentFrequencies, Scoring, ask, find};
use attacks::settings::Settings;
use attacks::signals::probes::{Expected, Probed};
use stats::streams::{Seed, uniform};

use super::*;

const NOUNS: [&str; 12] = [
    "harbour",
    "lantern",
    "orchard",
    "glacier",
    "meadow",
    "cathedral",
    "compass",
    "quarry",
    "pendulum",
    "juniper",
    "trumpet",
    "willow",
];

fn document(number: usize) -> Document {
    let mut rng = Seed(7).numbered("documents", number as u64);
    let mut draw = |below: usize| (uniform(&mut rng) * below as f64) as usize;
    let mut sentence = || {
        format!(
            "The large {} beside the {} was finished in {} and held {} barrels of {} near {}son.",
            NOUNS[draw(12)],
            NOUNS[draw(12)],
            1400 + draw(500),
            1000 + draw(9000),
            NOUNS[draw(12)],
            ["Hart", "Morri", "Ander", "Jack", "Wil"][draw(5)],
        )
    };
    Document {
        id: format!("document-{number}"),
        text: (0..6).map(|_| sentence()).collect::<Vec<_>>().join(" "),
        ..Document::default()
    }
}

/// Documents, of which every second one is a member, and what is asked about them.
struct World {
    attacks: Vec<&'static dyn ProbeAttack>,
    documents: Vec<Document>,
    frequencies: DocumentFrequencies,
    questions: Vec<Question>,
    /// Whose a question is.
    owners: HashMap<String, usize>,
}

impl World {
    fn new(count: usize, ids: &[&str]) -> Self {
        let attacks: Vec<_> = ids.iter().map(|id| find(id).unwrap()).collect();
        let documents: Vec<Document> = (0..count).map(document).collect();
        let texts = documents.iter().map(|document| document.text.as_str());
        let frequencies = DocumentFrequencies::new(texts);
        let mut questions = Vec::new();
        for (place, document) in documents.iter().enumerate() {
            for probe in ask(&attacks, document, &frequencies, &Settings::default()) {
                questions.push(Question {
                    document: place,
                    arm: Arm::Retrieval,
                    repeat: 0,
                    probe: probe.into(),
                });
            }
        }
        let owners = questions.iter().enumerate();
        let owners = owners.map(|(place, question)| (question.probe.query.clone(), place));
        Self {
            owners: owners.collect(),
            attacks,
            documents,
            frequencies,
            questions,
        }
    }

    fn rounds(&self, adaptive: bool) -> Rounds<'_> {
        Rounds {
            attacks: &self.attacks,
            documents: &self.documents,
            questions: &self.questions,
            adaptive,
        }
    }

    /// Right with this chance where the document is a member, and with that where not.
    fn reply(&self, query: &str, chances: [f64; 2], seed: u64) -> Outcome {
        let question = &self.questions[self.owners[query]];
        let mut rng = Seed(seed).stream(query);
        let right = uniform(&mut rng) < chances[question.document % 2];
        let answer = match (right, &question.probe.expected) {
            (true, Expected::Fact(spellings)) => format!("It was {}.", spellings[0]),
            (true, Expected::Yes) => "Yes.".into(),
            (true, Expected::No) => "No.".into(),
            _ if uniform(&mut rng) < 0.5 => "I don't know.".into(),
            _ => "It was something else.".into(),
        };
        Outcome::Answered(
            Reply {
                answer: answer.into(),
                ..Reply::default()
            }
            .into(),
        )
    }

    fn asked(&self, adaptive: bool, chances: [f64; 2], seed: u64) -> (Heard, usize) {
        let count = Cell::new(0);
        let heard = self.rounds(adaptive).ask(|_, asks| {
            count.set(count.get() + asks.len());
            let outcomes = asks.iter().map(|ask| self.reply(&ask.query, chances, seed));
            Ok(Asked {
                outcomes: outcomes.collect(),
                ..Asked::default()
            })
        });
        (heard.unwrap(), count.get())
    }

    /// How well an attack tells members apart by what was heard, and how far that is from chance in
    /// standard deviations.
    fn auc(&self, id: &str, heard: &Heard) -> (f64, f64) {
        let mut exchanges: Vec<Vec<Exchange>> = vec![Vec::new(); self.documents.len()];
        for (question, outcome) in self.questions.iter().zip(&heard.outcomes) {
            if let Outcome::Answered(reply) = outcome {
                exchanges[question.document].push(Exchange {
                    probe: question.probe.clone(),
                    reply: Some(reply.clone()),
                });
            }
        }
        let probed = self
            .documents
            .iter()
            .zip(&exchanges)
            .map(|(document, heard)| Probed {
                document,
                exchanges: heard.iter().collect(),
                without: Vec::new(),
            });
        let heard = ArmSignals::new(probed.collect(), &self.frequencies);
        let Scoring::Scores(scores) = find(id).unwrap().score(&heard, &Settings::default()) else {
            panic!("{id} is fitted");
        };
        let scores: Vec<f64> = scores.into_iter().map(|score| score.unwrap()).collect();
        let of = |set: usize| scores.iter().skip(set).step_by(2);
        let (members, others) = (of(0).count() as f64, of(1).count() as f64);
        let pairs = of(0).flat_map(|one| of(1).map(move |other| (one, other)));
        let worth = pairs.map(|(one, other)| match one.total_cmp(other) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        });
        let auc = worth.sum::<f64>() / (members * others);
        let all = members + others;
        let mut sorted = scores.clone();
        sorted.sort_by(f64::total_cmp);
        let ties = sorted
            .chunk_by(|one, other| one == other)
            .map(|tie| tie.len() as f64);
        let ties: f64 = ties.map(|tie| tie.powi(3) - tie).sum();
        let variance = (all + 1.0 - ties / (all * (all - 1.0))) / (12.0 * members * others);
        (auc, (auc - 0.5) / variance.sqrt().max(f64::MIN_POSITIVE))
    }
}

#[test]
fn documents_that_are_settled_are_left_alone_and_as_much_is_found() {
    let ids = ["facts", "indirect", "ia"];
    let world = World::new(80, &ids);
    let chances = [0.7, 0.05];
    let (full, all) = world.asked(false, chances, 1);
    let (adaptive, fewer) = world.asked(true, chances, 1);
    assert_eq!(all, world.questions.len());
    assert!(fewer * 10 < all * 9, "{fewer} of {all}");
    let spared = adaptive.spared.iter().filter(|spared| **spared).count();
    assert_eq!(fewer + spared, all);
    for id in ids {
        let (before, after) = (world.auc(id, &full).0, world.auc(id, &adaptive).0);
        assert!(
            after > before - 0.04 && after > 0.85,
            "{id}: {before} {after}"
        );
    }
    assert!(adaptive.unfinished.is_empty());
}

#[test]
fn a_block_is_two_questions_long_at_least() {
    let world = World::new(20, &["facts", "ia"]);
    let (heard, _) = world.asked(true, [1.0, 0.0], 2);
    for document in 0..20 {
        for strategy in ["facts", "ia"] {
            let own = world.questions.iter().zip(&heard.spared);
            let own = own.filter(|(question, _)| {
                question.document == document && question.probe.strategy == strategy
            });
            assert!(own.filter(|(_, spared)| !**spared).count() >= 2);
        }
    }
}

/// Of members, a fact comes back only when it is asked for again: first answers must not settle them.
#[test]
fn what_comes_back_at_the_second_question_is_waited_for() {
    let world = World::new(80, &["indirect"]);
    let heard = world.rounds(true).ask(|_, asks| {
        let answer = |ask: &Ask| {
            let place = world.owners[&ask.query];
            let question = &world.questions[place];
            let same = |other: &Question| {
                other.document == question.document
                    && other.probe.expected == question.probe.expected
            };
            let again = world.questions[..place].iter().any(same);
            let late = question.document.is_multiple_of(4);
            let found = question.document.is_multiple_of(2) && (again || !late);
            world.reply(&ask.query, [f64::from(u8::from(found)), 0.0], 6)
        };
        Ok(Asked {
            outcomes: asks.iter().map(answer).collect(),
            ..Asked::default()
        })
    });
    let heard = heard.unwrap();
    assert!(heard.spared.iter().any(|spared| *spared));
    assert_eq!(world.auc("indirect", &heard).0, 1.0);
}

/// Ends after so many new answers, goes on, and ends again: the same as in one go, and nothing twice.
#[test]
fn a_run_that_is_stopped_again_and_again_ends_alike() {
    let world = World::new(70, &["facts", "indirect"]);
    let chances = [0.6, 0.1];
    let (whole, _) = world.asked(true, chances, 3);
    let store: RefCell<HashMap<String, Outcome>> = RefCell::default();
    let mut runs = 0;
    let last = loop {
        runs += 1;
        let left = Cell::new(37);
        let heard = world.rounds(true).ask(|_, asks| {
            let answer = |ask: &Ask| {
                if let Some(known) = store.borrow().get(&ask.query) {
                    return known.clone();
                }
                if left.get() == 0 {
                    return Outcome::NotAsked;
                }
                left.set(left.get() - 1);
                let reply = world.reply(&ask.query, chances, 3);
                store.borrow_mut().insert(ask.query.clone(), reply.clone());
                reply
            };
            Ok(Asked {
                outcomes: asks.iter().map(answer).collect(),
                ..Asked::default()
            })
        });
        let heard = heard.unwrap();
        // Nothing is spared in a block that is not finished.
        for (question, spared) in world.questions.iter().zip(&heard.spared) {
            assert!(!(*spared && heard.unfinished.contains(&question.document)));
        }
        if heard.unfinished.is_empty() {
            break heard;
        }
    };
    assert!(runs > 3);
    assert_eq!(last.outcomes, whole.outcomes);
    assert_eq!(last.spared, whole.spared);
    // Two documents may ask the same.
    let asked = world.questions.iter().zip(&whole.outcomes);
    let asked = asked.filter(|(_, outcome)| !is_open(outcome));
    let distinct: HashSet<&str> = asked
        .map(|(question, _)| question.probe.query.as_str())
        .collect();
    assert_eq!(store.borrow().len(), distinct.len());
}

#[test]
fn what_is_always_asked_is_never_spared() {
    let world = World::new(40, &["facts", "indirect", "ia", "content"]);
    let (heard, _) = world.asked(true, [0.9, 0.0], 4);
    for document in 0..40 {
        let own: Vec<usize> = (0..world.questions.len())
            .filter(|place| world.questions[*place].document == document)
            .collect();
        let probes: Vec<Arc<Probe>> = own
            .iter()
            .map(|place| world.questions[*place].probe.clone())
            .collect();
        let always = always_asked(&world.attacks, &probes);
        assert!(always.iter().any(|always| !always));
        for (place, always) in own.iter().zip(always) {
            assert!(
                !(always && heard.spared[*place]),
                "{:?}",
                world.questions[*place]
            );
        }
    }
}

/// Answers that have nothing to do with membership: 5% of audits are beyond 1.96 standard deviations.
#[test]
fn two_hundred_nulls_hold_their_level() {
    let ids = ["facts", "indirect", "ia"];
    let world = World::new(48, &ids);
    let mut beyond = [0; 3];
    for seed in 0..200 {
        // Few services answer alike.
        let chance = 0.05 + 0.9 * (seed as f64 / 200.0);
        let (heard, _) = world.asked(true, [chance; 2], 100 + seed);
        for (place, id) in ids.iter().enumerate() {
            beyond[place] += usize::from(world.auc(id, &heard).1.abs() > 1.96);
        }
    }
    // 10 are expected of each; more than 21 come once in a thousand.
    assert!(beyond.iter().all(|beyond| *beyond <= 21), "{beyond:?}");
}
