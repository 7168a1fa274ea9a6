//! An object read by ranges: what is asked for, and a little of what comes after it in the same
//! column. No byte is fetched twice while a column is read through, and none of a column that
//! nobody wants.

#![cfg_attr(not(feature = "object-store"), allow(dead_code))] // built and tested in either case

use std::io;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::{Bytes, BytesMut};

use crate::{Error, Result};

/// What a request brings at most beyond what was asked for.
const READ_AHEAD: u64 = 4 << 20;
/// What all columns of a row group together are read ahead by.
const ALL_AHEAD: u64 = 96 << 20;
/// What the end of a file is fetched with: a footer fits in it, or most of one.
const FOOTER: u64 = 64 << 10;
/// Columns that are read at the same time, at most.
const MOST_WINDOWS: usize = 512;

/// Fetches bytes from wherever they lie.
pub(super) trait Fetch: Send + Sync {
    fn fetch(&self, range: Range<u64>) -> Result<Bytes>;
}

pub(super) struct Ranges {
    size: u64,
    from: Box<dyn Fetch>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Where columns begin and end, in order.
    columns: Vec<Range<u64>>,
    ahead: u64,
    /// What is there already, the most recent last.
    windows: Vec<Window>,
    failure: Option<Error>,
}

struct Window {
    start: u64,
    bytes: Bytes,
}

impl Window {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    fn holds(&self, place: u64) -> bool {
        (self.start..self.end()).contains(&place)
    }

    /// The bytes of this range, which must be inside.
    fn part(&self, range: &Range<u64>) -> Bytes {
        let from = (range.start - self.start) as usize;
        self.bytes
            .slice(from..from + (range.end - range.start) as usize)
    }
}

