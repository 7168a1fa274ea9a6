//! Where chosen canaries go among the user's own rows: anywhere, by the seed.

use stats::streams::{Seed, shuffle};

/// What stands in a place of the training file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The user's next row.
    Own,
    /// The canary of this number.
    Canary(usize),
}

/// Every place of a training file with so many rows of the user's own; `copies` has a canary's number as
/// often as it is to be there.
pub(crate) fn slots(seed: Seed, own: usize, mut copies: Vec<usize>) -> Vec<Slot> {
    shuffle(&mut seed.stream("canary copies"), &mut copies);
    let mut taken: Vec<bool> = vec![true; copies.len()];
    taken.resize(own + copies.len(), false);
    shuffle(&mut seed.stream("canary places"), &mut taken);
    let mut copies = copies.into_iter();
    let slot = |taken: bool| match taken.then(|| copies.next()).flatten() {
        Some(canary) => Slot::Canary(canary),
        None => Slot::Own,
    };
    taken.into_iter().map(slot).collect()
}

/// Each chosen canary as often as its tier says.
pub(crate) fn copies(coins: &[bool], tiers: &[u32]) -> Vec<usize> {
    let chosen = coins.iter().zip(tiers).enumerate();
    chosen
        .filter(|(_, (coin, _))| **coin)
        .flat_map(|(number, (_, tier))| std::iter::repeat_n(number, *tier as usize))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_canaries_are_there_as_often_as_their_tier_says_and_others_never() {
        let copies = copies(&[true, false, true], &[1, 16, 4]);
        let slots = slots(Seed(1), 100, copies);
        let times = |slot: Slot| slots.iter().filter(|other| **other == slot).count();
        assert_eq!(slots.len(), 105);
        let counts = [0, 1, 2].map(|number| times(Slot::Canary(number)));
        assert_eq!((counts, times(Slot::Own)), ([1, 0, 4], 100));
    }

    #[test]
    fn places_are_anywhere() {
        let firsts: Vec<usize> = (0..400)
            .filter_map(|seed| {
                let slots = slots(Seed(seed), 9, vec![0]);
                slots.iter().position(|slot| *slot == Slot::Canary(0))
            })
            .collect();
        for place in 0..10 {
            let times = firsts.iter().filter(|first| **first == place).count();
            assert!((15..75).contains(&times), "{place}: {times}");
        }
    }
}
