//! The published Log-MIA values of known attacks (tables 2 and 3), recomputed from the rates that
//! they were made from.

use judge::measure::log_mia::{FalsePositiveRule, beta, ratio};
use judge::measure::log_mia_null::Null;

use super::Part;
use super::published::{ROWS, Row};
use super::words::p_value;
use crate::study::markdown::table;

/// Half a unit of the last digit printed.
const HALF_A: f64 = 0.005;
const HALF_B: f64 = 0.0005;

impl Row {
    fn a(&self, members: f64) -> f64 {
        ratio(self.rare * members, members as u64)
    }

    /// On the line from no false positive to a tenth of a percent of them.
    fn caught(&self, false_positives: u64) -> f64 {
        let share = false_positives as f64 / (0.001 * self.members_b);
        self.members_b * (self.rare + (self.frequent - self.rare) * share)
    }

    fn b(&self, false_positives: u64) -> f64 {
        ratio(self.caught(false_positives), self.members_b as u64)
    }

    fn fp_rule(&self) -> u64 {
        FalsePositiveRule::Ceil.false_positives(self.test_b)
    }

    /// How often chance catches as many in regime B, under the stated rule.
    fn p_value(&self) -> f64 {
        let members = self.members_b as u64;
        let null = Null::new(members, members, self.fp_rule());
        null.p_value(self.caught(self.fp_rule()).round() as u64)
    }

    fn chance(&self) -> f64 {
        let members = self.members_b as u64;
        let null = Null::new(members, members, self.fp_rule());
        null.mean_and_deviation(|caught| ratio(caught as f64, members))
            .0
    }
}

pub fn part() -> Part {
    let counts = Counts::new(&ROWS);
    let all = ROWS.len();
    Part {
        brief: vec![format!(
            "All {} published Log-MIA values of known attacks are reproduced, but not by one rule: \
             under the paper's own, {} of {all} cells of regime A and {} of {all} of regime B hold.",
            counts.a + counts.b,
            counts.a_stated,
            counts.b_stated,
        )],
        text: format!(
            "## Published Log-MIA of known attacks, recomputed (tables 2 and 3)\n\n{}\n{}\n{}",
            cells(&ROWS),
            holds(&ROWS, &counts),
            limits()
        ),
    }
}

/// Cells that hold: with the parameters that fit, and with those stated.
struct Counts {
    a: usize,
    a_stated: usize,
    b: usize,
    b_stated: usize,
}

impl Counts {
    fn new(rows: &[Row]) -> Self {
        let count = |holds: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| holds(row)).count();
        let near = |found: f64, published: f64, half: f64| (found - published).abs() <= half;
        Self {
            a: count(&|row| near(row.a(row.members_a), row.published_a, HALF_A)),
            a_stated: count(&|row| near(row.a(row.members_b), row.published_a, HALF_A)),
            b: count(&|row| near(row.b(row.fp_paper), row.published_b, HALF_B)),
            b_stated: count(&|row| near(row.b(row.fp_rule()), row.published_b, HALF_B)),
        }
    }
}

fn cells(rows: &[Row]) -> String {
    let line = |row: &Row| {
        let (paper, rule) = (row.b(row.fp_paper), row.b(row.fp_rule()));
        vec![
            format!("{}, {}", row.method, row.dataset),
            format!("{:.2}", row.published_a),
            format!("{:.4}", row.a(row.members_a)),
            format!("{:.4}", row.a(row.members_b)),
            format!("{:.3}", row.published_b),
            format!("{paper:.4}"),
            format!("{rule:.4}"),
            format!("{:.4}", row.chance()),
            p_value(row.p_value()),
        ]
    };
    let rows: Vec<Vec<String>> = rows.iter().map(line).collect();
    table(
        &[
            "attack, data",
            "A published",
            "A recomputed",
            "A, stated size",
            "B published",
            "B recomputed",
            "B, stated rule",
            "B by chance",
            "p of B",
        ],
        &rows,
    )
}

/// Which cells hold and why the others do not.
fn holds(rows: &[Row], counts: &Counts) -> String {
    let Counts {
        a,
        a_stated,
        b,
        b_stated,
    } = counts;
    let luck: Vec<String> = rows
        .iter()
        .filter(|row| row.published_b > 0.0 && row.p_value() > 0.05)
        .map(|row| {
            format!(
                "{} on {} ({:.0} caught at {} false positives, p = {})",
                row.method,
                row.dataset,
                row.caught(row.fp_rule()),
                row.fp_rule(),
                p_value(row.p_value())
            )
        })
        .collect();
    format!(
        "Of {n} cells of regime A, {a} are reproduced with the sizes that the paper must have used \
         (50,000 members of WikiText-103), {a_stated} with the size that its regime B uses (500,000). \
         Of {n} cells of regime B, {b} are reproduced with 10 false positives for CIFAR and 14 for \
         WikiText-103; {b_stated} with its own formula FP_B = ⌈ln n⌉, which gives {fp} for CIFAR's \
         50,000 records. In both regimes the arithmetic holds; what does not is one rule for all \
         cells. The rates themselves are taken as published.\n\n\
         At these sizes a level of regime B that chance reaches more often than one time in twenty: \
         {luck}.\n",
        n = rows.len(),
        fp = FalsePositiveRule::Ceil.false_positives(50_000),
        luck = luck.join("; "),
    )
}

fn limits() -> String {
    let line = |name: &str, published: &str, found: f64, with: &str| {
        vec![
            name.to_owned(),
            published.to_owned(),
            format!("{found:.4}"),
            with.to_owned(),
        ]
    };
    let rows = [
        line(
            "α, CIFAR",
            "0.07, 0.068",
            ratio(1.0, 25_000),
            "25,000 members",
        ),
        line(
            "α, WikiText-103, table 2",
            "0.06",
            ratio(1.0, 50_000),
            "50,000 members",
        ),
        line(
            "α, WikiText-103, table 3",
            "0.053",
            ratio(1.0, 500_000),
            "500,000 members",
        ),
        line("β, CIFAR", "0.245", beta(10, 25_000), "10 false positives"),
        line(
            "β, CIFAR, stated rule",
            "–",
            beta(11, 25_000),
            "11 false positives",
        ),
        line(
            "β, WikiText-103",
            "0.211",
            beta(14, 500_000),
            "14 false positives",
        ),
        line("α, few-shot", "0.25", ratio(1.0, 15), "15 members"),
        line("β, few-shot", "0.58", beta(3, 15), "3 false positives"),
        line(
            "β, few-shot, stated rule",
            "–",
            beta(4, 15),
            "4 false positives",
        ),
    ];
    let table = table(&["limit", "published", "recomputed", "with"], &rows);
    format!("The limits that levels are named by:\n\n{table}")
}
