//! Contracts that every attack on retrieval services keeps, on a service made of a few lines: it
//! answers from the document when it holds it and knows nothing when it does not.

use std::sync::Arc;

use super::reading::{Kind, YesOrNo, kind, said};
use super::*;

const WORDS: [&str; 40] = [
    "harbour",
    "copper",
    "lantern",
    "orchard",
    "glacier",
    "meadow",
    "cathedral",
    "whistle",
    "compass",
    "granite",
    "velvet",
    "thunder",
    "saffron",
    "pendulum",
    "juniper",
    "marble",
    "trumpet",
    "willow",
    "ember",
    "quarry",
    "anchor",
    "bramble",
    "canyon",
    "dolphin",
    "emerald",
    "falcon",
    "garnet",
    "hazel",
    "indigo",
    "jasmine",
    "kettle",
    "lagoon",
    "magnet",
    "nectar",
    "obelisk",
    "paddle",
    "quartz",
    "ribbon",
    "sandal",
    "timber",
];

fn document(number: usize) -> Document {
    let word = |place: usize| WORDS[(number * 7 + place * 11 + number * place) % WORDS.len()];
    let sentence = |place: usize| {
        format!(
            "The old {} near the {} was built in {} with {} large stones of {} by Master {}{}.",
            word(place),
            word(place + 1),
            1500 + number * 3 + place,
            100 + number * 13 + place * 7,
            word(place + 2),
            word(place + 3)
                .to_uppercase()
                .chars()
                .take(1)
                .chain(word(place + 3).chars().skip(1))
                .collect::<String>(),
            number,
        )
    };
    Document {
        id: format!("document-{number:04}"),
        title: Some(format!(
            "Annals of the {} and {} number {number}",
            word(1),
            word(2)
        )),
        text: (0..6).map(sentence).collect::<Vec<_>>().join(" "),
        ..Document::default()
    }
}

/// A service that reads the document, or has nothing to read.
fn reply(document: &Document, probe: &Probe, holds: bool) -> Reply {
    let answer = match (holds, &probe.expected) {
        (false, _) => "I don't know.".to_owned(),
        (true, Expected::Yes) => "Yes.".into(),
        (true, Expected::No) => "No, that is not what it says.".into(),
        (true, Expected::Fact(facts)) => format!("It is {}.", facts[0]),
        (true, Expected::Masks(words)) => {
            let lines = words.iter().enumerate();
            lines
                .map(|(place, word)| format!("[Mask_{}]: {word}\n", place + 1))
                .collect()
        }
        (true, Expected::Nothing) => document.text.clone(),
    };
    let citations = match holds {
        true => vec![crate::signals::probes::SourceShown {
            id: Some(document.id.as_str().into()),
            ..Default::default()
        }],
        false => Vec::new(),
    };
    Reply {
        answer: answer.into(),
        citations,
        seconds: 0.1,
        perplexity: Some(if holds { 8.0 } else { 20.0 }),
        ..Reply::default()
    }
}

/// What was heard about each document with retrieval, and without.
struct Arms {
    on: Vec<Vec<Exchange>>,
    off: Vec<Vec<Exchange>>,
}

fn arms(documents: &[Document], holds: impl Fn(usize) -> bool) -> Arms {
    Arms {
        on: exchanges(documents, holds),
        off: exchanges(documents, |_| false),
    }
}

fn exchanges(documents: &[Document], holds: impl Fn(usize) -> bool) -> Vec<Vec<Exchange>> {
    let frequencies =
        DocumentFrequencies::new(documents.iter().map(|document| document.text.as_str()));
    let settings = Settings::default();
    let about = |(place, document): (usize, &Document)| {
        let probes = ask(ATTACKS, document, &frequencies, &settings).into_iter();
        let exchange = |probe: Probe| Exchange {
            reply: Some(reply(document, &probe, holds(place)).into()),
            probe: probe.into(),
        };
        probes.map(exchange).collect()
    };
    documents.iter().enumerate().map(about).collect()
}

