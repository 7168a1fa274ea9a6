//! The table of attacks: every measure with its interval.

use judge::AttackMeasures;
use judge::measure::{Level, Regime, TprAtFpr};

use super::measures;
use super::table::{Column, Table, tools};
use super::writer::Html;
use crate::document::Report;
use crate::table::rate;

pub fn write(html: &mut Html, report: &Report) {
    if report.attacks.is_empty() {
        return;
    }
    html.line("h3", &[], "Every attack, the strongest first");
    tools(html, "attack-table", "attacks", &[]);
    let columns = columns(&report.provenance.measuring.fprs);
    Table::sortable("Attacks and their measures", &columns, "attack-table").write(html, |html| {
        for attack in report.strongest_first() {
            html.tag("tr", &[("data-item", "")], |html| row(html, attack));
        }
    });
    legend(html, report);
    measures::write(html, report);
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

fn row(html: &mut Html, attack: &AttackMeasures) {
    html.tag("th", &[("scope", "row")], |html| html.text(&attack.id));
    let auc = &attack.auc;
    cell(html, |html| {
        with_interval(html, auc.value, auc.low, auc.high)
    });
    for tpr in &attack.tpr_at_fpr {
        cell(html, |html| rate_caught(html, tpr));
    }
    let accuracy = &attack.balanced_accuracy;
    cell(html, |html| {
        with_interval(html, accuracy.value, accuracy.low, accuracy.high)
    });
    let advantage = &attack.advantage;
    cell(html, |html| {
        with_interval(html, advantage.value, advantage.low, advantage.high)
    });
    cell(html, |html| regime(html, &attack.log_mia.a));
    cell(html, |html| regime(html, &attack.log_mia.b));
    cell(html, |html| {
        html.decimal(attack.epsilon_lower_bound.value, 2)
    });
    cell(html, |html| html.count(attack.n_members));
    cell(html, |html| html.count(attack.n_nonmembers));
    cell(html, |html| html.count(attack.abstained as u64));
}

fn cell(html: &mut Html, inside: impl FnOnce(&mut Html)) {
    html.tag("td", &[("class", "n")], inside);
}

/// A value and, below it, the range that it may lie in.
pub fn with_interval(html: &mut Html, value: f64, low: f64, high: f64) {
    html.decimal(value, 4);
    html.tag("span", &[("class", "interval")], |html| {
        html.decimal(low, 3);
        html.text("–");
        html.decimal(high, 3);
    });
}

/// A share and, below it, the range that it may lie in; words where it was refused.
pub fn share(html: &mut Html, share: Option<(f64, f64, f64)>, refused: &str) {
    let Some((value, low, high)) = share else {
        return html.line("span", &[("class", "interval")], refused);
    };
    html.percent(value, 2);
    html.tag("span", &[("class", "interval")], |html| {
        html.percent(low, 2);
        html.text("–");
        html.percent(high, 2);
    });
}

fn rate_caught(html: &mut Html, tpr: &TprAtFpr) {
    let known = tpr.value.zip(tpr.low).zip(tpr.high);
    share(
        html,
        known.map(|((value, low), high)| (value, low, high)),
        "too few",
    );
}

fn regime(html: &mut Html, regime: &Regime) {
    html.decimal(regime.value, 2);
    html.tag("span", &[("class", "interval")], |html| {
        html.text(match regime.level {
            Level::Chance => "like chance (",
            Level::Severe => "severe (chance ",
            Level::Moderate => "moderate (chance ",
            Level::None => "none (chance ",
        });
        html.decimal(regime.expected_by_chance, 2);
        html.text(")");
    });
}

/// How the columns are meant.
fn legend(html: &mut Html, report: &Report) {
    let measuring = &report.provenance.measuring;
    html.tag("p", &[("class", "why")], |html| {
        html.text("Intervals: ");
        html.percent(measuring.confidence, 0);
        html.text(
            ". Chance: AUC 0.5, TPR = FPR, balanced accuracy 0.5, advantage 0. TPR is the step rule: the \
             largest with FP ≤ FPR · non-members. Balanced accuracy and advantage are at the best \
             threshold on the same records. ε is a lower bound at δ = ",
        );
        html.number(measuring.delta, &measuring.delta.to_string());
        html.text(". A level of Log-MIA is named only where it differs from chance at 5%, corrected for the number of attacks and regimes.");
    });
}
