//! The dashboard behind a proxy, under a name and a path that are not its own.

use std::fs;
use std::time::Instant;

use serde_json::Value;

use crate::folder::Folder;
use crate::http::{Answer, PATIENCE, request, send};
use crate::live::configuration;
use crate::server::{Server, program};
use crate::signals::Signals;

const TOKEN: &str = "correct-horse-battery";
const PUBLIC: &str = "https://intranet.example/tools/guestlist";
const VISIT: &str = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";

/// The server, and what a proxy in front of it hands on.
struct Proxied {
    server: Server,
    /// As browsers that were let in send it.
    cookie: String,
}

impl Proxied {
    fn start(folder: &Folder, options: &str) -> Self {
        let options = format!("--public-url {PUBLIC} {options}");
        let server = Server::start_with(&folder.path(""), &options, &[("GUESTLIST_TOKEN", TOKEN)]);
        let mut proxied = Self {
            server,
            cookie: String::new(),
        };
        let welcome = proxied.ask("GET", &format!("/tools/guestlist/?token={TOKEN}"), "", "");
        assert_eq!(welcome.status, 303);
        assert_eq!(welcome.headers["location"], "/tools/guestlist/");
        let cookie = &welcome.headers["set-cookie"];
        for part in [
            "HttpOnly",
            "SameSite=Lax",
            "Secure",
            "Path=/tools/guestlist/",
        ] {
            assert!(cookie.contains(part), "{cookie}");
        }
        let kept = cookie.split(';').next().unwrap();
        proxied.cookie = format!("Cookie: {kept}\r\n");
        proxied
    }

    fn ask(&self, method: &str, target: &str, headers: &str, body: &str) -> Answer {
        self.ask_as("intranet.example", method, target, headers, body)
    }

    fn ask_as(&self, host: &str, method: &str, target: &str, headers: &str, body: &str) -> Answer {
        let headers = format!("{}{headers}", self.cookie);
        let bytes = request(method, target, host, &headers, body);
        send(&self.server.address, &bytes)
    }

    #[track_caller]
    fn await_text(&self, target: &str, part: &str) {
        let started = Instant::now();
        while !self.ask("GET", target, "", "").text().contains(part) {
            assert!(
                started.elapsed() < PATIENCE,
                "{part:?} never was in {target}"
            );
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }
}

/// Where the links, forms, scripts and streams of a page lead.
fn places(page: &str) -> Vec<&str> {
    let marks = ["href=\"", "src=\"", "action=\"", "data-events=\""];
    let of = |mark| {
        let parts = page.split(mark).skip(1);
        parts.filter_map(|part: &str| part.split('"').next())
    };
    marks.into_iter().flat_map(of).collect()
}

#[test]
fn every_link_and_form_leads_to_the_public_path() {
    let folder = Folder::new();
    folder.audit("a", &Signals::leaky());
    folder.audit("b", &Signals::clean());
    let proxied = Proxied::start(&folder, "--allow-run");
    proxied.await_text("/tools/guestlist/", "2 audits");
    for target in [
        "/",
        "/trend",
        "/compare",
        "/compare?a=/a&b=/b",
        "/audits/a/",
        "/audits/a/records",
        "/audits/a/records/7",
        "/nowhere",
    ] {
        // Proxies that leave the path on, and proxies that take it off.
        for prefix in ["/tools/guestlist", ""] {
            let page = proxied
                .ask("GET", &format!("{prefix}{target}"), "", "")
                .text();
            let places = places(&page);
            assert!(places.len() > 5, "{target}: {page}");
            for place in places {
                let known = ["/tools/guestlist/", "#", "data:", "?"];
                assert!(
                    known.iter().any(|one| place.starts_with(one)),
                    "{target}: {place}"
                );
            }
        }
    }
    let to_folder = proxied
        .ask("GET", "/tools/guestlist/audits/a", "", "")
        .is(303);
    assert_eq!(to_folder.headers["location"], "/tools/guestlist/audits/a/");
    proxied.ask("GET", "/tools/guestlist", "", "").is(200);
    proxied.ask("GET", "/tools/guestlists/", "", "").is(404);
    proxied.ask_as("evil.example", "GET", "/", "", "").is(421);
    proxied
        .ask_as("intranet.example.evil", "GET", "/", "", "")
        .is(421);
}

#[test]
fn links_from_elsewhere_open_pages_and_nothing_else() {
    let folder = Folder::new();
    folder.audit("a", &Signals::leaky());
    let proxied = Proxied::start(&folder, "");
    for site in ["cross-site", "same-site"] {
        let visit = format!("Sec-Fetch-Site: {site}\r\n{VISIT}");
        for target in ["/", "/trend", "/compare", "/audits/a/", "/audits/a/report"] {
            proxied.ask("GET", target, &visit, "").is(200);
        }
        for target in [
            "/events",
            "/audits/a/events",
            "/audits/a/file?name=report.json",
            "/assets/dashboard.js",
        ] {
            proxied.ask("GET", target, &visit, "").is(403);
        }
        for (mode, destination) in [
            ("navigate", "iframe"),
            ("navigate", "embed"),
            ("navigate", ""),
            ("no-cors", "document"),
            ("cors", "empty"),
            ("no-cors", "image"),
        ] {
            let headers = format!(
                "Sec-Fetch-Site: {site}\r\nSec-Fetch-Mode: {mode}\r\nSec-Fetch-Dest: {destination}\r\n"
            );
            proxied.ask("GET", "/", &headers, "").is(403);
        }
        proxied.ask("HEAD", "/", &visit, "").is(403);
        let foreign = format!("{visit}Origin: https://evil.example\r\n");
        proxied.ask("GET", "/", &foreign, "").is(403);
    }
    // Without the cookie a link leads to the page that asks for the token.
    let visit = format!("Sec-Fetch-Site: cross-site\r\n{VISIT}");
    let bytes = request("GET", "/", "intranet.example", &visit, "");
    assert_eq!(send(&proxied.server.address, &bytes).status, 401);
}

#[test]
fn run_and_stop_work_through_the_proxy_and_from_no_other_site() {
    let folder = Folder::new();
    configuration(&folder, "live", 400);
    let proxied = Proxied::start(&folder, "--allow-run");
    let page = proxied
        .ask("GET", "/tools/guestlist/audits/live/", "", "")
        .is(200)
        .text();
    let forgery = page.split("name=\"forgery\" value=\"").nth(1).unwrap();
    let forgery = format!("forgery={}", forgery.split('"').next().unwrap());
    let run = "/tools/guestlist/audits/live/run";
    assert!(page.contains(&format!("action=\"{run}\"")), "{page}");
    let visit = format!("Sec-Fetch-Site: cross-site\r\n{VISIT}");
    for headers in [
        "",
        "Origin: null\r\n",
        "Origin: http://intranet.example\r\n",
        "Origin: https://evil.example\r\n",
        "Origin: https://intranet.example.evil\r\n",
        "Origin: https://intranet.example\r\nSec-Fetch-Site: cross-site\r\n",
        "Origin: https://intranet.example\r\nSec-Fetch-Site: same-site\r\n",
        visit.as_str(),
        &format!("{visit}Origin: https://evil.example\r\n"),
    ] {
        proxied.ask("POST", run, headers, &forgery).is(403);
    }
    let own = "Origin: https://intranet.example\r\nSec-Fetch-Site: same-origin\r\n";
    proxied.ask("POST", run, own, "forgery=0").is(403);
    assert!(!folder.path("live/run.log").exists());
    let started = proxied.ask("POST", run, own, &forgery).is(303);
    assert_eq!(started.headers["location"], "/tools/guestlist/audits/live/");
    proxied.await_text("/audits/live/", "data-state=\"running\"");
    // A proxy that calls us by our own address.
    let own = "Origin: https://intranet.example\r\n";
    let host = proxied.server.address.clone();
    let stop = "/audits/live/stop";
    proxied.ask_as(&host, "POST", stop, own, &forgery).is(303);
    proxied.await_text("/audits/live/", "data-state=\"interrupted\"");
}

#[test]
fn a_public_address_asks_for_a_token_and_must_be_one() {
    let folder = Folder::new();
    let server = Server::start(&folder.path(""), &format!("--public-url {PUBLIC}"));
    server.get("/").is(401);
    for wrong in [
        "intranet.example",
        "https://a.example/?x=1",
        "ftp://a.example/",
    ] {
        let output = program()
            .args(["serve", "--public-url", wrong])
            .arg(folder.path(""))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains("--public-url") && said.contains(wrong),
            "{said}"
        );
    }
}

