//! A process that is killed at any instant, and another that goes on.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use asking::rag::TransportSettings;

use super::*;
use crate::fake::Fake;

const FOLDER: &str = "GUESTLIST_TEST_RAG_DOOMED";
const URL: &str = "GUESTLIST_TEST_RAG_URL";
const MOST: &str = "GUESTLIST_TEST_RAG_MOST";
const AT_ONCE: usize = 4;

fn doomed_transport(most: Option<u64>) -> TransportSettings {
    TransportSettings {
        concurrency: AT_ONCE,
        max_requests: most,
        ..transport()
    }
}

/// Does nothing unless it is the process that is to be killed.
#[test]
fn asks_until_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let most = std::env::var(MOST).unwrap().parse().ok();
    let url = std::env::var(URL).unwrap();
    let store = Store::open(Path::new(&folder)).unwrap();
    let target = service(plain(&url), &doomed_transport(most));
    let _ = target.ask_all(&asks(400), &store, Watcher::default().progress());
}

fn slow_server() -> Fake {
    Fake::start(|request: &Request| {
        std::thread::sleep(Duration::from_millis(4));
        echo(request)
    })
}

/// Starts a process that asks, and kills it once so many more requests have come.
fn kill_after(fake: &Fake, folder: &Path, requests: usize, most: Option<u64>) {
    let before = fake.requests().len();
    let mut doomed = Command::new(std::env::current_exe().unwrap())
        .args(["killed::asks_until_killed", "--exact"])
        .env(FOLDER, folder)
        .env(URL, &fake.url)
        .env(MOST, most.map_or("none".into(), |most| most.to_string()))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while fake.requests().len() < before + requests && doomed.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    doomed.kill().unwrap();
    doomed.wait().unwrap();
}

#[test]
fn nothing_that_came_is_asked_again() {
    let fake = slow_server();
    let folder = tempfile::tempdir().unwrap();
    let asks = asks(400);
    for _ in 0..2 {
        kill_after(&fake, folder.path(), 60, None);
    }
    let asked_before = fake.asked();
    let store = Store::open(folder.path()).unwrap();
    let target = service(plain(&fake.url), &doomed_transport(None));
    let stored = target.stored(&asks, &store).unwrap();
    assert!((100..400).contains(&stored), "{stored}");
    let kept = target.replay(&asks, &store).unwrap();
    let asked = target
        .ask_all(&asks, &store, Watcher::default().progress())
        .unwrap();
    check_echoes(&asks, &asked);
    assert_eq!(replies(&asked).len(), 400);
    assert_eq!(asked.tally.from_store, stored as u64);
    let all = fake.asked();
    for (ask, outcome) in asks.iter().zip(&kept.outcomes) {
        if matches!(outcome, Outcome::Answered(_)) {
            assert_eq!(all[&ask.query], asked_before[&ask.query]);
        }
    }
    // Only what was in flight when the end came was asked twice.
    let twice: usize = all.values().map(|times| times - 1).sum();
    assert!(twice <= 2 * AT_ONCE, "{twice}");
}

#[test]
fn the_budget_holds_across_deaths() {
    let fake = slow_server();
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        kill_after(&fake, folder.path(), 30, Some(120));
    }
    let sent = fake.requests().len();
    let store = Store::open(folder.path()).unwrap();
    assert!(store.spending().unwrap().requests >= sent as u64);
    let target = service(plain(&fake.url), &doomed_transport(Some(120)));
    let asked = target
        .ask_all(&asks(400), &store, Watcher::default().progress())
        .unwrap();
    assert!(asked.tally.not_asked > 0);
    let sent = fake.requests().len();
    assert!(sent <= 120, "{sent}");
    // Each death took at most what was set aside at once.
    assert!(sent >= 120 - 3 * 2 * AT_ONCE, "{sent}");
}
