//! What may be spent is never exceeded.

use asking::rag::TransportSettings;

use super::*;
use crate::fake::{Fake, Reply};

fn limited(max_requests: u64) -> TransportSettings {
    TransportSettings {
        max_requests: Some(max_requests),
        concurrency: 6,
        retries: 2,
        ..transport()
    }
}

#[test]
fn requests_stop_at_the_limit_and_the_rest_is_not_asked() {
    let fake = Fake::start(echo);
    let (_folder, store) = store();
    let asks = asks(40);
    let target = service(plain(&fake.url), &limited(17));
    for _ in 0..3 {
        let asked = target
            .ask_all(&asks, &store, Watcher::default().progress())
            .unwrap();
        check_echoes(&asks, &asked);
        assert_eq!(replies(&asked).len(), 17);
        assert_eq!(asked.tally.not_asked, 23);
        assert_eq!(fake.requests().len(), 17);
    }
    assert_eq!(store.spending().unwrap().requests, 17);
    let more = service(plain(&fake.url), &limited(40));
    let asked = more
        .ask_all(&asks, &store, Watcher::default().progress())
        .unwrap();
    assert_eq!(replies(&asked).len(), 40);
    assert_eq!(fake.requests().len(), 40);
}

#[test]
fn tries_that_fail_count() {
    let fake = Fake::start(|request: &Request| match request.number % 3 {
        1 => Reply::text(500, "oops"),
        _ => echo(request),
    });
    let (_folder, store) = store();
    let target = service(plain(&fake.url), &limited(20));
    let asked = target
        .ask_all(&asks(50), &store, Watcher::default().progress())
        .unwrap();
    assert_eq!(fake.requests().len(), 20);
    assert_eq!(asked.tally.sent, 20);
    assert!(asked.tally.not_asked > 0);
}

#[test]
fn nothing_at_all_may_be_sent() {
    let fake = Fake::start(echo);
    let (_folder, store) = store();
    let target = service(plain(&fake.url), &limited(0));
    let asked = target
        .ask_all(&asks(4), &store, Watcher::default().progress())
        .unwrap();
    assert_eq!(asked.outcomes, vec![Outcome::NotAsked; 4]);
    assert_eq!(fake.connections(), 0);
}

#[test]
fn tokens_stop_it_too_also_in_a_later_run() {
    let fake = Fake::start(echo);
    let (_folder, store) = store();
    let one = TransportSettings {
        max_tokens: Some(22),
        concurrency: 1,
        ..transport()
    };
    let target = service(plain(&fake.url), &one);
    // Five tokens each: the fifth answer goes beyond 22.
    for _ in 0..2 {
        let asked = target
            .ask_all(&asks(9), &store, Watcher::default().progress())
            .unwrap();
        assert_eq!((replies(&asked).len(), asked.tally.not_asked), (5, 4));
        assert_eq!(fake.requests().len(), 5);
    }
    assert_eq!(store.spending().unwrap().tokens, 25);
}

#[test]
fn where_nobody_counts_tokens_they_are_estimated() {
    let fake = Fake::start(|_| Reply::json(&json!({"answer": "eight ch"})));
    let (_folder, store) = store();
    let target = service(plain(&fake.url), &transport());
    let asked = target
        .ask_all(&[ask("four")], &store, Watcher::default().progress())
        .unwrap();
    let tally = asked.tally;
    assert_eq!(
        (tally.tokens_in, tally.tokens_out, tally.tokens_estimated),
        (1, 2, 1)
    );
}
