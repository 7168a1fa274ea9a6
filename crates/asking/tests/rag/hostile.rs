//! Answers that mean no good.

use asking::rag::FailureKind;

use super::*;
use crate::fake::{Fake, Reply};

#[test]
fn long_answers_are_cut_in_the_reply_and_whole_in_the_store() {
    // Letters of two bytes by lot, of which compression makes less than half at the most.
    let mut state = 1_u64;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005);
        state = state.wrapping_add(1_442_695_040_888_963_407);
        char::from_u32(0xC0 + (state >> 58) as u32).unwrap()
    };
    let long: String = (0..5 << 20).map(|_| letter()).collect();
    let least = long.len() / 4;
    let body = json!({"answer": long, "sources": [{"id": "a", "text": long}]}).to_string();
    let fake = Fake::start(move |_| Reply::text(200, &body));
    let (folder, store) = store();
    let target = service(plain(&fake.url), &transport());
    let asked = target
        .ask_all(&[ask("a")], &store, Watcher::default().progress())
        .unwrap();
    let reply = replies(&asked)[0];
    assert_eq!(reply.answer.chars().count(), 65_536);
    assert!(reply.shortened);
    assert_eq!(
        reply.citations[0].text.as_ref().unwrap().chars().count(),
        65_536
    );
    drop(store);
    let stored = std::fs::metadata(folder.path().join("audit.sqlite"))
        .unwrap()
        .len();
    assert!(stored as usize > least, "{stored}");
}

#[test]
fn what_is_too_large_is_not_read() {
    let fake = Fake::start(|request: &Request| match request.number {
        0 => echo(request),
        _ => Reply::text(200, &" ".repeat(65 << 20)),
    });
    let (_folder, store) = store();
    let target = service(plain(&fake.url), &transport());
    let asked = target
        .ask_all(&asks(2), &store, Watcher::default().progress())
        .unwrap();
    assert_eq!(asked.tally.failed[&FailureKind::TooLarge], 1);
    assert_eq!(fake.requests().len(), 2, "and not asked for again");
}

#[test]
fn words_of_a_service_cannot_write_to_a_terminal() {
    let evil = "\u{1b}]0;owned\u{7}\u{202e}<script>alert(1)</script>\r\n";
    let fake = Fake::start(move |request: &Request| match request.query().as_str() {
        "complain" => Reply::text(400, evil),
        _ => Reply::json(&json!({"answer": evil})),
    });
    let (_folder, store) = store();
    let target = service(plain(&fake.url), &transport());
    let asked = target.ask_all(
        &[ask("a"), ask("complain")],
        &store,
        Watcher::default().progress(),
    );
    let asked = asked.unwrap();
    // The answer itself is evidence and stays as it is.
    assert_eq!(replies(&asked)[0].answer, evil);
    let Outcome::Failed { message, .. } = &asked.outcomes[1] else {
        panic!("{:?}", asked.outcomes);
    };
    let shown = target.probe("a", Arm::Retrieval).unwrap().to_string();
    for text in [message, &shown] {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
    }
}

#[test]
fn odd_json_is_no_answer_and_no_panic() {
    let bodies = [
        "null",
        "[]",
        "\"text\"",
        "7",
        "{\"answer\": {}}",
        "{\"answer\": []}",
        "{\"answer\": null}",
        "{\"answer\": [[[]]]}",
        "{\"sources\": {\"a\": 1}}",
        "\u{feff}{}",
        "{\"answer\": \"\\ud800\"}",
    ];
    for body in bodies {
        let fake = Fake::start(move |request: &Request| match request.number {
            0 => echo(request),
            _ => Reply::text(200, body),
        });
        let (_folder, store) = store();
        let mut transport = transport();
        transport.retries = 0;
        let target = service(plain(&fake.url), &transport);
        let asked = target
            .ask_all(&asks(2), &store, Watcher::default().progress())
            .unwrap();
        assert_eq!(asked.tally.failures(), 1, "{body}");
    }
}
