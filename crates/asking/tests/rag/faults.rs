//! Services that falter: what passes is tried again, what stays is counted, and all of it ends.

use std::time::Duration;

use asking::rag::{FailureKind, TransportSettings};
use base::ErrorKind;

use super::*;
use crate::fake::{Fake, Reply};

/// Faults of seven kinds, by turns, at three of ten requests once the trial is over.
fn faulty(request: &Request) -> Reply {
    if request.number == 0 || request.number % 10 >= 3 {
        return echo(request);
    }
    match request.number % 7 {
        0 => Reply::Full(429, vec![("retry-after", "0".into())], b"slow".to_vec()),
        1 => Reply::text(500, "oops"),
        2 => Reply::Hang(Duration::from_secs(3)),
        3 => Reply::Drop,
        4 => Reply::text(200, "<html>\u{1b}[31mnot what you wanted</html>"),
        5 => Reply::CutBody(br#"{"answer": "re: half"#.to_vec()),
        _ => Reply::json(&json!({"result": {"text": "changed"}})),
    }
}

#[test]
fn three_faults_in_ten_requests_lose_no_answer() {
    let fake = Fake::start(faulty);
    let (_folder, store) = store();
    let many = TransportSettings {
        concurrency: 16,
        timeout: 1.0,
        retries: 2,
        ..TransportSettings::default()
    };
    let target = service(plain(&fake.url), &many);
    let asks = asks(150);
    let watcher = Watcher::default();
    let asked = target.ask_all(&asks, &store, watcher.progress()).unwrap();
    check_echoes(&asks, &asked);
    let tally = &asked.tally;
    assert_eq!(tally.answered + tally.failures(), 150);
    assert_eq!(replies(&asked).len() as u64, tally.answered);
    assert_eq!(
        watcher.failed.load(Ordering::SeqCst) as u64,
        tally.failures()
    );
    assert_eq!(
        watcher.answered.load(Ordering::SeqCst) as u64,
        tally.answered
    );
    assert_eq!(tally.sent, fake.requests().len() as u64);
    assert_eq!(tally.sent, 150 + tally.retried);
    assert!(tally.retried > 20, "{tally:?}");
    assert_eq!(store.spending().unwrap().requests, tally.sent);

    // A later run asks what failed and nothing else.
    let before = fake.asked();
    let again = target
        .ask_all(&asks, &store, Watcher::default().progress())
        .unwrap();
    assert_eq!(again.tally.from_store, tally.answered);
    for (ask, outcome) in asks.iter().zip(&asked.outcomes) {
        if matches!(outcome, Outcome::Answered(_)) {
            assert_eq!(fake.asked()[&ask.query], before[&ask.query]);
        }
    }
}

/// A target whose first answer is right and whose later ones fail like this.
fn fails(fault: fn() -> Reply, retries: usize) -> (FailureKind, String, usize) {
    let fake = Fake::start(move |request: &Request| match request.number {
        0 => echo(request),
        _ => fault(),
    });
    let (_folder, store) = store();
    let brief = TransportSettings {
        timeout: 0.5,
        retries,
        ..transport()
    };
    let target = service(plain(&fake.url), &brief);
    let asked = target
        .ask_all(&asks(2), &store, Watcher::default().progress())
        .unwrap();
    let Outcome::Failed { kind, message } = &asked.outcomes[1] else {
        panic!("{:?}", asked.outcomes);
    };
    assert_eq!(asked.tally.failed[kind], 1);
    assert!(message.contains("hint: "), "{message}");
    assert!(!kind.to_string().is_empty());
    (*kind, message.clone(), fake.requests().len() - 1)
}

#[test]
fn failures_are_told_apart() {
    use FailureKind::*;
    for (fault, wanted) in [
        ((|| Reply::text(429, "slow")) as fn() -> Reply, RateLimited),
        (|| Reply::text(503, "later"), ServerError),
        (|| Reply::Hang(Duration::from_secs(2)), Timeout),
        (|| Reply::Drop, Connection),
        (|| Reply::CutBody(b"{\"answer".to_vec()), Cut),
        (|| Reply::text(200, "<html>"), NotJson),
        (|| Reply::text(200, "{}"), Schema),
        (|| Reply::text(400, "bad"), Refused(400)),
        (|| Reply::text(301, ""), Refused(301)),
    ] {
        let (kind, message, _) = fails(fault, 0);
        assert_eq!(kind, wanted, "{message}");
    }
}

#[test]
fn what_stays_is_not_tried_again() {
    assert_eq!(fails(|| Reply::text(422, "no"), 3).2, 1);
    assert_eq!(fails(|| Reply::text(500, "oops"), 1).2, 2);
}

#[test]
fn a_service_that_asks_for_a_pause_gets_it() {
    let fake = Fake::start(|request: &Request| match request.number {
        1 => Reply::Full(429, vec![("retry-after", "1".into())], b"slow".to_vec()),
        _ => echo(request),
    });
    let (_folder, store) = store();
    let target = service(plain(&fake.url), &transport());
    let watcher = Watcher::default();
    let asked = target
        .ask_all(&asks(4), &store, watcher.progress())
        .unwrap();
    assert_eq!(replies(&asked).len(), 4);
    let waits = watcher.waits.into_inner().unwrap();
    assert!(waits.iter().any(|why| why.contains("429")), "{waits:?}");
}

#[test]
fn a_service_that_dies_is_given_up_and_what_came_is_kept() {
    let fake = Fake::start(|request: &Request| match request.number {
        0..20 => echo(request),
        _ => Reply::text(503, "gone"),
    });
    let (_folder, store) = store();
    let hasty = TransportSettings {
        timeout: 1.0,
        retries: 0,
        concurrency: 4,
        ..transport()
    };
    let target = service(plain(&fake.url), &hasty);
    let error = target
        .ask_all(&asks(500), &store, Watcher::default().progress())
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Server);
    let words = error.to_string();
    assert!(
        words.contains("no longer answers") && words.contains("gone"),
        "{words}"
    );
    assert!(words.contains("kept"), "{words}");
    assert_eq!(target.stored(&asks(500), &store).unwrap(), 20);
    // Sixteen in a row, begun anew by each late success of the four at once, and one after each of
    // four pauses.
    let sent = fake.requests().len();
    assert!(sent <= 20 + 4 * (16 + 4) + 4, "{sent}");
}

