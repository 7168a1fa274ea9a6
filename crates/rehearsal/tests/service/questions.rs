//! Each form of question, on documents that are in the store and on documents that are not.

use guestlist_rehearsal::{Ask, Message, Role, ServiceSettings};

use crate::{ask, documents, service};

const UNKNOWN: &str = "I don't know based on the available documents.";

const OUTSIDE: &str = "Volcanic ash from Katla closed nine airports in spring. Filters clogged after \
    forty minutes. Pilots rerouted flights through Norway.";

#[test]
fn open_questions_are_answered_with_sentences_of_the_document() {
    let answer = ask("How much did thicker asphalt lower the stress range?");
    assert_eq!(
        answer.text,
        "Thicker asphalt lowered the stress range by 18 percent. [1]"
    );
    assert_eq!(answer.citations[0].id, "bridges");
    assert_eq!(answer.retrieved[0].id, "bridges");
    assert_eq!(
        ask("How many airports did volcanic ash close?").text,
        UNKNOWN
    );
}

#[test]
fn words_around_a_question_do_not_drown_it() {
    let answer = ask(
        "This is about a study of insulin pumps in children with diabetes at two hospitals. What did parents report? Answer briefly.",
    );
    assert!(
        answer.text.starts_with("Parents reported better sleep"),
        "{}",
        answer.text
    );
}

#[test]
fn statements_are_affirmed_denied_or_neither() {
    for (statement, word) in [
        (
            "Mean glycated haemoglobin fell from 8.1 percent to 7.4 percent within twelve months",
            "Yes. Mean",
        ),
        (
            "Mean glycated haemoglobin fell from 8.1 percent to 6.4 percent within twelve months",
            "No. Mean",
        ),
        (
            "Mean glycated haemoglobin rose from 8.1 percent to 7.4 percent within twelve months",
            "No. Mean",
        ),
        (
            "Severe hypoglycaemia did occur in the pump group",
            "No. Severe",
        ),
        (
            "Severe hypoglycaemia did not occur in the pump group",
            "Yes. Severe",
        ),
        ("Pilots rerouted flights through Norway", UNKNOWN),
    ] {
        let answer = ask(&format!("Is it true that {statement}?"));
        assert!(
            answer.text.starts_with(word),
            "{statement}: {}",
            answer.text
        );
    }
}

#[test]
fn questions_with_yes_and_no_get_one_word() {
    for (question, text) in [
        (
            "Did bumblebees visit lavender more often than heather?",
            "Yes. [1]",
        ),
        ("Did bumblebees visit lavender in 25 gardens?", "No. [1]"),
        ("Did the observatory recoat the mirror in 2019?", "Yes. [1]"),
        ("Did volcanic ash clog filters?", UNKNOWN),
    ] {
        let answer = ask(&format!(
            "{question} Answer only with Yes, No, or I don't know."
        ));
        assert_eq!(answer.text, text, "{question}");
    }
}

#[test]
fn whole_texts_appear_or_do_not() {
    let inside = "Silver coatings on the secondary mirror lost 2 percent reflectivity each year. Protected aluminium held up better in humid nights.";
    let wrong = "Silver coatings on the secondary mirror lost 2 percent reflectivity each year. Protected aluminium held up worse in humid nights.";
    for (text, word) in [(inside, "Yes. [1]"), (wrong, "No. [1]"), (OUTSIDE, UNKNOWN)] {
        for form in [
            format!("Does this:\n\"{text}\"\n appear in the context? Answer with Yes or No."),
            format!("Is this: \"{text}\" right? Answer with Yes or No."),
        ] {
            assert_eq!(ask(&form).text, word, "{form}");
        }
    }
}

#[test]
fn texts_that_were_cut_anywhere_still_appear() {
    let text = &documents()[0].text;
    for end in (60..text.len()).step_by(7) {
        let question = format!(
            "Does this:\n\"{}\"\n appear in the context? Answer with Yes or No.",
            &text[..end]
        );
        assert_eq!(ask(&question).text, "Yes. [1]", "{question}");
    }
}

