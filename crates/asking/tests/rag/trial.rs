//! The first question goes alone: what is wrong with a target shows before much is spent.

use base::ErrorKind;

use super::*;
use crate::fake::{Fake, Reply};

fn refused(target: impl Fn(&str) -> Value, reply: fn() -> Reply) -> (base::Error, usize) {
    let fake = Fake::start(move |_| reply());
    let (_folder, store) = store();
    let target = service(target(&fake.url), &transport());
    let error = target.ask_all(&asks(50), &store, Watcher::default().progress());
    (error.unwrap_err(), fake.requests().len())
}

#[test]
fn keys_and_paths_that_are_wrong_show_at_once() {
    for status in [401, 403, 404, 405, 302] {
        let fault = move || Reply::text(404, "no such thing");
        let reply: fn() -> Reply = match status {
            401 => || Reply::text(401, "who are you"),
            403 => || Reply::text(403, "not you"),
            404 => fault,
            405 => || Reply::text(405, "not so"),
            _ => || Reply::text(302, ""),
        };
        let (error, sent) = refused(plain, reply);
        assert_eq!(sent, 1, "{error}");
        assert_eq!(error.kind, ErrorKind::Server);
        assert!(
            error.message.contains(&format!("answered {status}")),
            "{error}"
        );
        assert!(error.hint.is_some());
    }
}

#[test]
fn a_path_that_matches_nothing_is_shown_with_the_answer() {
    let answer = || Reply::json(&json!({"reply": {"text": "he\u{1b}[2Jllo"}}));
    let (error, sent) = refused(plain, answer);
    let words = error.to_string();
    assert!(words.contains("$.answer matches no text"), "{words}");
    assert!(words.contains("{\"reply\":{\"text\":"), "{words}");
    assert!(!words.contains('\u{1b}'), "{words}");
    assert!(words.contains("[target.extract]"), "{words}");
    assert!(sent <= 3, "{sent}");
}

#[test]
fn a_page_in_place_of_an_answer_is_shown() {
    let (error, sent) = refused(plain, || Reply::text(200, "<!doctype html><h1>Login</h1>"));
    let words = error.to_string();
    assert!(
        words.contains("not JSON") && words.contains("<h1>Login"),
        "{words}"
    );
    assert!(sent <= 3, "{sent}");
}

#[test]
fn nobody_there() {
    let fake = Fake::start(echo);
    let url = fake.url.clone();
    drop(fake);
    let (_folder, store) = store();
    let target = service(plain(&url), &transport());
    let error = target
        .ask_all(&asks(50), &store, Watcher::default().progress())
        .unwrap_err();
    let words = error.to_string();
    assert!(words.contains("cannot be reached"), "{words}");
    assert!(words.contains("host and port"), "{words}");
    assert_eq!(store.counts().unwrap().answers, 0);
    assert!(store.spending().unwrap().requests <= 3);
}

#[test]
fn the_arm_without_retrieval_has_a_trial_of_its_own() {
    let fake = Fake::start(|request: &Request| match request.body.get("off") {
        Some(_) => Reply::text(404, "unknown field off"),
        None => echo(request),
    });
    let (_folder, store) = store();
    let mut target = plain(&fake.url);
    target["off"] = json!({"body": {"off": true}});
    let target = service(target, &transport());
    let off = asks(20).into_iter().map(|ask| Ask {
        arm: Arm::NoRetrieval,
        ..ask
    });
    let both: Vec<Ask> = asks(20).into_iter().chain(off).collect();
    let error = target
        .ask_all(&both, &store, Watcher::default().progress())
        .unwrap_err();
    assert!(error.message.contains("without retrieval"), "{error}");
    assert_eq!(fake.requests().len(), 2);
}

#[test]
fn one_question_that_always_fails_does_not_hold_up_the_rest() {
    let fake = Fake::start(|request: &Request| match request.query().as_str() {
        "question 0" => Reply::text(413, "too long"),
        _ => echo(request),
    });
    let (_folder, store) = store();
    let target = service(plain(&fake.url), &transport());
    for _ in 0..2 {
        let asked = target
            .ask_all(&asks(10), &store, Watcher::default().progress())
            .unwrap();
        assert_eq!((replies(&asked).len(), asked.tally.failures()), (9, 1));
    }
    assert_eq!(fake.requests().len(), 11);
}

#[test]
fn a_question_that_nobody_may_ask_ends_no_run_while_others_are_answered() {
    let fake = Fake::start(|request: &Request| match request.query().as_str() {
        "question 7" => Reply::text(403, "not you"),
        _ => echo(request),
    });
    let (_folder, store) = store();
    let target = service(plain(&fake.url), &transport());
    let ask = |asks: &[Ask]| target.ask_all(asks, &store, Watcher::default().progress());
    ask(&asks(5)).unwrap();
    let asked = ask(&asks(8)[7..]).unwrap();
    assert_eq!(asked.tally.failures(), 1);
    // The question itself, and what was answered before.
    assert_eq!(fake.requests().len(), 7);
}

#[test]
fn an_arm_that_is_not_described_is_asked_for() {
    let (_folder, store) = store();
    let target = json!({"preset": "dify", "url": "http://127.0.0.1:1"});
    let target = service(target, &transport());
    assert!(!target.has_off());
    let off = Ask {
        arm: Arm::NoRetrieval,
        ..ask("a")
    };
    let error = target
        .ask_all(&[off], &store, Watcher::default().progress())
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Setting);
    assert!(error.to_string().contains("second app"), "{error}");
}

#[test]
fn a_probe_shows_what_was_sent_and_found() {
    let fake = Fake::start(echo);
    let mut target = plain(&fake.url);
    target["extract"]["retrieved"] = "$.looked_up".into();
    let shown = service(target, &transport())
        .probe("why?", Arm::Retrieval)
        .unwrap();
    assert_eq!((shown.method.as_str(), shown.status), ("POST", 200));
    assert_eq!(shown.request, r#"{"query":"why?"}"#);
    assert_eq!(shown.reply.as_ref().unwrap().answer, "re: why?");
    let found: Vec<_> = shown
        .findings
        .iter()
        .map(|f| (f.what, f.path.as_str(), f.found))
        .collect();
    assert_eq!(
        found,
        [
            ("answer", "$.answer", 1),
            ("citations", "$.sources", 1),
            ("retrieved", "$.looked_up", 0)
        ]
    );
    assert!(shown.to_string().contains("$.looked_up matches nothing"));

    let mut wrong = plain(&fake.url);
    wrong["extract"]["answer"] = "$.nowhere".into();
    let shown = service(wrong, &transport())
        .probe("why?", Arm::Retrieval)
        .unwrap();
    let why = shown.reply.unwrap_err();
    assert!(
        why.contains("$.nowhere") && why.contains("re: why?"),
        "{why}"
    );
}
