//! Parts of the data judged by themselves, and what only this kind of audit has.

use judge::diagnostics::Slices;
use judge::diagnostics::slice_gate::{SliceGate, Standing};
use judge::diagnostics::slices::SliceFinding;

use super::Material;
use super::attackers::plural;
use crate::blocks::{Block, Section, Table, cells};
use crate::sections::{self, slices};

/// How many slices have a row; those that stand worst come first.
const MOST: usize = 30;

pub fn blocks(material: &Material<'_>) -> Vec<Block> {
    let report = material.report;
    let threshold = report.verdict.gate.as_ref().map(|gate| gate.threshold);
    let mut blocks = report
        .diagnostics
        .slices
        .as_ref()
        .map_or_else(Vec::new, |found| sliced(found, threshold));
    blocks.extend(slices::unjudged(report).map(Block::Remark));
    let others = sections::for_assessors(report);
    blocks.extend(
        others
            .into_iter()
            .flat_map(|section| shortened(section).blocks()),
    );
    if report.diagnostics.slices.is_none() {
        blocks.push(Block::Remark(WHOLE.to_owned()));
    }
    blocks
}

/// Rows that a table of a section has here; the page of the report has all.
const MOST_ROWS: usize = 20;

fn shortened(mut section: Section) -> Section {
    let more = section.rows.len().saturating_sub(MOST_ROWS);
    if more > 0 {
        section.rows.truncate(MOST_ROWS);
        section
            .remarks
            .insert(0, format!("{more} more rows stand in report.html."));
    }
    section
}

const WHOLE: &str = "The records were judged together: the test was told of no part of the data (such as a class, \
    an age group or a region) to be judged by itself. A leak in a small part of the data can hide in the whole.";
const SLICES: &str = "Each part was attacked by every attack. “Proven above” means above the threshold beyond what \
    chance explains, counting how many attacks and parts were looked at; only such a part makes the outcome fail by itself. \
    (All records together are held to the rule of part 7. Parts are held to proof, because the highest of many small \
    parts and many attacks lies high by chance.) “Above, not proven” is no clearance: more records of that part would \
    tell. Intervals are those of the deciding attack by itself and allow for neither number.";

/// A row per slice that was measured, and a word about those that were not.
fn sliced(found: &Slices, threshold: Option<f64>) -> Vec<Block> {
    let measured = found.slices.iter().filter(|slice| slice.measures.is_some());
    let rows: Vec<_> = measured
        .clone()
        .take(MOST)
        .map(|slice| cells(&row(slice, threshold)))
        .collect();
    let heads = [
        "part of the data",
        "members",
        "others",
        "AUC of the deciding attack (95% interval)",
        "strongest attack there",
        "it reaches",
        "against the threshold",
    ];
    let mut blocks = vec![
        Block::Heading("Parts of the data (slices)".into()),
        Block::Remark(SLICES.to_owned()),
        Block::Table(Table::new("Parts of the data", &heads, rows)),
    ];
    let (all, shown) = (found.slices.len(), measured.count());
    if shown > MOST {
        let more = shown - MOST;
        blocks.push(Block::Remark(format!(
            "{more} more parts stand in report.json."
        )));
    }
    let small = all - shown + found.unlisted;
    if small > 0 {
        blocks.push(Block::Remark(format!(
            "{} fewer than 10 members or fewer than 10 others and {} not measured.",
            plural(small, "part has", "parts have"),
            if small == 1 { "was" } else { "were" }
        )));
    }
    blocks
}

fn row(slice: &SliceFinding, threshold: Option<f64>) -> Vec<String> {
    let auc = slice
        .measures
        .as_ref()
        .map_or_else(String::new, |measures| {
            let auc = &measures.auc;
            format!("{:.3} ({:.3}–{:.3})", auc.value, auc.low, auc.high)
        });
    let mut row = vec![
        format!("{} = {}", slice.column, slice.value),
        slice.members.to_string(),
        slice.nonmembers.to_string(),
        auc,
    ];
    row.extend(match &slice.gate {
        Some(gate) => [
            gate.attack.clone(),
            format!("{:.3}", gate.value),
            standing(gate, threshold).to_owned(),
        ],
        None => [const { String::new() }; 3],
    });
    row
}

fn standing(gate: &SliceGate, threshold: Option<f64>) -> &'static str {
    let above = threshold.is_some_and(|threshold| gate.value >= threshold);
    match gate.standing {
        Standing::Violates => "proven above",
        Standing::Suspect => "above, not proven, but more than elsewhere",
        Standing::Within if above => "above, not proven",
        Standing::Within if gate.small => "too few records to tell",
        Standing::Within => "below",
    }
}
