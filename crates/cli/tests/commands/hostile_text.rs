//! Text that would steer a terminal reaches it only in a harmless form.

use std::fs;

use crate::common::{Desk, Output};
use crate::signals::Signals;

const CLEAR_SCREEN: &str = "\u{1b}[2J";

#[track_caller]
pub fn harmless(said: &Output) {
    for text in [&said.stdout, &said.stderr] {
        let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!text.contains(acts), "{text:?}");
    }
}

#[test]
fn ids_are_shown_but_do_not_act() {
    let twice = Signals::leaky().with_ids(|_| format!("ada{CLEAR_SCREEN}\u{202e}\u{7}"));
    let said = Desk::with(&twice).guestlist("audit signals").exits(2);
    harmless(&said);
    assert!(said.stderr.contains("ada"), "{}", said.stderr);
    let once = Signals::leaky().with_ids(|record| format!("{record}{CLEAR_SCREEN}"));
    harmless(
        &Desk::with(&once)
            .guestlist("audit signals --out out")
            .exits(1),
    );
}

#[test]
fn file_names_are_shown_but_do_not_act() {
    let desk = Desk::new();
    let name = format!("sig{CLEAR_SCREEN}nals");
    harmless(&desk.run(["audit", &name]).exits(2));
    Signals::leaky().write(&desk.path(&name));
    let out = format!("o{CLEAR_SCREEN}ut");
    for flags in [&["--markdown"][..], &["--json"]] {
        harmless(
            &desk
                .run(
                    ["audit", &name, "--attacks", "loss", "--out", &out]
                        .iter()
                        .chain(flags),
                )
                .exits(1),
        );
    }
    for format in [
        "terminal",
        "markdown",
        "junit",
        "json",
        "annex",
        "annex-html",
        "model-card",
        "cyclonedx",
    ] {
        harmless(&desk.run(["report", &out, "--format", format]).exits(0));
    }
    harmless(&desk.run(["verify", &out]).exits(0));
    harmless(
        &desk
            .run(["convert", &name, &format!("{name}.npz")])
            .exits(0),
    );
}

#[test]
fn arguments_are_shown_but_do_not_act() {
    let desk = Desk::with(&Signals::leaky());
    let evil = format!("x{CLEAR_SCREEN}=1");
    for arguments in [
        ["--attacks", &evil],
        ["--set", &evil],
        ["--measure", &evil],
        ["--format", &evil],
    ] {
        harmless(
            &desk
                .run(["audit", "signals"].iter().chain(&arguments))
                .exits(2),
        );
    }
    harmless(&desk.run(["explain", &evil]).exits(2));
    harmless(&desk.run([&evil]).exits(2));
}

#[test]
fn members_that_are_not_there_are_shown_but_do_not_act() {
    let desk = Desk::with(&Signals::leaky());
    fs::write(desk.path("members.txt"), CLEAR_SCREEN).unwrap();
    harmless(
        &desk
            .guestlist("audit signals --members members.txt")
            .exits(2),
    );
}

#[test]
fn a_report_from_a_stranger_does_not_act() {
    let desk = Desk::with(&Signals::leaky());
    let arguments =
        "audit signals --attacks lira,loss --replicates 2 --scaling 4 --out out --quiet";
    desk.guestlist(arguments).exits(1);
    let text = String::from_utf8(desk.bytes("out/report.json")).unwrap();
    let words = [
        "lira",
        "class-balance",
        "AUC of",
        env!("CARGO_PKG_VERSION"),
        "guestlist audit",
    ];
    for word in words {
        let evil = text.replace(word, &format!("\\u001b[2J{word}"));
        assert_ne!(evil, text, "{word}");
        fs::write(desk.path("evil.json"), evil).unwrap();
        // Names are refused; free text is shown, made visible.
        let code = if plain_name(word) { 2 } else { 0 };
        for format in [
            "terminal",
            "markdown",
            "junit",
            "json",
            "annex",
            "annex-html",
            "model-card",
            "cyclonedx",
        ] {
            let rendered = desk.guestlist(&format!("report evil.json --format {format}"));
            harmless(&rendered.exits(code));
        }
        harmless(&desk.guestlist("diff evil.json evil.json").exits(code));
    }
}

fn plain_name(word: &str) -> bool {
    !word.contains(' ')
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_unicode_are_no_reason_to_panic() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let desk = Desk::with(&Signals::leaky());
    let plain = OsStr::new;
    let [out, archive, nowhere] = [&b"out\xff"[..], b"a\xff.npz", b"b\xff"].map(OsStr::from_bytes);
    let audit = ["audit", "signals", "--attacks", "loss", "--out"].map(plain);
    desk.run(audit.iter().chain([&out])).exits(1);
    desk.run([plain("report"), out]).exits(0);
    desk.run([plain("convert"), plain("signals"), archive])
        .exits(0);
    desk.run([plain("audit"), archive, plain("--quiet")])
        .exits(1);
    desk.run([plain("audit"), nowhere]).exits(2);
}
