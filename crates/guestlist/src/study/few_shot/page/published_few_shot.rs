//! The published few-shot results (tables 4 and 5) beside what chance gives.

use judge::measure::log_mia::{beta, ratio};
use judge::measure::log_mia_null::Null;

use super::Part;
use crate::study::markdown::table;

/// Members, and as many non-members, of a query set.
const QUERY: u64 = 15;
/// ⌈ln 30⌉.
const ALLOWED_B: u64 = 4;
const RUNS: f64 = 500.0;

/// Attack and shots; regime A on CIFAR-10, CIFAR-100 and WikiText-103; the same of regime B.
type Row = (&'static str, [f64; 3], [f64; 3]);

/// Tables 4 and 5 of the paper.
const ROWS: [Row; 9] = [
    ("TT, 1 shot", [0.17, 0.16, 0.18], [0.59, 0.58, 0.58]),
    ("TT, 5 shots", [0.18, 0.17, 0.19], [0.60, 0.59, 0.59]),
    ("TT, 10 shots", [0.18, 0.18, 0.19], [0.59, 0.58, 0.60]),
    ("SS, 1 shot", [0.00, 0.00, 0.00], [0.00, 0.00, 0.00]),
    ("SS, 5 shots", [0.18, 0.17, 0.17], [0.59, 0.58, 0.57]),
    ("SS, 10 shots", [0.18, 0.18, 0.18], [0.60, 0.59, 0.58]),
    ("LS, 1 shot", [0.13, 0.12, 0.00], [0.44, 0.44, 0.00]),
    ("LS, 5 shots", [0.15, 0.14, 0.00], [0.52, 0.47, 0.00]),
    ("LS, 10 shots", [0.16, 0.14, 0.00], [0.54, 0.45, 0.00]),
];

/// What chance gives: mean and deviation of one run.
struct Chance {
    mean: f64,
    deviation: f64,
}

impl Chance {
    fn new(allowed: u64) -> Self {
        let null = Null::new(QUERY, QUERY, allowed);
        let (mean, deviation) = null.mean_and_deviation(|caught| ratio(caught as f64, QUERY));
        Self { mean, deviation }
    }

    fn half_width(&self) -> f64 {
        1.96 * self.deviation / RUNS.sqrt()
    }

    fn z(&self, published: f64) -> f64 {
        (published - self.mean) / (self.deviation / RUNS.sqrt())
    }
}

pub fn part() -> Part {
    let (a, b) = (Chance::new(0), Chance::new(ALLOWED_B));
    let line = |(name, regime_a, regime_b): &Row| {
        let cell = |value: &f64, chance: &Chance| format!("{value:.2} ({:+.1})", chance.z(*value));
        let mut cells = vec![(*name).to_owned()];
        cells.extend(regime_a.iter().map(|value| cell(value, &a)));
        cells.extend(regime_b.iter().map(|value| cell(value, &b)));
        cells
    };
    let mut rows = vec![chance_row(&a, &b)];
    rows.extend(ROWS.iter().map(line));
    let table = table(
        &[
            "attack", "A, C-10", "A, C-100", "A, WT103", "B, C-10", "B, C-100", "B, WT103",
        ],
        &rows,
    );
    let (of_a, of_b) = tie_free();
    Part {
        brief: vec![format!(
            "The {} published few-shot cells whose scores do not tie (TT, and SS with 5 and 10 shots) \
             average {:.4} (A) and {:.4} (B). A score that says nothing gives {:.4} and {:.4}.",
            of_a.len(),
            mean(&of_a),
            mean(&of_b),
            a.mean,
            b.mean
        )],
        text: format!(
            "## The published few-shot results beside chance (tables 4 and 5)\n\n{table}\n{}",
            reading(&a, &b)
        ),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// SS with one shot and LS on WikiText are zeros, which no score without ties gives; other LS cells
/// tie as well.
fn tie_free() -> (Vec<f64>, Vec<f64>) {
    let run = || {
        let rows = ROWS.iter();
        rows.filter(|(name, _, _)| !name.starts_with("LS") && *name != "SS, 1 shot")
    };
    (
        run().flat_map(|(_, regime, _)| *regime).collect(),
        run().flat_map(|(_, _, regime)| *regime).collect(),
    )
}

fn chance_row(a: &Chance, b: &Chance) -> Vec<String> {
    let cell = |chance: &Chance| format!("**{:.4} ± {:.4}**", chance.mean, chance.half_width());
    let mut cells = vec!["**chance**".to_owned()];
    cells.extend(std::iter::repeat_n(cell(a), 3));
    cells.extend(std::iter::repeat_n(cell(b), 3));
    cells
}

fn reading(a: &Chance, b: &Chance) -> String {
    let (of_a, of_b) = tie_free();
    let beyond = |values: &[f64], chance: &Chance| {
        let beyond = values.iter().filter(|value| chance.z(**value).abs() > 1.96);
        beyond.count()
    };
    let severe = of_b
        .iter()
        .filter(|value| **value >= beta(ALLOWED_B, QUERY));
    format!(
        "In brackets, how many standard errors of {RUNS} runs a value lies from chance; values are \
         printed with two digits, which moves these by up to ± 0.6.\n\n\
         The {n} cells of TT and of SS with 5 and 10 shots average {mean_a:.4} (A) and {mean_b:.4} \
         (B), where chance gives {chance_a:.4} and {chance_b:.4}; {beyond_a} and {beyond_b} of them \
         lie beyond 1.96 standard errors, where one in twenty would by luck. LS lies below chance: \
         scores that tie catch fewer. The zeros (SS with one shot, LS on WikiText-103) are what \
         scores of 0 and 1 alone give.\n\n\
         The levels of table 5 compare these values with β = 0.58, which belongs to 3 false \
         positives ({beta3:.4}); the stated rule ⌈ln 30⌉ = 4 gives β = {beta4:.4}, and at that \
         {severe} of the {n} cells are severe. So the published numbers are what a score that says \
         nothing gives. That is no proof that the attacks learned nothing: the models were not at \
         hand.\n",
        n = of_a.len(),
        mean_a = mean(&of_a),
        mean_b = mean(&of_b),
        chance_a = a.mean,
        chance_b = b.mean,
        beyond_a = beyond(&of_a, a),
        beyond_b = beyond(&of_b, b),
        beta3 = beta(3, QUERY),
        beta4 = beta(ALLOWED_B, QUERY),
        severe = severe.count(),
    )
}
