//! `guestlist verify` and `guestlist sign`: what was changed is seen, and what could not be seen is said.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Desk, Output};
use crate::signals::Signals;

/// An audit that fails, in `out`.
fn audited() -> Desk {
    let desk = Desk::with(&Signals::leaky());
    audit(&desk, "0");
    desk
}

fn audit(desk: &Desk, seed: &str) {
    let arguments = format!(
        "audit signals --attacks loss,lira --bootstrap 0 --seed {seed} --markdown --out out --quiet"
    );
    desk.guestlist(&arguments).exits(1);
}

/// The words of a file with others in their place.
fn edit(desk: &Desk, file: &str, from: &str, to: &str) {
    let text = String::from_utf8(desk.bytes(file)).unwrap();
    assert!(text.contains(from), "{file} has no {from}");
    fs::write(desk.path(file), text.replace(from, to)).unwrap();
}

/// The digests of the folder as they would be had it been written like this.
fn forge(desk: &Desk) {
    let sums = String::from_utf8(desk.bytes("out/SHA256SUMS")).unwrap();
    let line = |line: &str| {
        let name = &line[66..];
        let path = desk.path("out").join(name);
        format!("{}  {name}\n", formats_sha256(&path))
    };
    let forged: String = sums.lines().map(line).collect();
    fs::write(desk.path("out/SHA256SUMS"), forged).unwrap();
}

/// By another program than the one under test.
fn formats_sha256(path: &Path) -> String {
    let said = Command::new("sha256sum").arg(path).output().unwrap();
    String::from_utf8(said.stdout).unwrap()[..64].to_owned()
}

fn lacks(program: &str) -> bool {
    Command::new(program).arg("--help").output().is_err()
}

#[track_caller]
fn told(said: &Output, words: &[&str]) {
    for word in words {
        assert!(
            said.stdout.contains(word),
            "{word} is not in {}",
            said.stdout
        );
    }
}

