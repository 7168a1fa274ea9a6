//! Who is let in, and who is not.

use crate::folder::Folder;
use crate::http::{request, send};
use crate::server::{Server, program};
use crate::signals::Signals;

const TOKEN: &str = "correct-horse-battery";

#[test]
fn other_sites_and_other_names_are_refused() {
    let folder = Folder::new();
    folder.audit("a", &Signals::leaky());
    let server = Server::start(&folder.path(""), "");
    let own = format!("Origin: http://{}\r\n", server.address);
    for headers in [
        "",
        "Sec-Fetch-Site: same-origin\r\n",
        "Sec-Fetch-Site: none\r\n",
        own.as_str(),
    ] {
        server.ask("GET", "/", headers, "").is(200);
    }
    for headers in [
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Origin: https://127.0.0.1.evil.example\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
        "Sec-Fetch-Site: \u{fc}\r\n",
    ] {
        for target in [
            "/",
            "/events",
            "/audits/a/",
            "/audits/a/file?name=report.json",
            "/assets/dashboard.js",
        ] {
            server.ask("GET", target, headers, "").is(403);
        }
    }
    let port = server.address.split(':').nth(1).unwrap().to_owned();
    for host in [
        "evil.example",
        "localhost.evil.example",
        "10.0.0.1",
        "127.0.0.1.nip.io",
        "2130706433",
        "a@127.0.0.1",
    ] {
        let host = format!("{host}:{port}");
        let answer = send(&server.address, &request("GET", "/", &host, "", ""));
        assert_eq!(answer.status, 421, "{host}");
    }
    let answer = send(
        &server.address,
        &request("GET", "/", &format!("localhost:{port}"), "", ""),
    );
    assert_eq!(answer.status, 200);
    let twice = format!("Host: {}\r\n", server.address);
    server.ask("GET", "/", &twice, "").is(400);
    let none = b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n";
    assert_eq!(send(&server.address, none).status, 400);
    let proxied = format!(
        "GET http://evil.example/ HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        server.address
    );
    assert_eq!(send(&server.address, proxied.as_bytes()).status, 400);
}

#[test]
fn nothing_but_looking_is_allowed() {
    let folder = Folder::new();
    folder.audit("a", &Signals::leaky());
    folder.write("a/guestlist.toml", "kind = \"classifier\"\n");
    let server = Server::start(&folder.path(""), "");
    let own = format!("Origin: http://{}\r\n", server.address);
    for method in [
        "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW",
    ] {
        for target in [
            "/",
            "/audits/a/run",
            "/audits/a/stop",
            "/audits/a/",
            "/events",
        ] {
            let answer = server.ask(method, target, &own, "");
            assert!(
                matches!(answer.status, 400 | 404 | 405),
                "{method} {target}: {}",
                answer.status
            );
        }
    }
    let page = server.get("/audits/a/").is(200).text();
    assert!(!page.contains("forgery") && !page.contains("<button>Run"));
    let head = server.ask("HEAD", "/", "", "").is(200);
    assert!(head.bytes.is_empty());
}

#[test]
fn every_answer_is_protected() {
    let folder = Folder::new();
    folder.audit("a", &Signals::leaky());
    let server = Server::start(&folder.path(""), "");
    for target in [
        "/",
        "/trend",
        "/compare",
        "/audits/a/",
        "/audits/a/records",
        "/nowhere",
        "/audits/a/file?name=report.json",
        "/assets/dashboard.css",
    ] {
        let answer = server.get(target);
        let policy = &answer.headers["content-security-policy"];
        for part in [
            "default-src 'none'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(part), "{target}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
        assert_eq!(answer.headers["referrer-policy"], "same-origin");
        assert_eq!(answer.headers["cache-control"], "no-store");
        assert!(
            !answer
                .headers
                .keys()
                .any(|name| name.starts_with("access-control"))
        );
    }
}

#[test]
fn a_token_lets_in_by_address_cookie_and_header() {
    let folder = Folder::new();
    let server = Server::start_with(
        &folder.path(""),
        "--host 0.0.0.0",
        &[("GUESTLIST_TOKEN", TOKEN)],
    );
    for (target, headers) in [
        ("/", ""),
        ("/events", ""),
        ("/audits/assets/", ""),
        ("/?token=wrong-horse-battery-", ""),
        ("/", "Authorization: Bearer wrong\r\n"),
        ("/", "Authorization: Basic correct-horse-battery\r\n"),
        ("/", "Cookie: guestlist=correct-horse-battery\r\n"),
    ] {
        server.ask("GET", target, headers, "").is(401);
    }
    // The page that says so is to look like the others.
    server.get("/assets/dashboard.css").is(200);
    for scheme in ["Bearer", "bearer"] {
        let bearer = format!("Authorization: {scheme} {TOKEN}\r\n");
        server.ask("GET", "/", &bearer, "").is(200);
    }
    let welcome = server
        .get(&format!("/trend?measure=auc&token={TOKEN}"))
        .is(303);
    assert_eq!(welcome.headers["location"], "/trend?measure=auc");
    let cookie = &welcome.headers["set-cookie"];
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
    let kept = cookie.split(';').next().unwrap();
    server
        .ask("GET", "/", &format!("Cookie: other=1; {kept}\r\n"), "")
        .is(200);
    server
        .ask("GET", "/", &format!("Cookie: {kept}x\r\n"), "")
        .is(401);
    // An address that would lead to another server after the token is taken from it.
    let away = server
        .get(&format!("//evil.example/?token={TOKEN}"))
        .is(303);
    assert_eq!(away.headers["location"], "/evil.example/");
}

#[test]
fn beyond_this_machine_a_token_is_made_and_a_short_one_refused() {
    let folder = Folder::new();
    let output = program()
        .env("GUESTLIST_TOKEN", "short")
        .args(["serve", "--host", "0.0.0.0", "--port", "0"])
        .arg(folder.path(""))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("fewer than 16 characters"));

    use std::io::{BufRead, BufReader};
    let mut child = program()
        .args(["serve", "--quiet", "--host", "0.0.0.0", "--port", "0"])
        .arg(folder.path(""))
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let place = line
        .split_whitespace()
        .find(|word| word.starts_with("http://"));
    let place = place.map(str::to_owned);
    let answers = place.as_deref().and_then(|place| {
        let (address, target) = place.strip_prefix("http://")?.split_once('/')?;
        let address = address.replace("0.0.0.0", "127.0.0.1");
        let get = |target: &str| send(&address, &request("GET", target, &address, "", "")).status;
        Some((get("/"), get(&format!("/{target}"))))
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(answers, Some((401, 303)), "{line}");
}

#[test]
fn endless_headers_are_not_read_for_ever() {
    let folder = Folder::new();
    let server = Server::start(&folder.path(""), "");
    let many = "X-A: b\r\n".repeat(200);
    let answer = server.ask("GET", "/", &many, "");
    assert_eq!(answer.status, 431);
    let long = format!("/?search={}", "a".repeat(20_000));
    assert!(matches!(server.get(&long).status, 414 | 431));
    server.get("/").is(200);
}
