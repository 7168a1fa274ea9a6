//! How small a leak so many documents could have shown.

use stats::normal::normal_quantile;

/// One-sided level and power of the question.
const LEVEL: f64 = 0.05;
const POWER: f64 = 0.8;

/// The least AUC that a one-sided test at 5% finds with 80% power: variance under chance by the
/// ranks, under the alternative by Hanley and McNeil 1982.
pub fn minimum_detectable_auc(members: usize, nonmembers: usize) -> f64 {
    let (a, b) = (members as f64, nonmembers as f64);
    if members == 0 || nonmembers == 0 {
        return 1.0;
    }
    let chance = ((a + b + 1.0) / (12.0 * a * b)).sqrt();
    let needed = |auc: f64| {
        -normal_quantile(LEVEL) * chance - normal_quantile(1.0 - POWER) * deviation(auc, a, b)
    };
    let (mut low, mut high) = (0.5, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match middle - 0.5 >= needed(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    high
}

fn deviation(auc: f64, members: f64, nonmembers: f64) -> f64 {
    let (q1, q2) = (auc / (2.0 - auc), 2.0 * auc * auc / (1.0 + auc));
    let square = auc * auc;
    let variance =
        auc * (1.0 - auc) + (members - 1.0) * (q1 - square) + (nonmembers - 1.0) * (q2 - square);
    (variance.max(0.0) / (members * nonmembers)).sqrt()
}

/// So many of each kind would show this AUC.
pub fn needed_for(auc: f64) -> usize {
    let enough = |count: &usize| minimum_detectable_auc(*count, *count) <= auc;
    (2..100_000).find(enough).unwrap_or(100_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::roc::Roc;
    use stats::streams::{Seed, standard_normal};

    #[test]
    fn more_documents_show_smaller_leaks() {
        let found: Vec<f64> = [10, 50, 200, 1000]
            .map(|n| minimum_detectable_auc(n, n))
            .to_vec();
        assert!(found.is_sorted_by(|a, b| a > b), "{found:?}");
        assert!((0.63..0.66).contains(&found[1]), "{found:?}");
        assert!(minimum_detectable_auc(needed_for(0.65), needed_for(0.65)) <= 0.65);
    }

    #[test]
    fn a_leak_of_that_size_is_found_four_times_in_five() {
        let n = 60;
        let auc = minimum_detectable_auc(n, n);
        // Binormal scores with this AUC: d/√2 = Φ⁻¹(AUC).
        let lift = normal_quantile(auc) * 2_f64.sqrt();
        let chance = ((2.0 * n as f64 + 1.0) / (12.0 * (n * n) as f64)).sqrt();
        let found = (0..600)
            .filter(|&run| {
                let mut rng = Seed(5).numbered("power", run);
                let scores = (0..2 * n).map(|place| {
                    let member = place < n;
                    (
                        standard_normal(&mut rng) + if member { lift } else { 0.0 },
                        member,
                    )
                });
                let roc = Roc::new(scores).unwrap();
                (roc.auc() - 0.5) / chance > -normal_quantile(LEVEL)
            })
            .count() as f64
            / 600.0;
        assert!((0.74..0.88).contains(&found), "{found}");
    }
}
