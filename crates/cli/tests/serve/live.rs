//! A running audit tells how it stands, and listeners hear it.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Instant;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::http::{PATIENCE, connect, request};
use crate::server::{Server, program};

/// Listens until an event is right.
fn hear(server: &Server, target: &str, right: impl Fn(&Value) -> bool) -> Option<Value> {
    let mut stream = connect(&server.address);
    stream
        .write_all(&request("GET", target, &server.address, "", ""))
        .unwrap();
    let started = Instant::now();
    for line in BufReader::new(stream).lines() {
        let line = line.ok()?;
        if let Some(data) = line.strip_prefix("data: ") {
            let event: Value = serde_json::from_str(data).unwrap();
            if right(&event) {
                return Some(event);
            }
        }
        if started.elapsed() > PATIENCE {
            return None;
        }
    }
    None
}

/// Enough models that the run is still going when it is looked at.
pub fn configuration(folder: &Folder, name: &str, shadows: usize) {
    let mut table = String::from("x,y,class\n");
    for at in 0..240u32 {
        let (x, y) = (at * 7919 % 101, at * 104_729 % 97);
        table += &format!("{x},{y},{}\n", if x + y > 100 { "yes" } else { "no" });
    }
    folder.write(&format!("{name}/data.csv"), table);
    folder.write(
        &format!("{name}/guestlist.toml"),
        format!(
            "kind = \"classifier\"\n[data]\npath = \"data.csv\"\nlabel = \"class\"\n[models]\nshadows = {shadows}\n\
             [audit]\nattacks = \"lira\"\n[training]\nhidden = [64]\nepochs = 4000\n[run]\nfolder = \".\"\nworkers = 1\n"
        ),
    );
}

#[test]
fn a_real_run_is_followed_to_its_end() {
    let folder = Folder::new();
    configuration(&folder, "live", 40);
    let server = Server::start(&folder.path(""), "");
    let mut run = program()
        .args(["run", "guestlist.toml"])
        .current_dir(folder.path("live"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let moved = hear(&server, "/events", |event| {
        event["state"] == "running" && event["done"].as_u64() > Some(0)
    });
    let moved = moved.unwrap();
    assert_eq!(
        (moved["path"].as_str(), moved["phase"].as_str()),
        (Some("live"), Some("training"))
    );
    assert_eq!(moved["total"], 41);
    server.get("/").is(200).says("data-progress=\"live\"");
    let over = hear(&server, "/audits/live/events", |event| {
        event["state"] == "finished"
    });
    assert!(over.is_some());
    assert!(matches!(run.wait().unwrap().code(), Some(0 | 1 | 3)));
    assert!(!folder.path("live/progress.json").exists());
    let done = |page: String| page.contains("1 audit") && !page.contains("data-progress");
    let settled = server.await_that("/", |answer| done(answer.text()));
    assert!(settled.is_some(), "the bar is still there");
}

#[test]
fn an_audit_whose_process_is_gone_is_said_to_have_stopped() {
    let folder = Folder::new();
    let progress = |state: &str, updated: u64| {
        json!({
            "schema": "guestlist.progress/1", "state": state, "phase": "asking", "done": 3, "total": 9,
            "unit": "answers", "rate": 1.5, "seconds_left": 4.0, "message": null, "host": null,
            "pid": 1, "started": 1, "updated": updated,
        })
    };
    folder.write("dead/progress.json", progress("running", 1000).to_string());
    folder.write(
        "alive/progress.json",
        progress("running", u64::MAX / 2).to_string(),
    );
    folder.write(
        "ended/progress.json",
        progress("interrupted", 1000).to_string(),
    );
    folder.write("broken/progress.json", "{");
    let server = Server::start(&folder.path(""), "");
    let page = server.await_text("/", "3 of 9 answers");
    assert!(page.contains("stopped, asking, 3 of 9 answers"));
    assert!(page.contains("interrupted, asking"));
    assert!(page.contains("data-progress=\"alive\" data-state=\"running\""));
    let dead = hear(&server, "/audits/dead/events", |_| true).unwrap();
    assert_eq!(
        (dead["state"].as_str(), dead["path"].as_str()),
        (Some("stopped"), Some("dead"))
    );
    server
        .get("/audits/dead/")
        .is(200)
        .says("There is no report yet");
}

#[test]
fn listeners_are_counted_and_their_seats_come_back() {
    let folder = Folder::new();
    let server = Server::start(&folder.path(""), "");
    let listen = || {
        let mut stream = connect(&server.address);
        stream
            .write_all(&request("GET", "/events", &server.address, "", ""))
            .unwrap();
        let mut line = String::new();
        let mut reader = BufReader::new(stream);
        reader.read_line(&mut line).unwrap();
        (line.contains("200"), reader)
    };
    let mut seated = Vec::new();
    for _ in 0..64 {
        let (welcome, reader) = listen();
        assert!(welcome);
        seated.push(reader);
    }
    assert!(!listen().0);
    drop(seated);
    let started = Instant::now();
    while !listen().0 {
        assert!(started.elapsed() < PATIENCE);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(server.stop(), Some(0));
}
