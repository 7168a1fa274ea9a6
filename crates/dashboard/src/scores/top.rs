//! The most exposed records of one attack: a bounded heap over one column, row group by row group.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

use super::table::{Row, Table};

/// Records that are listed by score; the others are found by id or in the file's order.
pub const MOST: usize = 10_000;

pub struct Top {
    /// Largest score first; equals in the file's order.
    pub rows: Vec<Row>,
    /// Records with a score.
    pub scored: usize,
}

/// Larger is more exposed; of equals, the earlier row.
#[derive(PartialEq)]
struct Candidate {
    score: f64,
    row: usize,
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let scores = self.score.total_cmp(&other.score);
        scores.then(other.row.cmp(&self.row))
    }
}

pub fn top(table: &Table, attack: &str, most: usize) -> Result<Top, String> {
    let mut heap: BinaryHeap<Reverse<Candidate>> = BinaryHeap::with_capacity(most + 1);
    let mut scored = 0;
    table.stream_scores(attack, |first, at, rows| {
        for offset in 0..rows {
            let Some(score) = at(offset).1 else {
                continue;
            };
            scored += 1;
            let row = first + offset;
            heap.push(Reverse(Candidate { score, row }));
            if heap.len() > most {
                heap.pop();
            }
        }
    })?;
    let mut wanted: Vec<usize> = heap.iter().map(|Reverse(one)| one.row).collect();
    wanted.sort_unstable();
    let ranges: Vec<Range<usize>> = wanted.iter().map(|row| *row..row + 1).collect();
    let mut rows = table.read(&ranges, &[attack])?;
    let score = |row: &Row| row.scores.first().copied().flatten();
    rows.sort_by(|a, b| {
        let (left, right) = (score(a).unwrap_or(f64::NAN), score(b).unwrap_or(f64::NAN));
        right.total_cmp(&left).then(a.row.cmp(&b.row))
    });
    Ok(Top { rows, scored })
}
