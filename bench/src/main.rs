//! Timings of the Rust side, as one JSON object on stdout. `cargo xtask bench` runs it beside the
//! numpy baseline on the same data and prints the ratios.
//!
//! Arguments: FOLDER to leave the data in.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use attacks::classifier::engine::{Request, run};
use attacks::classifier::{Population, ShadowAttack, find};
use attacks::scores::Scores;
use attacks::settings::Settings;
use attacks::signals::bytes::Bytes;
use attacks::signals::membership::MemberRow;
use attacks::signals::plane::{Number, Plane};
use attacks::signals::shadow::{Meaning, ModelOutputs, ShadowSignals};
use base::Progress;
use judge::{Options, Truth};
use serde_json::json;
use stats::streams::{Seed, standard_normal, uniform};

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const RECORDS: usize = 50_000;
const SHADOWS: usize = 256;
const POPULATION: usize = 10_000;
/// Of all shadows' φ and membership.
const BYTES: usize = RECORDS * SHADOWS * 4 + RECORDS * SHADOWS / 8;

const CLOSED_FORM: [&str; 16] = [
    "loss",
    "population",
    "reference",
    "lira",
    "lira-offline",
    "rmia",
    "rmia-offline",
    "base1",
    "base1-offline",
    "base2",
    "base3",
    "base4",
    "bavaria-n",
    "bavaria-t",
    "bavaria-n-offline",
    "bavaria-t-offline",
];

const ITERATIVE: [&str; 8] = [
    "gamma",
    "beta",
    "elsa1",
    "elsa2-phi",
    "elsa3-beta",
    "elsa3-gamma",
    "elsa3-phi",
    "elsa-full",
];

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("a folder for the data"));
    let (signals, truth) = make_signals(RECORDS, SHADOWS);
    let fewer = ShadowSignals {
        shadows: signals.shadows[..64].to_vec(),
        members: signals.members[..64].to_vec(),
        ..signals.clone()
    };
    let closed = CLOSED_FORM.map(|id| find(id).unwrap());
    let iterative = ITERATIVE.map(|id| find(id).unwrap());
    let [understudy, offline] = ["understudy", "understudy-offline"].map(|id| [find(id).unwrap()]);
    let lira = score(&[find("lira").unwrap()], &signals, None).remove(0);
    let rmia = Rmia::new(&signals);
    write_inputs(&folder, &signals, &truth, &lira, &rmia);
    let options = Options {
        bootstrap_replicates: 1000,
        ..Options::default()
    };
    let plain = Options {
        bootstrap_replicates: 0,
        ..Options::default()
    };
    let measured = best_of(2, || {
        drop(judge::measure("lira", &lira, &truth, &options).unwrap())
    });
    let without = best_of(2, || {
        drop(judge::measure("lira", &lira, &truth, &plain).unwrap())
    });
    let mean = lira.iter().flatten().sum::<f64>() / RECORDS as f64;
    let (attacking, reading) = beside_reading(|| drop(score(&closed, &signals, None)));
    println!(
        "{}",
        json!({
            "bytes_of_signals": BYTES,
            "reading_once": reading,
            "times_reading": attacking / reading,
            "closed_form_16": best_of(20, || drop(score(&closed, &signals, None))),
            "lira": best_of(20, || drop(score(&[find("lira").unwrap()], &signals, None))),
            "iterative_8_at_64": best_of(1, || drop(score(&iterative, &fewer, None))),
            "understudy_at_64": best_of(1, || drop(score(&understudy, &fewer, None))),
            "understudy_offline_at_64": best_of(1, || drop(score(&offline, &fewer, None))),
            "rmia_ranking": best_of(3, || drop(rmia.rank())),
            "bootstrap_1000": measured - without,
            "measures_without_bootstrap": without,
            "check_lira_mean": mean,
        })
    );
}

/// φ of 50,000 records under 257 models that gain on what they trained on.
fn make_signals(records: usize, shadows: usize) -> (ShadowSignals, Truth) {
    let mut rng = Seed(1).stream("bench");
    let difficulty: Vec<f64> = (0..records)
        .map(|_| 2.0 + 3.0 * standard_normal(&mut rng))
        .collect();
    let mut planes = Vec::new();
    let mut members = Vec::new();
    for _ in 0..=shadows {
        let keep: Vec<bool> = (0..records).map(|_| uniform(&mut rng) < 0.5).collect();
        let bytes: Vec<u8> = (0..records)
            .flat_map(|i| {
                let gain = if keep[i] { 2.0 } else { 0.0 };
                ((difficulty[i] + gain + standard_normal(&mut rng)) as f32).to_le_bytes()
            })
            .collect();
        planes.push(Plane {
            bytes: Bytes::new(bytes),
            number: Number::F32,
            big_endian: false,
            offset: 0,
            record_stride: 4,
            augmentation_stride: 0,
            class_stride: 0,
        });
        members.push(MemberRow::from_fn(records, |i| keep[i]));
    }
    let own = members.remove(0);
    let truth = Truth::new((0..records).map(|i| own.get(i))).unwrap();
    let outputs = ModelOutputs {
        planes,
        meaning: Meaning::Phi,
        records,
        augmentations: 1,
        labels: None,
        levels: None,
        right: None,
    };
    let signals = ShadowSignals {
        outputs: Arc::new(outputs),
        target: 0,
        shadows: (1..=shadows).collect(),
        members,
    };
    (signals, truth)
}

