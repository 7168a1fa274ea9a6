//! Moments and spans as people read them.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970; 0 for moments before.
pub fn seconds(moment: SystemTime) -> u64 {
    moment
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// `2026-03-09 14:05`, in UTC.
pub fn moment(seconds: u64) -> String {
    let rest = seconds % 86_400;
    let (hours, minutes) = (rest / 3600, rest % 3600 / 60);
    format!("{} {hours:02}:{minutes:02}", day(seconds))
}

/// `2026-03-09`, in UTC.
pub fn day(seconds: u64) -> String {
    let (year, month, day) = date(seconds / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Whether a text is written as `2026-03-09`, so that the order of such texts is that of their days.
pub fn is_day(text: &str) -> bool {
    let shape = |(place, byte): (usize, u8)| match place {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(shape)
}

/// `2026-03-09T14:05:07Z`.
pub fn stamp(seconds: u64) -> String {
    format!("{}:{:02}Z", moment(seconds).replace(' ', "T"), seconds % 60)
}

/// Year, month and day of a day since 1970, by the proleptic Gregorian calendar: 400 years have
/// 146,097 days, and years are counted from March so that the leap day comes last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

/// `12 s`, `3 min 20 s`, `2 h 5 min`.
pub fn span(seconds: f64) -> String {
    let whole = seconds.round().max(0.0) as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// `512 B`, `3.4 kB`, `1.2 GB`.
pub fn bytes(count: u64) -> String {
    let mut size = count as f64;
    if count < 1000 {
        return format!("{count} B");
    }
    for unit in ["kB", "MB", "GB"] {
        size /= 1000.0;
        if size < 1000.0 {
            return format!("{size:.1} {unit}");
        }
    }
    format!("{:.1} TB", size / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_sizes_read_well() {
        assert_eq!(moment(0), "1970-01-01 00:00");
        assert_eq!(moment(951_827_696), "2000-02-29 12:34");
        assert_eq!(day(951_827_696), "2000-02-29");
        assert!(
            is_day("2026-03-09") && !is_day("2026-3-9") && !is_day("2026/03/09") && !is_day("")
        );
        assert_eq!(stamp(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(moment(1_798_761_599), "2026-12-31 23:59");
        assert_eq!(
            [7.4, 61.0, 7500.0].map(span),
            ["7 s", "1 min 1 s", "2 h 5 min"]
        );
        assert_eq!(
            [999, 3400, 1_200_000_000].map(bytes),
            ["999 B", "3.4 kB", "1.2 GB"]
        );
    }
}
