//! Dates as they are written in files: a year, a month, a day, or a moment.

/// Years since year 0, as a number that can be compared. Nothing for what is no date.
pub fn parse(text: &str) -> Option<f64> {
    let date = text.trim().split(['T', ' ']).next()?;
    let mut parts = date.split(['-', '/']);
    let year: f64 = whole(parts.next()?)?;
    if !(1000.0..=9999.0).contains(&year) {
        return None;
    }
    let month = parts.next().map_or(Some(1.0), whole)?;
    let day = parts.next().map_or(Some(1.0), whole)?;
    let fits = (1.0..=12.0).contains(&month) && (1.0..=31.0).contains(&day);
    (fits && parts.next().is_none()).then_some(year + (month - 1.0) / 12.0 + (day - 1.0) / 372.0)
}

fn whole(text: &str) -> Option<f64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn dates_compare_and_other_words_are_none() {
        let dates = [
            "1999",
            "2001-02",
            "2001-02-03",
            "2001/12/31",
            "2023-01-01T10:00:00Z",
        ];
        let numbers: Vec<f64> = dates.iter().map(|date| parse(date).unwrap()).collect();
        assert!(
            numbers.windows(2).all(|pair| pair[0] < pair[1]),
            "{numbers:?}"
        );
        for wrong in [
            "",
            "soon",
            "12",
            "2001-13",
            "2001-02-30-1",
            "3/4/2020",
            "20010203",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
