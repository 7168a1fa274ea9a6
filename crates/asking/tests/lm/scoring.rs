//! What is asked, how often, and what is kept.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use asking::lm::{Endpoint, Prompt, Secret, Server};
use base::ErrorKind;
use stats::streams::Seed;

use crate::fake::{Fake, Reply};
use crate::{Watcher, endpoint, simulated, store, text};

const KEY: &str = "sk-very-secret-4711";

fn prompts(count: usize) -> Vec<Prompt> {
    (0..count)
        .map(|number| text(&format!("text number {number} is here")))
        .collect()
}

#[test]
fn what_is_stored_is_not_asked_again() {
    let fake = Fake::start(simulated::vllm);
    let (_folder, store) = store();
    let server = Server::connect(endpoint(&fake.url, "vllm")).unwrap();
    let mut prompts = prompts(5);
    prompts.push(prompts[2].clone());
    let watcher = Watcher::default();
    let first = server.score(&prompts, &store, watcher.progress()).unwrap();
    assert_eq!(watcher.texts.load(Ordering::SeqCst), 6);
    assert_eq!(watcher.texts.load(Ordering::SeqCst), 6);
    assert_eq!(watcher.tokens.load(Ordering::SeqCst), 30);
    assert_eq!(fake.prompts().len(), 5, "equal texts are asked once");
    assert_eq!(first[5], first[2]);
    let expected = simulated::logprob("number ") as f32;
    assert_eq!(first[0].logprob[1], Some(expected));

    let watcher = Watcher::default();
    let second = server.score(&prompts, &store, watcher.progress()).unwrap();
    assert_eq!(watcher.stored.load(Ordering::SeqCst), 6);
    assert_eq!(fake.prompts().len(), 5);
    assert_eq!(first, second);
    assert_eq!(store.counts().unwrap().answers, 5);
    assert_eq!(server.stored(&prompts, &store).unwrap(), 6);
}

#[test]
fn stopping_half_way_and_going_on_asks_each_text_once() {
    let fake = Fake::start(simulated::vllm);
    let prompts = prompts(40);
    let server = Server::connect(endpoint(&fake.url, "vllm")).unwrap();
    let (_whole_folder, whole_store) = store();
    let whole = server.score(&prompts, &whole_store, Watcher::default().progress());
    let before = fake.prompts().len();

    let (_folder, store) = store();
    let watcher = Watcher {
        stop_after: Some(11),
        ..Watcher::default()
    };
    let stopped = server
        .score(&prompts, &store, watcher.progress())
        .unwrap_err();
    assert_eq!(stopped.kind, ErrorKind::Interrupted);
    let kept = store.counts().unwrap().answers as usize;
    assert!((11..40).contains(&kept), "{kept}");
    let watcher = Watcher::default();
    let resumed = server.score(&prompts, &store, watcher.progress()).unwrap();
    assert_eq!(watcher.stored.load(Ordering::SeqCst), kept);
    assert_eq!(resumed, whole.unwrap());
    let asked = fake.prompts().split_off(before);
    assert_eq!(asked.len(), 40);
    assert_eq!(asked.iter().collect::<BTreeSet<_>>().len(), 40);
}

#[test]
fn no_more_are_in_flight_than_allowed() {
    let fake = Fake::start(|request| {
        let mut reply = simulated::vllm(request);
        reply.delay = Duration::from_millis(20);
        reply
    });
    let (_folder, store) = store();
    let server = Server::connect(Endpoint {
        concurrency: 3,
        ..endpoint(&fake.url, "vllm")
    });
    let scored = server
        .unwrap()
        .score(&prompts(20), &store, Watcher::default().progress());
    assert_eq!(scored.unwrap().len(), 20);
    assert!((2..=3).contains(&fake.most_in_flight()));
}

#[test]
fn a_rate_limit_spreads_requests() {
    let fake = Fake::start(simulated::vllm);
    let (_folder, store) = store();
    let server = Server::connect(Endpoint {
        per_minute: Some(50),
        ..endpoint(&fake.url, "vllm")
    });
    let watcher = Watcher::default();
    server
        .unwrap()
        .score(&prompts(3), &store, watcher.progress())
        .unwrap();
    let waits = watcher.waits.lock().unwrap();
    assert!(waits.iter().any(|(_, why)| why == "requests_per_minute"));
}

#[test]
fn one_text_that_fails_is_named_and_the_others_are_kept() {
    let fake = Fake::start(|request| match request.prompt() {
        Some(prompt) if prompt.contains("number 3 ") => {
            let body = r#"{"error":{"message":"This model's maximum context length is 4"}}"#;
            Reply::status(400, body)
        }
        _ => simulated::vllm(request),
    });
    let (_folder, store) = store();
    let server = Server::connect(endpoint(&fake.url, "vllm")).unwrap();
    let failed = server.score(&prompts(40), &store, Watcher::default().progress());
    let failed = failed.unwrap_err();
    assert_eq!(failed.text, Some(3));
    assert!(failed.message.starts_with("text 4 of 40: "), "{failed}");
    assert!(failed.hint.unwrap().contains("context"));
    let kept = store.counts().unwrap().answers as usize;
    assert!((3..39).contains(&kept), "{kept}");
    assert_eq!(
        fake.prompts().len(),
        kept + 1,
        "all that was begun was kept"
    );
}

