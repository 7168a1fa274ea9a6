//! Scores in an npz: `member` and one array [records] per attack, such as `scores`; `ids`
//! where records have names.

use std::path::Path;

use super::precomputed::{Draft, Numbers, PrecomputedScores};
use super::{ID, MEMBER};
use crate::array::Array;
use crate::element::Scalar;
use crate::left_out::{LeftOut, Look};
use crate::shadow::matrix::NamedArrays;
use crate::shadow::npz::Archive;
use crate::shadow::{ids, keep};
use crate::{Error, Result};

pub(crate) fn read(path: &Path) -> Result<PrecomputedScores> {
    let mut archive = Archive::open(path)?;
    let mut draft = Draft::new("npz scores");
    let names = archive.names();
    check_names(&names).map_err(|error| error.at(path))?;
    for name in names {
        let array = archive.fetch(&name)?;
        match name.as_str() {
            ID | "ids" => draft.ids = Some(ids::read(&array)?.into()),
            MEMBER => {
                draft.members = Some(keep::known(&array)?);
            }
            _ => match numbers(&array)? {
                Some(numbers) => draft.columns.push((name, numbers)),
                None => draft.others.push(left_out(&name, &array)),
            },
        }
    }
    if let (Some(ids), Some(members)) = (&draft.ids, &draft.members) {
        super::check_ids(Some(ids), members.len()).map_err(|error| error.at(path))?;
    }
    draft.finish(path, &|record| format!("record {record}"))
}

/// The ids may have either name, and an archive may hold `member` and `member.npy`.
fn check_names(names: &[String]) -> Result<()> {
    let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
    let two = |first: &str, second: &str| {
        let message = format!("holds two arrays for one thing: {first} and {second}");
        Err(Error::malformed(message).hint("leave one of them out"))
    };
    let has = |name: &str| names.iter().any(|there| there == name);
    match twice {
        Some(pair) => two(&pair[0], &pair[1]),
        None if has(ID) && has("ids") => two(ID, "ids"),
        None => Ok(()),
    }
}

/// One number per record; text has none.
fn numbers(array: &Array) -> Result<Option<Numbers>> {
    let &[records] = array.shape.as_slice() else {
        let (name, shape) = (&array.place.name, &array.shape);
        return Err(
            Error::mismatch(format!("{name} has shape {shape:?}; wanted [records]"))
                .at(&array.place.path)
                .hint("store one array per attack: numpy.savez(\"scores.npz\", member=…, loss=…)"),
        );
    };
    let number = |record: usize| array.scalar(&[record]).map(Scalar::number);
    Ok((0..records)
        .map(|record| number(record).map(Some))
        .collect())
}

fn left_out(name: &str, array: &Array) -> LeftOut {
    let mut look = Look::default();
    let records = array.shape.first().copied().unwrap_or(0);
    for record in 0..records {
        look.take(record, &ids::text(array, &[record]).unwrap_or_default());
    }
    look.left_out(name, |record| format!("record {record}"))
}
