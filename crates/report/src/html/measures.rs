//! Measures that fewer readers ask for, folded: how often an accuser would be right, and other
//! bounds on ε.

use judge::AttackMeasures;
use judge::epsilon::EpsilonBound;

use super::attacks::share;
use super::table::{Column, Table};
use super::writer::Html;
use crate::document::Report;
use crate::table::rate;

pub fn write(html: &mut Html, report: &Report) {
    html.tag("details", &[], |html| {
        html.line(
            "summary",
            &[],
            "How often an accuser would be right, and further bounds on ε",
        );
        precision(html, report);
        bounds(html, report);
    });
}

fn precision(html: &mut Html, report: &Report) {
    let measuring = &report.provenance.measuring;
    let mut columns = vec![Column::text("attack")];
    for fpr in &measuring.fprs {
        let fpr = rate(*fpr);
        columns.push(Column::number(&format!("precision@{fpr}")));
        let priors = measuring.priors.iter();
        columns.extend(
            priors
                .map(|prior| Column::number(&format!("@{fpr}, if {} were members", rate(*prior)))),
        );
    }
    Table::new("Precision at a false-positive rate", &columns).write(html, |html| {
        for attack in report.strongest_first() {
            html.tag("tr", &[], |html| precisions(html, attack));
        }
    });
}

fn precisions(html: &mut Html, attack: &AttackMeasures) {
    html.tag("th", &[("scope", "row")], |html| html.text(&attack.id));
    for precision in &attack.precision_at_fpr {
        html.tag("td", &[("class", "n")], |html| {
            let known = precision.value.zip(precision.low).zip(precision.high);
            share(
                html,
                known.map(|((value, low), high)| (value, low, high)),
                "nobody accused",
            );
        });
        for world in &precision.at_prior {
            html.tag("td", &[("class", "n")], |html| match world.value {
                Some(value) => html.percent(value, 2),
                None => html.text("–"),
            });
        }
    }
}

fn bounds(html: &mut Html, report: &Report) {
    let columns = [
        Column::text("attack"),
        Column::text("bound"),
        Column::number("ε ≥"),
        Column::number("confidence"),
        Column::text("what it rests on"),
    ];
    Table::new("Lower bounds on ε", &columns).write(html, |html| {
        for attack in report.strongest_first() {
            let first = std::iter::once(&attack.epsilon_lower_bound);
            for found in first.chain(&attack.epsilon_bounds) {
                html.tag("tr", &[], |html| bound(html, &attack.id, found));
            }
        }
    });
}

fn bound(html: &mut Html, attack: &str, bound: &EpsilonBound) {
    html.tag("th", &[("scope", "row")], |html| html.text(attack));
    html.tag("td", &[], |html| html.outside(&bound.method));
    html.tag("td", &[("class", "n")], |html| html.decimal(bound.value, 3));
    html.tag("td", &[("class", "n")], |html| {
        html.percent(bound.confidence, 1)
    });
    html.tag("td", &[], |html| html.outside(&bound.note));
}
