//! Keys are sent, and are found nowhere afterwards.

use std::path::Path;

use asking::rag::transcript::{self, Recorded, Transcript};
use attacks::signals::probes::{Document, Exchange, Probe};

use super::*;
use crate::fake::{Fake, Reply};

/// Set for all tests of this file; letters that are nowhere else, some of which are escaped.
const NAME: &str = "GUESTLIST_TEST_RAG_SECRET";
const SECRET: &str = "sk-\"zebra\"/&quagga+7";
const LITERAL: &str = "okapi-literal-key";

/// Does nothing unless it is run as a child that has the secret in its environment.
#[test]
fn with_a_secret_in_the_environment() {
    if std::env::var(NAME).is_err() {
        return;
    }
    let folder = std::env::var("GUESTLIST_TEST_RAG_FOLDER").unwrap();
    use_secrets(Path::new(&folder));
}

#[test]
fn no_secret_is_written_or_shown() {
    let folder = tempfile::tempdir().unwrap();
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["secrets::with_a_secret_in_the_environment", "--exact"])
        .env(NAME, SECRET)
        .env("GUESTLIST_TEST_RAG_FOLDER", folder.path())
        .output()
        .unwrap();
    assert!(
        child.status.success(),
        "{}",
        String::from_utf8_lossy(&child.stdout)
    );
    assert!(folder.path().join("done").exists());
}

/// The server repeats everything it hears, in several spellings.
fn parrot(request: &Request) -> Reply {
    let headers = format!("{:?}", request.headers);
    let answer = json!({
        "answer": format!("{} {} {}", request.target, request.text, headers),
        "sources": [request.headers["authorization"], request.body["token"]],
        "sent": request.body,
    });
    match request.body["query"].as_str() {
        Some("complain") => Reply::text(400, &answer.to_string()),
        _ => Reply::json(&answer),
    }
}

fn use_secrets(folder: &Path) {
    let fake = Fake::start(parrot);
    let url = fake.url.replace("http://", "http://user:giraffe-pass@");
    let target = json!({
        "url": format!("{url}/ask?k=${{{NAME}}}&token={LITERAL}"),
        "api_key": format!("${{{NAME}}}"),
        "headers": {"X-Api-Key": LITERAL, "X-Other": format!("a ${{{NAME}}}")},
        "values": {"token": format!("${{{NAME}}}")},
        "body": {"query": "{{query}}", "token": "{{token}}"},
        "extract": {"answer": "$.answer", "citations": "$.sources"},
    });
    let service = service(target, &transport());
    let store = Store::open(&folder.join("store")).unwrap();
    let asks = [ask("hello"), ask("complain")];
    let asked = service
        .ask_all(&asks, &store, Watcher::default().progress())
        .unwrap();
    let sent = &fake.requests()[0];
    assert_eq!(sent.headers["authorization"], format!("Bearer {SECRET}"));
    assert_eq!(sent.headers["x-api-key"], LITERAL);
    assert_eq!(sent.headers["x-other"], format!("a {SECRET}"));
    assert_eq!(sent.body["token"], SECRET);
    assert!(sent.target.contains("zebra") && sent.target.contains(LITERAL));

    let exchange = Exchange {
        probe: Probe {
            strategy: "s".into(),
            variation: 0,
            query: "hello".into(),
            expected: Default::default(),
        }
        .into(),
        reply: Some(replies(&asked)[0].clone().into()),
    };
    let recorded = Recorded {
        document: 0,
        arm: Arm::Retrieval,
        repeat: 0,
        exchange,
        error: None,
    };
    let transcript = Transcript {
        documents: vec![(Document::default(), Some(true))],
        exchanges: vec![recorded],
    };
    transcript::write(&folder.join("transcript.jsonl"), &transcript).unwrap();
    // The write-ahead log is there as long as the store is open.
    search(folder);
    drop(store);
    search(folder);
    let shown = service.probe("hello", Arm::Retrieval).unwrap();
    let words = format!("{shown} {shown:?} {} {asked:?}", service.about());
    assert_clean("words", words.as_bytes());
    assert!(words.contains(&format!("Bearer ${{{NAME}}}")), "{words}");
    assert!(words.contains("X-Api-Key: ***\n"), "{words}");
    assert!(words.contains("token=***"), "{words}");
    in_pieces();
    std::fs::write(folder.join("done"), "").unwrap();
}

/// A stream may repeat a secret in two events: together they are hidden.
fn in_pieces() {
    let (first, second) = SECRET.split_at(7);
    let events = [first, second].map(|piece| format!("data: {}\n\n", json!({"delta": piece})));
    let fake = Fake::start(move |_| Reply::text(200, &events.concat()));
    let target = json!({
        "url": fake.url, "api_key": format!("${{{NAME}}}"), "stream": "sse",
        "body": {"query": "{{query}}"}, "extract": {"delta": "$.delta"},
    });
    let shown = service(target, &transport())
        .probe("q", Arm::Retrieval)
        .unwrap();
    assert_eq!(shown.reply.unwrap().answer, "***");
}

fn search(folder: &Path) {
    let mut open = vec![folder.to_owned()];
    let mut files = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => {
                    assert_clean(&path.display().to_string(), &std::fs::read(&path).unwrap());
                    files += 1;
                }
            }
        }
    }
    assert!(files >= 3, "{files}");
}

fn assert_clean(name: &str, bytes: &[u8]) {
    // Neither a key nor what a key could be checked against.
    let digest = formats::files::sha256_of(LITERAL.as_bytes());
    for needle in ["zebra", "quagga", "okapi", "giraffe", &digest[..8]] {
        let found = bytes
            .windows(needle.len())
            .position(|window| window == needle.as_bytes());
        if let Some(place) = found {
            let around = &bytes[place.saturating_sub(60)..(place + 60).min(bytes.len())];
            panic!("{name} holds {needle}: {}", String::from_utf8_lossy(around));
        }
    }
}
