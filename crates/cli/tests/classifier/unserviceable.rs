//! Programs that should serve and do not: they hang nobody, and what is wrong is said.

#![cfg(unix)]

use crate::server::{Server, lives};

fn serving(lines: &str) -> Server {
    Server::new("workers = 1", "serve = true\nretries = 0", lines)
}

#[test]
fn whatever_a_program_prints_it_may_still_answer() {
    let noise = "train(job)
raw = sys.stdout.buffer
raw.write(b'x' * 3000000 + b'{\"model\": 0}\\n')
raw.write(b'\\xff\\xfe{\"model\": 1}\\n\\n\\x00\\n[1, 2]\\n{\"loss\": 0.1}\\n')
raw.write(b'{\"model\": \"resnet\", \"loss\": 0.1}\\n')
raw.write(b'{\"model\"')
raw.flush()
raw.write(b': %d}\\n' % job['model'])
raw.flush()
continue";
    let server = serving(noise);
    server.trains_all();
    assert_eq!(server.starts().len(), 1);
    let log = std::fs::read(server.bench.path("guestlist-run/logs/worker-0.log")).unwrap();
    assert!(log.len() > 9 * 3_000_000);
    let log = String::from_utf8_lossy(&log);
    assert!(log.contains("{\"loss\": 0.1}"));
    // A model's own log has the end of it.
    let own = server.bench.path("guestlist-run/logs/00003.log");
    assert!(std::fs::metadata(own).unwrap().len() < 100_000);
}

#[test]
fn an_answer_that_is_none_is_named() {
    for (answer, words) in [
        (
            "{'model': 99}",
            "answered for model 99, which it did not have",
        ),
        (
            "{'model': job['model'], 'loss': 1}",
            "answered {\"model\": 0, \"loss\": 1}",
        ),
        ("{'model': '0'}", "answered {\"model\": \"0\"}"),
    ] {
        let server = serving(&format!("answer({answer})\ncontinue"));
        server
            .bench
            .guestlist("run")
            .complains(&[&format!("model 0: the training program {words}")]);
    }
}

#[test]
fn an_answer_without_an_output_is_a_failed_attempt() {
    let server = serving("answer({'model': job['model']})\ncontinue");
    server
        .bench
        .guestlist("run")
        .complains(&["model 0: output.npy", "9 of 9 models could not be trained"]);
    assert_eq!(server.starts().len(), 1);
}

#[test]
fn a_worker_that_never_answers_is_ended_in_time() {
    let server = Server::new(
        "workers = 1",
        "serve = true\nretries = 0\ntimeout = 3",
        "if job['model'] == 1:\n    wait_for_ever()",
    );
    server.bench.guestlist("run").complains(&[
        "model 1: the training program was ended after 3 seconds",
        "1 of 9 models could not be trained",
    ]);
    assert!(!lives(&server.waiting(0).unwrap()));
    assert_eq!(server.trained().len(), 8);
    assert_eq!(server.starts().len(), 2);
}

#[test]
fn models_that_a_slow_one_takes_along_are_tried_again() {
    let slow = "if job['model'] == 1:\n    wait_for_ever()";
    let server = Server::batches(slow);
    server.configure("serve = true", "serve = true\ntimeout = 3");
    server.bench.guestlist("run").complains(&[
        "the training program was ended because model ",
        "model 1: the training program was ended after 3 seconds",
        "1 of 9 models could not be trained",
    ]);
    assert_eq!(server.trained().len(), 8);
}

#[test]
fn a_program_that_does_not_serve_is_told_what_it_should_do() {
    let server = serving("");
    server.bench.write("serve.py", "print('trained nothing')\n");
    server.bench.guestlist("run").complains(&[
        "model 0: the training program ended without an answer",
        "it reads jobs from its input",
        "    trained nothing",
    ]);
    server.bench.write(
        "serve.py",
        "import sys, os, time\nos.close(1)\ntime.sleep(600)\n",
    );
    server
        .bench
        .guestlist("run")
        .complains(&["model 0: the training program closed its output"]);
}

#[test]
fn first_models_that_all_fail_alike_end_the_run() {
    for server in [serving(""), Server::batches("")] {
        server.bench.write("serve.py", "import no_such_package\n");
        let said = server.bench.guestlist("run").exits(2).stderr;
        assert!(said.contains("models all failed alike"), "{said}");
        let last = "    ModuleNotFoundError: No module named 'no_such_package'";
        assert_eq!(said.matches(last).count(), 1, "{said}");
    }
    let server = serving("answer({'model': job['model'], 'error': 'no device'})\ncontinue");
    let said = server.bench.guestlist("run").exits(2).stderr;
    let words = "the first 2 models all failed alike, so the other 7 were not tried";
    assert!(said.contains(words), "{said}");
}

#[test]
fn settings_that_do_not_go_together_are_refused() {
    let refused = |from: &str, to: &str, words: &[&str]| {
        let server = serving("");
        server.configure(from, to);
        server.bench.guestlist("run").complains(words);
        assert!(!server.bench.path("guestlist-run").exists());
    };
    refused(
        "\"serve.py\"",
        "\"serve.py\", \"--job={job}\"",
        &["command.run has --job={job}", "leave it out"],
    );
    refused(
        "serve = true",
        "models_at_once = 2",
        &["command.models_at_once is 2", "command.serve = true"],
    );
    refused(
        "serve = true",
        "serve = true\nmodels_at_once = 0",
        &["command.models_at_once is 0"],
    );
}
