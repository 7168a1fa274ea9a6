//! Whole commands, from files to files, and an earlier build of them where one is given with `--before`.

use std::path::Path;
use std::process::Command;

use guestlist_bench::{Failed, beside, measure, root};
use serde_json::{Value, json};

/// `now` and, where it was given, `before`: seconds, processor seconds and peak memory by command.
pub fn measure_all(folder: &Path, arguments: &[String]) -> Result<Value, Failed> {
    eprintln!("measuring whole commands (a few minutes, and 1.3 GB under target/bench)");
    let now = beside("guestlist")?;
    let place = arguments.iter().position(|argument| argument == "--before");
    let before = place.and_then(|place| arguments.get(place + 1));
    let mut command = Command::new("python3");
    command.arg(root().join("bench/commands.py"));
    command.arg(&now).arg(folder).args(before);
    let found = measure(&mut command)?;
    let mut sides = json!({
        "now": found[now.to_string_lossy().as_ref()],
        "numpy_lira": found["numpy_lira"],
        "numpy_lira_command": found["numpy_lira_command"],
    });
    if let Some(before) = before {
        sides["before"] = found[before.as_str()].clone();
    }
    Ok(sides)
}

pub fn print(found: &Value) {
    let milliseconds = |value: &Value| 1e3 * value.as_f64().unwrap_or(f64::NAN);
    println!(
        "\nwhole commands, files written; numpy's LiRA alone: {:.0} ms, as a command: {:.0} ms\n",
        milliseconds(&found["numpy_lira"]),
        milliseconds(&found["numpy_lira_command"]["seconds"]),
    );
    println!(
        "{:<28} {:>9} {:>9} {:>9} {:>9}",
        "", "seconds", "cpu s", "own MB", "before s"
    );
    for (name, now) in found["now"].as_object().into_iter().flatten() {
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        println!(
            "{name:<28} {:>9.3} {:>9.3} {:>9.0} {:>9.3}",
            number(&now["seconds"]),
            number(&now["processor_seconds"]),
            number(&now["peak_bytes"]) / 1e6,
            number(&found["before"][name]["seconds"]),
        );
    }
}
