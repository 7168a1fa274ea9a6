//! Variances of a record's φ, lightly shrunk towards what is usual.

use super::super::statistics::Moments;

/// How many observations the usual variance is worth.
const WEIGHT: f64 = 2.0;

fn degrees(seen: Moments) -> f64 {
    (seen.n - 1.0).max(0.0)
}

/// ΣS / Σ(n − 1): the variance within records of one class, or the floor where none is seen.
pub fn usual(moments: impl Iterator<Item = Moments>, floor: f64) -> f64 {
    let (scatter, all) = moments.fold((0.0, 0.0), |(scatter, all), seen| {
        (scatter + seen.scatter, all + degrees(seen))
    });
    // Not a number where no record has two observations; `max` then gives the floor.
    (scatter / all).max(floor)
}

/// The variance of one class of a record.
pub fn shrunk(seen: Moments, usual: f64) -> f64 {
    (seen.scatter + WEIGHT * usual) / (degrees(seen) + WEIGHT)
}

/// One variance for both classes of a record.
pub fn shrunk_common(inside: Moments, outside: Moments, usual: f64) -> f64 {
    let scatter = inside.scatter + outside.scatter;
    (scatter + WEIGHT * usual) / (degrees(inside) + degrees(outside) + WEIGHT)
}
