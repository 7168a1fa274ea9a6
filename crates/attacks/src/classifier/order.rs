//! Sorting numbers by their bits: a few passes over the data without a comparison, which nearly do.

/// Bits a pass looks at: the counters of one pass stay in the fastest cache.
const BITS: usize = 11;
/// Passes over the highest bits of the keys; few numbers share them all, and those are compared.
const PASSES: usize = 3;
/// The lowest bit that a pass looks at.
const FIRST_BIT: usize = 64 - PASSES * BITS;
/// Below this many a comparison sort is faster than clearing counters.
const FEW: usize = 2048;

/// A number that sorts like the value, with the place the value came from.
pub type Keyed = (u64, u32);

/// An unsigned integer in the order of the numbers: −0 just below 0, infinities at the ends.
pub fn key(value: f64) -> u64 {
    let bits = value.to_bits();
    bits ^ (((bits as i64 >> 63) as u64) | 1 << 63)
}

/// The number of a key.
pub fn value_of(key: u64) -> f64 {
    let flip = ((!key as i64 >> 63) as u64) | 1 << 63;
    f64::from_bits(key ^ flip)
}

/// Sorts by key, smallest first.
pub fn sort(mut items: Vec<Keyed>) -> Vec<Keyed> {
    if items.len() < FEW {
        items.sort_unstable_by_key(|item| item.0);
        return items;
    }
    let mut counts = count_digits(&items);
    let mut other = items.clone();
    for (pass, counts) in counts.iter_mut().enumerate() {
        // A digit that all share leaves the order as it is.
        if counts.contains(&(items.len() as u32)) {
            continue;
        }
        let mut next = 0;
        for count in counts.iter_mut() {
            next += std::mem::replace(count, next);
        }
        for item in &items {
            let slot = &mut counts[digit(item.0, pass)];
            other[*slot as usize] = *item;
            *slot += 1;
        }
        std::mem::swap(&mut items, &mut other);
    }
    for alike in items.chunk_by_mut(|a, b| a.0 >> FIRST_BIT == b.0 >> FIRST_BIT) {
        if alike.len() > 1 {
            alike.sort_by_key(|item| item.0);
        }
    }
    items
}

/// How often each digit occurs, for all passes at once.
fn count_digits(items: &[Keyed]) -> Vec<[u32; 1 << BITS]> {
    let mut counts = vec![[0; 1 << BITS]; PASSES];
    for item in items {
        for (pass, counts) in counts.iter_mut().enumerate() {
            counts[digit(item.0, pass)] += 1;
        }
    }
    counts
}

fn digit(key: u64, pass: usize) -> usize {
    (key >> (FIRST_BIT + pass * BITS)) as usize & ((1 << BITS) - 1)
}

#[cfg(test)]
mod tests {
    use stats::streams::{Seed, shuffle, standard_normal};

    use super::*;

    #[test]
    fn keys_keep_the_order_and_give_the_number_back() {
        let ascending = [
            f64::NEG_INFINITY,
            -1e300,
            -1.5,
            -1e-310,
            -0.0,
            0.0,
            1e-310,
            2.0,
            f64::INFINITY,
        ];
        for pair in ascending.windows(2) {
            assert!(key(pair[0]) < key(pair[1]), "{pair:?}");
        }
        for value in ascending {
            assert_eq!(value_of(key(value)).to_bits(), value.to_bits());
        }
    }

    /// What a comparison that keeps the places of equals makes of the values.
    fn sorts_as_comparisons_do(values: &[f64]) {
        let keyed = values.iter().zip(0..);
        let keyed: Vec<Keyed> = keyed.map(|(value, place)| (key(*value), place)).collect();
        let mut slow = keyed.clone();
        slow.sort_by_key(|item| item.0);
        let fast = sort(keyed);
        if values.len() >= FEW {
            assert_eq!(fast, slow);
        }
        let keys = |items: &[Keyed]| -> Vec<u64> { items.iter().map(|item| item.0).collect() };
        assert_eq!(keys(&fast), keys(&slow));
    }

    #[test]
    fn many_and_few_sort_as_comparisons_do() {
        let mut rng = Seed(3).stream("order");
        for count in [0, 1, 100, FEW, 3 * FEW + 7] {
            let normals: Vec<f64> = (0..count).map(|_| standard_normal(&mut rng)).collect();
            sorts_as_comparisons_do(&normals);
            // Rounded, so that there are ties: places must stay ascending among equals.
            let rounded: Vec<f64> = normals.iter().map(|x| (100.0 * x).round()).collect();
            sorts_as_comparisons_do(&rounded);
        }
    }

    #[test]
    fn numbers_that_differ_in_their_last_bits_alone_are_compared() {
        let mut rng = Seed(4).stream("order");
        let near = |place: usize| 1.0 + (place % 1700) as f64 * f64::EPSILON;
        let mut values: Vec<f64> = (0..2 * FEW).map(near).collect();
        values.extend(values.clone().iter().map(|value| -value));
        let ends = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 5e-324, -5e-324];
        values.extend(ends.repeat(40));
        shuffle(&mut rng, &mut values);
        sorts_as_comparisons_do(&values);
    }
}
