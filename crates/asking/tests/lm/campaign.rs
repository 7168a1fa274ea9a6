//! What every campaign has, servers of language models too: a breaker, a budget, and answers that
//! are written together.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use asking::lm::{Endpoint, Prompt, Server};
use asking::store::Store;
use base::ErrorKind;
use rusqlite::Connection;

use crate::fake::{Fake, Reply, Request};
use crate::{Watcher, endpoint, simulated, store, text};

fn prompts(count: usize) -> Vec<Prompt> {
    (0..count)
        .map(|number| text(&format!("text number {number} is here")))
        .collect()
}

/// Whether a request is for the score of a text, and not a part of the probe.
fn is_text(request: &Request) -> bool {
    let prompt = request.prompt();
    prompt.is_some_and(|text| text.contains("number"))
}

#[test]
fn a_server_that_dies_is_left_alone_then_given_up_and_what_came_is_kept() {
    let asked = AtomicUsize::new(0);
    let fake = Fake::start(move |request| {
        match is_text(request) && asked.fetch_add(1, Ordering::SeqCst) >= 20 {
            true => Reply::status(503, "gone"),
            false => simulated::vllm(request),
        }
    });
    let (_folder, store) = store();
    let server = Server::connect(Endpoint {
        concurrency: 16,
        retries: 50,
        timeout: Duration::from_millis(800),
        ..endpoint(&fake.url, "vllm")
    });
    let watcher = Watcher::default();
    let failed = server
        .unwrap()
        .score(&prompts(200), &store, watcher.progress());
    let failed = failed.unwrap_err();
    assert_eq!(failed.kind, ErrorKind::Server);
    assert_eq!(failed.text, None, "it is no text's fault");
    let words = failed.to_string();
    assert!(
        words.contains("no longer answers") && words.contains("gone"),
        "{words}"
    );
    assert_eq!(store.counts().unwrap().answers, 20);
    // Forty in a row, those at once that were under way, and one after each of four breaks.
    let sent = fake.prompts().len();
    assert!((60..=20 + 40 + 16 + 4 + 16).contains(&sent), "{sent}");
}

#[test]
fn requests_stop_at_the_limit_and_more_may_be_granted_later() {
    let fake = Fake::start(simulated::vllm);
    let (_folder, store) = store();
    let limited = |max_requests| {
        let server = Server::connect(Endpoint {
            max_requests: Some(max_requests),
            ..endpoint(&fake.url, "vllm")
        });
        let scored = server
            .unwrap()
            .score(&prompts(12), &store, Watcher::default().progress());
        (scored, fake.prompts().len())
    };
    for _ in 0..2 {
        let (scored, sent) = limited(7);
        let spent = scored.unwrap_err();
        assert_eq!((spent.kind, sent), (ErrorKind::Setting, 7), "{spent}");
        assert!(spent.message.contains("max_requests is spent"), "{spent}");
        assert_eq!(spent.text, None);
        assert_eq!(store.counts().unwrap().answers, 7, "what came is kept");
    }
    let (scored, sent) = limited(12);
    assert_eq!((scored.unwrap().len(), sent), (12, 12));
    assert_eq!(store.spending().unwrap().requests, 12);
}

/// Keeps everybody else from writing until all texts have been asked for.
struct Busy {
    file: std::path::PathBuf,
    texts: usize,
    held: Mutex<(usize, Option<Connection>)>,
}

impl Busy {
    fn asked(self: &Arc<Self>) {
        let mut held = self.held.lock().unwrap();
        if held.0 == 0 {
            let connection = Connection::open(&self.file).unwrap();
            connection.execute_batch("BEGIN IMMEDIATE").unwrap();
            held.1 = Some(connection);
        }
        held.0 += 1;
        if held.0 == self.texts {
            let busy = self.clone();
            // Time for the last answer to arrive.
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(300));
                drop(busy.held.lock().unwrap().1.take());
            });
        }
    }
}

#[test]
fn answers_that_wait_for_the_disk_are_written_together() {
    const TEXTS: usize = 24;
    let (folder, store) = store();
    let busy = Arc::new(Busy {
        file: store.file().to_owned(),
        texts: TEXTS,
        held: Mutex::default(),
    });
    let fake = Fake::start(move |request| {
        if is_text(request) {
            busy.asked();
        }
        simulated::vllm(request)
    });
    let server = Server::connect(Endpoint {
        concurrency: TEXTS,
        ..endpoint(&fake.url, "vllm")
    });
    let server = server.unwrap();
    let before = transactions(folder.path());
    let scored = server.score(&prompts(TEXTS), &store, Watcher::default().progress());
    assert_eq!(scored.unwrap().len(), TEXTS);
    // The probe's record, requests set aside (and given back, where not all were sent), the answer that came
    // while the disk was busy, and all others.
    let written = transactions(folder.path()) - before;
    assert!((3..=8).contains(&written), "{written}");
    assert_eq!(
        reopened(store, folder.path()).counts().unwrap().answers,
        TEXTS as u64
    );
}

fn reopened(store: Store, folder: &Path) -> Store {
    drop(store);
    Store::open(folder).unwrap()
}

/// Transactions in SQLite's write-ahead log: frames that tell the size of the database end one.
fn transactions(folder: &Path) -> usize {
    let log = std::fs::read(folder.join("audit.sqlite-wal")).unwrap();
    let number = |from: usize| u32::from_be_bytes(log[from..from + 4].try_into().unwrap());
    let frame = 24 + number(8) as usize;
    let frames = (32..log.len()).step_by(frame);
    // Frames of an earlier log have another salt.
    let current = frames.filter(|&start| log[start + 8..start + 16] == log[16..24]);
    current.filter(|&start| number(start + 4) > 0).count()
}
