//! Budgets are kept, and said before.

use serde_json::Value;

use crate::bench::Bench;
use crate::service::{Odd, configure, even, http, pass_on, said, serve, write_documents};

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

const PLAIN: &str = "[probes]\nwithout_retrieval = false\nrepeats = 0\nrecheck = 0\nadaptive = false\n[audit]\nattacks = \"content,citation\"";

/// Lines are broken anywhere.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn report(bench: &Bench) -> Value {
    bench.json("guestlist-run/report.json")
}

#[test]
fn a_spent_budget_judges_the_documents_that_were_asked() {
    let running = serve(even(40), &[]);
    let bench = Bench::new();
    write_documents(&bench, 40);
    configure(&bench, running.address(), PLAIN);
    // Six questions about each of 40 documents, and half of the next.
    let said = bench.guestlist("run --max-requests 243").exits(1);
    assert!(
        said.stdout
            .contains("40 of 80 documents asked, budget spent"),
        "{}",
        said.stdout
    );
    let found = report(&bench);
    let asked = &found["detail"]["requests"]["documents"];
    assert_eq!(
        (asked["asked"].as_u64(), asked["planned"].as_u64()),
        (Some(40), Some(80))
    );
    let attack = &found["attacks"][0];
    assert_eq!(
        (
            attack["n_members"].as_u64(),
            attack["n_nonmembers"].as_u64()
        ),
        (Some(20), Some(20))
    );
    assert!(attack["auc"]["low"].as_f64().unwrap() > 0.65, "{attack}");
    // What was recorded is judged alike.
    let again = bench
        .guestlist("audit guestlist-run/transcript.jsonl --attacks content,citation --out again");
    assert_eq!(again.code, Some(1), "{}", again.stderr);
    assert_eq!(
        bench.json("again/report.json")["attacks"][0]["auc"],
        attack["auc"]
    );
    // Eight of the answers in the store are asked again, so that they count for the service of today.
    let careful = PLAIN.replace("recheck = 0", "recheck = 8");
    configure(&bench, running.address(), &careful);
    let more = bench.guestlist("run --max-requests 316").exits(1);
    assert!(
        flat(&more.stdout).contains("50 of 80 documents asked"),
        "{}",
        more.stdout
    );
}

#[test]
fn a_spent_budget_never_passes_by_too_few() {
    let odd = Odd::start(|_, _, _| said("I don't know."));
    let bench = Bench::new();
    write_documents(&bench, 60);
    configure(&bench, odd.address, PLAIN);
    for (budget, words) in [
        (
            0,
            "the budget of 0 requests was spent before the first question",
        ),
        (1, "before all questions about a single member were asked"),
        (7, "before all questions about a single"),
    ] {
        let said = bench
            .guestlist(&format!("run --max-requests {budget}"))
            .exits(2);
        assert!(
            flat(&said.stderr).contains(words),
            "{budget}: {}",
            said.stderr
        );
        assert!(odd.count() <= budget, "{budget}");
    }
    let said = bench.guestlist("run --max-requests 121").exits(3);
    assert!(
        said.stdout
            .contains("20 of 120 documents asked, budget spent"),
        "{}",
        said.stdout
    );
    let guardrails = report(&bench)["guardrails"].to_string();
    assert!(
        guardrails.contains("10 members and 10 non-members are enough"),
        "{guardrails}"
    );
}

#[test]
fn a_limit_is_a_beginning_of_the_order_of_asking() {
    let odd = Odd::start(|_, _, _| said("I don't know."));
    let bench = Bench::new();
    write_documents(&bench, 30);
    configure(&bench, odd.address, PLAIN);
    bench.guestlist("run --limit 10");
    assert_eq!(odd.count(), 20 * 6);
    bench.guestlist("run --limit 25");
    assert_eq!(odd.count(), 50 * 6, "every paid answer is used again");
    bench.guestlist("run --max-requests 330");
    assert_eq!(odd.count(), 330, "the budget goes to the next");
    bench.guestlist("run");
    assert_eq!(odd.count(), 60 * 6);
}

