//! A row as a file has it, and how it becomes one we can use.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use serde::Deserialize;

use super::Row;
use super::lists::{Lists, OfModel, logprobs, whole};
use crate::texts::values::{Flag, Word, Wrong, brief, flag};
use crate::{Error, Result};

/// Rows as they come, until there are no more.
pub type Batches = Box<dyn Iterator<Item = Result<RawRows>> + Send>;

/// Some rows, and where they lie where that is not where all do: the file, and its rows before them.
pub struct RawRows {
    pub rows: Vec<RawRow>,
    pub place: Option<(Arc<Path>, usize)>,
}

impl From<Vec<RawRow>> for RawRows {
    fn from(rows: Vec<RawRow>) -> Self {
        Self { rows, place: None }
    }
}

pub type Numbers = Vec<Option<f64>>;
pub type Integers = Vec<Option<i64>>;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawRow {
    pub id: Option<Word>,
    pub member: Option<Flag>,
    pub date: Option<Word>,
    pub text: Option<String>,
    pub token_ids: Option<Integers>,
    pub ref_token_ids: Option<Integers>,
    pub logprob: Option<Numbers>,
    pub rank: Option<Integers>,
    pub rank_cap: Option<i64>,
    pub mean: Option<Numbers>,
    pub variance: Option<Numbers>,
    pub max_logprob: Option<Numbers>,
    pub ref_logprob: Option<Numbers>,
    pub ref_rank: Option<Integers>,
    pub ref_rank_cap: Option<i64>,
    pub ref_mean: Option<Numbers>,
    pub ref_variance: Option<Numbers>,
    pub ref_max_logprob: Option<Numbers>,
    pub lowercase_logprob: Option<Numbers>,
    pub secret_tokens: Option<Integers>,
}

/// Checks rows; `first` is the number of rows before them in all files.
pub fn check_all(batch: RawRows, first: usize, path: &Path) -> Result<Vec<Row>> {
    let (path, before) = match &batch.place {
        Some((path, before)) => (path.as_ref(), *before),
        None => (path, first),
    };
    (batch.rows.into_par_iter().enumerate())
        .map(|(place, raw)| check(raw, first + place, before + place, path))
        .collect::<Vec<_>>()
        // In order: the first row that is wrong is named, whichever core found it.
        .into_iter()
        .collect()
}

/// `row` is its number among all, `place` that in its file.
fn check(raw: RawRow, row: usize, place: usize, path: &Path) -> Result<Row> {
    let id = raw.id.map_or_else(|| row.to_string(), Word::text);
    let wrong = |(message, hint): (String, &str)| {
        let id = brief(&id);
        Error::malformed(format!("row {} ({id:?}): {message}", place + 1))
            .at(path)
            .hint(hint)
    };
    let member = raw.member.map(flag).transpose().map_err(wrong)?;
    let ids = |list: Option<Integers>, name| list.map(|list| whole(list, name, 0)).transpose();
    let token_ids = ids(raw.token_ids, "token_ids").map_err(wrong)?;
    let reference_ids = ids(raw.ref_token_ids, "ref_token_ids").map_err(wrong)?;
    let secret = secret(raw.secret_tokens, raw.logprob.as_deref()).map_err(wrong)?;
    let lists = Lists {
        target: OfModel {
            logprob: raw.logprob,
            rank: raw.rank,
            mean: raw.mean,
            variance: raw.variance,
            max_logprob: raw.max_logprob,
        },
        reference: OfModel {
            logprob: raw.ref_logprob,
            rank: raw.ref_rank,
            mean: raw.ref_mean,
            variance: raw.ref_variance,
            max_logprob: raw.ref_max_logprob,
        },
    };
    let length = lists.length();
    let scored = length > 0;
    let tokens = token_ids.as_ref().map_or(length, Vec::len);
    if scored && tokens != length {
        let message = format!("token_ids has {tokens} entries but logprob has {length}");
        return Err(wrong((
            message,
            "logprob has one entry per token; the first is null",
        )));
    }
    let mut signals = lists.signals().map_err(wrong)?;
    signals.rank_cap = raw.rank_cap.and_then(|cap| u32::try_from(cap).ok());
    signals.ref_rank_cap = raw.ref_rank_cap.and_then(|cap| u32::try_from(cap).ok());
    signals.lowercase = raw
        .lowercase_logprob
        .map(|list| logprobs(list.into_iter().flatten().collect(), "lowercase_logprob"))
        .transpose()
        .map_err(wrong)?;
    signals.text = raw.text;
    Ok(Row {
        member,
        date: raw.date.map(Word::text),
        token_ids,
        reference_ids,
        tokens,
        scored,
        secret,
        signals,
        id,
    })
}

/// ln p of the drawn tokens of a canary, each given all that stands before it. The first token of a text has
/// no prediction and is given; nothing where another one has none.
fn secret(
    places: Option<Integers>,
    logprob: Option<&[Option<f64>]>,
) -> std::result::Result<Option<f64>, Wrong> {
    let (Some(places), Some(logprob)) = (places, logprob) else {
        return Ok(None);
    };
    let places = whole(places, "secret_tokens", 0)?;
    let mut sum = None;
    for place in places.into_iter().map(|place| place as usize) {
        let Some(entry) = logprob.get(place) else {
            let message = format!(
                "secret_tokens names token {place}, but logprob has {} entries",
                logprob.len()
            );
            return Err((message, "tokens are counted from 0"));
        };
        match (entry, place) {
            (Some(entry), _) => sum = Some(sum.unwrap_or(0.0) + entry),
            (None, 0) => {}
            (None, _) => return Ok(None),
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_tokens_are_added_up_and_the_first_is_given() {
        let logprob = [None, Some(-1.0), Some(-2.0), None, Some(-4.0)];
        let of = |places: &[i64]| {
            let places = places.iter().map(|place| Some(*place)).collect();
            secret(Some(places), Some(&logprob))
        };
        assert_eq!(of(&[1, 2, 4]).unwrap(), Some(-7.0));
        assert_eq!(of(&[0, 2]).unwrap(), Some(-2.0));
        assert_eq!(of(&[2, 3]).unwrap(), None);
        assert_eq!((of(&[]).unwrap(), of(&[0]).unwrap()), (None, None));
        assert!(of(&[5]).unwrap_err().0.contains("names token 5"));
        assert!(of(&[-1]).is_err());
        assert_eq!(secret(None, Some(&logprob)).unwrap(), None);
    }
}
