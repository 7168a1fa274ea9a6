//! Servers that falter: what passes is tried again, what stays is not.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use asking::lm::{Endpoint, Server};
use base::ErrorKind;

use crate::fake::{Fake, Reply, Request};
use crate::{Watcher, endpoint, simulated, store, text};

/// Plays vLLM, but the first answers to texts (not to the probe) are these.
fn faltering(faults: Vec<fn() -> Reply>) -> Fake {
    let next = AtomicUsize::new(0);
    Fake::start(move |request: &Request| {
        let asked = request
            .prompt()
            .is_some_and(|text| !text.contains("Tuesday"));
        let fault = asked.then(|| faults.get(next.fetch_add(1, Ordering::SeqCst)));
        match fault.flatten() {
            Some(fault) => fault(),
            None => simulated::vllm(request),
        }
    })
}

fn comes_through(faults: Vec<fn() -> Reply>) -> Vec<(f64, String)> {
    let fake = faltering(faults.clone());
    let (_folder, store) = store();
    let server = Server::connect(Endpoint {
        concurrency: 1,
        ..endpoint(&fake.url, "vllm")
    });
    let watcher = Watcher::default();
    let scored = server
        .unwrap()
        .score(&[text("a b c")], &store, watcher.progress());
    assert_eq!(scored.unwrap()[0].logprob.len(), 3);
    assert_eq!(fake.prompts().len(), faults.len() + 1);
    watcher.waits.into_inner().unwrap()
}

#[test]
fn too_many_requests_waits_as_long_as_asked() {
    let waits = comes_through(vec![|| {
        Reply::status(429, "slow").header("Retry-After", "1")
    }]);
    let (seconds, why) = &waits[0];
    assert!((1.0..2.0).contains(seconds), "{seconds}");
    assert!(why.contains("429"), "{why}");
}

#[test]
fn the_wait_may_be_a_date() {
    let waits = comes_through(vec![|| {
        let date = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(2));
        Reply::status(503, "").header("Retry-After", &date)
    }]);
    assert!((0.5..3.0).contains(&waits[0].0), "{waits:?}");
}

#[test]
fn while_one_waits_the_others_hold_back() {
    let refusals = AtomicUsize::new(0);
    let fake = Fake::start(move |request| match request.prompt() {
        Some("a 0") if refusals.fetch_add(1, Ordering::SeqCst) == 0 => {
            Reply::status(429, "slow").header("Retry-After", "1")
        }
        Some(prompt) if prompt.starts_with("a ") => {
            // So that the refusal is known before the first of the others is done.
            let mut reply = simulated::vllm(request);
            reply.delay = Duration::from_millis(400);
            reply
        }
        _ => simulated::vllm(request),
    });
    let (_folder, store) = store();
    let server = Server::connect(Endpoint {
        concurrency: 2,
        ..endpoint(&fake.url, "vllm")
    });
    let texts: Vec<_> = (0..6).map(|number| text(&format!("a {number}"))).collect();
    let scored = server
        .unwrap()
        .score(&texts, &store, Watcher::default().progress());
    assert_eq!(scored.unwrap().len(), 6);
    // The other worker's request was in flight; after the wait both go on, in any order.
    let prompts = fake.prompts();
    let again = prompts.iter().rposition(|prompt| prompt == "a 0");
    assert!(again.unwrap() <= 3, "{prompts:?}");
}

#[test]
fn errors_that_pass_are_tried_again() {
    comes_through(vec![|| Reply::status(500, "oops"), || {
        Reply::status(502, "<html>")
    }]);
}

#[test]
fn answers_that_break_off_are_tried_again() {
    comes_through(vec![|| {
        let mut reply = Reply::status(200, r#"{"choices":[{"prompt_lo"#);
        reply.cut = true;
        reply
    }]);
    comes_through(vec![|| Reply::status(200, r#"{"choices":[{"prompt_lo"#)]);
    comes_through(vec![|| Reply::status(200, r#"{"logprob": NaN}"#)]);
}

fn stays(fault: fn() -> Reply, retries: usize) -> (base::Error, usize) {
    let fake = faltering(vec![fault; 20]);
    let (_folder, store) = store();
    let server = Server::connect(Endpoint {
        retries,
        timeout: Duration::from_secs(4),
        ..endpoint(&fake.url, "vllm")
    });
    let failed = server
        .unwrap()
        .score(&[text("a b")], &store, Watcher::default().progress());
    assert_eq!(store.counts().unwrap().answers, 0);
    (failed.unwrap_err(), fake.prompts().len())
}

#[test]
fn refusals_are_not_tried_again() {
    for (fault, status) in [
        (|| Reply::status(400, "bad")) as fn() -> Reply,
        || Reply::status(401, "who"),
        || Reply::status(403, "no"),
        || Reply::status(404, "where"),
        || Reply::status(422, "what"),
        || Reply::status(301, "").header("Location", "http://127.0.0.1:1/"),
    ]
    .into_iter()
    .zip([400, 401, 403, 404, 422, 301])
    {
        let (failed, asked) = stays(fault, 3);
        assert_eq!(asked, 1, "{failed}");
        assert_eq!(failed.kind, ErrorKind::Server);
        assert!(
            failed.message.contains(&format!("answered {status}")),
            "{failed}"
        );
        assert!(failed.hint.is_some());
    }
}

#[test]
fn patience_ends() {
    let (failed, asked) = stays(
        || Reply::status(200, "<html>\u{1b}[31mBad gateway</html>"),
        1,
    );
    assert_eq!(asked, 2);
    assert!(failed.message.contains("not JSON"), "{failed}");
    assert!(failed.message.contains("\\u{1b}[31m"), "{failed}");
    assert!(failed.message.contains("(tried 2 times)"), "{failed}");
}

#[test]
fn a_slow_server_is_given_up() {
    let (failed, _) = stays(
        || {
            let mut reply = Reply::status(200, "{}");
            reply.delay = Duration::from_secs(6);
            reply
        },
        0,
    );
    assert!(
        failed.message.contains("did not answer in time"),
        "{failed}"
    );
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let fake = Fake::start(simulated::vllm);
    let url = fake.url.clone();
    drop(fake);
    let failed = Server::connect(Endpoint {
        retries: 0,
        ..endpoint(&url.replace("http://", "http://user:hidden@"), "auto")
    });
    let failed = failed.err().unwrap().to_string();
    assert!(failed.contains("cannot be reached"), "{failed}");
    assert!(failed.contains("check that the server runs"), "{failed}");
    assert!(!failed.contains("hidden"), "{failed}");
}
