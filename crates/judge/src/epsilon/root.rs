//! The largest value a claim can be refuted at, when refutation only gets harder upwards.

/// Doubles up from `low`, then bisects; the answer is always a value that was refuted, or `low`
/// when not even that was. Nothing above `ceiling` is tried.
pub(crate) fn largest_refuted(
    low: f64,
    ceiling: f64,
    tolerance: f64,
    refuted: impl Fn(f64) -> bool,
) -> f64 {
    if !refuted(low) {
        return low;
    }
    let mut low = low;
    let mut high = (2.0 * low).max(1.0);
    while refuted(high) {
        if high >= ceiling {
            return high;
        }
        (low, high) = (high, 2.0 * high);
    }
    while high - low > tolerance * high.max(1.0) {
        let middle = 0.5 * (low + high);
        if refuted(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_edge_from_below() {
        for edge in [0.3, 1.0, 17.25, 4000.0] {
            let found = largest_refuted(0.0, 1e6, 1e-12, |value| value < edge);
            assert!(found <= edge && edge - found < 1e-8, "{found}");
        }
    }

    #[test]
    fn stops_at_both_ends() {
        assert_eq!(largest_refuted(0.5, 10.0, 1e-9, |_| false), 0.5);
        assert_eq!(largest_refuted(0.0, 10.0, 1e-9, |_| true), 16.0);
    }
}