#[test]
fn a_plan_proposes_the_best_for_a_budget_and_says_what_it_costs() {
    let odd = Odd::start(|_, _, _| said("I don't know."));
    let bench = Bench::new();
    write_documents(&bench, 100);
    let price = "[target.price]\ninput = 2.0\noutput = 8.0\nrequest = 0.01\ncontext = 500\ncurrency = \"EUR\"\n\
                 [probes]\nwithout_retrieval = false\n";
    configure(&bench, odd.address, price);
    let all = plan(&bench, "");
    assert!(all["proposal"].is_null(), "{all}");
    let number = |key: &str| all[key].as_f64().unwrap();
    let (cost, requests) = (number("cost"), number("requests"));
    let tokens_in = number("tokens_in") + 500.0 * requests;
    let expected = 0.01 * requests + (2.0 * tokens_in + 8.0 * number("tokens_out")) / 1e6;
    assert!((cost - expected).abs() < 1e-9, "{cost} {expected}");
    let some = plan(&bench, "--max-requests 400");
    let best = &some["proposal"];
    assert!(best["requests"].as_u64().unwrap() <= 400, "{best}");
    assert_eq!(best["attacks"], serde_json::json!(["citation"]), "{best}");
    assert_eq!(best["enough"], true);
    assert!(some["cost"].as_f64().unwrap() < cost);
    let words = bench.guestlist("plan --max-requests 400").exits(0).stdout;
    assert!(
        flat(&words).contains("best for 400") && words.contains("--attacks citation"),
        "{words}"
    );
    assert!(words.contains("EUR"), "{words}");
    // It holds what it promises.
    let limit = best["limit"].as_u64().unwrap();
    let taken = plan(
        &bench,
        &format!("--limit {limit} --attacks citation --max-requests 400"),
    );
    assert!(taken["requests"].as_u64().unwrap() <= 400, "{taken}");
    assert_eq!(odd.count(), 0);
}

/// Some questions fail for good; a replay tells so, and what it took.
#[test]
fn a_replay_keeps_counts_and_failures() {
    let odd = Odd::start(|_, body, _| match body.to_string().len() % 3 == 0 {
        true => http("422 Unprocessable", "text/plain", b"no"),
        false => said("I don't know."),
    });
    let bench = Bench::new();
    write_documents(&bench, 20);
    configure(&bench, odd.address, PLAIN);
    bench.guestlist("run");
    let before = report(&bench)["detail"]["requests"].clone();
    assert!(
        !before["failed"].as_object().unwrap().is_empty(),
        "{before}"
    );
    let sent = odd.count();
    bench.guestlist("run --replay");
    assert_eq!(odd.count(), sent);
    let after = report(&bench)["detail"]["requests"].clone();
    for key in [
        "sent",
        "retried",
        "failed",
        "faults",
        "tokens_in",
        "tokens_out",
        "answered",
        "days",
        "documents",
    ] {
        assert_eq!(before[key], after[key], "{key}");
    }
    assert_eq!(after["documents"]["asked"], 40, "what failed was asked");
}

#[test]
fn a_service_that_dies_leaves_a_verdict_on_what_it_said() {
    let running = serve(even(30), &[]);
    let address = running.address();
    let dies = Odd::start(move |_, body, number| match number < 150 {
        true => http("200 OK", "application/json", &pass_on(address, body)),
        false => http("503 Gone", "text/plain", b"gone"),
    });
    let bench = Bench::new();
    write_documents(&bench, 30);
    let hasty = format!("[transport]\ntimeout = 1.0\nretries = 0\n{PLAIN}");
    configure(&bench, dies.address, &hasty);
    let said = bench.guestlist("run");
    assert!(
        flat(&said.stderr).contains("no longer answers"),
        "{}",
        said.stderr
    );
    assert!(
        flat(&said.stdout).contains("the service no longer answered"),
        "{}",
        said.stdout
    );
    assert!(matches!(said.code, Some(1 | 3)), "{}", said.stdout);
}

#[test]
fn a_redirection_is_named_and_not_followed() {
    let other = Odd::start(|_, _, _| said("I don't know."));
    let to = format!("http://user:pass@{}/elsewhere?token=abc", other.address);
    let moved = Odd::start(move |_, _, _| {
        let head = format!("HTTP/1.1 307 Moved\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
        head.into_bytes()
    });
    let bench = Bench::new();
    write_documents(&bench, 12);
    configure(&bench, moved.address, PLAIN);
    let said = bench.guestlist("run").exits(2);
    let named = format!("sends us to http://{}/elsewhere?…", other.address);
    assert!(flat(&said.stderr).contains(&named), "{}", said.stderr);
    assert!(
        !flat(&said.stderr).contains("pass@") && !flat(&said.stderr).contains("abc"),
        "{}",
        said.stderr
    );
    assert_eq!(other.count(), 0);
}
