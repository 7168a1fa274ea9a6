//! The attacks and their measures as a table.

use judge::AttackMeasures;

use crate::blocks::{Block, Table, cells};
use crate::document::Report;
use crate::table::{self, Rates};

/// Every measure of every attack, the strongest first, with intervals.
pub fn every(report: &Report) -> Block {
    Block::Table(some(report, usize::MAX, Rates::WithIntervals, |_| true))
}

/// AUC and rates of the first few, and what guessing reaches. Rates that no attack has are left out.
pub fn strongest(report: &Report, most: usize) -> Block {
    let fprs = &report.provenance.measuring.fprs;
    let seen = |place: usize| {
        let known = |attack: &&AttackMeasures| attack.tpr_at_fpr.get(place)?.value;
        report.attacks.iter().any(|attack| known(&attack).is_some())
    };
    let shown: Vec<usize> = (0..3)
        .chain(
            (0..fprs.len())
                .filter(|place| seen(*place))
                .map(|place| 3 + place),
        )
        .collect();
    let mut table = some(report, most, Rates::Alone, |column| shown.contains(&column));
    let rates = shown.iter().filter_map(|column| column.checked_sub(3));
    let rates = rates.map(|place| format!("{:.2}%", 100.0 * fprs[place]));
    let guessing = ["guessing".into(), "0.5000".into(), String::new()];
    let guessing: Vec<String> = guessing.into_iter().chain(rates).collect();
    table.rows.push(cells(&guessing));
    Block::Table(table)
}

fn some(report: &Report, most: usize, rates: Rates, shown: impl Fn(usize) -> bool) -> Table {
    let pick = |texts: Vec<String>| -> Vec<String> {
        let texts = texts.into_iter().enumerate();
        let texts = texts.filter(|(column, _)| shown(*column));
        texts.map(|(_, text)| text).collect()
    };
    let attacks = report.strongest_first().into_iter().take(most);
    let rows = attacks.map(|attack| cells(&pick(table::cells(attack, rates))));
    let measuring = &report.provenance.measuring;
    Table {
        caption: "Attacks, the strongest first".into(),
        heads: cells(&pick(table::heads(measuring.confidence, &measuring.fprs))),
        rows: rows.collect(),
        sorted: None,
    }
}

/// How the columns are meant.
pub fn legend(report: &Report) -> Block {
    let measuring = &report.provenance.measuring;
    Block::Remark(format!(
        "Intervals {}%; TPR is the step rule (FP ≤ FPR · non-members). Chance: AUC 0.5, TPR = FPR. ε: \
         lower bound at δ = {}. Log-MIA levels are shown only where they differ from chance at 5%, \
         corrected for attacks and regimes{}.",
        100.0 * measuring.confidence,
        measuring.delta,
        chance(report)
    ))
}

/// What Log-MIA gives by chance alone for this many records.
fn chance(report: &Report) -> String {
    report.attacks.first().map_or(String::new(), |attack| {
        let (a, b) = (&attack.log_mia.a, &attack.log_mia.b);
        format!(
            "; a random score gets {:.2} (A) and {:.2} (B) on average",
            a.expected_by_chance, b.expected_by_chance
        )
    })
}
