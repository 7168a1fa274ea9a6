//! Every file can be had, byte for byte.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::process::Command;

use crate::folder::Folder;
use crate::http::request;
use crate::server::Server;
use crate::signals::Signals;

#[test]
fn files_come_as_they_are_and_in_parts() {
    let folder = Folder::new();
    folder.audit("a", &Signals::leaky());
    let large: Vec<u8> = (0..3_000_000u32).map(|at| (at * 7 % 251) as u8).collect();
    folder.write("a/figures/large file ü.bin", &large);
    folder.write("a/page.html", "<script>alert(1)</script>");
    folder.write("a/empty", "");
    let server = Server::start(&folder.path(""), "");
    let page = server.get("/audits/a/").is(200).text();
    for name in [
        "report.json",
        "scores.parquet",
        "figures%2Flarge%20file%20%C3%BC.bin",
        "page.html",
        "empty",
    ] {
        let link = format!("/audits/a/file?name={name}");
        assert!(page.contains(&link), "{link} is not on the page");
        let answer = server.get(&link).is(200);
        let file = name
            .replace("%2F", "/")
            .replace("%20", " ")
            .replace("%C3%BC", "ü");
        assert!(
            answer.bytes == fs::read(folder.path("a").join(file)).unwrap(),
            "{name}"
        );
        assert_eq!(answer.headers["content-type"], "application/octet-stream");
        assert!(answer.headers["content-disposition"].starts_with("attachment; "));
    }
    let link = "/audits/a/file?name=figures/large%20file%20%C3%BC.bin";
    for (range, expected) in [
        ("0-9", 0..10),
        ("2999990-", 2_999_990..3_000_000),
        ("-5", 2_999_995..3_000_000),
        ("70000-140000", 70_000..140_001),
    ] {
        let answer = server
            .ask("GET", link, &format!("Range: bytes={range}\r\n"), "")
            .is(206);
        assert!(answer.bytes == large[expected], "{range}");
    }
    server
        .ask("GET", link, "Range: bytes=3000000-\r\n", "")
        .is(416);
    let head = server.ask("HEAD", link, "", "").is(200);
    assert_eq!(head.headers["content-length"], "3000000");
    assert!(head.bytes.is_empty());
    server.get("/audits/a/file?name=nothing").is(404);
    server.get("/audits/a/file").is(400);
}

#[test]
fn visitors_who_stall_keep_nobody_waiting() {
    let folder = Folder::new();
    folder.audit("a", &Signals::leaky());
    folder.write("a/large.bin", "x".repeat(16 << 20));
    let server = Server::start(&folder.path(""), "");
    server.await_text("/", "1 audit");
    let ask = request(
        "GET",
        "/audits/a/file?name=large.bin",
        &server.address,
        "",
        "",
    );
    let stalled: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.write_all(&ask).unwrap();
            stream
        })
        .collect();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(server.get("/audits/a/").status, 200);
    drop(stalled);
}

#[test]
fn a_pipe_is_no_file() {
    let folder = Folder::new();
    folder.audit("a", &Signals::leaky());
    let pipe = folder.path("a/pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let server = Server::start(&folder.path(""), "");
    server.await_text("/", "1 audit");
    for _ in 0..20 {
        assert_eq!(server.get("/audits/a/file?name=pipe").status, 404);
    }
    assert_eq!(server.get("/audits/a/").status, 200);
}
