//! Some of a file's rows, each as likely as any other, in one pass.

use stats::streams::{ChaCha8Rng, Rng, shuffle};

use crate::Result;
use crate::lm::{Corpus, Row};

/// Up to so many of what `take` makes of the rows, in an order of its own, and how many there were
/// (Vitter 1985, algorithm R).
pub(super) fn sample<T>(
    corpus: &Corpus,
    wanted: usize,
    rng: &mut ChaCha8Rng,
    take: impl Fn(&Row) -> Option<T>,
) -> Result<(Vec<T>, usize)> {
    let mut kept: Vec<T> = Vec::with_capacity(wanted);
    let mut seen = 0usize;
    for row in corpus.read()? {
        let Some(taken) = take(&row?) else {
            continue;
        };
        seen += 1;
        if kept.len() < wanted {
            kept.push(taken);
            continue;
        }
        // A remainder of 64 bits: its bias is nothing that a file's length can show.
        let place = (rng.next_u64() % seen as u64) as usize;
        if let Some(slot) = kept.get_mut(place) {
            *slot = taken;
        }
    }
    shuffle(rng, &mut kept);
    Ok((kept, seen))
}
