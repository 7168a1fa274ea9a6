//! Which false-positive rates short documents show: the low ones, which tell whether anybody can be accused
//! with hardly a mistake; where there are none, all.

/// At most this many of the others are wrongly accused.
const LOW: f64 = 0.01;

/// Their places among all rates.
pub fn shown_rates(rates: &[f64]) -> Vec<usize> {
    let low: Vec<usize> = (0..rates.len())
        .filter(|place| rates[*place] <= LOW)
        .collect();
    match low.is_empty() {
        true => (0..rates.len()).collect(),
        false => low,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_rates_are_shown_and_all_where_there_are_none() {
        assert_eq!(shown_rates(&[0.1, 0.01, 0.001]), [1, 2]);
        assert_eq!(shown_rates(&[0.1, 0.05]), [0, 1]);
        assert!(shown_rates(&[]).is_empty());
    }
}
