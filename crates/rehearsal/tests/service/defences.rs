//! Each defence does its job and leaves everything else as it was.

use guestlist_rehearsal::{Answer, Ask, Defences, Service, ServiceSettings};

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
fn usual_questions_are_not_suspected() {
    let settings = ServiceSettings {
        defences: Defences::parse(&["detect-probing".into()]).unwrap(),
        ..ServiceSettings::default()
    };
    let question = QUOTE;
    let hidden = |service: &Service| service.answer(&Ask::new(question)).unwrap().hidden;
    assert!(hidden(&service(settings)).is_some());
    let usual: Vec<String> = vec![question.to_owned(); 40];
    let knowing = service(settings).knows_usual(&usual).unwrap();
    assert_eq!(hidden(&knowing), None);
    assert!(
        service(settings).knows_usual(&usual[..5]).is_err(),
        "too few"
    );
    let without = service(ServiceSettings::default()).knows_usual(&usual);
    assert!(without.is_err(), "nothing that would use them");
}

fn all_but(left_out: &[&str]) -> Defences {
    let names = Defences::NAMES.into_iter();
    let names = names.filter(|name| !left_out.contains(name));
    Defences::parse(&names.map(str::to_owned).collect::<Vec<_>>()).unwrap()
}

fn answered(defences: Defences, question: &str) -> Answer {
    let settings = ServiceSettings {
        defences,
        ..ServiceSettings::default()
    };
    service(settings).answer(&Ask::new(question)).unwrap()
}

#[test]
fn defences_combine() {
    let shown = answered(all_but(&["one-refusal", "refuse-by-status"]), QUOTE);
    assert_eq!(shown.hidden.as_deref(), Some("bees"));
    assert!(shown.retrieved.is_empty() && !shown.by_status, "{shown:?}");
    let all = answered(all_but(&[]), QUOTE);
    assert!(
        all.by_status && all.withheld && all.retrieved.is_empty(),
        "{all:?}"
    );
}

#[test]
fn filtered_answers_hold_no_run_of_a_source() {
    let (open, filtered) = (ask(OPEN), defended("filter-output", OPEN));
    assert!(
        open.text
            .contains("Thicker asphalt lowered the stress range by 18 percent")
    );
    for run in [
        "thicker asphalt lowered the stress",
        "stress range by 18 percent",
    ] {
        assert!(
            !filtered.text.to_lowercase().contains(run),
            "{}",
            filtered.text
        );
    }
    // Yes and no are nobody's words.
    assert_eq!(defended("filter-output", SHORT), ask(SHORT));
}

#[test]
fn paraphrases_keep_numbers_and_lose_the_wording() {
    let said = defended("paraphrase", OPEN);
    assert!(
        said.text.contains("18 percent") && said.text.contains("cut stress range"),
        "{}",
        said.text
    );
    assert!(
        !said.text.contains("lowered the stress range"),
        "{}",
        said.text
    );
    assert_eq!(defended("paraphrase", SHORT), ask(SHORT));
}

/// What is not known, refused and filtered away: three reasons, one answer.
#[test]
fn one_refusal_tells_nothing_of_its_reason() {
    let unknown = "Who built the lighthouse of Alexandria?";
    assert!(ask(unknown).text.starts_with("I don't know"));
    for name in ["one-refusal", "refuse-by-status"] {
        let with = |other: &str| Defences::parse(&[name.to_owned(), other.to_owned()]).unwrap();
        let not_known = answered(with("hide-citations"), unknown);
        let refused = answered(with("refuse-verbatim"), OPEN);
        assert!(not_known.withheld);
        assert_eq!(not_known, refused, "{name}");
        assert_eq!(refused.by_status, name == "refuse-by-status");
        assert!(refused.citations.is_empty() && refused.retrieved.is_empty());
        let known = answered(with("hide-citations"), SHORT);
        assert!(
            !known.withheld && known.text.starts_with("Yes"),
            "{}",
            known.text
        );
    }
}

#[test]
fn the_owner_sees_how_often_defences_acted() {
    let settings = ServiceSettings {
        defences: Defences::parse(&["detect-probing".into(), "filter-output".into()]).unwrap(),
        ..ServiceSettings::default()
    };
    let service = service(settings);
    for question in [QUOTE, OPEN, "What is known about percent?"] {
        service.answer(&Ask::new(question)).unwrap();
    }
    let acted = service.acted();
    assert_eq!(acted.asked, 3);
    assert!((1..=2).contains(&acted.suspected), "{acted:?}");
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
