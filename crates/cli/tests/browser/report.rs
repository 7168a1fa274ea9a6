//! The report's page: sound for every kind of target, usable by pointer and keyboard, and deaf to
//! what audited texts say.

use std::path::{Path, PathBuf};
use std::process::Command;

use ::report::Report;
use ::report::rag::{Exposed, Rag};

use crate::page::run;
use crate::signals::Signals;

/// Runs the program; any verdict will do.
fn guestlist(folder: &Path, arguments: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_guestlist"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .arg("--quiet")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        matches!(output.status.code(), Some(0 | 1 | 3)),
        "{arguments}: {said}"
    );
}

/// A classifier's audit with everything that such an audit can show.
fn classifier(folder: &Path) -> PathBuf {
    Signals::new(21, 400, 2.0).write(&folder.join("signals"));
    let settings = "--attacks lira,rmia,loss --bootstrap 0 --replicates 4 --scaling 4,8,16";
    guestlist(
        folder,
        &format!("audit signals {settings} --out classifier"),
    );
    folder.join("classifier/report.html")
}

#[test]
#[ignore = "needs Chromium"]
fn in_a_browser_report_pages_of_every_kind_are_sound() {
    let folder = tempfile::tempdir().unwrap();
    let mut pages = vec![classifier(folder.path())];
    for kind in ["lm", "rag", "source", "fewshot"] {
        guestlist(folder.path(), &format!("demo {kind} --out {kind}"));
        pages.push(folder.path().join(kind).join("report.html"));
    }
    for page in &pages {
        run("report.sound.mjs", &[page.as_os_str()]);
    }
}

#[test]
#[ignore = "needs Chromium"]
fn in_a_browser_annex_is_sound_and_fits_on_paper() {
    let folder = tempfile::tempdir().unwrap();
    classifier(folder.path());
    guestlist(folder.path(), "demo source --out source");
    let annexes = ["classifier", "source"].map(|audit| {
        let page = folder.path().join(audit).join("annex.html");
        let arguments = format!("report {audit} --format annex -o {audit}/annex.html");
        guestlist(folder.path(), &arguments);
        page
    });
    run(
        "annex.print.mjs",
        &[annexes[0].as_os_str(), annexes[1].as_os_str()],
    );
}

#[test]
#[ignore = "needs Chromium"]
fn in_a_browser_report_serves_pointer_and_keyboard() {
    let folder = tempfile::tempdir().unwrap();
    run("report.use.mjs", &[classifier(folder.path()).as_os_str()]);
}

#[test]
#[ignore = "needs Chromium"]
fn in_a_browser_report_of_hostile_answers_does_nothing() {
    const HOSTILE: &str = "<script>window.ran = 1; alert(1)</script> \"><img src=x onerror=alert(2)> \
        <a href=\"javascript:alert(3)\">click</a> javascript:alert(4) https://example.org/ \
        </script></style><svg onload=alert(5)> \u{202e}txt.exe";
    let folder = tempfile::tempdir().unwrap();
    let page = classifier(folder.path());
    let stored = std::fs::read_to_string(page.with_file_name("report.json")).unwrap();
    let mut report = Report::from_json(&stored).unwrap();
    report.notes = vec![HOSTILE.into()];
    report.provenance.command = HOSTILE.into();
    report.records.as_mut().unwrap().listed[0].id = Some(HOSTILE.into());
    report.detail = ::report::Detail::Rag(Rag {
        service: Some(HOSTILE.into()),
        exposed: vec![Exposed {
            document: HOSTILE.into(),
            score: 1.0,
            strategy: HOSTILE.into(),
            query: HOSTILE.into(),
            answer: HOSTILE.into(),
        }],
        ..Rag::default()
    });
    std::fs::write(&page, ::report::html(&report)).unwrap();
    run("report.hostile.mjs", &[page.as_os_str()]);
}