fn probed<'a>(documents: &'a [Document], arms: &'a Arms) -> Vec<Probed<'a>> {
    let both = |(place, document): (usize, &'a Document)| Probed {
        document,
        exchanges: arms.on[place].iter().collect(),
        without: arms.off[place].iter().collect(),
    };
    documents.iter().enumerate().map(both).collect()
}

fn scores(attack: &dyn ProbeAttack, documents: &[Probed]) -> Vec<Answer> {
    let frequencies =
        DocumentFrequencies::new(documents.iter().map(|probed| probed.document.text.as_str()));
    let heard = ArmSignals::new(documents.to_vec(), &frequencies);
    match attack.score(&heard, &Settings::default()) {
        Scoring::Scores(scores) => scores,
        // As good as any for a contract: the first feature.
        Scoring::Features(features) => features
            .rows
            .into_iter()
            .map(|row| row.map(|row| row.into_iter().flatten().next().unwrap_or(0.0)))
            .collect(),
    }
}

#[test]
fn every_attack_tells_held_documents_from_others() {
    let documents: Vec<Document> = (0..24).map(document).collect();
    let arms = arms(&documents, |place| place % 2 == 0);
    let probed = probed(&documents, &arms);
    for attack in ATTACKS {
        let id = attack.card().id;
        let scores = scores(*attack, &probed);
        let of = |held: usize| {
            scores
                .iter()
                .skip(held)
                .step_by(2)
                .map(|score| score.unwrap())
        };
        let lowest = of(0).fold(f64::INFINITY, f64::min);
        let highest = of(1).fold(f64::NEG_INFINITY, f64::max);
        // The first feature of a fitted attack need not separate.
        let fitted = ["cross-fitted", "s2-fitted"].contains(&id);
        assert!(fitted || lowest > highest, "{id}: {lowest} {highest}");
    }
}

#[test]
fn what_runs_only_when_named_says_so() {
    for attack in ATTACKS {
        let card = attack.card();
        let says = card.summary.contains("only when named");
        assert_eq!(attack.by_name_only(), says, "{}", card.id);
    }
}

#[test]
fn attacks_on_both_arms_abstain_from_one() {
    let documents: Vec<Document> = (0..3).map(document).collect();
    let arms = arms(&documents, |_| true);
    let mut probed = probed(&documents, &arms);
    probed.iter_mut().for_each(|probed| probed.without.clear());
    for attack in ATTACKS {
        let scores = scores(*attack, &probed);
        let refused = scores.contains(&Err(Abstention::NoOtherArm));
        assert_eq!(refused, attack.needs_both_arms(), "{}", attack.card().id);
    }
}

#[test]
fn documents_in_another_order_have_the_same_scores() {
    let documents: Vec<Document> = (0..10).map(document).collect();
    let arms = arms(&documents, |place| place % 3 == 0);
    let forward = probed(&documents, &arms);
    let backward: Vec<Probed> = forward.iter().rev().cloned().collect();
    for attack in ATTACKS {
        let mut there = scores(*attack, &backward);
        there.reverse();
        assert_eq!(scores(*attack, &forward), there, "{}", attack.card().id);
    }
}

#[test]
fn without_any_answer_every_attack_abstains() {
    let documents: Vec<Document> = (0..3).map(document).collect();
    let mut arms = arms(&documents, |_| true);
    for exchange in arms.on.iter_mut().chain(&mut arms.off).flatten() {
        exchange.reply = None;
    }
    for attack in ATTACKS {
        let scores = scores(*attack, &probed(&documents, &arms));
        assert!(scores.iter().all(Result::is_err), "{}", attack.card().id);
    }
}

#[test]
fn odd_documents_break_nothing() {
    let texts = [
        "",
        " ",
        "word",
        "?!…",
        "日本語のテキスト。短い。",
        "1 2 3 4 5 6 7 8 9 10 11 12 13 14",
        "A. B. C.",
    ];
    let documents: Vec<Document> = texts
        .iter()
        .enumerate()
        .map(|(place, text)| Document {
            id: place.to_string(),
            text: (*text).into(),
            ..Document::default()
        })
        .collect();
    let arms = arms(&documents, |place| place % 2 == 0);
    let probed = probed(&documents, &arms);
    for attack in ATTACKS {
        assert_eq!(scores(*attack, &probed).len(), texts.len());
    }
}

