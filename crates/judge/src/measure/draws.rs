//! Drawing n out of n with replacement, fast: only the counts are kept.

use stats::streams::Rng;

/// Random bytes are fetched in bulk: one call into the generator for a thousand draws.
const BYTES: usize = 4 * 1024;

/// Draws as many records as there are counts, each equally likely, and counts them. A count that
/// would overflow stays at its largest value, which no sample that fits into memory reaches with
/// a probability worth writing down.
///
/// Multiply and shift, refusing the few words that would favour some records: Lemire, "Fast
/// Random Integer Generation in an Interval", 2019.
pub(crate) fn count_draws(stream: &mut impl Rng, counts: &mut [u16]) {
    counts.fill(0);
    let size = counts.len() as u32;
    let unfair = size.wrapping_neg().checked_rem(size).unwrap_or(0);
    let mut left = counts.len();
    let mut buffer = [0; BYTES];
    while left > 0 {
        let bytes = &mut buffer[..BYTES.min(4 * left)];
        stream.fill_bytes(bytes);
        for word in bytes.as_chunks().0 {
            let product = u64::from(u32::from_le_bytes(*word)) * u64::from(size);
            if product as u32 >= unfair {
                let count = &mut counts[(product >> 32) as usize];
                *count = count.saturating_add(1);
                left -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::streams::Seed;

    #[test]
    fn draws_as_many_as_there_are_and_evenly() {
        let mut stream = Seed(7).stream("draws");
        let mut totals = [0_u64; 7];
        for _ in 0..10_000 {
            let mut counts = [9_u16; 7];
            count_draws(&mut stream, &mut counts);
            assert_eq!(counts.iter().map(|&c| u64::from(c)).sum::<u64>(), 7);
            for (total, count) in totals.iter_mut().zip(counts) {
                *total += u64::from(count);
            }
        }
        assert!(
            totals.iter().all(|&t| t.abs_diff(10_000) < 500),
            "{totals:?}"
        );
    }
}
