//! The Python package, by its own tests.

use std::path::Path;
use std::process::Command;

/// What they are run with is what `cargo xtask test` has readied: the package and all that it meets.
#[test]
#[ignore = "needs Python packages"]
fn python_package_passes_its_own_tests() {
    let package = std::env::var_os("GUESTLIST_PYTHON_PACKAGE")
        .expect("GUESTLIST_PYTHON_PACKAGE says where Python finds the package");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // What many processes import is compiled once, and not beside the sources.
    let compiled = root.join("target/python-compiled");
    let output = Command::new("python3")
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .arg("crates/python/tests")
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
