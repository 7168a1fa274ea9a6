//! Labels that are settled need no more questions.

use serde_json::Value;

use crate::bench::Bench;
use crate::world::{World, configure, report};

fn plan(bench: &Bench) -> Value {
    let said = bench.guestlist("plan --json").exits(0).stdout;
    let mut events = said
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.find(|event| event["event"] == "plan").unwrap()
}

#[test]
fn settled_texts_are_left_alone_and_a_share_is_checked() {
    let world = World::new(8, 24);
    let service = world.serve();
    let bench = Bench::new();
    world.write(&bench, true);
    configure(&bench, service.address, "[source]\nperturbations = 64\n");
    let planned = plan(&bench);
    assert_eq!(service.count(), 0, "planning sends nothing");
    // Twenty are asked twice.
    assert_eq!(planned["requests"], 24 * 64 * 2 + 20);
    // 5 of 24 in full, the others 32 of 64 at best.
    assert_eq!(planned["least_requests"], 2 * (5 * 64 + 19 * 32) + 20);
    bench.guestlist("run");
    let asked = service.count() as u64 - 20;
    assert!(asked < 24 * 64 * 2, "{asked}");
    let stopping = &report(&bench)["detail"]["stopping"];
    assert_eq!(stopping["planned"], 24 * 64 * 2);
    assert_eq!(stopping["asked"], asked);
    assert_eq!(stopping["saved"], 24 * 64 * 2 - asked);
    assert!(stopping["stopped"].as_u64().unwrap() > 0);
    assert!(stopping["checked"].as_u64().unwrap() > 0);
    assert!(stopping["document_agreement"].as_f64().unwrap() >= 0.8);
    assert!(stopping["token_agreement"].as_f64().unwrap() >= 0.8);
    // Only those that were asked in full are looked at with fewer inputs.
    let rows = report(&bench)["detail"]["sweeps"]["rows"].clone();
    assert_eq!(rows.as_array().unwrap().len(), 6);
    assert_eq!(rows[0]["n"], 5);
}

#[test]
fn without_early_stopping_everything_is_asked() {
    let world = World::new(2, 16);
    let service = world.serve();
    let bench = Bench::new();
    world.write(&bench, true);
    let all = "[source]\nperturbations = 40\nearly_stopping = false\n";
    configure(&bench, service.address, all);
    bench.guestlist("run");
    assert_eq!(service.count(), 6 * 40 * 2 + 20);
    let stopping = &report(&bench)["detail"]["stopping"];
    assert_eq!(
        (&stopping["on"], &stopping["saved"]),
        (&false.into(), &0.into())
    );
}
