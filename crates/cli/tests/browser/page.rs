//! Runs a script in Node, with the browser that `cargo xtask test` has readied.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Fails with what the script said, unless it ends well.
pub fn run(script: &str, arguments: &[&OsStr]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let output = Command::new("node")
        .arg(folder.join(script))
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("node did not start: {error}"));
    assert!(
        output.status.success(),
        "{script} ended with {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