#[test]
fn questions_do_not_hold_their_answers() {
    for number in 0..12 {
        let document = document(number);
        let frequencies = DocumentFrequencies::new([document.text.as_str()].into_iter());
        for probe in ask(ATTACKS, &document, &frequencies, &Settings::default()) {
            let asked = text::folded(&probe.query);
            if let Expected::Fact(facts) = &probe.expected {
                assert!(!asked.contains(&facts[0]), "{probe:?}");
            }
            assert!(!probe.query.contains(&document.id), "{probe:?}");
        }
    }
}

#[test]
fn interrogations_have_both_answers_and_differentials_a_pair() {
    let document = document(3);
    let frequencies = DocumentFrequencies::new([document.text.as_str()].into_iter());
    let of = |id: &str| {
        find(id)
            .unwrap()
            .ask(&document, &frequencies, &Settings::default())
    };
    let wanted: Vec<Expected> = of("ia").into_iter().map(|probe| probe.expected).collect();
    assert!(
        wanted.contains(&Expected::Yes) && wanted.contains(&Expected::No),
        "{wanted:?}"
    );
    let pair = of("dcmi");
    assert_eq!(pair.len(), 2);
    assert_ne!(pair[0].query, pair[1].query);
    let masks = of("mba");
    let Expected::Masks(words) = &masks[0].expected else {
        panic!("{masks:?}");
    };
    assert_eq!(words.len(), 10);
    assert!((1..=10).all(|place| masks[0].query.contains(&format!("[Mask_{place}]"))));
    assert_eq!(of("yes-no").len(), 3);
}

#[test]
fn given_questions_are_used_as_they_are() {
    let mut document = document(1);
    document.questions = vec![YesNo::question("Do stones float?", false)];
    let frequencies = DocumentFrequencies::new([document.text.as_str()].into_iter());
    let asked = find("ia")
        .unwrap()
        .ask(&document, &frequencies, &Settings::default());
    assert_eq!(asked.len(), 1);
    assert!(asked[0].query.contains("Do stones float?"));
    assert_eq!(asked[0].expected, Expected::No);
}

struct YesNo;

impl YesNo {
    fn question(question: &str, yes: bool) -> crate::signals::probes::YesNoQuestion {
        crate::signals::probes::YesNoQuestion {
            question: question.into(),
            yes,
        }
    }
}

#[test]
fn the_published_scores_are_as_defined() {
    let document = document(2);
    let frequencies = DocumentFrequencies::new([document.text.as_str()].into_iter());
    let settings = Settings::default();
    let score = |id: &str, answer: &dyn Fn(&Probe) -> &'static str| {
        let attack = find(id).unwrap();
        let exchanges: Vec<Exchange> = attack
            .ask(&document, &frequencies, &settings)
            .into_iter()
            .map(|probe| Exchange {
                reply: Some(
                    Reply {
                        answer: answer(&probe).into(),
                        ..Reply::default()
                    }
                    .into(),
                ),
                probe: probe.into(),
            })
            .collect();
        let probed = Probed {
            document: &document,
            exchanges: exchanges.iter().collect(),
            without: Vec::new(),
        };
        scores(attack, &[probed])[0].unwrap()
    };
    assert_eq!(score("yes-no", &|_| "Yes"), 1.0);
    assert_eq!(score("yes-no", &|_| "I cannot say."), 0.0);
    assert_eq!(score("ia", &|_| "I don't know"), -5.0);
    assert_eq!(score("dcmi", &|_| "Yes"), 0.0);
    let contrary = |probe: &Probe| match probe.expected {
        Expected::Yes => "No",
        _ => "Yes",
    };
    assert_eq!(score("dcmi", &contrary), -1.0);
    assert_eq!(score("ia", &contrary), 0.0);
    assert_eq!(score("mba", &|_| "[Mask_1]: zebra"), 0.0);
    let refusal = Reply {
        answer: "I'm sorry, but I can't help with that.".into(),
        ..Reply::default()
    };
    assert_eq!(
        (kind(&refusal), said(&refusal)),
        (Kind::Refusal, YesOrNo::Unknown)
    );
}

