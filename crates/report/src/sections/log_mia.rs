//! Log-MIA of every attack: both regimes with what chance gives, the p-value, and the bounds that
//! levels are named by.

use judge::AttackMeasures;
use judge::measure::Regime;

use super::heads;
use crate::blocks::Section;
use crate::document::Report;
use crate::table::{p_value, regime};

pub fn section(report: &Report) -> Option<Section> {
    let attacks = report.strongest_first();
    let allowed = attacks.first()?.log_mia.b.fp_allowed;
    Some(Section {
        title: format!("Log-MIA: no false positive (A) and at most {allowed} (B)"),
        heads: heads(&[
            "attack", "A", "chance", "p", "α", "B", "chance", "p", "β",
        ]),
        rows: attacks.into_iter().map(row).collect(),
        remarks: vec![
            "Chance: the mean of a score that says nothing. p: how often such a score does as well. \
             A level (A: severe from α on; B: moderate from α, severe from β on) is shown only \
             where p is at most 5% after correction for the number of attacks and regimes."
                .into(),
        ],
        ..Section::default()
    })
}

fn row(attack: &AttackMeasures) -> Vec<String> {
    let (a, b) = (&attack.log_mia.a, &attack.log_mia.b);
    let chance = |regime: &Regime| format!("{:.3}", regime.expected_by_chance);
    vec![
        attack.id.clone(),
        regime(a),
        chance(a),
        p_value(a.p_value),
        format!("{:.3}", a.alpha),
        regime(b),
        chance(b),
        p_value(b.p_value),
        b.beta.map_or("–".into(), |beta| format!("{beta:.3}")),
    ]
}
