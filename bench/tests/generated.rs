//! Pages say what was measured: what stands between their markers is what the sources under `bench/figures` give.
//! With `GUESTLIST_WRITE_PAGES` set, as `cargo xtask gen` sets it, this writes it.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

use std::collections::BTreeSet;
use std::process::Command;

use guestlist_bench::figures::{folder, pages, rendered, shown, stated, typed};
use guestlist_bench::{Failed, root};

fn done<T>(outcome: Result<T, Failed>) -> T {
    outcome.unwrap_or_else(|Failed(why)| panic!("{why}"))
}

#[test]
fn pages_agree_with_what_was_measured() {
    let writes = std::env::var_os("GUESTLIST_WRITE_PAGES").is_some();
    let mut stale = Vec::new();
    for path in done(pages()) {
        let page = std::fs::read_to_string(&path).unwrap();
        let should = done(rendered(&page, &folder()));
        if page == should {
            continue;
        }
        if writes {
            // At once: other tests read pages at the same time.
            let new = path.with_extension("new");
            std::fs::write(&new, should).unwrap();
            std::fs::rename(&new, &path).unwrap();
        } else {
            stale.push(path.strip_prefix(root()).unwrap().to_owned());
        }
    }
    assert!(
        stale.is_empty(),
        "{stale:?} say other than bench/figures: run `cargo xtask gen`"
    );
}

/// What no page shows is measured for nobody.
#[test]
fn every_template_is_shown() {
    let mut seen = BTreeSet::new();
    for path in done(pages()) {
        let page = std::fs::read_to_string(&path).unwrap();
        seen.extend(done(shown(&page)).into_iter().map(str::to_owned));
    }
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "md") {
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(seen.contains(name), "no page shows {}", path.display());
        }
    }
}

/// Where something was found in pages, as PAGE:LINE.
fn places(find: fn(&str) -> Vec<usize>) -> Vec<String> {
    let found = done(pages()).into_iter().flat_map(|path| {
        let page = std::fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        let lines = find(&page).into_iter();
        lines.map(move |line| format!("{name}:{line}"))
    });
    found.collect()
}

/// A number that somebody typed stays when the program changes.
#[test]
fn tables_of_numbers_have_a_source() {
    let found = places(typed);
    assert!(
        found.is_empty(),
        "{found:?} hold numbers that nothing compares: let a command write them to bench/figures"
    );
}

#[test]
fn sentences_with_measured_numbers_have_a_source() {
    let found = places(stated);
    assert!(
        found.is_empty(),
        "{found:?} state what was measured, and nothing compares it: let a command write it to bench/figures, or say \
         whose it is"
    );
}

/// Its own program writes such a page, from what was stored when it was measured.
fn made_by_python(program: &str, stored: &str, page: &str) {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("page.md");
    let status = Command::new("python3")
        .arg(root().join(program))
        .arg(root().join(stored))
        .arg(&made)
        .status()
        .unwrap();
    assert!(status.success());
    let [made, shown] =
        [made, root().join(page)].map(|path| std::fs::read_to_string(path).unwrap());
    assert!(made == shown, "{page}: {program} writes another page");
}

#[test]
#[ignore = "needs python3"]
fn page_by_python_of_understudy_lm_says_what_was_measured() {
    let tables = "bench/understudy_lm/tables.json";
    made_by_python(
        "bench/understudy_lm/page.py",
        tables,
        "docs/understudy-lm.md",
    );
}
