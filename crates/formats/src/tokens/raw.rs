//! A row as a file has it, and how it becomes one we can use.

use std::path::Path;

use rayon::prelude::*;
use serde::Deserialize;

use super::Row;
use super::lists::{Lists, OfModel, logprobs, whole};
use crate::texts::values::{Flag, Word, brief, flag};
use crate::{Error, Result};

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
}

/// Checks rows; `first` is the number of rows before them.
pub fn check_all(rows: Vec<RawRow>, first: usize, path: &Path) -> Result<Vec<Row>> {
    rows.into_par_iter()
        .enumerate()
        .map(|(place, raw)| check(raw, first + place, path))
        .collect::<Vec<_>>()
        // In order: the first row that is wrong is named, whichever core found it.
        .into_iter()
        .collect()
}

fn check(raw: RawRow, place: usize, path: &Path) -> Result<Row> {
    let id = raw.id.map_or_else(|| place.to_string(), Word::text);
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
        signals,
        id,
    })
}
