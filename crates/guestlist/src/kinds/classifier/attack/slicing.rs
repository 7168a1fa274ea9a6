//! Where the columns come from that an audit is sliced by.

use std::collections::BTreeMap;

use formats::records_file::RecordsFile;
use formats::shadow::ShadowTable;
use judge::diagnostics::SliceColumn;

use crate::Error;
pub use crate::pipeline::slicing::of_group;

/// The name under which the signals' own labels are sliced by.
pub use judge::diagnostics::slices::LABEL;

/// The true classes that came with the signals, in numeric order.
pub fn of_labels(table: &ShadowTable) -> Option<SliceColumn> {
    let labels = table.labels.as_ref()?;
    let mut codes: BTreeMap<i64, u32> = labels.iter().map(|&label| (label, 0)).collect();
    for (code, number) in codes.values_mut().zip(0..) {
        *code = number;
    }
    Some(SliceColumn {
        name: LABEL.to_owned(),
        values: labels.iter().map(|label| codes[label]).collect(),
        names: codes.keys().map(i64::to_string).collect(),
        numbers: Vec::new(),
    })
}

/// The columns of these names: `label` is that of the signals where they have one, everything
/// else is looked for in the file of records.
pub fn columns(
    names: &[String],
    table: &ShadowTable,
    records: Option<&RecordsFile>,
) -> Result<Vec<SliceColumn>, Error> {
    let mut wanted: Vec<&String> = Vec::new();
    for name in names {
        if !wanted.contains(&name) {
            wanted.push(name);
        }
    }
    let labels = of_labels(table);
    let own = |name: &str| labels.as_ref().filter(|_| name == LABEL);
    let asked = wanted.iter().filter(|name| own(name).is_none());
    let asked: Vec<String> = asked.map(|name| (*name).clone()).collect();
    let mut found = match (records, asked.first()) {
        (_, None) => Vec::new(),
        (None, Some(name)) => return Err(no_records(name)),
        (Some(file), Some(_)) => of_file(file, &asked, table.records())?,
    }
    .into_iter();
    let column = |name: &String| own(name).cloned().or_else(|| found.next());
    Ok(wanted.into_iter().filter_map(column).collect())
}

fn of_file(
    file: &RecordsFile,
    names: &[String],
    records: usize,
) -> Result<Vec<SliceColumn>, Error> {
    let groups = file.groups(names)?.into_iter();
    let columns: Vec<SliceColumn> = groups.map(of_group).collect();
    for column in &columns {
        column
            .check(records)
            .map_err(|error| error.within(&file.path().display().to_string()))?;
    }
    Ok(columns)
}

fn no_records(name: &str) -> Error {
    if name == LABEL {
        return Error::usage(
            "--slice label: the signals have no labels",
            "store them as labels beside phi and keep, or name a column of a file given with \
             --records",
        );
    }
    Error::usage(
        format!("--slice {name} needs a file with that column"),
        "give a CSV, Parquet or npz file with one row per record with --records",
    )
}
