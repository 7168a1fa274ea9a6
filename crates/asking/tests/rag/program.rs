//! Programs that answer questions line by line.

use std::time::{Duration, Instant};

use asking::rag::FailureKind;

use super::*;

/// Answers a line at a time: `re: …`, with a source.
const ECHO: &str = r#"sed -u -E 's/.*"id":([0-9]+).*"question":"([^"]*)".*/{"id":\1,"answer":"re: \2","sources":[{"id":"of \2","text":"t"}]}/'"#;

fn target(script: &str) -> Value {
    json!({"command": ["sh", "-c", script]})
}

fn program(script: &str) -> Service {
    service(target(script), &transport())
}

/// What the first question of a run ends with.
fn complaint(script: &str) -> String {
    let (_folder, store) = store();
    let asked = program(script).ask_all(&asks(3), &store, Progress::unwatched());
    asked.unwrap_err().to_string()
}

#[test]
fn keys_in_what_it_complains_about_are_masked() {
    let error = complaint(
        r#"sed -u -E 's/.*"id":([0-9]+).*/{"id":\1,"error":"401 for sk-live-abc123DEF456 at x:\/\/me:pw@host"}/'"#,
    );
    assert!(error.contains("401 for *** at x://***@host"), "{error}");
}

#[test]
fn it_is_started_once_and_answers_several_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (_folder, store) = store();
    let starts = folder.path().join("starts");
    let script = format!("echo started >> {}; {ECHO}", starts.display());
    let target = program(&script);
    let asked = target
        .ask_all(&asks(40), &store, Progress::unwatched())
        .unwrap();
    check_echoes(&asks(40), &asked);
    assert_eq!(asked.tally.answered, 40);
    let again = target
        .ask_all(&asks(50), &store, Progress::unwatched())
        .unwrap();
    assert_eq!((again.tally.from_store, again.tally.sent), (40, 10));
    assert_eq!(std::fs::read_to_string(starts).unwrap(), "started\n");
}

#[test]
fn answers_may_come_in_another_order() {
    // The first question goes alone; then two at a time, the later one first.
    let script = format!(
        "{ECHO} | (read -r one; echo \"$one\"; while read -r a && read -r b; do echo \"$b\"; echo \"$a\"; done)"
    );
    let (_folder, store) = store();
    let patient = TransportSettings {
        concurrency: 2,
        ..transport()
    };
    let target = service(target(&script), &patient);
    let asked = target
        .ask_all(&asks(41), &store, Progress::unwatched())
        .unwrap();
    check_echoes(&asks(41), &asked);
    assert_eq!(asked.tally.answered, 41);
}

