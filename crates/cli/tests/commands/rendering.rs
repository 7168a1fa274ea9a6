//! `guestlist report`: a stored report in every form.

use crate::common::Desk;
use crate::signals::Signals;

fn audited() -> Desk {
    let desk = Desk::with(&Signals::leaky());
    let arguments = "--attacks loss,lira --bootstrap 0 --out out --junit --markdown --sarif";
    desk.guestlist(&format!("audit signals {arguments} --quiet"))
        .exits(1);
    desk
}

#[test]
fn json_is_the_stored_file_byte_for_byte() {
    let desk = audited();
    let said = desk.guestlist("report out --format json").exits(0);
    assert_eq!(said.stdout.into_bytes(), desk.bytes("out/report.json"));
}

#[test]
fn other_forms_are_what_the_audit_wrote() {
    let desk = audited();
    for (format, file) in [
        ("html", "report.html"),
        ("markdown", "report.md"),
        ("junit", "junit.xml"),
        ("sarif", "results.sarif"),
    ] {
        let said = desk
            .guestlist(&format!("report out --format {format}"))
            .exits(0);
        assert_eq!(said.stdout.into_bytes(), desk.bytes(format!("out/{file}")));
    }
}

#[test]
fn the_terminal_form_is_what_the_audit_printed() {
    let desk = audited();
    let arguments = "--attacks loss,lira --bootstrap 0";
    let printed = desk
        .guestlist(&format!("audit signals {arguments}"))
        .exits(1);
    for command in [
        "report out",
        "report out/report.json",
        "report out --format terminal",
    ] {
        assert_eq!(desk.guestlist(command).exits(0).stdout, printed.stdout);
    }
    for words in ["FAIL", "lira", "TPR@1%", "guessing"] {
        assert!(
            printed.stdout.contains(words),
            "{words} is not in {}",
            printed.stdout
        );
    }
    let whole = desk.guestlist("report out --verbose").exits(0);
    for words in ["FAIL", "lira", "TPR@1%", "Log-MIA", "chance", "seed 0"] {
        assert!(
            whole.stdout.contains(words),
            "{words} is not in {}",
            whole.stdout
        );
    }
}

#[test]
fn a_folder_without_a_report_is_refused() {
    let desk = audited();
    let said = desk.guestlist("report signals").exits(2);
    assert!(
        said.stderr.contains("signals/report.json"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("hint: "), "{}", said.stderr);
}
