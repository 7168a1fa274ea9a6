//! The attacks beside numpy, scipy and scikit-learn.

use std::process::Command;

use guestlist_bench::figures::Source;
use guestlist_bench::{Failed, beside, measure, root};
use serde_json::{Map, Value, json};

use crate::{commands, writes};

pub fn compare(arguments: &[String]) -> Result<(), Failed> {
    let folder = root().join("target/bench");
    std::fs::create_dir_all(&folder).map_err(|error| Failed(error.to_string()))?;
    eprintln!("measuring (about a minute; close other programs)");
    // In turns, twice, and the best of as many tries on either side.
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        ours.push(measure(
            Command::new(beside("guestlist-bench")?).arg(&folder),
        )?);
        let script = root().join("bench/numpy_baseline.py");
        theirs.push(measure(Command::new("python3").arg(script).arg(&folder))?);
    }
    print(&ours, &theirs)?;
    let whole = commands::measure_all(&folder, arguments)?;
    commands::print(&whole);
    let sources = sources()?;
    print_sources(&sources);
    match writes(arguments) {
        true => written(&ours, &theirs, whole, sources),
        false => Ok(()),
    }
}

/// Everything that was measured, the best of all turns.
fn written(ours: &[Value], theirs: &[Value], whole: Value, sources: Value) -> Result<(), Failed> {
    let best = |runs: &[Value]| -> Result<Map<String, Value>, Failed> {
        let names = runs.first().and_then(Value::as_object);
        let names = names.into_iter().flat_map(Map::keys);
        names
            .map(|name| Ok((name.clone(), least(runs, name)?.into())))
            .collect()
    };
    let times_reading = times_reading(ours)?;
    let mut ours = best(ours)?;
    ours.insert("times_reading".into(), times_reading.into());
    let write = |name, values| {
        Source {
            name,
            command: "cargo xtask bench --write",
            values,
        }
        .write()
    };
    let kernels = json!({"ours": ours, "numpy": best(theirs)?, "sources": sources});
    write("kernels", kernels)?;
    write("commands", whole)
}

fn print(ours: &[Value], theirs: &[Value]) -> Result<(), Failed> {
    let best = |name: &str| least(ours, name);
    let their = |name: &str| least(theirs, name);
    check_same(best("check_lira_mean")?, their("check_lira_mean")?)?;
    let closed = best("closed_form_16")?;
    let lines = [
        (
            "16 closed-form attacks / numpy LiRA alone",
            closed,
            their("lira")?,
        ),
        ("LiRA / numpy LiRA", best("lira")?, their("lira")?),
        (
            "RMIA ranking / matrix of all pairs",
            best("rmia_ranking")?,
            their("rmia_matrix")?,
        ),
        (
            "bootstrap ×1000 / scikit-learn loop",
            best("bootstrap_1000")?,
            their("bootstrap_1000")?,
        ),
    ];
    println!("50,000 records × 256 shadows, f32; RMIA against 10,000; seconds of this run\n");
    println!("{:<44} {:>9} {:>9} {:>8}", "", "ours", "theirs", "ratio");
    for (name, our, their) in lines {
        println!("{name:<44} {our:>9.4} {their:>9.4} {:>7.1}×", their / our);
    }
    println!(
        "\ngamma, beta and six elsa at 64 shadows: {:.2} s",
        best("iterative_8_at_64")?
    );
    println!(
        "understudy at 64 shadows: {:.2} s, understudy-offline: {:.2} s",
        best("understudy_at_64")?,
        best("understudy_offline_at_64")?
    );
    println!(
        "floor: {:.0} MB of signals are read in {:.1} ms; the 16 attacks take {:.1} times that",
        best("bytes_of_signals")? / 1e6,
        best("reading_once")? * 1e3,
        times_reading(ours)?
    );
    Ok(())
}

/// How many times longer the attacks take than reading their signals: both are of the same moments, and so the mean of
/// all turns stands for them, not the best of each.
fn times_reading(ours: &[Value]) -> Result<f64, Failed> {
    let times: Option<Vec<f64>> = ours
        .iter()
        .map(|run| run["times_reading"].as_f64())
        .collect();
    let times = times.ok_or_else(|| Failed("a run says nothing of reading".into()))?;
    Ok(times.iter().sum::<f64>() / times.len() as f64)
}

/// Nothing that others do: our seconds alone, of documents of 128 words.
fn sources() -> Result<Value, Failed> {
    let found = measure(&mut Command::new(beside("sources")?))?;
    let mut lines = found["seconds"].as_array().into_iter().flatten();
    let line = lines.find(|line| line["length"] == 128);
    line.cloned()
        .ok_or_else(|| Failed("no document has 128 words".into()))
}

fn print_sources(line: &Value) {
    let milliseconds = |rules: &str| 1e3 * line[rules]["median"].as_f64().unwrap_or(f64::NAN);
    println!(
        "source attribution, 64 copies of 128 words: {:.2} ms a document with permutations, \
         {:.2} ms with fixed thresholds",
        milliseconds("calibrated"),
        milliseconds("paper")
    );
}

/// The smallest of several runs' values.
fn least(runs: &[Value], name: &str) -> Result<f64, Failed> {
    let found = runs.iter().filter_map(|run| run[name].as_f64());
    let least = found.fold(f64::INFINITY, f64::min);
    least
        .is_finite()
        .then_some(least)
        .ok_or_else(|| Failed(format!("{name} is missing")))
}

/// Both sides must have computed the same thing; theirs rounds means to single precision.
fn check_same(ours: f64, theirs: f64) -> Result<(), Failed> {
    if (ours - theirs).abs() < 1e-5 {
        return Ok(());
    }
    Err(Failed(format!(
        "the two sides disagree: mean LiRA score {ours} and {theirs}"
    )))
}
