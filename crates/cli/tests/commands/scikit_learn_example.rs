//! The example that trains with scikit-learn, from its own files.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::common::{Desk, Output};

const FILES: [&str; 3] = [
    "examples/scikit-learn/guestlist.toml",
    "examples/scikit-learn/train.py",
    "crates/rehearsal/data/digits.csv.gz",
];

/// A desk with a copy of the example, its data where it looks for them.
fn example() -> Desk {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let desk = Desk::new();
    for file in FILES {
        let copy = desk.path(file);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(root.join(file), copy).unwrap();
    }
    desk
}

/// With the packages that `cargo xtask test` made sure of.
fn guestlist(desk: &Desk, command: &str) -> Output {
    let path = std::env::var_os("GUESTLIST_TEST_PYTHONPATH");
    let path = path.or_else(|| std::env::var_os("PYTHONPATH"));
    let path: OsString = path.unwrap_or_default();
    let arguments = [command, FILES[0], "--shadows", "4"];
    desk.run_with(&[("PYTHONPATH", &path)], arguments)
}

#[test]
#[ignore = "needs scikit-learn"]
fn the_example_finds_the_leak_goes_on_where_it_was_and_notices_changed_code() {
    let desk = example();
    let first = guestlist(&desk, "run").exits(1);
    assert!(first.stdout.contains("FAIL: an attacker who"));
    let folder = Path::new("examples/scikit-learn/guestlist-run");
    let report = desk.json(folder.join("report.json"));
    assert_eq!(report["verdict"]["outcome"], "fail");
    assert_eq!(report["detail"]["models"], 5);
    assert_eq!(report["provenance"]["data"]["records"], 1797);
    let log = String::from_utf8(desk.bytes(folder.join("logs/00000.log"))).unwrap();
    assert!(log.contains("accuracy on its own records: 1.0"), "{log}");

    let again = guestlist(&desk, "run").exits(1);
    assert!(again.stderr.contains("all 5 models are there"));
    assert_eq!(again.stdout, first.stdout);

    let honest = desk.bytes(FILES[1]);
    fs::write(desk.path(FILES[1]), "raise SystemExit(3)").unwrap();
    let why = "5; of model 0: code train.py changed";
    let plan = guestlist(&desk, "plan").exits(0);
    assert!(plan.stdout.contains(why), "{}", plan.stdout);
    let changed = guestlist(&desk, "run").exits(2);
    for part in [
        "5 trained models no longer fit and are set aside",
        "code train.py changed",
    ] {
        assert!(changed.stderr.contains(part), "{}", changed.stderr);
    }

    // As before, so that the models set aside come back.
    fs::write(desk.path(FILES[1]), honest).unwrap();
    let back = guestlist(&desk, "run").exits(1);
    assert!(back.stderr.contains("all 5 models are there"));
    assert_eq!(back.stdout, first.stdout);
}
