//! Which shadows stand in, two at a time.

use stats::streams::{Seed, shuffle};

/// Two shadows, by their place among the shadows.
pub type Pair = (usize, usize);

/// All pairs in a seeded order, in rounds in which every shadow plays once (the circle method of
/// tournaments): the first few pairs bring in as many different shadows as there can be.
pub fn running_order(seed: Seed, shadows: usize) -> impl Iterator<Item = Pair> {
    let mut order: Vec<usize> = (0..shadows).collect();
    shuffle(&mut seed.stream("understudy stand-ins"), &mut order);
    // With an odd number one seat stays empty, and whoever faces it rests.
    let seats = shadows.next_multiple_of(2);
    let games = (0..seats.saturating_sub(1))
        .flat_map(move |round| (0..seats / 2).map(move |table| players(round, table, seats)));
    games.filter_map(move |(a, b)| Some((*order.get(a)?, *order.get(b)?)))
}

/// The last seat never moves; the others turn by one from round to round.
fn players(round: usize, table: usize, seats: usize) -> Pair {
    let circle = seats - 1;
    match table {
        0 => (circle, round),
        _ => ((round + table) % circle, (round + circle - table) % circle),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_pair_plays_once_and_the_first_round_seats_everyone() {
        for shadows in 0..20 {
            let pairs: Vec<Pair> = running_order(Seed(3), shadows).collect();
            let sorted: BTreeSet<Pair> = pairs.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
            assert!(sorted.iter().all(|&(a, b)| a < b && b < shadows));
            assert_eq!(sorted.len(), pairs.len());
            assert_eq!(pairs.len(), shadows * shadows.saturating_sub(1) / 2);
            let round = &pairs[..shadows / 2];
            let seated: BTreeSet<usize> = round.iter().flat_map(|&(a, b)| [a, b]).collect();
            assert_eq!(seated.len(), shadows / 2 * 2);
        }
    }

    #[test]
    fn the_seed_decides_who_plays() {
        let first = |seed| running_order(Seed(seed), 40).next();
        assert_eq!(first(1), first(1));
        assert!((0..9).any(|seed| first(seed) != first(9)));
    }
}
