//! Which shadows stand in, two at a time.
//!
//! A rehearsal is fair when, seen from the shadows that remain, either of the two could have been
//! the one that trained on a record. Independent training sets are fair in any pairing. Where
//! shadows were trained on complementary halves, only the two halves of one cut are: any other
//! pair leaves its own complements among the shadows, and the learner would learn to recognise
//! models by what their complements do.

use stats::streams::{Seed, shuffle};

use crate::signals::membership::MemberRow;

/// Share of the records on which the shadows of a complementary pair differ, at least.
const OPPOSED: f64 = 0.9;

/// Share of the records that the smaller of them trained on, at least.
const LEAST_PART: f64 = 0.25;

/// Two shadows, by their place among the shadows.
pub type Pair = (usize, usize);

/// Which pairs teach, and in whose absence the audited model is shown.
pub struct Casting {
    pub teach: Vec<Pair>,
    pub show: Vec<Pair>,
}

impl Casting {
    /// At most so many of each, in a seeded order.
    pub fn new(seed: Seed, members: &[MemberRow], most: usize) -> Self {
        let any = || running_order(seed, members.len()).take(most).collect();
        let mut fair = complementary(members);
        shuffle(&mut seed.stream("understudy complements"), &mut fair);
        fair.truncate(most);
        Self {
            show: match fair.len() {
                // One scene lacks what two of the shadows tell; two scenes lack nothing.
                0 | 1 => any(),
                _ => fair.clone(),
            },
            teach: if fair.is_empty() { any() } else { fair },
        }
    }
}

/// Pairs of which one trained on nearly all that the other did not, each shadow in one at most.
fn complementary(members: &[MemberRow]) -> Vec<Pair> {
    let opposed = |a: usize, b: usize| {
        let records = members[a].len() as f64;
        let apart = members[a].differing(&members[b]) as f64;
        // Of a model that trained on nearly all or nothing, membership and manner are one.
        let smaller = members[a].count().min(members[b].count()) as f64;
        apart >= OPPOSED * records && smaller >= LEAST_PART * records
    };
    let mut partner: Vec<Option<usize>> = vec![None; members.len()];
    let mut pairs = Vec::new();
    for a in 0..members.len() {
        let mut free = (a + 1..members.len()).filter(|&b| partner[a].or(partner[b]).is_none());
        if let Some(b) = free.find(|&b| opposed(a, b)) {
            (partner[a], partner[b]) = (Some(b), Some(a));
            pairs.push((a, b));
        }
    }
    pairs
}

/// All pairs in a seeded order, in rounds in which every shadow plays once (the circle method of
/// tournaments): the first few pairs bring in as many different shadows as there can be.
fn running_order(seed: Seed, shadows: usize) -> impl Iterator<Item = Pair> {
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
    fn complementary_shadows_stand_in_together_and_others_stay_out() {
        let cut =
            |of: usize| MemberRow::from_fn(640, move |record| (record / of).is_multiple_of(2));
        let rest = |of: usize| MemberRow::from_fn(640, move |record| record / of % 2 == 1);
        let members = [cut(2), cut(4), rest(8), rest(2), cut(16), cut(8), cut(2)];
        let cast = |count: usize, most| Casting::new(Seed(1), &members[..count], most);
        let mut pairs = cast(7, 8).teach;
        assert_eq!(pairs, cast(7, 8).show);
        pairs.sort_unstable();
        assert_eq!(pairs, [(0, 3), (2, 5)]);
        let one = cast(4, 8);
        assert_eq!((one.teach, one.show.len()), (vec![(0, 3)], 6));
        let none = cast(3, 2);
        assert_eq!((none.teach.len(), none.show.len()), (2, 2));
        let all_and_nothing = [0, 1].map(|kept| MemberRow::from_fn(640, move |_| kept == 1));
        assert_eq!(complementary(&all_and_nothing), []);
    }

    #[test]
    fn the_seed_decides_who_plays() {
        let first = |seed| running_order(Seed(seed), 40).next();
        assert_eq!(first(1), first(1));
        assert!((0..9).any(|seed| first(seed) != first(9)));
    }
}
