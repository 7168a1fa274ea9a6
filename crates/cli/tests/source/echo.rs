//! A service that repeats what it is asked knows nothing by that.

use serde_json::Value;

use crate::bench::Bench;
use crate::service::{Odd, said};
use crate::world::{World, configure, report};

#[test]
fn repeating_the_question_is_not_knowing_the_text() {
    let world = World::new(8, 16);
    let bench = Bench::new();
    world.write(&bench, true);
    let service =
        Odd::start(|_, body, _| said(body["messages"][0]["content"].as_str().unwrap_or_default()));
    configure(&bench, service.address, "[source]\nperturbations = 32\n");
    bench.guestlist("run").exits(3);
    let found = report(&bench);
    let echo = |finding: &&Value| finding["id"] == "echo";
    let guardrails = found["guardrails"].as_array().unwrap();
    assert_eq!(guardrails.iter().find(echo).unwrap()["status"], "violated");
    // Nothing that was hidden came back.
    for document in found["detail"]["documents"].as_array().unwrap() {
        assert_eq!(document["words_back"]["hidden_off"], 0.0, "{document}");
    }
}
