//! Nothing was tested: a service that answers nothing, or whose store holds none of the documents,
//! gives no pass.

use crate::bench::{Bench, Output};
use crate::service::{Odd, configure, documents, http, said, serve, write_documents};

// How long answers take is a matter of who else is at work on this machine.
const ATTACKS: &str = "\"cross-fitted.latency\" = \"no\"\n[probes]\nwithout_retrieval = false\n[audit]\nattacks = \"content,facts,yes-no,refusals,rank-average,cross-fitted\"\nbootstrap = 0";

fn audit(bench: &Bench, address: std::net::SocketAddr) -> Output {
    write_documents(bench, 60);
    configure(bench, address, ATTACKS);
    bench.guestlist("run --verbose")
}

/// The report without the breaks of its lines.
fn flat(said: &Output) -> String {
    let words: Vec<&str> = said.stdout.split_whitespace().collect();
    words.join(" ")
}

#[test]
fn one_reply_to_everything_is_no_pass() {
    for reply in [
        "I do not know.",
        "I'm sorry, but I can't help with that.",
        "",
        "The service is temporarily unavailable. Please try again later.",
    ] {
        let odd = Odd::start(move |_, _, _| said(reply));
        let bench = Bench::new();
        let said = audit(&bench, odd.address).exits(3);
        let words = flat(&said);
        for part in [
            "nothing shows that any question reached a member's document",
            "100.0% of the answers are one and the same reply",
            "guestlist init rag --controls",
        ] {
            assert!(words.contains(part), "{reply:?}: {words}");
        }
    }
}

#[test]
fn a_service_that_answers_from_its_own_head_is_no_pass() {
    // Fluent, different from question to question, and from no document.
    let odd = Odd::start(|_, body, _| {
        let query = body["messages"][0]["content"].as_str().unwrap_or_default();
        let number = query.bytes().map(usize::from).sum::<usize>();
        said(&format!(
            "In general such buildings took {} years, and traders valued them in {} ways.",
            number % 37,
            number % 11
        ))
    });
    let bench = Bench::new();
    let said = audit(&bench, odd.address).exits(3);
    assert!(
        flat(&said).contains("reached: nothing shows"),
        "{}",
        said.stdout
    );
}

#[test]
fn a_store_without_the_members_is_no_pass_although_its_sources_are_hidden() {
    let running = serve(documents(1000..1200), &["hide-citations"]);
    let bench = Bench::new();
    let said = audit(&bench, running.address()).exits(3);
    assert!(
        flat(&said).contains("reached: nothing shows"),
        "{}",
        said.stdout
    );
}

/// A service that shows the auditor what it looks up, and nobody what is in it. How long it takes to
/// look is the machine's business, and would tell.
#[test]
fn an_honest_service_whose_look_ups_are_seen_passes() {
    let texts = crate::service::texts_of_members(60);
    let odd = Odd::start(move |_, body, number| {
        let query = body["messages"][0]["content"].as_str().unwrap_or_default();
        let found = crate::service::holder(query, &texts);
        let chunks: Vec<_> = found
            .map(|number| serde_json::json!({"id": format!("paper-{number:05}")}))
            .into_iter()
            .collect();
        let answer = ["Please come to our office.", "Thank you for asking us."][number % 2];
        let body = serde_json::json!({
            "choices": [{"message": {"content": answer}, "finish_reason": "stop"}], "chunks": chunks,
        });
        http("200 OK", "application/json", body.to_string().as_bytes())
    });
    let bench = Bench::new();
    write_documents(&bench, 60);
    configure(&bench, odd.address, ATTACKS);
    let config = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let extract = "[target.extract]\nretrieved = \"$.chunks\"\n[audit.settings]";
    bench.write(
        "guestlist.toml",
        &config.replace("[audit.settings]", extract),
    );
    let said = bench.guestlist("run --verbose").exits(0);
    let words = flat(&said);
    assert!(
        words.contains("it holds for an attacker who has a document's text"),
        "{words}"
    );
    assert!(
        words.contains("the sources of answers tell members from non-members"),
        "{words}"
    );
}
