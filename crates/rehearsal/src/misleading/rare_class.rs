//! A class that leaks completely, lost in the average.

use stats::streams::{Seed, standard_normal, uniform};

use super::judged::{gated, said, shadows, verdict, withheld};
use super::{Case, Claim, Sides};
use guestlist::Error;

const RECORDS: usize = 4000;
const MODELS: usize = 9;
/// One record in so many is of the rare class.
const RARE: usize = 100;
/// How much surer a model is of what it trained on, in the rare class alone.
const KNOWN_BY_HEART: f64 = 12.0;

pub static CASE: Case = Case {
    id: "rare-class",
    title: "a class that leaks completely, lost in the average",
    habit: "Report one AUC over all records. One record in a hundred, every fraud there is, moves it by \
            hardly a hundredth, though each of them can be named.",
    source: "a habit: of six membership tools compared in docs/comparison.md none judges classes by \
             themselves",
    data: "random outputs of 9 models on 4,000 records; of the 40 of class 1 every model is surer where it \
           trained",
    notices: "every class is judged by itself, by every attack, corrected for their number; slices",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let (phi, keep) = outputs(seed);
    let labels: Vec<i64> = (0..RECORDS)
        .map(|record| i64::from(is_rare(record)))
        .collect();
    let blind = shadows(&phi, &keep, None, "all", seed)?;
    let seeing = shadows(&phi, &keep, Some(&labels), "all", seed)?;
    let whole = gated(&blind);
    let worst = seeing
        .diagnostics
        .slices
        .as_ref()
        .and_then(|found| found.worst());
    let (rare, attack) = worst.map_or((0.5, ""), |(_, gate)| (gate.value, gate.attack.as_str()));
    Ok(Sides {
        mistaken: vec![Claim::new(
            "auc",
            whole,
            format!(
                "AUC {whole:.3}, the best of all attacks on all records: {}",
                verdict(whole)
            ),
        )],
        guestlist: vec![
            Claim::new(
                "auc",
                rare,
                format!("AUC {rare:.3} of {attack} on the 40 records of class 1"),
            ),
            Claim::new("withheld", withheld(&seeing), said(&seeing)),
        ],
    })
}

fn is_rare(record: usize) -> bool {
    record.is_multiple_of(RARE)
}

/// φ by model and record, and who trained on what.
fn outputs(seed: u64) -> (Vec<Vec<f64>>, Vec<Vec<bool>>) {
    let mut rng = Seed(seed).stream("rare class");
    let difficulty: Vec<f64> = (0..RECORDS)
        .map(|_| 2.0 * standard_normal(&mut rng))
        .collect();
    let mut model = |_: usize| -> (Vec<f64>, Vec<bool>) {
        let record = |record: usize| {
            let kept = uniform(&mut rng) < 0.5;
            let known = if kept && is_rare(record) {
                KNOWN_BY_HEART
            } else {
                0.0
            };
            (difficulty[record] + known + standard_normal(&mut rng), kept)
        };
        (0..RECORDS).map(record).unzip()
    };
    (0..MODELS).map(&mut model).unzip()
}