fn score(
    attacks: &[&'static dyn ShadowAttack],
    signals: &ShadowSignals,
    population: Option<&ShadowSignals>,
) -> Vec<Scores> {
    let request = Request {
        signals,
        population,
        settings: &Settings::default(),
        seed: Seed(0),
        progress: Progress::unwatched(),
    };
    let outcomes = run(attacks, &request).unwrap();
    outcomes
        .into_iter()
        .map(|outcome| outcome.scores.unwrap())
        .collect()
}

/// The ranking step of RMIA alone: ratios are given on both sides of the comparison.
struct Rmia {
    ratio: Vec<f64>,
    population: Vec<f64>,
}

impl Rmia {
    fn new(signals: &ShadowSignals) -> Self {
        let base1 = score(&[find("base1").unwrap()], signals, None).remove(0);
        let ratio: Vec<f64> = base1.iter().flatten().collect();
        let population = ratio
            .iter()
            .copied()
            .step_by(RECORDS / POPULATION)
            .collect();
        Self { ratio, population }
    }

    fn rank(&self) -> Scores {
        let ratio: Vec<_> = self.ratio.iter().map(|&ratio| Ok(ratio)).collect();
        attacks::classifier::shares_below(ratio, Population::Given(self.population.clone()))
    }
}

fn best_of(runs: usize, mut work: impl FnMut()) -> f64 {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..runs)
        .map(|_| time(&mut work))
        .fold(f64::INFINITY, f64::min)
}

/// Seconds of some work, and those in which all cores together read as many bytes as the signals have from memory: the
/// floor of any pass. Taken in turns, and the medians, for how fast memory is changes where others use the machine, too.
fn beside_reading(mut work: impl FnMut()) -> (f64, f64) {
    use rayon::prelude::*;
    let words: Vec<u64> = (0..1 << 26).collect();
    let share = BYTES as f64 / (words.len() * 8) as f64;
    let read = || {
        let parts = words.par_chunks(1 << 20);
        let sum: u64 = parts.map(|part| part.iter().fold(0, |a, b| a ^ b)).sum();
        std::hint::black_box(sum);
    };
    let turns = (0..41).map(|_| (best_of(1, &mut work), share * best_of(1, read)));
    let (worked, read): (Vec<f64>, Vec<f64>) = turns.unzip();
    (median(worked), median(read))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn write_inputs(folder: &Path, signals: &ShadowSignals, truth: &Truth, lira: &Scores, rmia: &Rmia) {
    let planes = &signals.outputs.planes;
    let phi = planes
        .iter()
        .flat_map(|plane| plane.bytes.as_slice().iter().copied());
    write_npy(
        &folder.join("phi.npy"),
        "<f4",
        &[planes.len(), RECORDS],
        phi,
    );
    let mut keep: Vec<u8> = truth
        .iter()
        .map(|member| u8::from(member == Some(true)))
        .collect();
    write_npy(
        &folder.join("member.npy"),
        "|b1",
        &[RECORDS],
        keep.iter().copied(),
    );
    for row in &signals.members {
        keep.extend((0..RECORDS).map(|record| u8::from(row.get(record))));
    }
    write_npy(
        &folder.join("keep.npy"),
        "|b1",
        &[planes.len(), RECORDS],
        keep.into_iter(),
    );
    let scores: Vec<f64> = lira.iter().flatten().collect();
    for (name, values) in [
        ("scores", &scores),
        ("ratio", &rmia.ratio),
        ("population", &rmia.population),
    ] {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        write_npy(
            &folder.join(format!("{name}.npy")),
            "<f8",
            &[values.len()],
            bytes,
        );
    }
}

fn write_npy(path: &Path, kind: &str, shape: &[usize], bytes: impl Iterator<Item = u8>) {
    let shape: Vec<String> = shape.iter().map(|n| format!("{n},")).collect();
    let mut header = format!(
        "{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}",
        shape.join(" ")
    );
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut out = BufWriter::new(File::create(path).unwrap());
    out.write_all(b"\x93NUMPY\x01\x00").unwrap();
    out.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
    out.write_all(header.as_bytes()).unwrap();
    out.write_all(&bytes.collect::<Vec<u8>>()).unwrap();
}
