//! Measures that fewer readers ask for, folded: how often an accuser would be right, and other
//! bounds on ε.

use judge::AttackMeasures;
use judge::epsilon::EpsilonBound;
use maud::{Markup, html};

use super::attacks::share;
use super::tables::{Column, table};
use crate::document::Report;
use crate::markup::{decimal, outside, percent, text};
use crate::table::rate;

pub fn part(report: &Report) -> Markup {
    html! {
        details {
            summary { "How often an accuser would be right, and further bounds on ε" }
            (precision(report))
            (bounds(report))
        }
        "\n"
    }
}

fn precision(report: &Report) -> Markup {
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
    let rows = html! {
        @for attack in report.strongest_first() { tr { (precisions(attack)) } "\n" }
    };
    table("Precision at a false-positive rate", &columns, &rows)
}

fn precisions(attack: &AttackMeasures) -> Markup {
    html! {
        th scope="row" { (text(&attack.id)) }
        @for precision in &attack.precision_at_fpr {
            @let known = precision.value.zip(precision.low).zip(precision.high);
            td class="n" {
                (share(known.map(|((value, low), high)| (value, low, high)), "nobody accused"))
            }
            @for world in &precision.at_prior {
                td class="n" {
                    @match world.value { Some(value) => (percent(value, 2)), None => "–" }
                }
            }
        }
    }
}

fn bounds(report: &Report) -> Markup {
    let columns = [
        Column::text("attack"),
        Column::text("bound"),
        Column::number("ε ≥"),
        Column::number("confidence"),
        Column::text("what it rests on"),
    ];
    let rows = html! {
        @for attack in report.strongest_first() {
            (bound(&attack.id, &attack.epsilon_lower_bound))
            @for found in &attack.epsilon_bounds { (bound(&attack.id, found)) }
        }
    };
    table("Lower bounds on ε", &columns, &rows)
}

fn bound(attack: &str, bound: &EpsilonBound) -> Markup {
    html! {
        tr {
            th scope="row" { (text(attack)) }
            td { (outside(&bound.method)) }
            td class="n" { (decimal(bound.value, 3)) }
            td class="n" { (percent(bound.confidence, 1)) }
            td { (outside(&bound.note)) }
        }
        "\n"
    }
}