/// Whether sources were read is a matter of the configuration; what was said is not.
#[test]
fn content_has_the_same_score_with_and_without_the_sources_of_answers() {
    let documents: Vec<Document> = (0..12).map(document).collect();
    let mut arms = arms(&documents, |place| place % 2 == 0);
    let with = scores(&content::Content, &probed(&documents, &arms));
    for exchange in arms.on.iter_mut().flatten() {
        if let Some(reply) = exchange.reply.as_mut().map(Arc::make_mut) {
            reply.citations.clear();
        }
    }
    let without = scores(&content::Content, &probed(&documents, &arms));
    assert_eq!(with, without);
}

/// A filter that withholds what overlaps a document tells which are there.
#[test]
fn refusals_count_for_membership_and_not_knowing_against_it() {
    let documents: Vec<Document> = (0..4).map(document).collect();
    let mut arms = arms(&documents, |_| true);
    for (place, said) in ["I can't help with that.", "", "I don't know."]
        .iter()
        .enumerate()
    {
        for exchange in &mut arms.on[place] {
            exchange.reply = Some(
                Reply {
                    answer: (*said).into(),
                    ..Reply::default()
                }
                .into(),
            );
        }
    }
    let found = scores(&refusals::Refusals, &probed(&documents, &arms));
    assert_eq!(found, [Ok(1.0), Ok(1.0), Ok(-1.0), Ok(0.0)]);
}

#[test]
fn answers_that_changed_are_read_as_if_nothing_had_been_known() {
    let documents: Vec<Document> = (0..6).map(document).collect();
    let frequencies =
        DocumentFrequencies::new(documents.iter().map(|document| document.text.as_str()));
    let before = arms(&documents, |place| place < 3);
    let heard = ArmSignals::new(probed(&documents, &before), &frequencies);
    let changes: [fn(usize, &Document, &mut Option<Reply>); 6] = [
        |_, _, _| (),
        // Whatever was shown, and also where an answer names its document in its own words.
        |_, _, reply| reply.iter_mut().for_each(|reply| reply.citations.clear()),
        |place, document, reply| {
            for reply in reply.iter_mut().filter(|_| place % 2 == 0) {
                reply.citations = vec![crate::signals::probes::SourceShown {
                    title: document.title.as_deref().map(Into::into),
                    ..Default::default()
                }];
            }
        },
        |place, document, reply| {
            for reply in reply.iter_mut().filter(|_| place % 3 == 0) {
                reply.answer = format!("See {}: it may be so.", document.id).into();
            }
        },
        |place, _, reply| {
            for reply in reply.iter_mut().filter(|_| place % 2 == 1) {
                reply.seconds = 3.0;
                reply.blocked = (place % 3 == 0).then(|| "content_filter".into());
            }
        },
        |place, _, reply| *reply = reply.take().filter(|_| place % 4 > 0),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut after = Arms {
            on: before.on.clone(),
            off: before.off.clone(),
        };
        for (document, exchanges) in documents.iter().zip(&mut after.on) {
            for (place, exchange) in exchanges.iter_mut().enumerate() {
                let mut reply = exchange.reply.take().map(Arc::unwrap_or_clone);
                change(place, document, &mut reply);
                exchange.reply = reply.map(Arc::new);
            }
        }
        let after = probed(&documents, &after);
        let anew = ArmSignals::new(after.clone(), &frequencies).columns;
        let known = heard.changed(after, &frequencies).columns;
        assert_eq!(known, anew, "change {number}");
        assert_eq!(anew == heard.columns, number == 0, "change {number}");
    }
}
