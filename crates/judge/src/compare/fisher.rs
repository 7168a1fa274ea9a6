//! Fisher's exact test of two counts, one-sided.

use stats::binomial::ln_choose;

/// So many of so many.
#[derive(Clone, Copy)]
pub struct Count {
    pub caught: u64,
    pub of: u64,
}

/// The chance that, of all that were caught in both, so many or more fall to the second.
pub fn fisher(before: Count, after: Count) -> f64 {
    let caught = before.caught + after.caught;
    let mean = caught as f64 * after.of as f64 / (before.of + after.of).max(1) as f64;
    // The shorter tail is the quicker and the more exact one.
    if after.caught as f64 >= mean {
        tail(after.caught, caught, after.of, before.of)
    } else {
        1.0 - tail(before.caught + 1, caught, before.of, after.of)
    }
    .clamp(0.0, 1.0)
}

/// The chance that at least `least` of the `caught` fall among `of` rather than among `others`. Terms
/// fall from the first one on, as `least` is at or above the mean.
fn tail(least: u64, caught: u64, of: u64, others: u64) -> f64 {
    let most = caught.min(of);
    if least > most {
        return 0.0;
    }
    let first = ln_choose(of, least) + ln_choose(others, caught - least);
    let mut term = (first - ln_choose(of + others, caught)).exp();
    let mut sum = term;
    for found in least..most {
        let here = (of - found) as f64 * (caught - found) as f64;
        let left = (others + found + 1 - caught) as f64 * (found + 1) as f64;
        term *= here / left;
        sum += term;
        if term < sum * 1e-17 {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(before: (u64, u64), after: (u64, u64)) -> f64 {
        let count = |(caught, of)| Count { caught, of };
        fisher(count(before), count(after))
    }

    /// Every table with these margins.
    fn slow(before: (u64, u64), after: (u64, u64)) -> f64 {
        let caught = before.0 + after.0;
        let total = ln_choose(before.1 + after.1, caught);
        let term = |k: u64| (ln_choose(after.1, k) + ln_choose(before.1, caught - k) - total).exp();
        let least = after.0.max(caught.saturating_sub(before.1));
        (least..=caught.min(after.1)).map(term).sum::<f64>()
    }

    #[test]
    fn the_exact_test_agrees_with_scipy() {
        // scipy.stats.fisher_exact([[8, 2], [1, 5]], alternative="greater") = 0.024475524475524477
        assert!((test((1, 6), (8, 10)) - 0.024_475_524_475_524_48).abs() < 1e-12);
        // A fall is never a rise; equality is likely.
        assert!(test((8, 10), (1, 6)) > 0.99);
        assert!(test((5, 10), (5, 10)) > 0.5);
        assert_eq!(test((0, 10), (0, 10)), 1.0);
        assert_eq!(test((0, 0), (0, 0)), 1.0);
    }

    #[test]
    fn the_shorter_tail_is_the_whole_sum() {
        for (n, m) in [(1, 1), (7, 4), (30, 50), (1000, 900)] {
            for before in [0, 1, n / 3, n] {
                for after in [0, 1, m / 2, m] {
                    let (fast, slow) = (
                        test((before, n), (after, m)),
                        slow((before, n), (after, m)).min(1.0),
                    );
                    let close = (fast - slow).abs() <= 1e-10 * slow.max(1e-3);
                    assert!(close, "{before}/{n}, {after}/{m}: {fast} and {slow}");
                }
            }
        }
    }
}
