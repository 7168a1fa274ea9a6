//! A preset that is found by asking the address.

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::service::{even, serve};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};

/// Answers one path, and nothing else; a request with a key would be a mistake.
fn speaks(path: &'static str, status: u16, body: Value) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            let mut lines = BufReader::new(connection.try_clone().unwrap()).lines();
            let mut head = lines
                .by_ref()
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty());
            let first = head.next().unwrap_or_default();
            assert!(first.starts_with("GET "), "{first}");
            assert!(!head.any(|line| line.to_lowercase().starts_with("authorization")));
            let known = first.split(' ').nth(1) == Some(path);
            let (status, body) = match known {
                true => (status, body.to_string()),
                false => (404, "{}".to_owned()),
            };
            let mut writer = connection;
            let _ = write!(
                writer,
                "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
        }
    });
    address
}

fn proposed(address: &str) -> (String, String) {
    let bench = Bench::new();
    let said = bench
        .guestlist(&format!("init rag --target {address} --out a.toml"))
        .exits(0);
    let text = std::fs::read_to_string(bench.path("a.toml")).unwrap();
    let line = text.lines().find(|line| line.starts_with("preset = "));
    let preset = line.unwrap().split('"').nth(1).unwrap().to_owned();
    (preset, format!("{}{}", said.stdout, said.stderr))
}

#[test]
fn what_an_address_says_chooses_the_preset() {
    for (path, status, body, preset) in [
        (
            "/api/config",
            200,
            json!({"name": "Open WebUI", "features": {}}),
            "open-webui",
        ),
        ("/api/tags", 200, json!({"models": []}), "ollama"),
        ("/api/ping", 200, json!({"online": true}), "anythingllm"),
        (
            "/v1/parameters",
            401,
            json!({"code": "unauthorized", "status": 401}),
            "dify",
        ),
        (
            "/api/v1/datasets",
            200,
            json!({"code": 109, "message": "no key"}),
            "ragflow",
        ),
        (
            "/openapi.json",
            200,
            json!({"paths": {"/chain/invoke": {}}}),
            "langserve",
        ),
        (
            "/v1/models",
            401,
            json!({"error": {"message": "no key"}}),
            "openai-chat",
        ),
    ] {
        let address = speaks(path, status, body);
        let (found, said) = proposed(&format!("http://{address}"));
        assert_eq!(found, preset);
        assert!(
            said.contains(&format!("preset {preset} is right")),
            "{said}"
        );
    }
    let service = serve(even(3), &[]);
    let (found, _) = proposed(&format!("http://{}", service.address()));
    assert_eq!(found, "guestlist");
}

#[test]
fn where_nothing_is_known_it_is_called_a_guess() {
    let address = speaks("/nothing", 200, json!({}));
    let (found, said) = proposed(&format!("http://{address}"));
    assert_eq!(found, "openai-chat");
    assert!(
        said.contains("a guess") && said.contains("none of the known services"),
        "{said}"
    );
    // Nobody listens there.
    let (_, said) = proposed("http://127.0.0.1:1");
    assert!(said.contains("a guess"), "{said}");
}

#[test]
fn the_model_that_is_served_is_written() {
    for (path, body, model) in [
        (
            "/v1/models",
            json!({"data": [{"id": "mine-7b"}]}),
            "mine-7b",
        ),
        (
            "/api/tags",
            json!({"models": [{"name": "first:8b"}, {"name": "second:1b"}]}),
            "first:8b",
        ),
    ] {
        let address = speaks(path, 200, body);
        let bench = Bench::new();
        let said = bench
            .guestlist(&format!("init rag --target http://{address}"))
            .exits(0);
        let text = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
        let line = format!("\nvalues = {{ model = \"{model}\" }}");
        assert!(text.contains(&line), "{text}");
        let said = format!("{}{}", said.stdout, said.stderr);
        let several = said.contains("the first of 2 that are served");
        assert_eq!(several, model == "first:8b", "{said}");
    }
}

#[test]
fn a_target_that_is_no_address_is_refused() {
    let bench = Bench::new();
    for target in ["foo", "file:///etc/passwd", "''"] {
        for kind in ["rag", "source"] {
            let command = format!("init {kind} --target {target}");
            bench
                .guestlist(&command)
                .complains(&["is no address of a service", "http://"]);
        }
    }
    assert!(!bench.path("guestlist.toml").exists());
}
