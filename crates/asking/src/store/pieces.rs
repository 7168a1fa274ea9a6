//! Long stretches that come again and again, each stored once: passages of sources stand in many answers, and the
//! same question goes to both arms.
//!
//! Requests and answers are cut at every quotation mark, whatever they are written in: strings of JSON come out
//! whole, and putting the pieces together gives the bytes as they came.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::packed::{pack, unpack};

/// Bytes from which on a stretch may be a piece.
const LONG: usize = 96;
/// Bytes of pieces that are kept at hand.
const MOST_AT_HAND: usize = 16 << 20;

type Name = [u8; 16];

/// What is known of the pieces of a store without asking it.
#[derive(Default)]
pub(super) struct Pieces {
    /// Those that are stored, as far as somebody has looked.
    stored: HashMap<Name, i64>,
    /// Stretches of answers that came once: most never come again.
    met: HashSet<Name>,
    at_hand: HashMap<i64, Arc<[u8]>>,
    bytes_at_hand: usize,
}

/// Bytes that were cut: plain ones with a piece behind each, and plain ones at the end.
pub(super) struct Parts<'c> {
    parts: Vec<(&'c [u8], Arc<[u8]>)>,
    last: &'c [u8],
}

impl Parts<'_> {
    /// The bytes as they were before they were cut. The store is not needed for it, so that others can read.
    pub fn join(&self) -> Vec<u8> {
        let pieces = self.parts.iter();
        let length: usize = pieces.map(|(plain, piece)| plain.len() + piece.len()).sum();
        let mut bytes = Vec::with_capacity(length + self.last.len());
        for (plain, piece) in &self.parts {
            bytes.extend_from_slice(plain);
            bytes.extend_from_slice(piece);
        }
        bytes.extend_from_slice(self.last);
        bytes
    }
}

/// When a stretch becomes a piece.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cutting {
    /// At once.
    Always,
    /// When it comes for the second time.
    Again,
}

impl Pieces {
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The bytes with numbers in the place of pieces, which are stored; nothing where no piece is in them. What is
    /// learnt here holds once the transaction is committed: see [`Self::forget`].
    pub fn cut(
        &mut self,
        connection: &Connection,
        bytes: &[u8],
        cutting: Cutting,
    ) -> rusqlite::Result<Option<Vec<u8>>> {
        let mut cut = Vec::new();
        let mut plain = 0;
        let mut start = 0;
        for run in bytes.split(|byte| *byte == b'"') {
            let end = start + run.len();
            if run.len() >= LONG
                && let Some(number) = self.number(connection, run, cutting)?
            {
                write_length(&mut cut, start - plain);
                cut.extend_from_slice(&bytes[plain..start]);
                write_length(&mut cut, number as usize);
                plain = end;
            }
            start = end + 1;
        }
        if plain == 0 {
            return Ok(None);
        }
        write_length(&mut cut, bytes.len() - plain);
        cut.extend_from_slice(&bytes[plain..]);
        Ok(Some(cut))
    }

    /// What stands in the bytes before they are put together again; nothing where they are damaged.
    pub fn parts<'c>(
        &mut self,
        connection: &Connection,
        mut cut: &'c [u8],
    ) -> rusqlite::Result<Option<Parts<'c>>> {
        let mut parts = Vec::new();
        loop {
            let plain = read_length(&mut cut).and_then(|length| cut.split_at_checked(length));
            let Some((plain, rest)) = plain else {
                return Ok(None);
            };
            cut = rest;
            if cut.is_empty() {
                return Ok(Some(Parts { parts, last: plain }));
            }
            let number = read_length(&mut cut).and_then(|number| i64::try_from(number).ok());
            let piece = number.map(|number| self.piece(connection, number));
            let Some(piece) = piece.transpose()?.flatten() else {
                return Ok(None);
            };
            parts.push((plain, piece));
        }
    }

    fn number(
        &mut self,
        connection: &Connection,
        run: &[u8],
        cutting: Cutting,
    ) -> rusqlite::Result<Option<i64>> {
        let name = name(run);
        if let Some(number) = self.stored.get(&name) {
            return Ok(Some(*number));
        }
        let mut find = connection.prepare("SELECT number FROM pieces WHERE name = ?1")?;
        let found: Option<i64> = find.query_row([name], |row| row.get(0)).optional()?;
        let number = match found {
            Some(number) => number,
            None if cutting == Cutting::Again && self.met.insert(name) => return Ok(None),
            None => {
                let (piece, packed) = pack(run);
                connection
                    .prepare("INSERT INTO pieces (name, packed, piece) VALUES (?1, ?2, ?3)")?
                    .execute(params![name, packed, piece])?;
                connection.last_insert_rowid()
            }
        };
        self.met.remove(&name);
        self.stored.insert(name, number);
        Ok(Some(number))
    }

    fn piece(
        &mut self,
        connection: &Connection,
        number: i64,
    ) -> rusqlite::Result<Option<Arc<[u8]>>> {
        if let Some(piece) = self.at_hand.get(&number) {
            return Ok(Some(piece.clone()));
        }
        let mut find = connection.prepare("SELECT piece, packed FROM pieces WHERE number = ?1")?;
        let found = find.query_row([number], |row| Ok((row.get(0)?, row.get(1)?)));
        let Some((piece, packed)) = found.optional()? else {
            return Ok(None);
        };
        let Ok(piece) = unpack(piece, packed) else {
            return Ok(None);
        };
        let piece: Arc<[u8]> = piece.into();
        if self.bytes_at_hand + piece.len() > MOST_AT_HAND {
            self.at_hand.clear();
            self.bytes_at_hand = 0;
        }
        self.bytes_at_hand += piece.len();
        self.at_hand.insert(number, piece.clone());
        Ok(Some(piece))
    }
}

