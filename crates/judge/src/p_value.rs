//! P-values in words.

/// What lies below is told as a bound: no p-value is nought, and a double that is too small for one is.
const LEAST: f64 = 1e-300;

/// With so many digits after the first, as "p = 1.5e-7" or "p < 1e-300".
pub fn p_value(p: f64, digits: usize) -> String {
    match p < LEAST {
        true => format!("p < {LEAST:e}"),
        false => format!("p = {p:.digits$e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_p_value_is_nought() {
        assert_eq!(p_value(0.0, 1), "p < 1e-300");
        assert_eq!(p_value(1e-310, 2), "p < 1e-300");
        assert_eq!(p_value(1.5e-7, 1), "p = 1.5e-7");
        assert_eq!(p_value(0.0123, 2), "p = 1.23e-2");
    }
}
