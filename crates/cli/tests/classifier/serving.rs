//! Programs of the user's own that are started once and serve one model after another.

#![cfg(unix)]

use std::collections::BTreeMap;

use crate::bench::Bench;
use crate::server::{Server, lives};

#[test]
fn one_start_for_all_models_of_a_worker() {
    let server = Server::new("workers = 2", "serve = true", "");
    let bench = server.trains_all();
    assert!(server.starts().len() <= 2, "{:?}", server.starts());
    // The same numbers as from a program that is started for every model.
    let usual = server.one_start_per_model();
    for model in 0..9 {
        let scores = |bench: &Bench| {
            let path = format!("guestlist-run/models/{model:05}/scores.npy");
            std::fs::read(bench.path(path)).unwrap()
        };
        assert_eq!(scores(bench), scores(&usual));
    }
    for pid in server.starts() {
        assert!(!lives(&pid), "{pid} is left");
    }
    // What it said of a model is in the model's log, and all of it in the worker's.
    let log = server.text("guestlist-run/logs/00004.log");
    assert!(log.starts_with("--- model 4, attempt 1\n"), "{log}");
    assert!(log.contains("training model 4\n"), "{log}");
    assert!(!log.contains("training model 2\n"), "{log}");
    let whole = server.text("guestlist-run/logs/worker-0.log");
    assert!(whole.starts_with("--- worker 0, start 1\n"), "{whole}");
    let said = bench.guestlist("run").stderr;
    assert!(said.contains("all 9 models are there"), "{said}");
    server.trained_each_once(0..9);
}

#[test]
fn a_worker_that_is_killed_twenty_times_is_started_anew() {
    let server = Server::new(
        "workers = 1",
        "serve = true\nretries = 1",
        "if job['attempt'] == 1:\n    wait_for_ever()",
    );
    server.configure("shadows = 8", "shadows = 19");
    let mut running = server.start();
    for kill in 0..20 {
        let pid = running.until("a worker that waits", || server.waiting(kill));
        server.kill("-KILL", &pid);
    }
    let said = running.said().stderr;
    assert_eq!(said.matches("failed, trying again").count(), 20, "{said}");
    assert!(said.contains("signal: 9"), "{said}");
    server.trained_each_once(0..20);
    assert_eq!(server.starts().len(), 21);
}

#[test]
fn a_run_that_is_killed_leaves_no_worker_and_resumes() {
    let server = Server::new(
        "workers = 1",
        "serve = true",
        "if job['model'] > 0 and not os.path.exists('go-%d' % job['model']):\n    wait_for_ever()",
    );
    for model in 1..6 {
        let mut running = server.start();
        let pid = running.until("a worker that waits", || server.waiting(model - 1));
        running.signal("-KILL");
        running.said();
        server.gone(&pid);
        server.bench.write(&format!("go-{model}"), "");
    }
    for model in 6..9 {
        server.bench.write(&format!("go-{model}"), "");
    }
    server.trains_all();
    // Nothing that was finished was trained again.
    server.trained_each_once(0..9);
}

#[test]
fn ctrl_c_ends_workers_and_what_they_started() {
    let server = Server::new(
        "workers = 1",
        "serve = true",
        "import subprocess\nif job['model'] == 3:\n    subprocess.Popen(['sleep', '600'])\n    wait_for_ever()",
    );
    let mut running = server.start();
    let pid = running.until("a worker that waits", || server.waiting(0));
    running.signal("-INT");
    let said = running.said();
    assert_eq!(said.code, Some(130), "{}", said.stderr);
    assert!(
        said.stderr.contains("3 of 9 models are kept"),
        "{}",
        said.stderr
    );
    server.gone(&pid);
    let work = server.bench.path("guestlist-run/work");
    assert_eq!(std::fs::read_dir(work).unwrap().count(), 0);
}

#[test]
fn several_models_at_once_come_as_one_batch() {
    let server = Server::batches("");
    server.trains_all();
    assert_eq!(server.text("batches"), "4\n4\n1\n");
    server.trained_each_once(0..9);
    assert_eq!(server.starts().len(), 1);
}

#[test]
fn a_model_that_kills_its_worker_takes_no_other_with_it() {
    let server = Server::batches("if job['model'] == 2:\n    print('bad luck')\n    os._exit(3)");
    let said = server.bench.guestlist("run").exits(2).stderr;
    let words = "model 2: the training program ended with exit status: 3 (log: ";
    assert!(said.contains(words), "{said}");
    assert!(said.contains("    bad luck"), "{said}");
    assert!(
        said.contains("1 of 9 models could not be trained"),
        "{said}"
    );
    let trained: BTreeMap<usize, usize> = server.trained();
    assert_eq!(trained.len(), 8);
    assert!(trained.values().all(|times| *times == 1), "{trained:?}");
}

#[test]
fn a_model_that_fails_ends_no_worker() {
    let server = Server::new(
        "workers = 1",
        "serve = true\nretries = 1",
        "if job['model'] == 2:\n    answer({'model': 2, 'error': 'no\\nluck'})\n    continue",
    );
    let said = server.bench.guestlist("run").exits(2).stderr;
    let words = "model 2: the training program says: no luck (log: ";
    assert!(said.contains(words), "{said}");
    assert_eq!(said.matches("failed, trying again").count(), 1, "{said}");
    assert_eq!(server.starts().len(), 1);
    assert_eq!(server.trained().len(), 8);
}

#[test]
fn a_program_may_leave_after_any_answer() {
    let server = Server::new(
        "workers = 1",
        "serve = true\nretries = 0",
        "if job['model'] % 2:\n    train(job)\n    answer({'model': job['model']})\n    sys.exit(0)",
    );
    server.trains_all();
    server.trained_each_once(0..9);
    assert!(server.starts().len() >= 4, "{:?}", server.starts());
}

#[test]
fn a_task_of_a_cluster_serves_one_model() {
    let server = Server::new("workers = 1", "serve = true", "");
    server.trains_all();
    let place = server.bench.path("guestlist-run/models/00005");
    std::fs::remove_dir_all(place).unwrap();
    server
        .bench
        .guestlist("work guestlist-run --job 5")
        .exits(0);
    assert_eq!(server.trained()[&5], 2);
    assert_eq!(server.bench.models().len(), 9);
    let log = server.text("guestlist-run/logs/00005.log");
    assert_eq!(log.matches("--- model 5, attempt 1\n").count(), 2, "{log}");
    assert_eq!(log.matches("training model 5\n").count(), 2, "{log}");
}
