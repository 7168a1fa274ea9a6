//! `guestlist convert`: the same signals in every format that is written.

use std::fs;

use crate::common::{Desk, aucs};
use crate::signals::Signals;

#[test]
fn round_trips_between_all_formats_keep_every_auc_to_the_last_bit() {
    let desk = Desk::with(&Signals::leaky().with_ids(|record| format!("person-{record}")));
    let chain = [
        "signals",
        "a.npz",
        "b.safetensors",
        "c.parquet",
        "d",
        "e.parquet",
        "f.npz",
    ];
    for pair in chain.windows(2) {
        desk.guestlist(&format!("convert {} {}", pair[0], pair[1]))
            .exits(0);
    }
    let found = chain.map(|input| {
        desk.guestlist(&format!("audit {input} --bootstrap 0 --out out --quiet"))
            .exits(1);
        (
            aucs(&desk.json("out/report.json")),
            desk.bytes("out/scores.parquet"),
        )
    });
    for (input, other) in chain.iter().zip(&found) {
        assert!(*other == found[0], "{input} differs");
    }
    assert_eq!(desk.bytes("f.npz"), desk.bytes("a.npz"));
}

#[test]
fn what_is_there_is_replaced_only_when_asked_for() {
    let desk = Desk::with(&Signals::leaky());
    fs::write(desk.path("a.npz"), "precious").unwrap();
    let said = desk.guestlist("convert signals a.npz").exits(2);
    assert!(
        said.stderr.contains("a.npz: exists already; hint: "),
        "{}",
        said.stderr
    );
    assert_eq!(desk.bytes("a.npz"), b"precious");
    desk.guestlist("convert signals a.npz --overwrite").exits(0);
    desk.guestlist("audit a.npz --attacks loss --quiet")
        .exits(1);
    assert_eq!(desk.names(""), ["a.npz", "signals"]);
}

#[test]
fn formats_that_do_not_exist_or_are_only_read_are_refused() {
    let desk = Desk::with(&Signals::leaky());
    for (to, words) in [("hdf5", "there is no format hdf5"), ("lira", "not written")] {
        let said = desk
            .guestlist(&format!("convert signals out --to {to}"))
            .exits(2);
        assert!(
            said.stderr.contains(words) && said.stderr.contains("npz"),
            "{}",
            said.stderr
        );
    }
    assert_eq!(desk.names(""), ["signals"]);
}

#[test]
fn broken_input_leaves_no_output() {
    let desk = Desk::with(&Signals::leaky());
    fs::write(desk.path("signals/keep.npy"), b"").unwrap();
    for output in ["a.npz", "a.safetensors", "a.parquet", "a"] {
        desk.guestlist(&format!("convert signals {output}"))
            .exits(2);
    }
    assert_eq!(desk.names(""), ["signals"]);
}

#[test]
fn the_event_says_what_was_converted() {
    let desk = Desk::with(&Signals::leaky());
    let events = desk
        .guestlist("convert signals a.parquet --json")
        .exits(0)
        .events();
    let [event] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!(event["event"], "converted");
    assert_eq!(
        (&event["from"], &event["to"]),
        (&"npy".into(), &"parquet".into())
    );
    assert_eq!(
        (&event["models"], &event["records"]),
        (&9.into(), &400.into())
    );
}

#[test]
fn whose_the_records_are_goes_along_into_every_format() {
    let desk = Desk::with(&Signals::leaky());
    let records = Signals::leaky().records;
    let people: Vec<i64> = (0..records as i64).map(|record| record / 3).collect();
    let groups = crate::npy::integers(&[records], &people);
    fs::write(desk.path("signals/groups.npy"), groups).unwrap();
    let chain = [
        "signals",
        "a.npz",
        "b.safetensors",
        "c.parquet",
        "d",
        "e.npz",
    ];
    for pair in chain.windows(2) {
        desk.guestlist(&format!("convert {} {}", pair[0], pair[1]))
            .exits(0);
    }
    let persons = |input: &str| {
        let said = desk.guestlist(&format!("audit {input} --attacks lira --out out --quiet"));
        drop(said);
        desk.json("out/report.json")["persons"].clone()
    };
    let first = persons("signals");
    assert!(first.is_object());
    for input in chain.iter().chain(&["d/phi.npy"]) {
        assert_eq!(persons(input), first, "{input}");
    }
}
