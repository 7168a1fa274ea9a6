//! What is asked once is not asked again.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use asking::rag::{FailureKind, TransportSettings};
use base::ErrorKind;

use super::*;
use crate::fake::{Fake, Reply};

#[test]
fn answers_come_in_order_and_are_not_asked_again() {
    let fake = Fake::start(echo);
    let (folder, store) = store();
    let target = service(plain(&fake.url), &transport());
    let asks = asks(30);
    let watcher = Watcher::default();
    let asked = target.ask_all(&asks, &store, watcher.progress()).unwrap();
    check_echoes(&asks, &asked);
    assert_eq!(asked.tally.answered, 30);
    assert_eq!((asked.tally.sent, asked.tally.retried), (30, 0));
    assert_eq!((asked.tally.tokens_in, asked.tally.tokens_out), (90, 60));
    assert_eq!(asked.tally.tokens_estimated, 0);
    assert_eq!(*watcher.found.lock().unwrap(), Some(0));
    assert_eq!(watcher.answered.load(Ordering::SeqCst), 30);
    drop(store);

    let store = Store::open(folder.path()).unwrap();
    assert_eq!(target.stored(&asks, &store).unwrap(), 30);
    let again = target
        .ask_all(&asks, &store, Watcher::default().progress())
        .unwrap();
    assert_eq!(again.outcomes, asked.outcomes, "seconds included");
    assert!(replies(&again).iter().all(|reply| reply.seconds > 0.0));
    assert_eq!((again.tally.sent, again.tally.from_store), (0, 30));
    assert_eq!(fake.requests().len(), 30);
    assert_eq!(
        store.spending().unwrap().requests,
        30,
        "the rest was given back"
    );
}

#[test]
fn a_replay_connects_to_nobody() {
    let fake = Fake::start(echo);
    let (_folder, store) = store();
    let target = service(plain(&fake.url), &transport());
    let asked = target
        .ask_all(&asks(5), &store, Watcher::default().progress())
        .unwrap();
    let connections = fake.connections();
    let replayed = target.replay(&asks(7), &store).unwrap();
    assert_eq!(replayed.outcomes[..5], asked.outcomes);
    assert_eq!(replayed.outcomes[5], Outcome::NotAsked);
    assert_eq!(
        (replayed.tally.from_store, replayed.tally.not_asked),
        (5, 2)
    );
    assert_eq!(fake.connections(), connections);
}

#[test]
fn equal_questions_are_asked_once_and_repetitions_again() {
    let fake = Fake::start(echo);
    let (_folder, store) = store();
    let target = service(plain(&fake.url), &transport());
    let again = |repeat| Ask { repeat, ..ask("a") };
    let asks = [ask("a"), ask("b"), ask("a"), again(1), again(2)];
    let asked = target
        .ask_all(&asks, &store, Watcher::default().progress())
        .unwrap();
    check_echoes(&asks, &asked);
    assert_eq!(fake.asked()["a"], 3);
    assert_eq!(fake.asked()["b"], 1);
    assert_eq!(asked.tally.answered, 5);
}

#[test]
fn a_mended_path_reads_old_answers_anew() {
    let fake = Fake::start(echo);
    let (_folder, store) = store();
    let asks = asks(6);
    let mut wrong = plain(&fake.url);
    wrong["extract"]["answer"] = "$.usage.prompt_tokens".into();
    let first = service(wrong, &transport()).ask_all(&asks, &store, Watcher::default().progress());
    assert_eq!(replies(&first.unwrap())[0].answer, "3");
    let target = service(plain(&fake.url), &transport());
    let asked = target
        .ask_all(&asks, &store, Watcher::default().progress())
        .unwrap();
    check_echoes(&asks, &asked);
    assert_eq!((asked.tally.from_store, fake.requests().len()), (6, 6));
}

#[test]
fn answers_without_an_answer_are_kept_and_asked_again_later() {
    let fake = Fake::start(|request: &Request| match request.query().as_str() {
        "odd" => Reply::json(&json!({"other": "shape"})),
        _ => echo(request),
    });
    let (_folder, store) = store();
    let retrying = TransportSettings {
        retries: 1,
        ..transport()
    };
    let target = service(plain(&fake.url), &retrying);
    let asks = [ask("a"), ask("odd")];
    let asked = target
        .ask_all(&asks, &store, Watcher::default().progress())
        .unwrap();
    let Outcome::Failed { kind, message } = &asked.outcomes[1] else {
        panic!("{:?}", asked.outcomes);
    };
    assert_eq!(*kind, FailureKind::Schema);
    assert!(
        message.contains("$.answer") && message.contains("shape"),
        "{message}"
    );
    assert_eq!(fake.asked()["odd"], 2);
    assert_eq!(target.stored(&asks, &store).unwrap(), 1);
    assert_eq!(store.counts().unwrap().answers, 2, "it is kept");
    let asked = target
        .ask_all(&asks, &store, Watcher::default().progress())
        .unwrap();
    assert_eq!(fake.asked()["odd"], 4);
    assert_eq!(fake.asked()["a"], 1);
    assert_eq!(asked.tally.failures(), 1);
}

