//! Who is chosen: an own fair coin for every canary, independent of all others, of its design and of its
//! tier. Never a fixed number of members: one-run bounds rest on coins that know nothing of each other
//! (Steinke, Nasr, Jagielski 2023, arXiv:2305.08846, Algorithm 1).

use base::ErrorKind;
use stats::streams::{Rng, Seed, shuffle};

use crate::{Error, Result};

/// The seed that was given, or one of the operating system's randomness: a seed that can be guessed
/// gives the truth away.
pub(crate) fn seed(given: Option<u64>) -> Result<Seed> {
    if let Some(seed) = given {
        return Ok(Seed(seed));
    }
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::new(
            ErrorKind::Unreadable,
            format!("the system gives no random numbers: {error}"),
        )
        .hint("give a seed that nobody can guess with --seed")
    })?;
    Ok(Seed(u64::from_le_bytes(bytes)))
}

/// One coin per canary.
pub(crate) fn coins(seed: Seed, count: usize) -> Vec<bool> {
    let mut stream = seed.stream("canary coins");
    // The top bit of an own draw each.
    let mut coin = || stream.next_u64() >> 63 == 1;
    (0..count).map(|_| coin()).collect()
}

/// An order that tells nothing.
pub(crate) fn order(seed: Seed, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    shuffle(&mut seed.stream("canary order"), &mut order);
    order
}

/// What a canary is called, by its number.
pub(crate) fn id(number: usize, count: usize) -> String {
    let digits = count.max(1).to_string().len();
    format!("canary-{:0digits$}", number + 1)
}

/// Designs take turns, and within a design tiers do: every pair is as frequent as can be.
pub(crate) fn allotted(number: usize, designs: usize, tiers: usize) -> (usize, usize) {
    (number % designs, number / designs % tiers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coins_are_fair_and_their_number_varies() {
        let members = |seed: u64| coins(Seed(seed), 1000).iter().filter(|coin| **coin).count();
        let counts: Vec<usize> = (0..200).map(members).collect();
        let mean = counts.iter().sum::<usize>() as f64 / 200.0;
        let spread = counts
            .iter()
            .map(|n| (*n as f64 - mean).powi(2))
            .sum::<f64>()
            / 199.0;
        // Binomial(1000, ½): mean 500 with a standard error of 1.1, variance 250.
        assert!((mean - 500.0).abs() < 6.0, "{mean}");
        assert!((150.0..400.0).contains(&spread), "{spread}");
    }

    #[test]
    fn coins_know_nothing_of_their_neighbours_tier_or_place() {
        let coins = coins(Seed(3), 40_000);
        let equal = coins.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert!((equal as f64 / 39_999.0 - 0.5).abs() < 0.0125, "{equal}");
        for tier in 0..4 {
            let own = coins
                .iter()
                .enumerate()
                .filter(|(n, _)| allotted(*n, 2, 4).1 == tier);
            let share = own.filter(|(_, coin)| **coin).count() as f64 / 10_000.0;
            assert!((share - 0.5).abs() < 0.025, "{share}");
        }
        let order = order(Seed(3), 40_000);
        let front = order[..20_000].iter().filter(|n| coins[**n]).count();
        assert!((front as f64 / 20_000.0 - 0.5).abs() < 0.02, "{front}");
    }

    #[test]
    fn seeds_of_the_system_differ() {
        assert_ne!(seed(None).unwrap(), seed(None).unwrap());
        assert_eq!(seed(Some(9)).unwrap(), Seed(9));
    }

    #[test]
    fn every_design_has_every_tier_equally_often() {
        let mut counts = [[0; 3]; 2];
        for number in 0..600 {
            let (design, tier) = allotted(number, 2, 3);
            counts[design][tier] += 1;
        }
        assert_eq!(counts, [[100; 3]; 2]);
        assert_eq!(
            (id(0, 1000), id(999, 1000)),
            ("canary-0001".into(), "canary-1000".into())
        );
    }
}
