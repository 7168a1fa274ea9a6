//! The attacks and their measures as a table.

use judge::AttackMeasures;
use judge::verdict::Level;

use crate::blocks::{Block, Table, cells};
use crate::document::Report;
use crate::table::{self, Rates};

/// Every measure of every attack, the strongest first, with intervals.
pub fn every(report: &Report) -> Block {
    let all = report.strongest_first();
    Block::Table(table_of(report, all, Rates::WithIntervals, |_| true))
}

/// AUC and rates of the first few, and what guessing reaches. Rates that no attack has are left out; of
/// people, where people decided.
pub fn strongest(report: &Report, most: usize) -> Block {
    let fprs = &report.provenance.measuring.fprs;
    let (attacks, by_person) = deciding(report);
    let seen = |place: usize| {
        let known = |attack: &AttackMeasures| attack.tpr_at_fpr.get(place)?.value;
        attacks.iter().any(|attack| known(attack).is_some())
    };
    let shown: Vec<usize> = (0..3)
        .chain(
            (0..fprs.len())
                .filter(|place| seen(*place))
                .map(|place| 3 + place),
        )
        .collect();
    let some = strongest_with_gated(report, attacks, most);
    let mut table = table_of(report, some, Rates::Alone, |column| shown.contains(&column));
    if let Some(head) = table.heads.first_mut().filter(|_| by_person) {
        *head = cells(&["by person".into()]).remove(0);
    }
    let rates = shown.iter().filter_map(|column| column.checked_sub(3));
    let rates = rates.map(|place| format!("{:.2}%", 100.0 * fprs[place]));
    let guessing = ["guessing".into(), "0.5000".into(), String::new()];
    let guessing: Vec<String> = guessing.into_iter().chain(rates).collect();
    table.rows.push(cells(&guessing));
    Block::Table(table)
}

/// The attacks at the level that decided, and whether that is of people.
fn deciding(report: &Report) -> (&[AttackMeasures], bool) {
    let level = report.verdict.gate.as_ref().and_then(|gate| gate.level);
    let people = report.persons.as_ref().map(|persons| &persons.attacks);
    let people = people.filter(|attacks| level == Some(Level::Person) && !attacks.is_empty());
    people.map_or((&report.attacks, false), |attacks| (attacks, true))
}

/// From the largest AUC down; the one that decided has the last place where it is none of the first.
fn strongest_with_gated<'a>(
    report: &Report,
    attacks: &'a [AttackMeasures],
    most: usize,
) -> Vec<&'a AttackMeasures> {
    let mut sorted: Vec<&AttackMeasures> = attacks.iter().collect();
    sorted.sort_by(|a, b| b.auc.value.total_cmp(&a.auc.value));
    let gated = report
        .verdict
        .gate
        .as_ref()
        .map(|gate| gate.attack.as_str());
    let place = sorted.iter().position(|one| Some(one.id.as_str()) == gated);
    if let Some(place) = place.filter(|place| *place >= most && most > 0) {
        sorted.swap(most - 1, place);
    }
    sorted.truncate(most);
    sorted
}

fn table_of(
    report: &Report,
    attacks: Vec<&AttackMeasures>,
    rates: Rates,
    shown: impl Fn(usize) -> bool,
) -> Table {
    let pick = |texts: Vec<String>| -> Vec<String> {
        let texts = texts.into_iter().enumerate();
        let texts = texts.filter(|(column, _)| shown(*column));
        texts.map(|(_, text)| text).collect()
    };
    let rows = attacks
        .into_iter()
        .map(|attack| cells(&pick(table::cells(attack, rates))));
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
