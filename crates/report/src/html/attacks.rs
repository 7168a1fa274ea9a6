//! The table of attacks: every measure with its interval.

use judge::AttackMeasures;
use judge::measure::{Level, Regime, TprAtFpr};
use maud::{Markup, html};

use super::measures;
use super::tables::{Column, sortable, tools};
use crate::document::Report;
use crate::markup::{count, decimal, number, percent, text};
use crate::table::rate;

pub fn part(report: &Report) -> Markup {
    if report.attacks.is_empty() {
        return html! {};
    }
    let columns = columns(&report.provenance.measuring.fprs);
    let rows = html! {
        @for attack in report.strongest_first() { tr data-item="" { (row(attack)) } "\n" }
    };
    html! {
        h3 { "Every attack, the strongest first" }
        (tools("attack-table", "attacks", &[]))
        (sortable("Attacks and their measures", &columns, "attack-table", &rows))
        (legend(report))
        (measures::part(report))
    }
}

fn columns(fprs: &[f64]) -> Vec<Column> {
    let mut columns = vec![Column::text("attack"), Column::number("AUC")];
    columns.extend(
        fprs.iter()
            .map(|fpr| Column::number(&format!("TPR@{}", rate(*fpr)))),
    );
    let others = [
        "balanced accuracy",
        "advantage",
        "Log-MIA A",
        "Log-MIA B",
        "ε ≥",
    ];
    columns.extend(others.map(Column::number));
    columns.extend(["members", "non-members", "abstained"].map(Column::number));
    columns
}

fn row(attack: &AttackMeasures) -> Markup {
    let (auc, accuracy, advantage) = (&attack.auc, &attack.balanced_accuracy, &attack.advantage);
    html! {
        th scope="row" { (text(&attack.id)) }
        td class="n" {
            (with_interval(auc.value, auc.low, auc.high))
            @if let Some(judged) = &attack.judged {
                span class="interval" { (decimal(judged.auc.value, 4)) " among judged" }
            }
        }
        @for tpr in &attack.tpr_at_fpr { td class="n" { (rate_caught(tpr)) } }
        td class="n" { (with_interval(accuracy.value, accuracy.low, accuracy.high)) }
        td class="n" { (with_interval(advantage.value, advantage.low, advantage.high)) }
        td class="n" { (regime(&attack.log_mia.a)) }
        td class="n" { (regime(&attack.log_mia.b)) }
        td class="n" { (decimal(attack.epsilon_lower_bound.value, 2)) }
        td class="n" { (count(attack.n_members)) }
        td class="n" { (count(attack.n_nonmembers)) }
        td class="n" { (count(attack.abstained as u64)) }
    }
}

/// A value and, below it, the range that it may lie in.
fn with_interval(value: f64, low: f64, high: f64) -> Markup {
    html! {
        (decimal(value, 4))
        span class="interval" { (decimal(low, 3)) "–" (decimal(high, 3)) }
    }
}

/// A share and, below it, the range that it may lie in; words where it was refused.
pub fn share(share: Option<(f64, f64, f64)>, refused: &str) -> Markup {
    html! {
        @match share {
            Some((value, low, high)) => {
                (percent(value, 2))
                span class="interval" { (percent(low, 1)) "–" (percent(high, 1)) }
            }
            None => span class="interval" { (refused) },
        }
    }
}

fn rate_caught(tpr: &TprAtFpr) -> Markup {
    let known = tpr.value.zip(tpr.low).zip(tpr.high);
    share(
        known.map(|((value, low), high)| (value, low, high)),
        "too few",
    )
}

fn regime(regime: &Regime) -> Markup {
    let level = match regime.level {
        Level::Chance => "like chance",
        Level::Severe => "severe",
        Level::Moderate => "moderate",
        Level::None => "none",
    };
    html! {
        (decimal(regime.value, 2))
        span class="interval" { (level) }
        span class="interval" { "chance " (decimal(regime.expected_by_chance, 2)) }
    }
}

/// How the columns are meant.
fn legend(report: &Report) -> Markup {
    let measuring = &report.provenance.measuring;
    html! {
        p class="why" {
            "Intervals: " (percent(measuring.confidence, 0))
            ". Chance: AUC 0.5, TPR = FPR, balanced accuracy 0.5, advantage 0. TPR is the step rule: the \
             largest with FP ≤ FPR · non-members. Balanced accuracy and advantage are at the best \
             threshold on the same records. ε is a lower bound at δ = "
            (number(measuring.delta, &measuring.delta.to_string()))
            ". Measures are over all records: one that an attack abstained on counts as knowing nothing, tied at the \
             median of the attack's scores; what it reaches among the records that it judged stands \
             beneath its AUC. A level of Log-MIA is named only where it differs from chance at 5%, corrected for the number of attacks and regimes."
        }
        "\n"
    }
}
