//! Natural questions find a leak behind every defence, and nothing where there is none.

use serde_json::Value;

use crate::bench::Bench;
use crate::service::{Odd, configure, documents, even, said, serve, write_documents};

const COUNT: usize = 40;

fn configured(bench: &Bench, address: std::net::SocketAddr, attacks: &str) {
    write_documents(bench, COUNT);
    let more = format!("[probes]\nrepeats = 0\n[audit]\nattacks = \"{attacks}\"\nbootstrap = 0");
    configure(bench, address, &more);
}

fn attack(report: &Value, id: &str) -> Value {
    let attacks = report["attacks"].as_array().unwrap();
    let found = attacks.iter().find(|attack| attack["id"] == id);
    found.unwrap_or_else(|| panic!("{report}")).clone()
}

fn without(report: &Value, id: &str) -> f64 {
    let attacks = report["detail"]["attacks"].as_array().unwrap();
    let found = attacks.iter().find(|attack| attack["id"] == id).unwrap();
    found["without_retrieval"]["value"].as_f64().unwrap()
}

#[test]
fn no_defence_makes_a_pass_of_a_leak() {
    let names = rehearsal::Defences::NAMES;
    let each = names.iter().map(|name| vec![*name]);
    let together = vec![
        "hide-citations",
        "paraphrase",
        "detect-probing",
        "one-refusal",
    ];
    for defences in std::iter::once(Vec::new()).chain(each).chain([together]) {
        let defences = defences.as_slice();
        let running = serve(even(COUNT), defences);
        let bench = Bench::new();
        configured(&bench, running.address(), "indirect");
        let code = bench.guestlist("run").code;
        assert!(matches!(code, Some(1 | 3)), "{defences:?}: {code:?}");
        if !matches!(defences, [] | ["hide-citations"]) {
            continue;
        }
        let report = bench.json("guestlist-run/report.json");
        let found = attack(&report, "indirect");
        let low = found["auc"]["low"].as_f64().unwrap();
        assert!(low > 0.6, "{defences:?}: {}", found["auc"]);
        let off = without(&report, "indirect");
        assert!(
            (0.4..0.6).contains(&off),
            "{defences:?}: {off} without retrieval"
        );
    }
}

#[test]
fn a_store_without_members_is_at_chance() {
    let running = serve(documents(1000..1080), &["hide-citations"]);
    let bench = Bench::new();
    configured(
        &bench,
        running.address(),
        "indirect,mba-single,yes-no-paired,ia-paired",
    );
    let code = bench.guestlist("run").code;
    assert!(
        matches!(code, Some(1 | 3)),
        "nothing was reached, so that nothing passes: {code:?}"
    );
    let report = bench.json("guestlist-run/report.json");
    for id in ["indirect", "mba-single", "yes-no-paired", "ia-paired"] {
        let found = attack(&report, id);
        // Four looks at one service: at the 99.9% level none lies beyond.
        let (value, low, high) = (
            &found["auc"]["value"],
            &found["auc"]["low"],
            &found["auc"]["high"],
        );
        let width = high.as_f64().unwrap() - low.as_f64().unwrap();
        let off = (value.as_f64().unwrap() - 0.5).abs();
        assert!(off < width, "{id}: {}", found["auc"]);
    }
}

#[test]
fn a_service_that_refuses_everything_never_passes() {
    let odd = Odd::start(|_, _, _| said("I'm sorry, but I can't help with that."));
    let bench = Bench::new();
    configured(&bench, odd.address, "indirect,ia-paired");
    let ran = bench.guestlist("run");
    assert!(matches!(ran.code, Some(2 | 3)), "{}", ran.stdout);
}

/// Documents that the first answers settle are asked less about; what was asked is enough for a replay.
#[test]
fn fewer_requests_find_as_much_and_are_replayed_alike() {
    let running = serve(even(COUNT), &["hide-citations"]);
    let mut requests = Vec::new();
    for adaptive in [false, true] {
        let bench = Bench::new();
        write_documents(&bench, COUNT);
        let more = format!(
            "[probes]\nwithout_retrieval = false\nrepeats = 0\nadaptive = {adaptive}\n[audit]\nattacks = \
             \"facts,indirect,ia,mba-single\"\nbootstrap = 0"
        );
        configure(&bench, running.address(), &more);
        bench.guestlist("run").exits(1);
        let first = bench.json("guestlist-run/report.json");
        bench.guestlist("run --replay").exits(1);
        let again = bench.json("guestlist-run/report.json");
        assert_eq!(first["attacks"], again["attacks"], "adaptive: {adaptive}");
        requests.push(first["detail"]["requests"]["questions"].as_u64().unwrap());
        let spared = first["detail"]["requests"]["spared"].as_u64().unwrap_or(0);
        assert_eq!(spared > 0, adaptive);
        for id in ["facts", "indirect", "ia"] {
            let auc = attack(&first, id)["auc"]["value"].as_f64().unwrap();
            assert!(auc > 0.9, "{id}: {auc}, adaptive: {adaptive}");
        }
    }
    assert!(requests[1] * 10 < requests[0] * 9, "{requests:?}");
}
