//! Budgets are kept, and said before.

use serde_json::Value;

use crate::bench::Bench;
use crate::service::{Odd, configure, said, write_documents};

fn plan(bench: &Bench, options: &str) -> Value {
    let said = bench
        .guestlist(&format!("plan --json {options}"))
        .exits(0)
        .stdout;
    let events = said
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    events
        .into_iter()
        .find(|event| event["event"] == "plan")
        .unwrap()
}

#[test]
fn no_more_is_sent_than_allowed_and_the_rest_is_asked_later() {
    let odd = Odd::start(|_, _, _| said("I don't know."));
    let bench = Bench::new();
    write_documents(&bench, 20);
    configure(
        &bench,
        odd.address,
        "[probes]\nwithout_retrieval = false\nrepeats = 0\nrecheck = 0\n[audit]\nattacks = \"content,yes-no\"",
    );
    let all = plan(&bench, "")["requests"].as_u64().unwrap();
    assert_eq!(odd.count(), 0, "planning sends nothing");
    assert_eq!(all, 40 * 6);
    let said = bench.guestlist("run --max-requests 50");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    assert!(odd.count() <= 50, "{}", odd.count());
    let before = odd.count();
    bench.guestlist("run --max-requests 50");
    assert!(
        odd.count() <= 50,
        "the life of the folder counts, {}",
        odd.count()
    );
    assert_eq!(plan(&bench, "")["stored"].as_u64().unwrap(), before as u64);
    bench.guestlist("run");
    assert_eq!(odd.count() as u64, all);
    bench.guestlist("run");
    assert_eq!(odd.count() as u64, all, "nothing is asked twice");
}

#[test]
fn flags_of_services_are_refused_elsewhere() {
    let bench = Bench::with(4, "");
    bench.guestlist("run --replay").complains(&["--replay"]);
    bench
        .guestlist("run --max-requests 3")
        .complains(&["--max-requests"]);
}

#[test]
fn it_is_said_once_what_of_non_members_goes_where() {
    let odd = Odd::start(|_, _, _| said("I don't know."));
    let bench = Bench::new();
    write_documents(&bench, 12);
    let few = "[probes]\nwithout_retrieval = false\n[audit]\nattacks = \"content,s2,yes-no\"";
    configure(&bench, odd.address, few);
    let warning = "stretches of up to ";
    for command in ["plan", "run"] {
        let said = bench.guestlist(command).stderr;
        assert_eq!(said.matches(warning).count(), 1, "{said}");
        for part in [
            "of 12 non-members",
            &format!("go to {}", odd.address),
            "yes-no",
            "s2",
            "content",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
    let again = bench.guestlist("run").stderr;
    assert!(!again.contains(warning), "nothing more is sent: {again}");
}
