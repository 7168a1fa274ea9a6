//! Nothing outside of the folder can be had, however it is asked for.

use std::os::unix::fs::symlink;

use crate::folder::Folder;
use crate::server::Server;
use crate::signals::Signals;

const SECRET: &str = "nobody may read this";

/// An audit in `shown/a`, and secrets beside `shown`.
fn beside() -> Folder {
    let folder = Folder::new();
    folder.audit("shown/a", &Signals::leaky());
    folder.write("secret.txt", SECRET);
    folder.write("hidden/report.json", SECRET);
    folder.write("hidden/secret.txt", SECRET);
    folder.write("shown/plain/secret.txt", SECRET);
    folder
}

#[test]
fn no_spelling_of_a_path_leads_out() {
    let folder = beside();
    let server = Server::start(&folder.path("shown"), "");
    server.await_text("/", "1 audit");
    let absolute = folder.path("secret.txt").display().to_string();
    let encoded = absolute.replace('/', "%2F");
    let ups = [
        "..",
        "%2e%2e",
        "%2E%2E",
        ".%2e",
        "%2e.",
        "..%2f",
        "..%5c",
        "..\\",
        "%2e%2e%2f",
        "%2e%2e%5c",
        "..%00",
        "%00..",
        "..;",
        "..%252f",
        "%252e%252e",
        "%c0%ae%c0%ae",
        "%u002e%u002e",
        "....//",
        "..//",
        "%2e%2e/%2e%2e",
        ".%00.",
        "%e2%80%ae..",
        "..%c1%9c",
        "~",
        "%7e",
    ];
    for up in ups {
        for target in [
            format!("/audits/{up}/"),
            format!("/audits/{up}/hidden/"),
            format!("/audits/a/{up}/{up}/hidden/"),
            format!("/audits/{up}/hidden/file?name=secret.txt"),
            format!("/audits/{up}/hidden/report"),
            format!("/audits/{up}/hidden/records"),
            format!("/audits/a/file?name={up}/{up}/secret.txt"),
            format!("/audits/a/file?name={up}/secret.txt"),
            format!("/audits/a/file?name=figures/{up}/{up}/{up}/secret.txt"),
            format!("/compare?a=/a&b=/{up}/hidden"),
            format!("/assets/{up}/{up}/secret.txt"),
            format!("/{up}/secret.txt"),
        ] {
            let answer = server.get(&target.replace(' ', "%20"));
            assert!(!answer.text().contains(SECRET), "{target}");
            // A comparison that leaves a side out asks which; everything else is refused.
            let refused = matches!(answer.status, 303 | 400 | 404 | 414 | 422);
            assert!(refused, "{target}: {}", answer.status);
        }
    }
    for name in [
        absolute.as_str(),
        encoded.as_str(),
        "/etc/passwd",
        "%2Fetc%2Fpasswd",
        "",
        ".",
        "a%00b",
        "//etc/passwd",
    ] {
        let answer = server.get(&format!("/audits/a/file?name={name}"));
        assert!(
            matches!(answer.status, 400 | 404),
            "{name}: {}",
            answer.status
        );
    }
    // A folder without an audit is not shown, though it lies inside.
    server.get("/audits/plain/").is(404);
    server.get("/audits/plain/file?name=secret.txt").is(404);
    server
        .get("/audits/a/file?name=../plain/secret.txt")
        .is(400);
}

#[test]
fn links_that_lead_out_are_not_followed() {
    let folder = beside();
    symlink(
        folder.path("secret.txt"),
        folder.path("shown/a/innocent.txt"),
    )
    .unwrap();
    symlink(folder.path("hidden"), folder.path("shown/linked")).unwrap();
    symlink(folder.path("hidden"), folder.path("shown/a/linked")).unwrap();
    symlink("/", folder.path("shown/a/root")).unwrap();
    std::fs::create_dir(folder.path("shown/b")).unwrap();
    symlink(
        folder.path("hidden/report.json"),
        folder.path("shown/b/report.json"),
    )
    .unwrap();
    symlink(
        folder.path("shown/a/report.json"),
        folder.path("shown/a/again.json"),
    )
    .unwrap();
    let server = Server::start(&folder.path("shown"), "");
    let list = server.await_text("/", "1 audit");
    assert!(!list.contains("linked"));
    for target in [
        "/audits/linked/",
        "/audits/a/linked/",
        "/audits/a/file?name=innocent.txt",
        "/audits/a/file?name=linked/secret.txt",
        "/audits/a/file?name=root/etc/passwd",
        "/audits/b/file?name=report.json",
        "/audits/b/report",
    ] {
        let answer = server.get(target);
        assert_eq!(answer.status, 404, "{target}: {}", answer.text());
        assert!(!answer.text().contains(SECRET));
    }
    assert!(!server.get("/audits/b/").text().contains(SECRET));
    let page = server.get("/audits/a/").is(200).text();
    assert!(!page.contains("innocent.txt"));
    // A link that stays inside is harmless.
    server.get("/audits/a/file?name=again.json").is(200);
}
