//! Whom a service refuses to talk about, and whose questions fail, tells.

use crate::bench::{Bench, Output};
use crate::service::{Odd, configure, holder, http, said, texts_of_members, write_documents};

fn audit(bench: &Bench, odd: &Odd, target: &str, attacks: &str) -> Output {
    seeded(bench, odd, target, attacks, 0)
}

/// The seed chooses whom the first question is about.
fn seeded(bench: &Bench, odd: &Odd, target: &str, attacks: &str, seed: u64) -> Output {
    write_documents(bench, 60);
    configure(
        bench,
        odd.address,
        &format!(
            "[transport]\nretries = 0\n[probes]\nwithout_retrieval = false\nrepeats = 0\n[audit]\nattacks = \"{attacks}\"\nbootstrap = 0"
        ),
    );
    let config = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let config = config.replace("[audit.settings]", &format!("{target}\n[audit.settings]"));
    bench.write("guestlist.toml", &config);
    bench.guestlist(&format!("run --verbose --seed {seed}"))
}

fn flat(said: &Output) -> String {
    let words: Vec<&str> = said.stdout.split_whitespace().collect();
    words.join(" ")
}

/// A number that the question alone decides.
fn lot(query: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    let hash = query.bytes().fold(start, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 20) % 100
}

/// Nearly all that overlaps a document is refused, and most of the rest.
fn filtered(refusal: &'static str) -> Odd {
    let texts = texts_of_members(60);
    Odd::start(move |_, body, _| {
        let query = body["messages"][0]["content"].as_str().unwrap_or_default();
        let refuses = holder(query, &texts).is_some() || lot(query) < 70;
        said(if refuses {
            refusal
        } else {
            "It is told that barrels of timber were held there."
        })
    })
}

#[test]
fn a_service_that_refuses_what_overlaps_its_documents_fails() {
    let odd = filtered("I'm sorry, but I can't help with that.");
    let bench = Bench::new();
    let all = "content,facts,yes-no,refusals,rank-average,cross-fitted";
    let said = audit(&bench, &odd, "", all).exits(1);
    let report = bench.json("guestlist-run/report.json");
    let attacks = report["attacks"].as_array().unwrap();
    let auc = |id: &str| {
        let attack = attacks.iter().find(|attack| attack["id"] == id).unwrap();
        attack["auc"]["value"].as_f64().unwrap()
    };
    assert!(
        auc("refusals") > 0.8 && auc("cross-fitted") > 0.8,
        "{}",
        said.stdout
    );
}

#[test]
fn an_attack_far_below_one_half_is_no_pass() {
    let odd = filtered("I'm sorry, but I can't help with that.");
    let bench = Bench::new();
    let said = audit(&bench, &odd, "", "content,facts").exits(3);
    let words = flat(&said);
    assert!(
        words.contains("tells members from non-members by itself"),
        "{words}"
    );
    // The same said as not knowing: the sign of refusals is wrong, and the verdict is not.
    let odd = filtered("I do not know.");
    let bench = Bench::new();
    let said = audit(
        &bench,
        &odd,
        "",
        "content,facts,yes-no,refusals,rank-average",
    );
    let words = flat(&said.exits(3));
    assert!(
        words.contains("refusals: ") && words.contains("below"),
        "{words}"
    );
}

/// Every second question about a member ends with a status.
fn failing() -> Odd {
    let texts = texts_of_members(60);
    Odd::start(move |_, body, number| {
        let query = body["messages"][0]["content"].as_str().unwrap_or_default();
        match number > 0 && holder(query, &texts).is_some() && lot(query) < 50 {
            true => http("422 Unprocessable", "application/json", b"{}"),
            false => said("Please come to our office."),
        }
    })
}

#[test]
fn failures_that_fall_on_members_are_no_pass() {
    let bench = Bench::new();
    let said = audit(&bench, &failing(), "", "content,facts,yes-no,refusals");
    let words = flat(&said.exits(3));
    for part in [
        "questions about members fail more often than those about non-members",
        "target.refused_status",
    ] {
        assert!(words.contains(part), "{words}");
    }
}

/// Whatever is about a member has no text for an answer.
fn silent_about_members(status: &'static str) -> Odd {
    let texts = texts_of_members(60);
    Odd::start(move |_, body, _| {
        let query = body["messages"][0]["content"].as_str().unwrap_or_default();
        match holder(query, &texts) {
            None => said("I do not know."),
            Some(_) => http(
                status,
                "application/json",
                br#"{"choices": [{"message": {"content": null}}]}"#,
            ),
        }
    })
}

#[test]
fn a_service_that_fails_at_members_alone_is_reported_and_no_pass() {
    for status in ["200 OK", "500 Internal Server Error"] {
        // Every question names a year or a count, so that all about members fail; some about others do, too.
        let odd = silent_about_members(status);
        // About a non-member first: where the very first answer cannot be read, a path is wrong.
        let mut said = (0..9).map(|seed| seeded(&Bench::new(), &odd, "", "facts", seed));
        let said = said.find(|said| said.code != Some(2)).unwrap();
        let words = flat(&said.exits(3));
        assert!(words.contains("failed-requests: "), "{words}");
        assert!(
            words.contains(", 180 about members and ") && words.contains("a failure itself tells"),
            "{words}"
        );
    }
}

#[test]
fn a_status_that_means_a_refusal_is_one() {
    let bench = Bench::new();
    let target = "refused_status = [403, 422]";
    let attacks = "content,facts,yes-no,refusals";
    let said = audit(&bench, &failing(), target, attacks).exits(1);
    assert!(flat(&said).contains("AUC of refusals"), "{}", said.stdout);
    let bench = Bench::new();
    audit(&bench, &failing(), "refused_status = [200]", attacks)
        .complains(&["target.refused_status", "200"]);
}

/// Nothing is said, and what was found is shown all the same, to whoever looks beside the answers.
#[test]
fn sources_that_no_attack_reads_are_no_pass() {
    let texts = texts_of_members(60);
    let odd = Odd::start(move |_, body, _| {
        let query = body["messages"][0]["content"].as_str().unwrap_or_default();
        let found = holder(query, &texts).into_iter();
        let shown = found.map(|number| serde_json::json!({"id": format!("paper-{number:05}")}));
        let body = serde_json::json!({
            "choices": [{"message": {"content": "I don't know."}, "finish_reason": "stop"}],
            "citations": shown.collect::<Vec<_>>(),
        });
        http("200 OK", "application/json", body.to_string().as_bytes())
    });
    let bench = Bench::new();
    let words = flat(&audit(&bench, &odd, "", "content,facts").exits(3));
    assert!(
        words.contains("telling-signals: ") && words.contains("add citation to the attacks"),
        "{words}"
    );
}

/// Two templates, a number in each: the words tell, and no reply comes twice.
#[test]
fn templates_with_a_number_are_no_pass() {
    let texts = texts_of_members(60);
    let odd = Odd::start(move |_, body, number| {
        let query = body["messages"][0]["content"].as_str().unwrap_or_default();
        let desk = match holder(query, &texts) {
            Some(_) => "records team",
            None => "service desk",
        };
        said(&format!(
            "Your request {number}17 was forwarded to the {desk}."
        ))
    });
    let bench = Bench::new();
    let words = flat(&audit(&bench, &odd, "", "content,facts").exits(3));
    assert!(
        words.contains("refusals: ") && words.contains("whatever they are about, tells members"),
        "{words}"
    );
}
