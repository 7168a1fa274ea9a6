//! Text from outside stays text.

use serde_json::json;

use crate::folder::Folder;
use crate::server::Server;
use crate::signals::Signals;

/// Answers, documents, ids and names that would act if they could.
#[test]
fn answers_documents_and_names_are_inert() {
    let folder = Folder::new();
    let id = "<script>alert(1)";
    let name = "<img src=x onerror=alert(2)>\"'";
    folder.audit(
        name,
        &Signals::leaky().with_ids(|record| match record {
            0 => id.to_owned(),
            other => format!("r{other}"),
        }),
    );
    let line = json!({
        "document": id, "text": "</pre><script>alert(3)</script>", "strategy": "<b>s",
        "query": "\u{202e}<a href=\"javascript:alert(4)\">", "retrieval": true,
        "answer": "<script>alert(5)</script>\n[x](javascript:alert(6)) \u{1b}[2J",
    });
    folder.write(&format!("{name}/transcript.jsonl"), format!("{line}\n"));
    let progress = json!({
        "schema": "guestlist.progress/1", "state": "failed", "phase": "</li><script>alert(7)</script>",
        "done": 1, "total": 2, "unit": "<i>", "rate": null, "seconds_left": null,
        "message": "<script>alert(8)</script>", "host": "x", "pid": 1, "started": 0, "updated": 0,
    });
    folder.write(&format!("{name}/progress.json"), progress.to_string());
    let server = Server::start(&folder.path(""), "");
    server.await_text("/", "alert(8)");
    let place = "/audits/%3Cimg%20src%3Dx%20onerror%3Dalert(2)%3E%22'/";
    let targets = [
        "/".to_owned(),
        "/?search=<script>alert(9)</script>"
            .replace('<', "%3C")
            .replace('>', "%3E"),
        "/trend".into(),
        "/compare".into(),
        place.into(),
        format!("{place}records"),
        format!("{place}records?search=%22%3E%3Cscript%3Ealert(10)%3C/script%3E"),
        format!("{place}records/0"),
        format!("{place}file?name=%3Cscript%3Ealert(11)%3C/script%3E"),
        "/%3Cscript%3Ealert(12)%3C/script%3E".into(),
    ];
    for target in targets {
        let page = server.get(&target).text();
        for part in [
            "<script>alert",
            "<img",
            "onerror=alert(2)>\"",
            "<b>s",
            "<i>",
            "<a href=\"javascript:",
            "\u{202e}",
            "\u{1b}",
        ] {
            assert!(!page.contains(part), "{part:?} in {target}: {page}");
        }
    }
    let record = server.get(&format!("{place}records/0")).is(200);
    record.says("&lt;script&gt;alert(5)&lt;/script&gt;\n[x](javascript:alert(6)) \\u{1b}[2J");
    record.says("\\u{202e}&lt;a href=");
}
