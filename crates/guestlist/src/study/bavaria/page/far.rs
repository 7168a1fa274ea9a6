//! Where our numbers and the paper's part, so that nobody has to look for it.

use super::super::measured::SetMeasured;
use super::super::published;
use super::{Bavaria, Published, TABLES, value};
use report::escape_markdown;

/// By how much a value must differ from the paper's to be named.
const FAR: f64 = 0.05;

/// Values beside rows of the same data and network, and beside rows of which the paper does not say which network
/// they are: those do not contradict it.
pub fn far(study: &Bavaria) -> String {
    let [same, unsaid] = [true, false].map(|same| cells(study, same));
    let mut text = String::new();
    if !same.is_empty() {
        text += &format!(
            "Further than {FAR} from the paper's: {}. Models and training differ.\n\n",
            same.join("; ")
        );
    }
    if !unsaid.is_empty() {
        text += &format!(
            "Further than {FAR} from a row whose network the paper does not name, so that it may be another's: {}. Nor does it \
             state the penalty of ELSA's regressions.\n\n",
            unsaid.join("; ")
        );
    }
    text
}

/// Those of tables' rows that are of the same network, or those of the others.
fn cells(study: &Bavaria, same: bool) -> Vec<String> {
    let mut cells = Vec::new();
    for table in &TABLES {
        for set in &study.sets {
            if let Some(row) = published::row(table.rows, &set.name)
                && row.is_of(&set.name) == same
            {
                cells.extend(away(table, set, row));
            }
        }
    }
    cells.dedup();
    cells
}

fn away(table: &Published, set: &SetMeasured, row: published::Found) -> Vec<String> {
    let point = set
        .points
        .iter()
        .find(|point| point.shadows == table.shadows);
    let (name, shadows) = (escape_markdown(&set.name), table.shadows);
    let measure = table.measure.name();
    let paper = match row.is_of(&set.name) {
        true => "paper".to_owned(),
        false => format!("the paper's {}", row.name),
    };
    let beside = table.ids.iter().zip(row.values);
    beside
        .filter_map(|(id, theirs)| {
            let ours = value(point?, id, table.measure)?.mean;
            let said = format!(
                "{name}, {id} with {shadows} shadows, {measure}: {ours:.3} ({paper} {theirs:.3})"
            );
            ((ours - theirs).abs() > FAR).then_some(said)
        })
        .collect()
}