#[test]
fn the_arm_without_retrieval_is_a_program_of_its_own() {
    let both = json!({
        "command": ["sh", "-c", ECHO],
        "off": {"command": ["sh", "-c", r#"sed -u -E 's/.*"id":([0-9]+).*"retrieval":(true|false).*/{"id":\1,"answer":"\2"}/'"#]},
    });
    let target = service(both, &transport());
    assert!(target.has_off() && target.about().contains("with and without"));
    let (_folder, store) = store();
    let off = Ask {
        arm: Arm::NoRetrieval,
        ..ask("question 0")
    };
    let asked = target.ask_all(&[ask("question 0"), off], &store, Progress::unwatched());
    let asked = asked.unwrap();
    let said: Vec<&str> = replies(&asked)
        .iter()
        .map(|reply| reply.answer.as_str())
        .collect();
    assert_eq!(said, ["re: question 0", "false"]);
}

#[test]
fn death_garbage_and_wrong_ids_are_named_with_their_line() {
    let died = complaint("echo 'no model here' >&2; read -r line; exit 7");
    assert!(
        died.contains("exit status: 7") && died.contains("no model here"),
        "{died}"
    );
    let garbage = complaint("echo Loading; cat > /dev/null");
    assert!(
        garbage.contains("line 1") && garbage.contains("“Loading”"),
        "{garbage}"
    );
    assert!(garbage.contains("standard error"), "{garbage}");
    let nobody = complaint(r#"while read -r line; do echo '{"id":99,"answer":"x"}'; done"#);
    assert!(nobody.contains("no id of an open question"), "{nobody}");
    let without = complaint(r#"while read -r line; do echo '{"answer":"x"}'; done"#);
    assert!(without.contains("no id of an open question"), "{without}");
    let empty = complaint(r#"sed -u -E 's/.*"id":([0-9]+).*/{"id":\1}/'"#);
    assert!(empty.contains("$.answer"), "{empty}");
    let error = complaint(r#"sed -u -E 's/.*"id":([0-9]+).*/{"id":\1,"error":"out of memory"}/'"#);
    assert!(
        error.contains("out of memory") && error.contains("line"),
        "{error}"
    );
}

/// Answers twice, and talks in between.
#[test]
fn lines_that_answer_nobody_cost_nobody_his_answer() {
    let script = format!(
        "{ECHO} | while read -r line; do echo \"$line\"; echo \"$line\"; echo 'loss 0.1'; done"
    );
    let (_folder, store) = store();
    let asked = program(&script)
        .ask_all(&asks(60), &store, Progress::unwatched())
        .unwrap();
    check_echoes(&asks(60), &asked);
    assert_eq!((asked.tally.answered, asked.tally.faults.len()), (60, 0));
}

#[test]
fn who_waits_in_vain_hears_of_lines_that_answered_nobody() {
    let hasty = TransportSettings {
        timeout: 0.3,
        retries: 0,
        ..transport()
    };
    let failure = |then: &str| {
        let (_folder, store) = store();
        let script = format!(
            "read -r one; echo \"$one\" | {ECHO}; read -r two; echo 'Loading shard 2'; {then}"
        );
        let target = service(target(&script), &hasty);
        let asked = target.ask_all(&asks(2), &store, Progress::unwatched());
        match asked.unwrap().outcomes.remove(1) {
            Outcome::Failed { message, .. } => message,
            other => panic!("{other:?}"),
        }
    };
    let late = failure("cat > /dev/null");
    assert!(late.contains("did not answer in time"), "{late}");
    assert!(
        late.contains("line 2") && late.contains("“Loading shard 2”"),
        "{late}"
    );
    let ended = failure("exit 3");
    assert!(
        ended.contains("before it answered") && ended.contains("“Loading shard 2”"),
        "{ended}"
    );
}

/// Answers every question with these fields beside the answer.
fn showing(fields: &str, extract: Value) -> Service {
    let script =
        format!("sed -u -E 's/.*\"id\":([0-9]+).*/{{\"id\":\\1,\"answer\":\"Yes.\",{fields}}}/'");
    service(
        json!({"command": ["sh", "-c", script], "extract": extract}),
        &transport(),
    )
}

#[test]
fn sources_are_read_wherever_answers_have_them() {
    for fields in [
        r#""sources":[{"id":"a"}]"#,
        r#""sources":{"documents":[{"id":"a"}]}"#,
        r#""references":[{"id":"a"}]"#,
        r#""sources":[],"source_documents":[[{"id":"a"},0.5]]"#,
        r#""context":"a""#,
        r#""citations":{"a":0.5}"#,
    ] {
        let (_folder, store) = store();
        let asked = showing(fields, json!({})).ask_all(&asks(1), &store, Progress::unwatched());
        let asked = asked.unwrap();
        let shown = &replies(&asked)[0].citations;
        assert_eq!(shown.len(), 1, "{fields}");
        assert_eq!(shown[0].id.as_deref(), Some("a"), "{fields}");
    }
}

#[test]
fn sources_that_cannot_be_read_are_no_answer_until_somebody_says_where_they_are() {
    let (_folder, store) = store();
    let fields = r#""sources":[{"number":7,"score":0.5}]"#;
    let ask = |extract: Value, store: &Store| {
        showing(fields, extract).ask_all(&asks(1), store, Progress::unwatched())
    };
    let error = ask(json!({}), &store).unwrap_err().to_string();
    for words in [
        "no source can be read",
        "[target.extract]",
        "source_id",
        "citations = []",
    ] {
        assert!(error.contains(words), "{error}");
    }
    let mended = ask(json!({"source_id": "$.number"}), &store).unwrap();
    assert_eq!(mended.tally.from_store, 1);
    assert_eq!(replies(&mended)[0].citations[0].id.as_deref(), Some("7"));
    let none = ask(json!({"citations": []}), &store).unwrap();
    assert!(replies(&none)[0].citations.is_empty());
}

#[test]
fn what_cannot_be_started_is_said_at_once() {
    let (_folder, store) = store();
    let target = service(json!({"command": ["./no-such-program"]}), &transport());
    let error = target
        .ask_all(&asks(2), &store, Progress::unwatched())
        .unwrap_err();
    assert!(error.to_string().contains("cannot be started"), "{error}");
}

#[test]
fn one_that_dies_half_way_is_started_again() {
    let (_folder, store) = store();
    // Ends after five answers, each time.
    let script =
        format!("for number in 1 2 3 4 5; do read -r line || exit; echo \"$line\" | {ECHO}; done");
    let asked = program(&script)
        .ask_all(&asks(23), &store, Progress::unwatched())
        .unwrap();
    check_echoes(&asks(23), &asked);
    assert_eq!(asked.tally.answered, 23);
    assert!(asked.tally.faults.contains_key(&FailureKind::Connection));
}

#[test]
fn one_that_says_nothing_runs_out_of_time_and_ends_with_us() {
    let (_folder, store) = store();
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().join("proof");
    let hasty = TransportSettings {
        timeout: 0.2,
        retries: 0,
        ..transport()
    };
    let script = format!(
        "trap '' TERM; (sleep 6; touch {}) & cat > /dev/null; sleep 60",
        proof.display()
    );
    let target = service(target(&script), &hasty);
    let error = target
        .ask_all(&asks(1), &store, Progress::unwatched())
        .unwrap_err();
    assert!(
        error.to_string().contains("did not answer in time"),
        "{error}"
    );
    drop(target);
    let until = Instant::now() + Duration::from_secs(7);
    while Instant::now() < until {
        assert!(!proof.exists());
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn what_http_needs_means_nothing_beside_a_program() {
    let refused = |target: Value| {
        let refused = Service::new(&settings(target), &transport());
        refused.err().unwrap().to_string()
    };
    let both = json!({"command": ["a"], "url": "http://h"});
    assert!(refused(both).contains("target.url means nothing"));
    let preset = json!({"command": ["a"], "preset": "dify"});
    assert!(refused(preset).contains("target.preset means nothing"));
    assert!(refused(json!({"command": []})).contains("target.command is empty"));
    let mixed = json!({"url": "http://h", "body": {"q": "{{query}}"},
        "extract": {"answer": "$.a"}, "off": {"command": ["a"]}});
    assert!(refused(mixed).contains("no url"));
    let same = json!({"command": ["a"], "off": {"command": ["a"]}});
    assert!(refused(same).contains("changes nothing"));
    let two = json!({"command": ["a"], "elsewhere": true});
    assert!(refused(two).contains("both given"));
}

#[test]
fn questions_that_others_ask_are_asked_by_nobody_here() {
    let (_folder, store) = store();
    let target = service(json!({"elsewhere": true, "off": {}}), &transport());
    assert!(target.has_off());
    let error = target
        .ask_all(&asks(2), &store, Progress::unwatched())
        .unwrap_err();
    assert!(error.to_string().contains("plan --questions"), "{error}");
}