#[test]
fn a_question_that_fails_first_ends_with_its_only_try() {
    let fake = Fake::start(fails_at_odd_ones);
    let (_folder, store) = store();
    let once = TransportSettings {
        retries: 0,
        ..transport()
    };
    let target = service(plain(&fake.url), &once);
    let ask = |asks: &[Ask]| target.ask_all(asks, &store, Watcher::default().progress());
    ask(&asks(1)).unwrap();
    let asked = ask(&asks(4)[1..]).unwrap();
    assert_eq!((replies(&asked).len(), asked.tally.failures()), (1, 2));
    assert_eq!(fake.requests().len(), 4);
}

/// Fails at every second question, whenever it is asked.
fn fails_at_odd_ones(request: &Request) -> Reply {
    match request.query().ends_with(['1', '3', '5', '7', '9']) {
        true => Reply::text(500, "oops"),
        false => echo(request),
    }
}

#[test]
fn questions_that_always_fail_wait_for_the_others_and_are_counted() {
    let fake = Fake::start(fails_at_odd_ones);
    let (_folder, store) = store();
    let brief = TransportSettings {
        timeout: 1.0,
        retries: 1,
        concurrency: 8,
        ..transport()
    };
    // More of them in a row than the 24 after which the service is left alone.
    let asks = asks(56);
    let asked = service(plain(&fake.url), &brief)
        .ask_all(&asks, &store, Watcher::default().progress())
        .unwrap();
    check_echoes(&asks, &asked);
    assert_eq!(asked.tally.answered, 28);
    assert_eq!(asked.tally.failed[&FailureKind::ServerError], 28);
    assert_eq!(asked.tally.sent, 56 + asked.tally.retried);
    let requests: Vec<String> = fake.requests().iter().map(Request::query).collect();
    let is_new = |place: &usize| !requests[..*place].contains(&requests[*place]);
    let last_new = (0..requests.len()).rfind(is_new).unwrap();
    let first_again = (0..requests.len()).find(|place| !is_new(place)).unwrap();
    assert!(last_new < first_again, "{requests:?}");

    let again = service(plain(&fake.url), &brief)
        .ask_all(&asks, &store, Watcher::default().progress())
        .unwrap();
    assert_eq!(again.tally.from_store, 28);
    assert_eq!(again.tally.failures(), 28);
}

#[test]
fn questions_that_failed_before_are_asked_last() {
    let fake = Fake::start(fails_at_odd_ones);
    let (_folder, store) = store();
    let target = service(
        plain(&fake.url),
        &TransportSettings {
            retries: 0,
            concurrency: 1,
            ..transport()
        },
    );
    target
        .ask_all(&asks(4), &store, Watcher::default().progress())
        .unwrap();
    let before = fake.requests().len();
    target
        .ask_all(&asks(8), &store, Watcher::default().progress())
        .unwrap();
    let asked = fake.requests()[before..]
        .iter()
        .map(Request::query)
        .collect::<Vec<_>>();
    let wanted = [4, 5, 6, 7, 1, 3].map(|number| format!("question {number}"));
    assert_eq!(asked, wanted);
}

#[test]
fn a_service_that_recovers_is_asked_on() {
    let fake = Fake::start(|request: &Request| match request.number {
        // Fewer than the sixteen in a row and the four after them that end it, whatever was under way.
        5..23 => Reply::text(503, "back soon"),
        _ => echo(request),
    });
    let (_folder, store) = store();
    let hasty = TransportSettings {
        timeout: 4.0,
        retries: 0,
        ..transport()
    };
    let target = service(plain(&fake.url), &hasty);
    let asked = target
        .ask_all(&asks(60), &store, Watcher::default().progress())
        .unwrap();
    assert_eq!(asked.tally.failed[&FailureKind::ServerError], 18);
    assert_eq!(asked.tally.answered, 42);
}
