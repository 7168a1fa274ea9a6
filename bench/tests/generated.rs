//! Pages say what was measured: what stands between their markers is what the sources under `bench/figures` give.
//! With `GUESTLIST_WRITE_PAGES` set, as `cargo xtask gen` sets it, this writes it.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

use std::collections::BTreeSet;

use guestlist_bench::figures::{folder, pages, rendered, shown};
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
            std::fs::write(&path, should).unwrap();
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