impl Ranges {
    pub(super) fn new(size: u64, from: Box<dyn Fetch>) -> Self {
        Self {
            size,
            from,
            state: Mutex::default(),
        }
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Where columns lie, now that the footer was read.
    pub(super) fn learn(&self, columns: impl Iterator<Item = Range<u64>>) {
        let mut state = self.state();
        state.windows.clear();
        state.columns = columns.collect();
        state.columns.sort_by_key(|column| column.start);
        let widest = state.columns.len().clamp(1, MOST_WINDOWS) as u64;
        state.ahead = (ALL_AHEAD / widest).clamp(READ_AHEAD / 16, READ_AHEAD);
    }

    /// Why a store did not answer, where it did not.
    pub(super) fn failure(&self) -> Option<Error> {
        self.state().failure.take()
    }

    pub(super) fn bytes(&self, start: u64, length: usize) -> io::Result<Bytes> {
        let range = start..start + length as u64;
        if range.end > self.size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut state = self.state();
        let window = self.window(&mut state, &range)?;
        Ok(window.part(&range))
    }

    /// Some bytes from this place on; none at the end.
    pub(super) fn read_at(&self, start: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if start >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        let mut state = self.state();
        let window = self.window(&mut state, &(start..start + 1))?;
        let end = window.end().min(start + buffer.len() as u64);
        let bytes = window.part(&(start..end));
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A window that holds the range: one that is there, grown where it ends too early.
    fn window<'a>(&self, state: &'a mut State, range: &Range<u64>) -> io::Result<&'a Window> {
        let there = state.windows.iter().position(|one| one.holds(range.start));
        let known = there.map(|place| state.windows.remove(place));
        let window = match known {
            Some(window) if range.end <= window.end() => window,
            known => self.grown(state, known, range)?,
        };
        if state.windows.len() == MOST_WINDOWS {
            state.windows.remove(0);
        }
        state.windows.push(window);
        state
            .windows
            .last()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn grown(
        &self,
        state: &mut State,
        known: Option<Window>,
        range: &Range<u64>,
    ) -> io::Result<Window> {
        let kept = known.map(|window| window.part(&(range.start..window.end())));
        let kept = kept.unwrap_or_default();
        let missing = range.start + kept.len() as u64;
        let column = state.column(range.start);
        let wanted = match &column {
            Some(column) => missing..range.end.max(column.end.min(missing + state.ahead)),
            // Before the footer is known, the end of the file is all that is asked for.
            None if state.columns.is_empty() => {
                missing.min(self.size.saturating_sub(FOOTER))..self.size
            }
            None => missing..range.end,
        };
        // What a column is read past is not asked for again.
        if let Some(column) = &column {
            state.windows.retain(|one| !column.contains(&one.start));
        }
        let fetched = self.from.fetch(wanted.clone()).and_then(|bytes| {
            let complete = bytes.len() as u64 == wanted.end - wanted.start;
            let short = || Error::malformed("a store sent fewer bytes than it was asked for");
            complete.then_some(bytes).ok_or_else(short)
        });
        let fetched = fetched.map_err(|error| {
            let told = io::Error::other(error.to_string());
            state.failure = Some(error);
            told
        })?;
        if kept.is_empty() {
            return Ok(Window {
                start: wanted.start,
                bytes: fetched,
            });
        }
        let mut bytes = BytesMut::with_capacity(kept.len() + fetched.len());
        bytes.extend_from_slice(&kept);
        bytes.extend_from_slice(&fetched);
        Ok(Window {
            start: range.start,
            bytes: bytes.freeze(),
        })
    }
}

impl State {
    /// The column that a place is in.
    fn column(&self, place: u64) -> Option<Range<u64>> {
        let after = self.columns.partition_point(|column| column.start <= place);
        let column = self.columns.get(after.checked_sub(1)?)?;
        column.contains(&place).then(|| column.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Bytes in memory, and which ranges of them were asked for.
    struct Memory {
        bytes: Bytes,
        asked: Arc<Mutex<Vec<Range<u64>>>>,
    }

    impl Fetch for Memory {
        fn fetch(&self, range: Range<u64>) -> Result<Bytes> {
            self.asked.lock().unwrap().push(range.clone());
            Ok(self.bytes.slice(range.start as usize..range.end as usize))
        }
    }

    fn ranges(size: usize) -> (Ranges, Arc<Mutex<Vec<Range<u64>>>>, Bytes) {
        let bytes: Bytes = (0..size)
            .map(|place| (place % 251) as u8)
            .collect::<Vec<u8>>()
            .into();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let from = Memory {
            bytes: bytes.clone(),
            asked: asked.clone(),
        };
        (Ranges::new(size as u64, Box::new(from)), asked, bytes)
    }

    #[test]
    fn columns_that_are_read_in_turn_are_fetched_once_and_no_others() {
        let size = 40 << 20;
        let (ranges, asked, bytes) = ranges(size);
        let columns = [0..10u64 << 20, 10 << 20..30 << 20, 30 << 20..39 << 20];
        ranges.learn(columns.clone().into_iter());
        // Pages of the first and the last column, in turn, of odd sizes.
        for (start, end) in [(&columns[0], &columns[2])].iter().flat_map(|(a, b)| {
            let pages = |column: &Range<u64>| {
                let page = 700_001;
                let starts = (column.start..column.end).step_by(page as usize);
                let end = column.end;
                let pages = starts.map(move |start| (start, end.min(start + page)));
                pages.collect::<Vec<_>>()
            };
            pages(a)
                .into_iter()
                .zip(pages(b))
                .flat_map(|(a, b)| [a, b])
                .collect::<Vec<_>>()
        }) {
            let mut header = [0; 30];
            let read = ranges.read_at(start, &mut header).unwrap();
            assert_eq!(header[..read], bytes[start as usize..start as usize + read]);
            let page = ranges.bytes(start, (end - start) as usize).unwrap();
            assert_eq!(page, bytes[start as usize..end as usize]);
        }
        let asked = asked.lock().unwrap();
        let fetched: u64 = asked.iter().map(|range| range.end - range.start).sum();
        let read: u64 = [0, 2]
            .map(|place: usize| columns[place].end - columns[place].start)
            .iter()
            .sum();
        assert!(fetched <= read, "{fetched} of {read}");
        assert!(
            asked
                .iter()
                .all(|range| range.end <= columns[1].start || range.start >= columns[1].end)
        );
        assert!(asked.len() < 12, "{asked:?}");
    }

    #[test]
    fn a_footer_is_one_request() {
        let (ranges, asked, bytes) = ranges(1 << 20);
        let mut end = [0; 8];
        assert_eq!(ranges.read_at((1 << 20) - 8, &mut end).unwrap(), 8);
        let footer = ranges.bytes((1 << 20) - 5008, 5000).unwrap();
        assert_eq!(footer, bytes[(1 << 20) - 5008..(1 << 20) - 8]);
        assert_eq!(asked.lock().unwrap().len(), 1);
        assert!(ranges.bytes((1 << 20) - 4, 8).is_err());
        assert_eq!(ranges.read_at(1 << 20, &mut end).unwrap(), 0);
    }
}
