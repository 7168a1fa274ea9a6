//! Starting and stopping audits from the page, where that is allowed.

use crate::folder::Folder;
use crate::live::configuration;
use crate::server::Server;

/// The token of a page's form.
fn forgery(server: &Server, target: &str) -> String {
    let page = server.get(target).is(200).text();
    let rest = page
        .split("name=\"forgery\" value=\"")
        .nth(1)
        .expect("no form");
    rest.split('"').next().unwrap().to_owned()
}

fn same_origin(server: &Server) -> String {
    format!(
        "Origin: http://{}\r\nSec-Fetch-Site: same-origin\r\n",
        server.address
    )
}

#[test]
fn an_audit_is_started_stopped_and_started_again() {
    let folder = Folder::new();
    configuration(&folder, "live", 40);
    let server = Server::start(&folder.path(""), "--allow-run");
    server.await_text("/", "Configurations without a report");
    let token = format!("forgery={}", forgery(&server, "/audits/live/"));
    let own = same_origin(&server);
    let started = server.ask("POST", "/audits/live/run", &own, &token).is(303);
    assert_eq!(started.headers["location"], "/audits/live/");
    server.ask("POST", "/audits/live/run", &own, &token).is(409);
    server.await_text("/audits/live/", "data-state=\"running\"");
    server.get("/audits/live/").says("<button>Stop</button>");
    server
        .ask("POST", "/audits/live/stop", &own, &token)
        .is(303);
    server.await_text("/audits/live/", "<button>Run</button>");
    server.await_text("/audits/live/", "data-state=\"interrupted\"");
    assert!(!folder.path("live/report.json").exists());
    server
        .ask("POST", "/audits/live/stop", &own, &token)
        .is(409);
    // The rest is done, and what was done is kept.
    server.ask("POST", "/audits/live/run", &own, &token).is(303);
    server.await_text("/audits/live/", "Full report");
    server.get("/audits/live/").says("What the last run said");
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn only_a_page_of_this_very_server_starts_anything() {
    let folder = Folder::new();
    configuration(&folder, "live", 3);
    folder.write("hidden.toml", "");
    let server = Server::start(&folder.path(""), "--allow-run");
    let token = format!("forgery={}", forgery(&server, "/audits/live/"));
    let own = same_origin(&server);
    for (headers, body) in [
        ("", token.as_str()),
        ("Origin: http://evil.example\r\n", token.as_str()),
        ("Origin: null\r\n", token.as_str()),
        (
            "Origin: null\r\nSec-Fetch-Site: cross-site\r\n",
            token.as_str(),
        ),
        ("Sec-Fetch-Site: same-origin\r\n", token.as_str()),
        (own.as_str(), ""),
        (own.as_str(), "forgery=00000000000000000000000000000000"),
    ] {
        server
            .ask("POST", "/audits/live/run", headers, body)
            .is(403);
    }
    server.ask("GET", "/audits/live/run", &own, "").is(405);
    server.ask("POST", "/audits/live/", &own, &token).is(404);
    server
        .ask("POST", "/audits/live/report", &own, &token)
        .is(404);
    server
        .ask("POST", "/audits/nowhere/run", &own, &token)
        .is(404);
    server.ask("POST", "/audits/../run", &own, &token).is(400);
    let long = format!("{token}&x={}", "a".repeat(10_000));
    server.ask("POST", "/audits/live/run", &own, &long).is(413);
    assert!(!folder.path("live/run.log").exists());
}

#[test]
fn runs_end_with_the_server() {
    let folder = Folder::new();
    configuration(&folder, "one", 400);
    configuration(&folder, "two", 400);
    configuration(&folder, "three", 400);
    let server = Server::start(&folder.path(""), "--allow-run");
    let own = same_origin(&server);
    let token = format!("forgery={}", forgery(&server, "/audits/one/"));
    for name in ["one", "two"] {
        server
            .ask("POST", &format!("/audits/{name}/run"), &own, &token)
            .is(303);
        server.await_text(&format!("/audits/{name}/"), "data-state=\"running\"");
    }
    server
        .ask("POST", "/audits/three/run", &own, &token)
        .is(409);
    assert_eq!(server.stop(), Some(0));
    for name in ["one", "two"] {
        let text = std::fs::read_to_string(folder.path(name).join("progress.json")).unwrap();
        let progress: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(progress["state"], "interrupted", "{text}");
        let pid = progress["pid"].as_u64().unwrap();
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    }
}
