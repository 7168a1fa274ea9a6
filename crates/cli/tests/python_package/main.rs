//! The Python package, by its own tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many processes the tests are dealt out to: much of what they do is waiting, and one alone would be what
/// everything else waits for.
const PARTS: usize = 3;

#[test]
#[ignore = "needs Python packages"]
fn python_package_passes_the_first_part_of_its_own_tests() {
    passes(0);
}

#[test]
#[ignore = "needs Python packages"]
fn python_package_passes_the_second_part_of_its_own_tests() {
    passes(1);
}

#[test]
#[ignore = "needs Python packages"]
fn python_package_passes_the_third_part_of_its_own_tests() {
    passes(2);
}

/// What they are run with is what `cargo xtask test` has readied: the package and all that it meets.
#[track_caller]
fn passes(part: usize) {
    let package = std::env::var_os("GUESTLIST_PYTHON_PACKAGE")
        .expect("GUESTLIST_PYTHON_PACKAGE says where Python finds the package");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // What many processes import is compiled once, and not beside the sources.
    let compiled = root.join("target/python-compiled");
    let output = Command::new("python3")
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .args(files(part))
        .current_dir(&root)
        .env("PYTHONPATH", package)
        .env("PYTHONPYCACHEPREFIX", compiled)
        // Threads of PyTorch that wait for each other keep the cores from other tests.
        .env("OMP_NUM_THREADS", "1")
        .env("GUESTLIST_BINARY", env!("CARGO_BIN_EXE_guestlist"))
        .output()
        .unwrap_or_else(|error| panic!("python3 did not start: {error}"));
    assert!(
        output.status.success(),
        "pytest ended with {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Every so-manyth file of tests, so that each is in one part.
fn files(part: usize) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../python/tests");
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("no tests: {error}"));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("test_") && name.ends_with(".py"))
    });
    files.sort();
    files.into_iter().skip(part).step_by(PARTS).collect()
}
