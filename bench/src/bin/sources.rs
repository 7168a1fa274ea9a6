//! Source attribution of one document, in seconds of one core, as one JSON object on stdout: 64
//! perturbed copies, texts of several lengths, with thresholds from permutations and fixed.
//!
//! Arguments: ROUNDS of which the best and the middle one count (200). With a second argument,
//! DOCUMENTS, also how often words without a source are called, and where asking stops early, over
//! so many made-up documents of each length and kind.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;

use attacks::source::nulls::{Habits, Null, nulls_of};
use attacks::source::settling::{Replay, replayed};
use attacks::source::{Label, Masks, Responses, Rules, attribute};
use rayon::prelude::*;
use serde_json::{Value, json};
use stats::streams::{Seed, standard_normal};

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROWS: usize = 64;
const LENGTHS: [usize; 6] = [8, 16, 32, 64, 128, 256];

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse().unwrap());
    let rounds = arguments.next().unwrap_or(200);
    let line = |length: usize| {
        json!({
            "length": length,
            "calibrated": timed(length, &Rules::default(), rounds),
            "paper": timed(length, &Rules::paper(), rounds),
        })
    };
    let seconds: Vec<Value> = LENGTHS.into_iter().map(line).collect();
    let kinds = [Null::Flat, Null::Noisy, Null::Reacting, Null::Tied];
    let documents = arguments.next().unwrap_or(0);
    let rates = |kind: Null| {
        let of = |length| nulls_of(kind, length, ROWS, documents, &Habits::default(), Seed(1));
        json!({"kind": kind, "rates": LENGTHS.map(of)})
    };
    let nulls: Vec<Value> = match documents {
        0 => Vec::new(),
        _ => kinds.into_iter().map(rates).collect(),
    };
    let settling: Vec<Value> = match documents {
        0 => Vec::new(),
        _ => LENGTHS
            .into_iter()
            .flat_map(|length| {
                [(true, true), (true, false), (false, false)]
                    .map(|(on, off)| settling(length, on, off, documents as u64))
            })
            .collect(),
    };
    println!(
        "{}",
        json!({"rows": ROWS, "seconds": seconds, "nulls": nulls, "settling": settling})
    );
}

/// Where asking stopped, and the labels of document and words after all rows.
type Settled = (Replay, Label, Vec<Label>);

/// Where asking stops for documents whose words all reach the answer with retrieval, without, or
/// never: one half of the share kept, and noise of 0.02.
fn settling(length: usize, on: bool, off: bool, documents: u64) -> Value {
    let replay = |document: u64| {
        let masks = Masks::draw(ROWS, length, 0.5, Seed(1), document);
        let mut rng = Seed(1).numbered("settling", document);
        let mut arm = |knows: bool| -> Vec<Option<f64>> {
            let kept = |row: &[bool]| row.iter().filter(|kept| **kept).count() as f64;
            let reaction = if knows { 0.5 / length as f64 } else { 0.0 };
            let response = |row| reaction * kept(row) + 0.02 * standard_normal(&mut rng);
            masks.iter().map(response).map(Some).collect()
        };
        let (on, off) = (arm(on), arm(off));
        let responses = Responses {
            masks: &masks,
            on: &on,
            off: &off,
        };
        let rules = Rules::default();
        let last = attribute(&responses, &rules.shared(4), Seed(1), document).unwrap();
        let found = replayed(&responses, &rules, Seed(1), document).unwrap();
        (found, last.document.label, last.labels)
    };
    let found: Vec<Settled> = (0..documents).into_par_iter().map(replay).collect();
    let wanted = match (on, off) {
        (_, true) => Label::Pretrained,
        (true, false) => Label::Retrieved,
        (false, false) => Label::NonMember,
    };
    let mean = |of: &dyn Fn(&Settled) -> f64| found.iter().map(of).sum::<f64>() / documents as f64;
    let right = |labels: &[Label]| {
        labels.iter().filter(|label| **label == wanted).count() as f64 / labels.len() as f64
    };
    json!({
        "length": length, "source": wanted,
        "asked": mean(&|(replay, ..)| replay.rows as f64 / replay.planned as f64),
        "documents_agree": mean(&|(replay, ..)| f64::from(u8::from(replay.document_agrees))),
        "words_agree": mean(&|(replay, ..)| replay.tokens_agree),
        "documents_right_in_full": mean(&|(_, label, _)| right(&[*label])),
        "words_right_in_full": mean(&|(_, _, labels)| right(labels)),
    })
}

fn timed(length: usize, rules: &Rules, rounds: usize) -> Value {
    let masks = Masks::draw(ROWS, length, 0.5, Seed(1), 0);
    let mut rng = Seed(1).stream("responses");
    let mut draw = || -> Vec<Option<f64>> {
        (0..ROWS)
            .map(|_| Some(0.7 + 0.1 * standard_normal(&mut rng)))
            .collect()
    };
    let (on, off) = (draw(), draw());
    let responses = Responses {
        masks: &masks,
        on: &on,
        off: &off,
    };
    let mut times: Vec<f64> = (0..rounds as u64)
        .map(|round| {
            let start = Instant::now();
            std::hint::black_box(attribute(&responses, rules, Seed(1), round).unwrap());
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    json!({"best": times[0], "median": times[rounds / 2]})
}