#[test]
fn both_arms_are_asked() {
    let fake = Fake::start(|request: &Request| match request.body.get("retrieval") {
        Some(_) => Reply::json(&json!({"answer": "plain"})),
        None => echo(request),
    });
    let (_folder, store) = store();
    let mut target = plain(&fake.url);
    target["off"] = json!({"body": {"retrieval": false}});
    let target = service(target, &transport());
    assert!(target.has_off());
    let off = Ask {
        arm: Arm::NoRetrieval,
        ..ask("a")
    };
    let asked = target.ask_all(&[ask("a"), off], &store, Watcher::default().progress());
    let asked = asked.unwrap();
    assert_eq!(replies(&asked)[0].answer, "re: a");
    assert_eq!(replies(&asked)[1].answer, "plain");
}

#[test]
fn another_key_is_no_other_question_and_another_variable_is() {
    let fake = Fake::start(echo);
    let (_folder, store) = store();
    let sent = |key: &str| {
        let mut target = plain(&fake.url);
        target["api_key"] = key.into();
        let target = service(target, &transport());
        let asked = target.ask_all(&asks(1), &store, Watcher::default().progress());
        asked.unwrap().tally.sent
    };
    // Nothing of a key is kept, so another one makes no other question; of a variable the name counts.
    let keys = [
        "first-key",
        "second-key",
        "first-key",
        "${PATH}",
        "${CARGO_PKG_NAME}",
        "${PATH}",
    ];
    assert_eq!(keys.map(sent), [1, 0, 0, 1, 1, 0]);
}

#[test]
fn not_more_at_once_than_allowed() {
    // After a trial, three wait for each other, however busy the machine is; a fourth would be seen.
    let arrived = (Mutex::new(0), Condvar::new());
    let fake = Fake::start(move |request: &Request| {
        let mut count = arrived.0.lock().unwrap();
        *count += 1;
        arrived.1.notify_all();
        let patience = Duration::from_secs(60);
        let few = |count: &mut i32| (2..4).contains(count);
        drop(arrived.1.wait_timeout_while(count, patience, few).unwrap());
        std::thread::sleep(Duration::from_millis(30));
        echo(request)
    });
    let (_folder, store) = store();
    let three = TransportSettings {
        concurrency: 3,
        ..transport()
    };
    let target = service(plain(&fake.url), &three);
    target
        .ask_all(&asks(20), &store, Watcher::default().progress())
        .unwrap();
    assert_eq!(fake.most_in_flight(), 3);
}

#[test]
fn a_wish_to_stop_keeps_what_came() {
    let fake = Fake::start(echo);
    let (_folder, store) = store();
    let target = service(plain(&fake.url), &transport());
    let watcher = Watcher {
        stop_after: Some(7),
        ..Watcher::default()
    };
    let stopped = target
        .ask_all(&asks(200), &store, watcher.progress())
        .unwrap_err();
    assert_eq!(stopped.kind, ErrorKind::Interrupted);
    let kept = target.stored(&asks(200), &store).unwrap();
    assert!((7..200).contains(&kept), "{kept}");
    target
        .ask_all(&asks(200), &store, Watcher::default().progress())
        .unwrap();
    assert!(fake.asked().values().all(|times| *times == 1));
}

#[test]
fn what_a_filter_blocked_is_an_answer() {
    let fake = Fake::start(|request: &Request| match request.query().as_str() {
        "refused" => Reply::text(
            400,
            r#"{"error":{"code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
        ),
        "cut" => Reply::json(&json!({"answer": null, "finish": "content_filter"})),
        _ => Reply::json(&json!({"answer": "x", "finish": "stop"})),
    });
    let (_folder, store) = store();
    let mut target = plain(&fake.url);
    target["extract"]["blocked"] = "$.finish".into();
    let target = service(target, &transport());
    let asks = [ask("refused"), ask("cut"), ask("fine")];
    for _ in 0..2 {
        let asked = target
            .ask_all(&asks, &store, Watcher::default().progress())
            .unwrap();
        let blocked: Vec<_> = replies(&asked)
            .iter()
            .map(|reply| reply.blocked.clone())
            .collect();
        let filter = Some("content_filter".to_owned());
        assert_eq!(blocked, [filter.clone(), filter, None]);
    }
    assert_eq!(fake.requests().len(), 3);
}
