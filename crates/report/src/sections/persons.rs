//! The same attacks by person, beside their measures by record.

use judge::AttackMeasures;
use judge::persons::Persons;

use crate::blocks::Section;
use crate::document::Report;
use crate::table::rate;

pub fn section(report: &Report) -> Option<Section> {
    let persons = report.persons.as_ref()?;
    let fprs = &report.provenance.measuring.fprs;
    let mut heads = super::heads(&[
        "attack",
        "AUC by person",
        "interval",
        "AUC by record",
        "interval",
    ]);
    heads.extend(
        fprs.iter()
            .map(|fpr| format!("TPR@{} by person", rate(*fpr))),
    );
    let mut attacks: Vec<&AttackMeasures> = persons.attacks.iter().collect();
    attacks.sort_by(|a, b| b.auc.value.total_cmp(&a.auc.value));
    let remarks = vec![counts(persons), joined(persons)];
    Some(Section {
        title: format!("By person ({})", persons.group),
        rows: attacks
            .into_iter()
            .map(|attack| row(report, attack))
            .collect(),
        heads,
        remarks,
        ..Section::default()
    })
}

fn row(report: &Report, attack: &AttackMeasures) -> Vec<String> {
    let interval = |low: f64, high: f64| format!("{low:.4} to {high:.4}");
    let by_record = report.attacks.iter().find(|other| other.id == attack.id);
    let mut cells = vec![
        attack.id.clone(),
        format!("{:.4}", attack.auc.value),
        interval(attack.auc.low, attack.auc.high),
    ];
    cells.extend(match by_record {
        Some(other) => [
            format!("{:.4}", other.auc.value),
            interval(other.auc.low, other.auc.high),
        ],
        None => ["–".to_owned(), "–".to_owned()],
    });
    cells.extend(attack.tpr_at_fpr.iter().map(|rate| match rate.value {
        Some(value) => format!("{:.2}%", 100.0 * value),
        None => "too few".to_owned(),
    }));
    cells
}

fn counts(persons: &Persons) -> String {
    let mixed = match persons.mixed {
        0 => String::new(),
        mixed => format!(", {mixed} are both and left out"),
    };
    let unnamed = match persons.unnamed {
        0 => String::new(),
        unnamed => format!("; {unnamed} records name nobody and count as a person each"),
    };
    format!(
        "{} people are members, {} are not{mixed}; a person has {} records in the middle and {} at the \
         most{unnamed}",
        persons.members, persons.nonmembers, persons.median_records, persons.most_records
    )
}

fn joined(persons: &Persons) -> String {
    format!(
        "a person's score is {}; intervals of both levels count people",
        persons.join.about()
    )
}