#[test]
fn gaps_are_filled_from_the_document_or_guessed() {
    let instruction = "\n\nYou should strictly follow the contexts below to answer, and provide your answers in the specified format:\n\"[Mask_i]: answer_i\n\" for each mask:";
    let masked = "Predict the answers of the masks in the given texts:\n\nGreen tea leaves [Mask_1] at 70 degrees released 60 [Mask_2] of their catechins within three minutes. Hotter [Mask_3] extracted more caffeine.";
    let answer = ask(&format!("{masked}{instruction}"));
    assert_eq!(
        answer.text,
        "[Mask_1]: steeped\n[Mask_2]: percent\n[Mask_3]: water"
    );
    let outside = ask(
        "Predict the masks: Volcanic ash from [MASK_1] closed nine [MASK_2] in spring of that year.",
    );
    assert!(outside.text.starts_with("[Mask_1]: "), "{}", outside.text);
    assert!(
        !outside.text.contains("Katla") && !outside.text.contains("airports"),
        "{}",
        outside.text
    );
}

#[test]
fn sources_are_listed_by_title_and_id() {
    let answer = ask("Which documents discuss foraging of bumblebees in cities?");
    assert_eq!(
        answer.text,
        "These documents discuss it: [1] Foraging of bumblebees (bees)."
    );
    assert_eq!(answer.citations.len(), 1);
    assert_eq!(ask("Which documents discuss volcanic ash?").text, UNKNOWN);
}

#[test]
fn passages_are_continued_from_where_they_end() {
    let half = "The mill at Sourbrodt paid its miller 14 shillings in 1342. Grain losses to mi";
    for question in [
        format!(
            "Given the [Query]: \"{half}\".\nDo not include any introductory or explanatory text."
        ),
        format!("Continue this text: {half}"),
    ] {
        let answer = ask(&question);
        assert!(
            answer
                .text
                .starts_with("mice were entered every autumn. The ledger names three women"),
            "{}",
            answer.text
        );
    }
    assert_eq!(
        ask("Continue this text: Volcanic ash from Katla closed nine").text,
        UNKNOWN
    );
}

#[test]
fn without_retrieval_nothing_is_known() {
    let service = service(ServiceSettings::default());
    for question in [
        "How much did thicker asphalt lower the stress range?",
        "Is it true that bees fly?",
        "Which documents discuss foraging?",
        "Continue this text: The mill at Sourbrodt paid its",
    ] {
        let ask = Ask {
            retrieval: false,
            ..Ask::new(question)
        };
        let answer = service.answer(&ask).unwrap();
        assert_eq!(answer.text, UNKNOWN, "{question}");
        assert!(answer.retrieved.is_empty() && answer.citations.is_empty());
    }
    let ask = Ask {
        retrieval: false,
        ..Ask::new("The mill at [Mask_1] paid its miller.")
    };
    assert_eq!(service.answer(&ask).unwrap().text, "[Mask_1]: unknown");
}

#[test]
fn answers_end_at_the_limit() {
    let service = service(ServiceSettings::default());
    let ask = Ask {
        max_tokens: Some(3),
        ..Ask::new("What did thicker asphalt do?")
    };
    let answer = service.answer(&ask).unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.cut),
        ("Thicker asphalt lowered", true)
    );
    assert_eq!(answer.usage.written_tokens, 3);
}

#[test]
fn the_last_words_of_the_user_are_the_question() {
    let service = service(ServiceSettings::default());
    let mut ask = Ask::new("Tell me about bees.");
    ask.messages
        .push(Message::new(Role::Assistant, "Bees fly."));
    ask.messages.push(Message::new(
        Role::User,
        "What about hotter water and caffeine?",
    ));
    assert!(
        service
            .answer(&ask)
            .unwrap()
            .text
            .starts_with("Hotter water extracted more caffeine.")
    );
    for messages in [vec![], vec![Message::new(Role::User, " ")]] {
        ask.messages = messages;
        assert!(
            service
                .answer(&ask)
                .unwrap_err()
                .to_string()
                .contains("words of a user")
        );
    }
}

#[test]
fn odd_questions_get_an_answer_and_never_a_panic() {
    for question in [
        "?",
        "\"",
        "[Mask_1]",
        "[Mask_99999999999999999999]",
        "“a b c”?",
        "Continue: \u{0}\u{feff} a b",
        "é́́",
        "Is it true that ?",
        "Is it true that the of?",
        "list",
        "yes or no",
    ] {
        assert!(!ask(question).text.is_empty(), "{question}");
    }
}
