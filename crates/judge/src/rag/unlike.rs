//! Are answers of today unlike those of an earlier day, more than a service's answers differ anyway?

use stats::streams::{Seed, shuffle};

const DRAWS: usize = 9_999;

/// The chance that so many of all likenesses, drawn at random, are as low on average as those of
/// today: a permutation test. `usual` are likenesses of two answers of one day to one question.
pub fn chance_of_so_unlike(usual: &[f64], today: &[f64], seed: Seed) -> f64 {
    let mut all: Vec<f64> = today.iter().chain(usual).copied().collect();
    let sum = |values: &[f64]| values[..today.len()].iter().sum::<f64>();
    let seen = sum(&all);
    let mut rng = seed.stream("asked again");
    let lower = (0..DRAWS).filter(|_| {
        shuffle(&mut rng, &mut all);
        sum(&all) <= seen + 1e-9
    });
    (1 + lower.count()) as f64 / (1 + DRAWS) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::streams::uniform;

    #[test]
    fn one_other_answer_is_chance_and_eight_are_not() {
        let (same, other) = ([1.0; 20], [0.1; 8]);
        assert!(chance_of_so_unlike(&same, &other, Seed(1)) < 0.001);
        assert_eq!(chance_of_so_unlike(&same, &[1.0; 8], Seed(1)), 1.0);
        let one = [0.1, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        assert!(chance_of_so_unlike(&same, &one, Seed(1)) > 0.05);
    }

    #[test]
    fn a_service_that_never_says_the_same_is_suspected_as_rarely_as_stated() {
        let suspected = (0..300).filter(|&run| {
            let mut rng = Seed(9).numbered("answers", run);
            let mut draw =
                |count: usize| -> Vec<f64> { (0..count).map(|_| uniform(&mut rng)).collect() };
            let (usual, today) = (draw(20), draw(8));
            chance_of_so_unlike(&usual, &today, Seed(run)) < 0.01
        });
        // 1% of 300 is 3.
        assert!(suspected.count() <= 9);
    }
}
