//! Each defence does its job and leaves everything else as it was.

use guestlist_rehearsal::{Answer, Ask, Defences, ServiceSettings};

use crate::{ask, service};

const OPEN: &str = "How much did thicker asphalt lower the stress range?";
const SHORT: &str = "Did bumblebees visit lavender more often than heather? Answer with Yes or No.";
const QUOTE: &str = "Is this: \"Bumblebees visited lavender more often than heather in all 14 gardens.\" right? Answer with Yes or No.";

fn defended(name: &str, question: &str) -> Answer {
    let defences = Defences::parse(&[name.to_owned()]).unwrap();
    let settings = ServiceSettings {
        defences,
        ..ServiceSettings::default()
    };
    service(settings).answer(&Ask::new(question)).unwrap()
}

#[test]
fn refusing_verbatim_withholds_quotations_and_answers_the_rest() {
    for question in [OPEN, QUOTE] {
        let answer = defended("refuse-verbatim", question);
        assert_eq!(answer.refused_by, Some("refuse-verbatim"), "{question}");
        assert!(answer.citations.is_empty() && answer.retrieved.is_empty());
        assert!(!answer.text.contains("asphalt"));
    }
    assert_eq!(defended("refuse-verbatim", SHORT), ask(SHORT));
}

#[test]
fn hiding_citations_shows_no_source_and_changes_no_answer() {
    for question in [OPEN, SHORT, QUOTE] {
        let (open, hidden) = (ask(question), defended("hide-citations", question));
        assert!(hidden.citations.is_empty() && hidden.retrieved.is_empty());
        assert_eq!(hidden.text, open.text.replace(" [1]", ""));
        assert_eq!(hidden.refused_by, None);
    }
    for question in [
        "Which documents discuss bumblebees?",
        "Which documents discuss volcanoes?",
    ] {
        let listed = defended("hide-citations", question);
        assert_eq!(listed.text, "I cannot name my sources.");
    }
}

#[test]
fn detecting_probes_hides_the_document_that_a_question_was_made_from() {
    let probed = defended("detect-probing", QUOTE);
    assert_eq!(probed.hidden.as_deref(), Some("bees"));
    assert!(probed.retrieved.iter().all(|shown| shown.id != "bees"));
    assert!(!probed.text.starts_with("Yes"), "{}", probed.text);
    let harmless = "What is known about percent?";
    assert_eq!(defended("detect-probing", harmless), ask(harmless));
}

#[test]
fn defences_combine() {
    let names: Vec<String> = Defences::NAMES.map(str::to_owned).into();
    let settings = ServiceSettings {
        defences: Defences::parse(&names).unwrap(),
        ..ServiceSettings::default()
    };
    let answer = service(settings).answer(&Ask::new(QUOTE)).unwrap();
    assert_eq!(answer.hidden.as_deref(), Some("bees"));
    assert!(
        answer.retrieved.is_empty() && answer.refused_by.is_none(),
        "{answer:?}"
    );
}

#[test]
fn screened_answers_come_in_one_piece_and_others_word_by_word() {
    for (name, pieces) in [("hide-citations", 1), ("detect-probing", 2)] {
        let settings = ServiceSettings {
            defences: Defences::parse(&[name.to_owned()]).unwrap(),
            ..ServiceSettings::default()
        };
        let mut heard = Vec::new();
        let question = Ask::new("What is known about percent?");
        let answer = service(settings).answer_in_pieces(&question, &mut |piece| {
            heard.push(piece.to_owned());
            std::ops::ControlFlow::Continue(())
        });
        assert_eq!(heard.concat(), answer.unwrap().text);
        assert!(
            heard.len() >= pieces && (pieces > 1 || heard.len() == 1),
            "{name}: {heard:?}"
        );
    }
}