#[test]
fn the_access_log_has_every_request_and_no_secrets() {
    let folder = Folder::new();
    folder.audit("a", &Signals::leaky());
    let log = folder.path("access.jsonl");
    let options = format!("--access-log {}", log.display());
    let proxied = Proxied::start(&folder, &options);
    let forwarded = "X-Forwarded-For: 6.6.6.6, 10.0.0.7\r\n";
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n{forwarded}");
    proxied
        .ask("GET", "/tools/guestlist/?search=pa%74ient-17", &bearer, "")
        .is(200);
    proxied
        .ask("GET", "/audits/a/file?name=report.json", "", "")
        .is(200);
    proxied
        .ask("GET", &format!("/audits/{TOKEN}/"), "", "")
        .is(404);
    proxied.ask("GET", "/audits/%0Aforged/", "", "").is(404);
    proxied.ask_as("evil.example", "GET", "/", "", "").is(421);
    let text = fs::read_to_string(&log).unwrap();
    assert!(!text.contains(TOKEN) && !text.contains("patient"), "{text}");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told: Vec<(u64, &str)> = lines
        .iter()
        .map(|line| {
            (
                line["status"].as_u64().unwrap(),
                line["path"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        (303, "/"),
        (200, "/"),
        (200, "/audits/a/file"),
        (404, "(left out)"),
        (404, "/audits/%0Aforged/"),
        (421, "/"),
    ];
    assert_eq!(told, expected);
    assert_eq!(lines[1]["query"], serde_json::json!(["search"]));
    assert_eq!(lines[1]["forwarded_for"], "10.0.0.7");
    assert_eq!(
        (&lines[1]["from"], &lines[1]["method"]),
        (&"127.0.0.1".into(), &"GET".into())
    );
    let time = lines[1]["time"].as_str().unwrap();
    assert!(time.len() == 20 && time.ends_with('Z'), "{time}");
}

#[test]
fn an_access_log_that_cannot_be_written_is_refused() {
    let folder = Folder::new();
    let output = program()
        .args(["serve", "--access-log"])
        .arg(folder.path("nowhere/log"))
        .arg(folder.path(""))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("nowhere/log") && said.contains("hint: "),
        "{said}"
    );
}
