//! What a pod does, done here.

use std::process::Command;

/// Runs the container's command as index N has it.
#[track_caller]
pub fn run(manifest: &str, index: usize) {
    let mut words = command(manifest).into_iter();
    let output = Command::new(words.next().unwrap())
        .args(words)
        .env("JOB_COMPLETION_INDEX", index.to_string())
        .env("GUESTLIST_CORES", "1")
        .current_dir("/")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

/// The words of `command:`, each on a line of its own, quoted as JSON does.
fn command(manifest: &str) -> Vec<String> {
    let lines = manifest.lines().map(str::trim_start);
    let lines = lines.skip_while(|line| !line.ends_with("command:")).skip(1);
    let words = lines.map_while(|line| line.strip_prefix("- \""));
    let words = words.map(|rest| serde_json::from_str(&format!("\"{rest}")).unwrap());
    words.collect()
}
