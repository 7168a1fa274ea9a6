//! The retrieval service as a program: started, asked, stopped.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::common::{Desk, PATIENCE};

/// A program that is ended with its test, whatever becomes of the test.
struct Server {
    child: Child,
    listening: Value,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(desk: &Desk, options: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_guestlist"))
            .current_dir(desk.path(""))
            .env("RAG_KEY", "open sesame")
            .args(["rag-server", "documents.jsonl", "--port", "0", "--json"])
            .args(options.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let listening = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"));
        Self { child, listening }
    }

    fn ask(&self, question: &str, headers: &str) -> String {
        let address = self.listening["address"].as_str().unwrap();
        let mut connection = TcpStream::connect(address.strip_prefix("http://").unwrap()).unwrap();
        connection.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = json!({"messages": [{"role": "user", "content": question}]}).to_string();
        let length = body.len();
        let request = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        );
        connection.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        answer
    }

    fn stop(mut self, signal: &str) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &pid])
                .status()
                .unwrap()
                .success()
        );
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        None
    }
}

fn desk() -> Desk {
    let desk = Desk::new();
    let lines = [
        json!({"id": "tea", "title": "Tea", "text": "Hotter water extracted more caffeine."}),
        json!({"id": "bees", "text": "Colonies near motorways produced fewer queens."}),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(desk.path("documents.jsonl"), lines).unwrap();
    desk
}

#[test]
fn serves_until_it_is_asked_to_stop() {
    let desk = desk();
    for signal in ["-INT", "-TERM"] {
        let server = Server::start(&desk, "--top-k 1");
        assert_eq!(server.listening["event"], "listening");
        assert_eq!(server.listening["documents"], 2);
        let answer = server.ask("What did hotter water extract?", "");
        assert!(
            answer.contains("Hotter water extracted more caffeine. [1]"),
            "{answer}"
        );
        assert_eq!(server.stop(signal), Some(0));
    }
}

#[test]
fn key_and_defences_are_heeded() {
    let desk = desk();
    let server = Server::start(&desk, "--api-key-env RAG_KEY --defence hide-citations");
    assert_eq!(server.listening["defences"], json!(["hide-citations"]));
    let question = "What did hotter water extract?";
    assert!(server.ask(question, "").starts_with("HTTP/1.1 401"));
    let answer = server.ask(question, "Authorization: Bearer open sesame\r\n");
    assert!(
        answer.contains("more caffeine.\"") && !answer.contains("[1]"),
        "{answer}"
    );
}

#[test]
fn what_cannot_be_served_is_refused_with_a_remedy() {
    let desk = desk();
    for (options, words) in [
        (
            "documents.jsonl --defence moat",
            "there is no defence \"moat\"; hint: choose from refuse-verbatim",
        ),
        (
            "documents.jsonl --retriever best",
            "choose bm25, dense or hybrid",
        ),
        (
            "documents.jsonl --retriever dense",
            "--retriever dense needs embeddings; hint: name an embedder",
        ),
        ("documents.jsonl --top-k 0", "top_k is 0"),
        (
            "documents.jsonl --chunk-words 10 --chunk-overlap 9",
            "cannot overlap by 9",
        ),
        (
            "documents.jsonl --api-key-env NOT_SET_ANYWHERE",
            "NOT_SET_ANYWHERE",
        ),
        (
            "documents.jsonl --retriever dense --embeddings nowhere",
            "nowhere: no such file",
        ),
        ("documents.jsonl --model nowhere.gguf", "nowhere.gguf: "),
        ("nowhere.jsonl", "nowhere.jsonl: no such file"),
    ] {
        let said = desk
            .guestlist(&format!("rag-server --port 0 {options}"))
            .exits(2);
        assert!(said.stderr.contains(words), "{options}: {}", said.stderr);
    }
}
