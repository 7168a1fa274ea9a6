//! A scored text as bytes, for the store: little-endian, with a version in front.
//!
//! ```text
//! version u8 | which parts u8 | tokens u32
//! logprob | ids | pieces | rank | cap | mean | variance | max_logprob
//! ```
//!
//! A part with gaps is a bit per token that says whether it is there, then the values that are.

use super::Scored;
use crate::{Error, Result};

const VERSION: u8 = 1;
const IDS: u8 = 1;
const PIECES: u8 = 2;
const RANK: u8 = 4;
const CAP: u8 = 8;
const MEAN: u8 = 16;
const VARIANCE: u8 = 32;
const MAX_LOGPROB: u8 = 64;

impl Scored {
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let tokens = self.logprob.len();
        let count = u32::try_from(tokens).map_err(|_| Error::malformed("the text is too long"))?;
        let mut bytes = vec![VERSION, self.parts()];
        bytes.extend(count.to_le_bytes());
        put_gappy(&mut bytes, &self.logprob, tokens, f32::to_le_bytes)?;
        if let Some(ids) = &self.token_ids {
            same_length(ids.len(), tokens)?;
            bytes.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
        }
        if let Some(pieces) = &self.pieces {
            same_length(pieces.len(), tokens)?;
            put_pieces(&mut bytes, pieces)?;
        }
        if let Some(rank) = &self.rank {
            put_gappy(&mut bytes, rank, tokens, u32::to_le_bytes)?;
        }
        bytes.extend(self.rank_cap.iter().flat_map(|cap| cap.to_le_bytes()));
        let numbers = [&self.mean, &self.variance, &self.max_logprob];
        for numbers in numbers.into_iter().flatten() {
            put_gappy(&mut bytes, numbers, tokens, f32::to_le_bytes)?;
        }
        Ok(bytes)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut rest = Rest(bytes);
        let [version, parts] = rest.take()?;
        if version != VERSION {
            return Err(damaged("it is of another version"));
        }
        let tokens = u32::from_le_bytes(rest.take()?) as usize;
        let has = |part: u8| parts & part != 0;
        let scored = Self {
            logprob: rest.gappy(tokens, f32::from_le_bytes)?,
            token_ids: has(IDS).then(|| rest.ids(tokens)).transpose()?,
            pieces: has(PIECES).then(|| rest.pieces(tokens)).transpose()?,
            rank: has(RANK)
                .then(|| rest.gappy(tokens, u32::from_le_bytes))
                .transpose()?,
            rank_cap: has(CAP)
                .then(|| rest.take().map(u32::from_le_bytes))
                .transpose()?,
            mean: has(MEAN)
                .then(|| rest.gappy(tokens, f32::from_le_bytes))
                .transpose()?,
            variance: has(VARIANCE)
                .then(|| rest.gappy(tokens, f32::from_le_bytes))
                .transpose()?,
            max_logprob: has(MAX_LOGPROB)
                .then(|| rest.gappy(tokens, f32::from_le_bytes))
                .transpose()?,
        };
        match rest.0.is_empty() && parts < 2 * MAX_LOGPROB {
            true => Ok(scored),
            false => Err(damaged("there is more than there should be")),
        }
    }

    fn parts(&self) -> u8 {
        let parts = [
            (IDS, self.token_ids.is_some()),
            (PIECES, self.pieces.is_some()),
            (RANK, self.rank.is_some()),
            (CAP, self.rank_cap.is_some()),
            (MEAN, self.mean.is_some()),
            (VARIANCE, self.variance.is_some()),
            (MAX_LOGPROB, self.max_logprob.is_some()),
        ];
        let there = parts.iter().filter(|(_, there)| *there);
        there.map(|(part, _)| part).sum()
    }
}

fn put_gappy<T: Copy>(
    bytes: &mut Vec<u8>,
    values: &[Option<T>],
    tokens: usize,
    encode: impl Fn(T) -> [u8; 4],
) -> Result<()> {
    same_length(values.len(), tokens)?;
    let mask = values.chunks(8).map(|chunk| {
        let bits = chunk.iter().enumerate();
        bits.map(|(bit, value)| u8::from(value.is_some()) << bit)
            .sum::<u8>()
    });
    bytes.extend(mask);
    bytes.extend(values.iter().flatten().flat_map(|&value| encode(value)));
    Ok(())
}

