//! Scoring texts with a language model, beside transformers: the same model, tokens, batch and
//! number of threads.

use std::ffi::OsStr;
use std::process::Command;

use crate::python::Modules;
use crate::shell::{Failed, beside, cargo, feed, output, root};
use crate::smollm2;

/// Turns that each side takes.
const TURNS: usize = 2;
/// Batch, length, repeats.
const SHAPE: [&str; 4] = ["8", "128", "4", "moments"];

pub fn compare(writes: bool) -> Result<(), Failed> {
    let model = smollm2::file()?;
    cargo(&["build", "--release", "--workspace", "--examples"])?;
    let path = MODULES.installed()?;
    eprintln!("measuring language models (about two minutes; close other programs)");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let program = beside("examples/throughput")?;
        ours.push(output(Command::new(program).arg(&model).args(SHAPE))?);
        let script = root().join("scripts/lm_throughput.py");
        theirs.push(output(python(&path).arg(script).arg(&model).args(SHAPE))?);
    }
    println!("\nSmolLM2-135M in f32, 8 texts of 128 tokens, mean and variance too\n");
    println!(
        "{:<44} {:>9} {:>12} {:>8}",
        "", "ours", "transformers", "ratio"
    );
    let (our, their) = (most(&ours, "best ")?, most(&theirs, "best ")?);
    let ratio = our / their;
    let speed = format!("\"tokens_per_second\": {{\"ours\": {our}, \"theirs\": {their}}}");
    println!(
        "{:<44} {our:>9.0} {their:>12.0} {ratio:>7.2}×",
        "tokens per second"
    );
    let memory = |runs: &[String]| Ok::<f64, Failed>(most(runs, "peak memory ")? / 1e6);
    let (our, their) = (memory(&ours)?, memory(&theirs)?);
    let ratio = their / our;
    println!(
        "{:<44} {our:>9.2} {their:>12.2} {ratio:>7.2}×",
        "peak memory, GB"
    );
    if !writes {
        return Ok(());
    }
    let (our, their) = (our * 1e9, their * 1e9);
    let memory = format!("\"peak_bytes\": {{\"ours\": {our}, \"theirs\": {their}}}");
    record("language", &format!("{{{speed}, {memory}}}"))
}

/// Has values kept as the source of figures.
fn record(name: &str, values: &str) -> Result<(), Failed> {
    let mut command = Command::new(beside("compare")?);
    command.args(["record", name, "cargo xtask bench --write"]);
    feed(&mut command, values)
}

const MODULES: Modules = Modules {
    name: "bench-transformers",
    imports: "torch, transformers, gguf",
    requirements: "bench/requirements-transformers.txt",
    size: "up to 3 GB",
};

fn python(path: &OsStr) -> Command {
    let mut command = Command::new("python3");
    command.env("PYTHONPATH", path);
    command
}

/// The largest number that follows these words.
fn most(runs: &[String], words: &str) -> Result<f64, Failed> {
    let numbers = runs.iter().flat_map(|run| run.lines()).filter_map(|line| {
        let rest = line.strip_prefix(words)?;
        rest.split_whitespace().next()?.parse::<f64>().ok()
    });
    let most = numbers.fold(f64::NAN, f64::max);
    match most.is_finite() {
        true => Ok(most),
        false => Err(Failed(format!("no line begins with {words:?}"))),
    }
}