#[test]
fn an_untouched_audit_agrees_and_says_what_would_not_be_seen() {
    let desk = audited();
    let said = desk.guestlist("verify out").exits(0);
    told(
        &said,
        &[
            "ok            report.html",
            "ok            report.json",
            "ok            report.md",
            "ok            scores.parquet",
            "ok            input signals/keep.npy",
            "signature     none",
            "✔ VERIFIED: 4 files",
            "2 of 2 inputs",
            "would not be seen",
        ],
    );
    if !lacks("sha256sum") {
        let mut stock = Command::new("sha256sum");
        stock.args(["--check", "--strict", "SHA256SUMS"]);
        let checked = stock.current_dir(desk.path("out")).output().unwrap();
        assert!(checked.status.success());
    }
    let quiet = desk.guestlist("verify out --quiet").exits(0);
    assert_eq!(quiet.stdout.lines().count(), 1);
    let events = desk.guestlist("verify out --json").exits(0).stdout;
    assert!(events.contains(r#""holds":true"#), "{events}");
}

#[test]
fn what_was_changed_or_is_missing_fails_and_is_named() {
    let desk = audited();
    edit(&desk, "out/report.json", r#""fail""#, r#""pass""#);
    fs::remove_file(desk.path("out/scores.parquet")).unwrap();
    fs::write(desk.path("out/annex.html"), "new").unwrap();
    let said = desk.guestlist("verify out").exits(1);
    told(
        &said,
        &[
            "changed       report.json",
            "missing       scores.parquet",
            "not recorded  annex.html",
            "✘ NOT VERIFIED: 1 file changed; 1 file missing",
        ],
    );
}

#[test]
fn a_report_that_nobody_can_read_any_more_is_changed() {
    let desk = audited();
    let whole = fs::read(desk.path("out/report.json")).unwrap();
    for rest in [&whole[..0], &whole[..whole.len() / 2], b"\xff\xfe"] {
        fs::write(desk.path("out/report.json"), rest).unwrap();
        let said = desk.guestlist("verify out").exits(1);
        told(
            &said,
            &[
                "changed       report.json",
                "✘ NOT VERIFIED: 1 file changed",
            ],
        );
    }
}

#[test]
fn scores_of_another_audit_do_not_pass_for_these() {
    let desk = audited();
    let scores = desk.bytes("out/scores.parquet");
    let other = Desk::with(&Signals::new(9, 300, 0.0));
    other.guestlist("audit signals --attacks loss,lira --bootstrap 0 --out out --quiet");
    let others = other.bytes("out/scores.parquet");
    assert_ne!(scores, others);
    fs::write(desk.path("out/scores.parquet"), others).unwrap();
    told(
        &desk.guestlist("verify out").exits(1),
        &["changed       scores.parquet"],
    );
}

#[test]
fn inputs_that_are_others_now_fail_and_those_that_are_elsewhere_are_named() {
    let desk = audited();
    let keep = desk.bytes("signals/keep.npy");
    fs::write(desk.path("signals/keep.npy"), b"other").unwrap();
    told(
        &desk.guestlist("verify out").exits(1),
        &["changed       input signals/keep.npy", "1 input changed"],
    );
    fs::rename(desk.path("signals"), desk.path("away")).unwrap();
    told(
        &desk.guestlist("verify out").exits(0),
        &[
            "missing       input signals/keep.npy",
            "0 of 2 inputs",
            "not checked",
        ],
    );
    desk.guestlist("verify out --inputs away").exits(1);
    fs::write(desk.path("away/keep.npy"), keep).unwrap();
    told(
        &desk.guestlist("verify out --inputs away").exits(0),
        &["2 of 2 inputs"],
    );
    fs::remove_file(desk.path("away/phi.npy")).unwrap();
    told(
        &desk.guestlist("verify out --inputs away").exits(1),
        &["1 input missing"],
    );
}

/// Whoever says where inputs are wants them checked: a report that names none leaves all of them unchecked.
#[test]
fn a_report_without_inputs_is_not_verified_where_inputs_are_wanted() {
    if lacks("sha256sum") {
        return;
    }
    let desk = audited();
    let mut report = desk.json("out/report.json");
    report["provenance"]["inputs"] = serde_json::json!([]);
    fs::write(desk.path("out/report.json"), report.to_string()).unwrap();
    desk.guestlist("report out --format html -o out/report.html")
        .exits(0);
    forge(&desk);
    told(&desk.guestlist("verify out").exits(0), &["names no inputs"]);
    let said = desk.guestlist("verify out --inputs signals").exits(1);
    told(&said, &["names no inputs that could be checked"]);
}

/// Digests that agree make no report of what is none.
#[test]
fn a_file_that_is_no_report_is_not_verified_though_its_digest_agrees() {
    if lacks("sha256sum") {
        return;
    }
    let desk = audited();
    for text in [&b"\xff\xfe"[..], b"{}", b""] {
        fs::write(desk.path("out/report.json"), text).unwrap();
        forge(&desk);
        let said = desk.guestlist("verify out").exits(2);
        assert!(said.stderr.contains("report.json: "), "{}", said.stderr);
        desk.guestlist("sign out --key nothing").exits(2);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_lies_elsewhere_is_none_of_the_audits() {
    let desk = audited();
    fs::rename(desk.path("out/scores.parquet"), desk.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", desk.path("out/scores.parquet")).unwrap();
    told(
        &desk.guestlist("verify out").exits(1),
        &["missing       scores.parquet"],
    );
}

#[test]
fn a_list_without_the_report_is_none() {
    let desk = audited();
    let sums = String::from_utf8(desk.bytes("out/SHA256SUMS")).unwrap();
    let without: String = (sums.lines())
        .filter(|line| !line.ends_with("report.json"))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(desk.path("out/SHA256SUMS"), without).unwrap();
    told(
        &desk.guestlist("verify out").exits(1),
        &["missing       report.json (in SHA256SUMS)"],
    );
    fs::write(
        desk.path("out/SHA256SUMS"),
        format!("{}  ../x\n", "0".repeat(64)),
    )
    .unwrap();
    let said = desk.guestlist("verify out").exits(2);
    assert!(said.stderr.contains("line 1"), "{}", said.stderr);
    fs::remove_file(desk.path("out/SHA256SUMS")).unwrap();
    let said = desk.guestlist("verify out").exits(2);
    assert!(said.stderr.contains("audit again"), "{}", said.stderr);
}

#[test]
fn rendering_again_leaves_digests_as_they_are() {
    let desk = audited();
    let sums = desk.bytes("out/SHA256SUMS");
    desk.guestlist("report out --format annex -o out/annex.html")
        .exits(0);
    desk.guestlist("report out --format html -o out/report.html")
        .exits(0);
    assert_eq!(desk.bytes("out/SHA256SUMS"), sums);
    told(
        &desk.guestlist("verify out").exits(0),
        &["ok            report.html", "not recorded  annex.html"],
    );
}

/// A key without a passphrase, and who may sign.
fn key(desk: &Desk, name: &str) {
    let mut command = Command::new("ssh-keygen");
    command.args(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f"]);
    assert!(command.arg(desk.path(name)).status().unwrap().success());
    let public = String::from_utf8(desk.bytes(format!("{name}.pub"))).unwrap();
    let line = format!("{name}@example.org namespaces=\"guestlist\" {public}");
    fs::write(desk.path(format!("{name}.allowed")), line).unwrap();
}

#[test]
fn signatures_hold_for_whom_they_name_and_for_nothing_else() {
    if lacks("ssh-keygen") || lacks("sha256sum") {
        return;
    }
    let desk = audited();
    key(&desk, "ada");
    key(&desk, "eve");
    let said = desk.guestlist("verify out --signers ada.allowed").exits(1);
    told(&said, &["there is no signature"]);
    desk.guestlist("sign out --key ada").exits(0);
    told(
        &desk.guestlist("verify out").exits(0),
        &["was not checked: --signers", "would not be seen"],
    );
    let signed = "verify out --signers ada.allowed";
    told(
        &desk.guestlist(signed).exits(0),
        &["good: ada@example.org", "signed by ada@example.org"],
    );
    let named = format!("{signed} --identity ada@example.org");
    desk.guestlist(&named).exits(0);
    // Of an entry for several, whose key it was nobody knows; one that is left out is not named.
    let alone = String::from_utf8(desk.bytes("ada.allowed")).unwrap();
    let several = alone.replace("ada@example.org", "!bob@example.org,*@example.org");
    fs::write(desk.path("several.allowed"), several).unwrap();
    told(
        &desk
            .guestlist("verify out --signers several.allowed")
            .exits(0),
        &["signed by one of !bob@example.org, *@example.org"],
    );
    let other = format!("{signed} --identity eve@example.org");
    desk.guestlist(&other).exits(1);
    told(
        &desk.guestlist("verify out --signers eve.allowed").exits(1),
        &["does not allow"],
    );
    let said = desk.guestlist("verify out --signers nobody").exits(2);
    assert!(said.stderr.contains("nobody"), "{}", said.stderr);

    // OpenSSH says the same without us.
    let mut stock = Command::new("ssh-keygen");
    stock.args(["-Y", "verify", "-n", "guestlist", "-I", "ada@example.org"]);
    stock.args(["-f", "../ada.allowed", "-s", "SHA256SUMS.sig"]);
    let sums = fs::File::open(desk.path("out/SHA256SUMS")).unwrap();
    let checked = stock.current_dir(desk.path("out")).stdin(sums).output();
    assert!(checked.unwrap().status.success());

    // Changed with its digests, so that they agree: the signature tells.
    edit(
        &desk,
        "out/report.json",
        r#""outcome": "fail""#,
        r#""outcome": "inconclusive""#,
    );
    desk.guestlist("report out --format html -o out/report.html")
        .exits(0);
    forge(&desk);
    told(
        &desk.guestlist(signed).exits(1),
        &["ok            report.json", "the signature does not hold"],
    );
    desk.guestlist("verify out").exits(1);
    // A signature of somebody else over the same does not help.
    desk.guestlist("sign out --key eve").exits(0);
    desk.guestlist(signed).exits(1);
}

/// Whoever turns a fail into a pass has to change more than the word, though the digests are redone.
#[test]
fn a_pass_that_its_own_gate_contradicts_is_not_verified() {
    if lacks("sha256sum") {
        return;
    }
    let desk = audited();
    let (fail, pass) = (r#""outcome": "fail""#, r#""outcome": "pass""#);
    edit(&desk, "out/report.json", fail, pass);
    forge(&desk);
    told(
        &desk.guestlist("verify out").exits(1),
        &[
            "ok            report.json",
            "✘ NOT VERIFIED: report.json contradicts itself: it passes, though AUC of ",
        ],
    );
    let said = desk.guestlist("sign out --key nothing").exits(2);
    assert!(
        said.stderr.contains("contradicts itself"),
        "{}",
        said.stderr
    );
}

/// A pass that rests on nothing, though the digests are redone.
#[test]
fn a_pass_without_its_gate_or_its_measures_is_not_verified() {
    if lacks("sha256sum") {
        return;
    }
    let desk = Desk::with(&Signals::clean());
    desk.guestlist("audit signals --attacks loss,lira,rmia --bootstrap 0 --out out --quiet")
        .exits(0);
    desk.guestlist("verify out").exits(0);
    let whole = desk.json("out/report.json");
    type Change<'a> = (&'a str, &'a dyn Fn(&mut serde_json::Value));
    let changes: [Change; 7] = [
        ("nothing was held", &|report| {
            report["verdict"]["gate"] = serde_json::Value::Null
        }),
        ("no measures", &|report| {
            report["attacks"] = serde_json::json!([])
        }),
        ("whose measures say", &|report| {
            report["verdict"]["gate"]["value"] = 0.25.into()
        }),
        ("class-balance is violated", &|report| {
            report["guardrails"][0]["status"] = "violated".into();
            report["guardrails"][0]["blocks"] = "pass".into();
        }),
        ("whose measures say", &|report| {
            report["verdict"]["gate"]["high"] = 0.6.into()
        }),
        ("fail the gate: AUC 0.9000", &|report| {
            let decided = report["verdict"]["gate"]["attack"].clone();
            let attacks = report["attacks"].as_array_mut().unwrap();
            let mut others = attacks.iter_mut().filter(|one| one["id"] != decided);
            others.next().unwrap()["auc"]["value"] = 0.9.into();
        }),
        ("report.html is not the page", &|report| {
            report["notes"] = serde_json::json!(["something else"])
        }),
    ];
    for (words, edit) in changes {
        let mut report = whole.clone();
        edit(&mut report);
        fs::write(desk.path("out/report.json"), report.to_string()).unwrap();
        forge(&desk);
        told(&desk.guestlist("verify out").exits(1), &[words]);
    }
}

#[test]
fn nothing_changed_is_signed_and_no_signature_outlives_its_audit() {
    if lacks("ssh-keygen") {
        return;
    }
    let desk = audited();
    key(&desk, "ada");
    desk.guestlist("sign out --key ada").exits(0);
    assert!(desk.path("out/SHA256SUMS.sig").is_file());
    audit(&desk, "1");
    assert!(!desk.path("out/SHA256SUMS.sig").exists());
    edit(&desk, "out/report.md", "fail", "pass");
    let said = desk.guestlist("sign out --key ada").exits(2);
    assert!(
        said.stderr.contains("report.md is changed"),
        "{}",
        said.stderr
    );
    assert!(!desk.path("out/SHA256SUMS.sig").exists());
    audit(&desk, "1");
    // What was read, too: a signature would stand for an audit of other signals.
    let keep = desk.bytes("signals/keep.npy");
    fs::write(desk.path("signals/keep.npy"), b"other").unwrap();
    let said = desk.guestlist("sign out --key ada").exits(2);
    assert!(
        said.stderr
            .contains("the input signals/keep.npy is changed"),
        "{}",
        said.stderr
    );
    assert!(!desk.path("out/SHA256SUMS.sig").exists());
    fs::write(desk.path("signals/keep.npy"), keep).unwrap();
    let said = desk.guestlist("sign out --key nothing").exits(2);
    assert!(said.stderr.contains("did not sign"), "{}", said.stderr);
    assert!(!desk.path("out/SHA256SUMS.sig").exists());
}

#[test]
fn a_report_that_was_changed_is_rendered_with_a_warning_and_no_text_is_called_a_pdf() {
    let desk = audited();
    let rendered = desk
        .guestlist("report out --format annex -o annex.html")
        .exits(0);
    assert!(
        !rendered.stderr.contains("SHA256SUMS"),
        "{}",
        rendered.stderr
    );
    edit(
        &desk,
        "out/report.json",
        "\"outcome\": \"fail\"",
        "\"outcome\": \"pass\"",
    );
    let rendered = desk
        .guestlist("report out --format annex -o annex.html")
        .exits(0);
    assert!(
        rendered.stderr.contains("SHA256SUMS"),
        "{}",
        rendered.stderr
    );
    let refused = desk
        .guestlist("report out --format annex -o annex.pdf")
        .exits(2);
    assert!(refused.stderr.contains("annex.html"), "{}", refused.stderr);
    assert!(!desk.path("annex.pdf").exists());
}