fn put_pieces(bytes: &mut Vec<u8>, pieces: &[String]) -> Result<()> {
    for piece in pieces {
        let length = u32::try_from(piece.len())
            .map_err(|_| Error::malformed("a token's text is too long"))?;
        bytes.extend(length.to_le_bytes());
        bytes.extend(piece.as_bytes());
    }
    Ok(())
}

fn same_length(found: usize, tokens: usize) -> Result<()> {
    match found == tokens {
        true => Ok(()),
        false => Err(Error::mismatch(format!(
            "a scored text has {tokens} log-probabilities but {found} values beside them"
        ))),
    }
}

/// What has not been read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self
            .0
            .split_at_checked(count)
            .ok_or_else(|| damaged("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut taken = [0; N];
        taken.copy_from_slice(self.bytes(N)?);
        Ok(taken)
    }

    fn gappy<T>(&mut self, tokens: usize, decode: impl Fn([u8; 4]) -> T) -> Result<Vec<Option<T>>> {
        // Taken before anything of that size is allocated: a false count must not exhaust memory.
        let mask = self.bytes(tokens.div_ceil(8))?;
        (0..tokens)
            .map(|token| match mask[token / 8] >> (token % 8) & 1 {
                1 => self.take().map(|bytes| Some(decode(bytes))),
                _ => Ok(None),
            })
            .collect()
    }

    fn ids(&mut self, tokens: usize) -> Result<Vec<u32>> {
        let mut ids = Rest(self.bytes(tokens * 4)?);
        (0..tokens)
            .map(|_| ids.take().map(u32::from_le_bytes))
            .collect()
    }

    fn pieces(&mut self, tokens: usize) -> Result<Vec<String>> {
        (0..tokens)
            .map(|_| {
                let length = u32::from_le_bytes(self.take()?) as usize;
                let piece = str::from_utf8(self.bytes(length)?);
                piece
                    .map(str::to_owned)
                    .map_err(|_| damaged("a token is not text"))
            })
            .collect()
    }
}

fn damaged(why: &str) -> Error {
    Error::malformed(format!("a stored text is damaged: {why}"))
        .hint("move the store away and run again")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn any_scored()(tokens in 0_usize..40)(
            logprob in gappy(tokens, -50.0_f32..0.0),
            token_ids in part(prop::collection::vec(any::<u32>(), tokens)),
            pieces in part(prop::collection::vec(".{0,5}", tokens)),
            rank in part(gappy(tokens, any::<u32>())),
            rank_cap in part(any::<u32>()),
            mean in part(gappy(tokens, -50.0_f32..0.0)),
            variance in part(gappy(tokens, 0.0_f32..90.0)),
            max_logprob in part(gappy(tokens, -50.0_f32..0.0)),
        ) -> Scored {
            Scored { token_ids, pieces, logprob, rank, rank_cap, mean, variance, max_logprob }
        }
    }

    fn part<S: Strategy>(values: S) -> impl Strategy<Value = Option<S::Value>> {
        prop::option::of(values)
    }

    fn gappy<S: Strategy>(
        tokens: usize,
        values: S,
    ) -> impl Strategy<Value = Vec<Option<S::Value>>> {
        prop::collection::vec(prop::option::of(values), tokens)
    }

    proptest! {
        #[test]
        fn comes_back_as_it_was(scored in any_scored()) {
            let bytes = scored.to_bytes().unwrap();
            prop_assert_eq!(Scored::from_bytes(&bytes).unwrap(), scored);
        }

        #[test]
        fn what_is_cut_short_or_too_long_is_refused(scored in any_scored(), cut in any::<prop::sample::Index>()) {
            let mut bytes = scored.to_bytes().unwrap();
            prop_assert!(Scored::from_bytes(&bytes[..cut.index(bytes.len())]).is_err());
            bytes.push(0);
            prop_assert!(Scored::from_bytes(&bytes).is_err());
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Scored::from_bytes(&bytes);
            let mut ours = vec![VERSION];
            ours.extend(bytes);
            let _ = Scored::from_bytes(&ours);
        }
    }

    #[test]
    fn parts_of_unequal_length_are_refused() {
        let scored = Scored {
            logprob: vec![None, Some(-1.0)],
            token_ids: Some(vec![1]),
            ..Scored::default()
        };
        assert!(scored.to_bytes().is_err());
    }
}
