//! What cannot work is refused with a remedy before anything is spent.

use std::fs;

use crate::bench::Bench;
use crate::service::{Odd, configure, even, said, serve, write_documents};

fn ready(count: usize) -> Bench {
    let bench = Bench::new();
    write_documents(&bench, count);
    bench
}

#[test]
fn bad_documents_are_refused_before_anybody_is_asked() {
    let odd = Odd::start(|_, _, _| said("yes"));
    let bench = ready(5);
    configure(&bench, odd.address, "");
    let good = fs::read_to_string(bench.path("in.jsonl")).unwrap();
    bench.write("in.jsonl", "");
    bench.guestlist("run").complains(&["in.jsonl"]);
    fs::write(
        bench.path("in.jsonl"),
        b"{\"id\": \"a\", \"text\": \"caf\xe9\"}\n",
    )
    .unwrap();
    bench.guestlist("run").complains(&["in.jsonl", "UTF-8"]);
    bench.write("in.jsonl", "{\"id\": \"a\"}\n");
    bench.guestlist("run").complains(&["row 1", "text"]);
    bench.write("in.jsonl", &good);
    fs::copy(bench.path("in.jsonl"), bench.path("out.jsonl")).unwrap();
    bench.guestlist("run").complains(&["have the same text"]);
    fs::remove_file(bench.path("out.jsonl")).unwrap();
    bench.guestlist("run").complains(&["out.jsonl"]);
    assert_eq!(odd.count(), 0);
}

#[test]
fn an_attack_that_is_named_and_finds_nothing_to_ask_is_refused_before_anybody_is_asked() {
    let odd = Odd::start(|_, _, _| said("yes"));
    let bench = ready(5);
    configure(&bench, odd.address, "");
    for (name, first) in [("in.jsonl", 0), ("out.jsonl", 1)] {
        let rows = (first..20).step_by(2);
        let rows = rows.map(|number| {
            format!("{{\"id\": \"{number}\", \"text\": \"Note {number} is short.\"}}\n")
        });
        bench.write(name, &rows.collect::<String>());
    }
    bench
        .guestlist("run --attacks content,facts")
        .complains(&["facts cannot run here", "nothing to ask"]);
    assert_eq!(odd.count(), 0);
}

#[test]
fn a_path_that_matches_nothing_is_shown_with_the_answer_after_one_request() {
    let odd = Odd::start(|_, _, _| said("the answer is here"));
    let bench = ready(20);
    configure(&bench, odd.address, "");
    let config = fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let config = config.replace(
        "[audit.settings]",
        "[target.extract]\nanswer = \"$.reply.text\"\n[audit.settings]",
    );
    bench.write("guestlist.toml", &config);
    bench
        .guestlist("run")
        .complains(&["$.reply.text", "the answer is here"]);
    assert!(odd.count() <= 3, "{}", odd.count());
    let asked = odd.count();
    bench.guestlist("probe").complains(&["$.reply.text"]);
    assert_eq!(odd.count(), asked + 1);
}

#[test]
fn nobody_there_and_nobody_home_are_told_apart() {
    let bench = ready(5);
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    configure(&bench, free, "[transport]\nretries = 0");
    bench.guestlist("run").complains(&["127.0.0.1"]);
    let odd =
        Odd::start(|_, _, _| crate::service::http("401 Unauthorized", "application/json", b"{}"));
    configure(&bench, odd.address, "");
    bench.guestlist("run").complains(&["401"]);
    assert!(odd.count() <= 3);
}

#[test]
fn slips_in_the_configuration_are_named() {
    let bench = ready(5);
    let running = serve(even(5), &[]);
    for (more, words) in [
        ("[probes]\nrepeat = 3", "repeat"),
        ("[transport]\nconcurrency = 0", "concurrency"),
        ("[audit]\nattacks = \"lira\"", "lira"),
        ("[audit]\nreplicates = 3", "replicates"),
        (
            "[helper]\nquestions_model = \"nowhere.gguf\"",
            "nowhere.gguf",
        ),
    ] {
        configure(&bench, running.address(), more);
        bench.guestlist("plan").complains(&[words]);
    }
    configure(&bench, running.address(), "");
    let config = fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    bench.write(
        "guestlist.toml",
        &config.replace("preset = \"guestlist\"", "preset = \"gestlist\""),
    );
    bench.guestlist("plan").complains(&["gestlist"]);
    bench.write(
        "guestlist.toml",
        &config.replace(
            "[audit.settings]",
            "api_key = \"${NOT_SET_AT_ALL}\"\n[audit.settings]",
        ),
    );
    bench.guestlist("plan").complains(&["NOT_SET_AT_ALL"]);
    bench.guestlist("run --shadows 3").complains(&["--shadows"]);
}
