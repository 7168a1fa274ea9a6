//! Slices of the records, those that differ from the rest first.

use judge::diagnostics::slice_gate::{SliceGate, Standing};
use judge::diagnostics::slices::{Mark, SliceFinding, SliceMeasures, Slices};

use super::{heads, percent};
use crate::blocks::Section;
use crate::document::Report;
use crate::table::rate;

/// How many slices are shown, and how many small ones are named.
const MOST: usize = 20;
const MOST_SMALL: usize = 10;
const MOST_UNJUDGED: usize = 4;

pub fn section(found: &Slices) -> Section {
    let measured: Vec<(&SliceFinding, &SliceMeasures)> = found
        .slices
        .iter()
        .filter_map(|slice| Some((slice, slice.measures.as_ref()?)))
        .collect();
    let fpr = rate(found.fpr);
    let mut remarks = vec![summary(found)];
    if measured.len() > MOST {
        let more = measured.len() - MOST;
        remarks.push(format!(
            "The first {MOST} are shown; {more} more are in report.json."
        ));
    }
    remarks.extend(small(found));
    Section {
        title: format!("Slices: {}", found.attack),
        heads: heads(&[
            "slice",
            "members",
            "non-members",
            "AUC",
            "interval",
            &format!("TPR@{fpr}"),
            "FPR there",
            "p (Holm)",
            "leaks",
            "best attack there",
            "its value",
            "gate",
        ]),
        rows: measured.iter().take(MOST).map(row).collect(),
        remarks,
        ..Section::default()
    }
}

fn row((slice, measures): &(&SliceFinding, &SliceMeasures)) -> Vec<String> {
    let auc = &measures.auc;
    vec![
        name(slice),
        slice.members.to_string(),
        slice.nonmembers.to_string(),
        format!("{:.4}", auc.value),
        format!("{:.3}–{:.3}", auc.low, auc.high),
        percent(measures.tpr.value),
        percent(measures.fpr.value),
        measures.corrected_p_value.map_or("–".into(), p_value),
        match (&slice.below, measures.mark) {
            (Some(_), _) => "turned round",
            (None, Mark::More) => "more",
            (None, Mark::Less) => "less",
            (None, Mark::Alike) => "",
        }
        .into(),
    ]
    .into_iter()
    .chain(at_the_gate(slice.gate.as_ref()))
    .collect()
}

/// What the gate says of a slice: nothing in reports of earlier versions.
fn at_the_gate(gate: Option<&SliceGate>) -> [String; 3] {
    let Some(gate) = gate else {
        return [const { String::new() }; 3];
    };
    let standing = match (gate.standing, gate.small) {
        (Standing::Violates, _) => "violates it",
        (Standing::Suspect, _) => "may violate it",
        (Standing::Within, true) => "too few to tell",
        (Standing::Within, false) => "within it",
    };
    let value = format!("{:.4}", gate.value);
    [gate.attack.clone(), value, standing.into()]
}

fn name(slice: &SliceFinding) -> String {
    format!("{} = {}", slice.column, slice.value)
}

fn p_value(p: f64) -> String {
    if p < 0.0001 {
        "< 0.0001".into()
    } else {
        format!("{p:.4}")
    }
}

fn summary(found: &Slices) -> String {
    let differ = match found.marked {
        0 => "none differs".into(),
        1 => "1 differs".into(),
        more => format!("{more} differ"),
    };
    format!(
        "{} slices looked at, {} compared with the rest of the records; {differ} in AUC at {}% \
         after Holm's correction for the {} that could be compared. TPR and FPR are at the threshold \
         that keeps FPR ≤ {} over all records. At the gate every attack is asked; a slice violates it \
         beyond chance at the same level, counting all attacks and slices.",
        found.looked_at,
        found.compared,
        100.0 * found.level,
        found.compared,
        rate(found.fpr),
    )
}

/// The parts that nothing was said of, by name and size, a few and then a count; nothing where all were judged.
pub fn unjudged(report: &Report) -> Option<String> {
    let found = report.diagnostics.slices.as_ref()?;
    let silent = |slice: &&SliceFinding| slice.measures.is_none() && slice.gate.is_none();
    let silent: Vec<String> = (found.slices.iter().filter(silent)).map(sized).collect();
    let named = silent[..silent.len().min(MOST_UNJUDGED)].join("; ");
    let named = match silent.len().saturating_sub(MOST_UNJUDGED) {
        0 => named,
        more => format!("{named}; and {more} more"),
    };
    let named = (!silent.is_empty()).then(|| format!("Not judged, being too small: {named}"));
    let said: Vec<String> = named.into_iter().chain(unlisted(found)).collect();
    (!said.is_empty()).then(|| said.join(". ") + ".")
}

fn sized(slice: &SliceFinding) -> String {
    format!(
        "{}: {} members, {} non-members",
        name(slice),
        slice.members,
        slice.nonmembers
    )
}

/// How many parts there are whose names would say who is a member.
fn unlisted(found: &Slices) -> Option<String> {
    let how = "having members alone, non-members alone or fewer than 10 records";
    match found.unlisted {
        0 => None,
        1 => Some(format!(
            "1 part is not named and not judged by itself, {how} (--show-records names it)"
        )),
        more => Some(format!(
            "{more} parts are not named and not judged by themselves, {how} (--show-records names them)"
        )),
    }
}

/// Names the slices that are too small to measure.
fn small(found: &Slices) -> Option<String> {
    let small: Vec<String> = found
        .slices
        .iter()
        .filter(|slice| slice.measures.is_none())
        .map(|slice| format!("{} ({} + {})", name(slice), slice.members, slice.nonmembers))
        .collect();
    let named = small[..small.len().min(MOST_SMALL)].join(", ");
    let more = match small.len().saturating_sub(MOST_SMALL) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let needs = found.needed.map_or(String::new(), |needed| {
        format!("; to show a leak at the threshold each needs {needed} of each kind")
    });
    let said = format!(
        "Too small to measure (fewer than 10 members or 10 non-members): {named}{more}{needs}."
    );
    let unlisted = unlisted(found).map_or_else(String::new, |words| format!(" {words}."));
    (!small.is_empty() || found.unlisted > 0).then(|| match small.is_empty() {
        true => unlisted.trim_start().to_owned(),
        false => said + &unlisted,
    })
}
