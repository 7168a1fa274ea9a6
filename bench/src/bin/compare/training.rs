//! The native trainer beside PyTorch: the same network, data, batch and optimiser, one thread per
//! model, two models at once.

use std::process::Command;

use guestlist_bench::figures::Source;
use guestlist_bench::{Failed, beside, measure, root};
use serde_json::{Value, json};

use crate::writes;

/// Turns that each side takes.
const TURNS: usize = 3;

pub fn compare(arguments: &[String]) -> Result<(), Failed> {
    eprintln!("measuring training (about two minutes; close other programs)");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        ours.push(measure(Command::new(beside("train")?).args(["10", "3"]))?);
        theirs.push(measure(
            Command::new("python3")
                .arg(root().join("bench/torch_baseline.py"))
                .args(["10", "3"]),
        )?);
    }
    let version = theirs[0]["torch"].as_str().unwrap_or("of unknown version");
    println!(
        "\nmodels per hour: 446-512-256-128-30, 2,505 records, batch 64, 50 epochs, one thread per \
         model, two at once; PyTorch {version}\n"
    );
    println!("{:<44} {:>9} {:>9} {:>8}", "", "ours", "PyTorch", "ratio");
    for (name, our, their) in [
        ("SGD with momentum / default", "sgd", "sgd"),
        ("SGD with momentum / fused", "sgd", "sgd_fused"),
        ("Adam / default", "adam", "adam"),
        ("Adam / fused", "adam", "adam_fused"),
    ] {
        let (our, their) = (most(&ours, our)?, most(&theirs, their)?);
        println!("{name:<44} {our:>9.0} {their:>9.0} {:>7.2}×", our / their);
    }
    if !writes(arguments) {
        return Ok(());
    }
    let all = |runs: &[Value], names: &[&str]| -> Result<Value, Failed> {
        let values = names.iter();
        let values = values.map(|name| Ok(((*name).to_owned(), most(runs, name)?.into())));
        Ok(Value::Object(values.collect::<Result<_, Failed>>()?))
    };
    Source {
        name: "training",
        command: "cargo xtask bench --write",
        values: json!({
            "torch": version,
            "ours": all(&ours, &["sgd", "adam"])?,
            "theirs": all(&theirs, &["sgd", "sgd_fused", "adam", "adam_fused"])?,
        }),
    }
    .write()
}

/// The best turn's models per hour.
fn most(runs: &[Value], optimiser: &str) -> Result<f64, Failed> {
    let found = runs
        .iter()
        .filter_map(|run| run[optimiser]["models_per_hour_50_epochs"].as_f64());
    let most = found.fold(f64::NAN, f64::max);
    match most.is_finite() {
        true => Ok(most),
        false => Err(Failed(format!("{optimiser} is missing"))),
    }
}
