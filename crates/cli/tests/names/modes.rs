//! What an audit leaves is for the user alone.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::bench::Bench;
use crate::signals::Signals;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Of everything in a folder that is no link: 0700 and 0600.
#[track_caller]
fn assert_private(folder: &Path) {
    assert_eq!(mode(folder), 0o700, "{}", folder.display());
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => assert_private(&path),
            false => assert_eq!(mode(&path), 0o600, "{}", path.display()),
        }
    }
}

#[test]
fn results_and_runs_are_for_the_user_alone() {
    let bench = Bench::with(2, "epochs = 1");
    bench.guestlist("run --junit --sarif --figures");
    assert_private(&bench.path("guestlist-run"));
    Signals::leaky().write(&bench.path("signals"));
    bench.guestlist("audit signals --out new/folder --markdown --figures");
    assert_private(&bench.path("new"));
}

#[test]
fn a_folder_that_was_there_stays_as_it_is_and_what_is_written_there_is_private() {
    let bench = Bench::new();
    Signals::leaky().write(&bench.path("signals"));
    let out = bench.path("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o755)).unwrap();
    bench.guestlist("audit signals --out out");
    assert_eq!(mode(&out), 0o755);
    for name in ["report.json", "report.html", "scores.parquet"] {
        assert_eq!(mode(&out.join(name)), 0o600, "{name}");
    }
}
