//! A row as a file has it, and the checks that make it one we can use.

use std::path::Path;

use attacks::signals::tokens::TextSignals;
use rayon::prelude::*;
use serde::Deserialize;

use super::Row;
use crate::texts::values::{Flag, Word, Wrong, brief, flag};
use crate::{Error, Result};

/// Rounding may lift a certain token's log-probability above zero by this much.
const ABOVE_ZERO: f64 = 1e-3;

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
    pub ref_logprob: Option<Numbers>,
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
        logprob: raw.logprob.unwrap_or_default(),
        rank: raw.rank,
        mean: raw.mean,
        variance: raw.variance,
        reference: raw.ref_logprob,
    };
    let scored = !lists.logprob.is_empty();
    let tokens = token_ids.as_ref().map_or(lists.logprob.len(), Vec::len);
    if scored && tokens != lists.logprob.len() {
        let message = format!(
            "token_ids has {tokens} entries but logprob has {}",
            lists.logprob.len()
        );
        return Err(wrong((
            message,
            "logprob has one entry per token; the first is null",
        )));
    }
    let mut signals = lists.signals().map_err(wrong)?;
    signals.rank_cap = raw.rank_cap.and_then(|cap| u32::try_from(cap).ok());
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

/// Lists with one entry per token.
struct Lists {
    logprob: Numbers,
    rank: Option<Integers>,
    mean: Option<Numbers>,
    variance: Option<Numbers>,
    reference: Option<Numbers>,
}

impl Lists {
    /// Keeps the positions that every list has a value for: the first token has no prediction, and
    /// servers leave others out. A list without any value is none.
    fn signals(self) -> std::result::Result<TextSignals, Wrong> {
        let length = self.logprob.len();
        let mut kept: Vec<bool> = self.logprob.iter().map(Option::is_some).collect();
        let rank = checked(self.rank, "rank", length, &mut kept)?;
        let mean = checked(self.mean, "mean", length, &mut kept)?;
        let variance = checked(self.variance, "variance", length, &mut kept)?;
        let reference = checked(self.reference, "ref_logprob", length, &mut kept)?;
        let rank = rank.map(|list| {
            let list = keep(list, &kept);
            whole(list.into_iter().map(Some).collect(), "rank", 1)
        });
        let variance = variance.map(|list| keep(list, &kept));
        if let Some(wrong) = variance.iter().flatten().find(|v| v.is_nan() || **v < 0.0) {
            let message = format!("variance has {wrong}");
            return Err((message, "a variance is a number from 0"));
        }
        let reference = reference.map(|list| logprobs(keep(list, &kept), "ref_logprob"));
        Ok(TextSignals {
            logprob: logprobs(keep(self.logprob, &kept), "logprob")?,
            rank: rank.transpose()?,
            mean: mean
                .map(|list| logprobs(keep(list, &kept), "mean"))
                .transpose()?,
            variance,
            reference: reference.transpose()?,
            ..TextSignals::default()
        })
    }
}

/// A list as long as the others, and its gaps in the mask; nothing where it is all gaps.
fn checked<T>(
    list: Option<Vec<Option<T>>>,
    name: &str,
    length: usize,
    kept: &mut [bool],
) -> std::result::Result<Option<Vec<Option<T>>>, Wrong> {
    let Some(list) = list.filter(|list| length == 0 || list.iter().any(Option::is_some)) else {
        return Ok(None);
    };
    if list.len() != length {
        let message = format!("{name} has {} entries but logprob has {length}", list.len());
        let hint = "every list has one entry per token; target and reference must be asked about \
                    the same tokens";
        return Err((message, hint));
    }
    for (kept, entry) in kept.iter_mut().zip(&list) {
        *kept &= entry.is_some();
    }
    Ok(Some(list))
}

fn keep<T>(list: Vec<Option<T>>, kept: &[bool]) -> Vec<T> {
    let entries = list.into_iter().zip(kept);
    entries
        .filter_map(|(entry, kept)| entry.filter(|_| *kept))
        .collect()
}

fn logprobs(list: Vec<f64>, name: &str) -> std::result::Result<Vec<f64>, Wrong> {
    match list
        .iter()
        .find(|value| value.is_nan() || **value > ABOVE_ZERO)
    {
        None => Ok(list),
        Some(wrong) => Err((
            format!("{name} has {wrong}"),
            "log-probabilities are natural logarithms: numbers up to 0, and null where there is \
             no prediction",
        )),
    }
}

/// Whole numbers from `least`, none missing.
fn whole(list: Integers, name: &str, least: i64) -> std::result::Result<Vec<u32>, Wrong> {
    let number = |value: Option<i64>| {
        let value = value.filter(|value| *value >= least);
        value
            .and_then(|value| u32::try_from(value).ok())
            .ok_or_else(|| {
                let message = format!("{name} has an entry that is no whole number from {least}");
                let hint = match least {
                    1 => "1 is the model's first choice",
                    _ => "give the ids as the tokenizer numbers them",
                };
                (message, hint)
            })
    };
    list.into_iter().map(number).collect()
}