#[test]
fn secrets_are_sent_but_neither_stored_nor_shown() {
    let fake = Fake::start(|request| {
        let key = request.header("authorization").unwrap_or_default();
        assert_eq!(key, format!("Bearer {KEY}"));
        assert_eq!(request.header("x-team"), Some("team-secret"));
        match request.prompt() {
            Some(prompt) if prompt.contains("number 2 ") => {
                Reply::status(403, &format!("wrong key {KEY}, \u{1b}[2Jteam-secret"))
            }
            _ => {
                // An answer that repeats the key.
                let mut reply = simulated::vllm(request);
                reply.body.pop();
                reply.body.extend(format!(", \"key\": \"{KEY}\"}}").bytes());
                reply
            }
        }
    });
    let (folder, store) = store();
    let server = Server::connect(Endpoint {
        url: format!("{}/v1?token=hidden-query", fake.url),
        key: Some(Secret::new(KEY)),
        headers: vec![("X-Team".into(), Secret::new("team-secret"))],
        concurrency: 1,
        ..endpoint("", "vllm")
    });
    let server = server.unwrap();
    let failed = server.score(&prompts(4), &store, Watcher::default().progress());
    let failed = failed.unwrap_err();
    assert!(failed.hint.as_ref().unwrap().contains("api_key"));
    assert!(!failed.to_string().contains('\u{1b}'));
    assert!(fake.requests()[0].query.contains("token=hidden-query"));
    drop(store);
    let mut seen = format!("{failed} {failed:?} {}", server.about()).into_bytes();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        seen.extend(std::fs::read(entry.unwrap().path()).unwrap());
    }
    let seen = String::from_utf8_lossy(&seen);
    for secret in [KEY, "team-secret", "hidden-query"] {
        assert!(!seen.contains(secret), "{secret} is there");
    }
    assert!(
        seen.contains("text number 1 is here"),
        "the store was looked at"
    );
}

/// A server whose log-probabilities of everything but the probe's text move by so much.
fn moving(by: impl Fn(usize) -> f64 + Send + Sync + 'static) -> Fake {
    let times = AtomicUsize::new(0);
    Fake::start(move |request| {
        let reply = simulated::vllm(request);
        let probe = request.prompt().is_none_or(|text| text.contains("Tuesday"));
        if probe {
            return reply;
        }
        let moved = by(times.fetch_add(1, Ordering::SeqCst));
        let mut answer: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
        let entries = answer["choices"][0]["prompt_logprobs"].as_array_mut();
        for entry in entries.unwrap().iter_mut().skip(1) {
            for value in entry.as_object_mut().unwrap().values_mut() {
                let logprob = value["logprob"].as_f64().unwrap();
                value["logprob"] = (logprob - moved).into();
            }
        }
        Reply::json(&answer)
    })
}

#[test]
fn a_few_texts_are_scored_again_and_a_changed_model_stops_the_run() {
    let changed = Arc::new(AtomicBool::new(false));
    let flag = changed.clone();
    let fake = moving(move |_| match flag.load(Ordering::SeqCst) {
        true => 0.2,
        false => 0.0,
    });
    let (_folder, store) = store();
    let server = Server::connect(endpoint(&fake.url, "vllm")).unwrap();
    let check =
        || server.check_stored(&prompts(30), &store, Seed(4), Watcher::default().progress());
    check().unwrap();
    assert!(fake.prompts().is_empty(), "there is nothing to ask again");
    let watcher = Watcher::default();
    let first = server
        .score(&prompts(30), &store, watcher.progress())
        .unwrap();
    check().unwrap();
    assert_eq!(fake.prompts().len(), 38);
    changed.store(true, Ordering::SeqCst);
    let refused = check().unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Mismatch);
    assert!(refused.message.contains("8 of 8 texts"), "{refused}");
    assert!(refused.hint.unwrap().contains("--ask-again"));
    let kept = server
        .score(&prompts(30), &store, watcher.progress())
        .unwrap();
    assert_eq!(kept, first, "what is in the store stays");
    let dates = server.dates(&prompts(30), &store).unwrap().unwrap();
    assert_eq!(dates.answers, 30);
    store.discard_answers().unwrap();
    check().unwrap();
}

#[test]
fn a_server_that_never_says_the_same_twice_is_not_taken_for_another() {
    let fake = moving(|time| 0.3 * (time % 7) as f64);
    let (_folder, store) = store();
    let server = Server::connect(endpoint(&fake.url, "vllm")).unwrap();
    let watcher = Watcher::default();
    server
        .score(&prompts(30), &store, watcher.progress())
        .unwrap();
    let check = server.check_stored(&prompts(30), &store, Seed(4), watcher.progress());
    check.unwrap();
}

#[test]
fn another_model_behind_the_same_name_is_noticed() {
    let flag = Arc::new(AtomicBool::new(false));
    let swapped = flag.clone();
    let fake = Fake::start(move |request| {
        let reply = simulated::vllm(request);
        let body = String::from_utf8(reply.body).unwrap();
        match swapped.load(Ordering::SeqCst) {
            true => Reply::status(200, &body.replace("\"logprob\":-", "\"logprob\":-1")),
            false => Reply::status(200, &body),
        }
    });
    let (_folder, store) = store();
    let server = Server::connect(endpoint(&fake.url, "vllm")).unwrap();
    server
        .score(&prompts(1), &store, Watcher::default().progress())
        .unwrap();
    flag.store(true, Ordering::SeqCst);
    let server = Server::connect(endpoint(&fake.url, "vllm")).unwrap();
    let refused = server.score(&prompts(1), &store, Watcher::default().progress());
    let refused = refused.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Mismatch);
    assert!(refused.message.contains("another model"), "{refused}");
}