/// Two stretches with one name would take finding a collision of SHA-256 in 128 bits.
fn name(run: &[u8]) -> Name {
    let mut name = Name::default();
    name.copy_from_slice(&Sha256::digest(run)[..16]);
    name
}

/// Seven bits to a byte, the lowest first; the eighth says that there are more.
fn write_length(out: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
}

fn read_length(from: &mut &[u8]) -> Option<usize> {
    let mut length = 0_usize;
    for shift in (0..usize::BITS).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        length |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(length);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::open::PIECES;

    fn database() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(PIECES).unwrap();
        connection
    }

    fn count(connection: &Connection) -> i64 {
        let count = "SELECT count(*) FROM pieces";
        connection.query_row(count, [], |row| row.get(0)).unwrap()
    }

    proptest! {
        #[test]
        fn what_is_cut_comes_back(
            runs in prop::collection::vec(("[a\"\\\\é]{0,3}", 0_usize..300, 0_usize..4), 0..8),
            always in any::<bool>(),
        ) {
            let connection = database();
            let mut pieces = Pieces::default();
            let text: String = runs.iter().map(|(marks, length, letter)| {
                format!("{marks}\"{}\"", "abcd"[*letter..=*letter].repeat(*length))
            }).collect();
            let cutting = if always { Cutting::Always } else { Cutting::Again };
            for _ in 0..3 {
                let cut = pieces.cut(&connection, text.as_bytes(), cutting).unwrap();
                if let Some(cut) = cut {
                    // Also by somebody who has seen none of it.
                    for reader in [&mut pieces, &mut Pieces::default()] {
                        let parts = reader.parts(&connection, &cut).unwrap();
                        let joined = parts.map(|parts| parts.join());
                        prop_assert_eq!(joined.as_deref(), Some(text.as_bytes()));
                    }
                }
            }
        }

        #[test]
        fn damage_is_noticed_or_harmless(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = Pieces::default().parts(&database(), &bytes).unwrap();
        }
    }

    #[test]
    fn a_passage_is_stored_once_and_what_never_comes_again_not_at_all() {
        let connection = database();
        let mut pieces = Pieces::default();
        let passage = "Thicker asphalt lowered the stress range. ".repeat(5);
        let answer = |own: &str| format!("{{\"answer\":\"{own}\",\"text\":\"{passage}\"}}");
        let own = ["first ", "second ", "third "].map(|word| word.repeat(30));
        let mut lengths = own.iter().map(|own| {
            let answer = answer(own);
            let cut = pieces.cut(&connection, answer.as_bytes(), Cutting::Again);
            cut.unwrap().map_or(answer.len(), |cut| cut.len())
        });
        assert!(lengths.next().unwrap() > passage.len());
        assert!(lengths.all(|length| length < passage.len() + 30));
        assert_eq!(count(&connection), 1);
        // Another who opens the store knows it.
        let again = Pieces::default().cut(&connection, answer("x").as_bytes(), Cutting::Again);
        assert!(again.unwrap().unwrap().len() < 50 && count(&connection) == 1);
    }
}
