//! The day of an audit: given from outside, like the seed.
//!
//! Equal audits have equal reports, so that nothing in the library reads a clock. The command line says which
//! day it is and records that in the command: who gives the command again gets the same report on any day.

use crate::Error;

/// The day where it is one, such as 2026-03-09.
pub fn check(text: &str) -> Result<(), Error> {
    let parts: Vec<&str> = text.split('-').collect();
    let digits = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let number = |part: &str| part.parse::<u32>().unwrap_or(0);
    let right = match parts.as_slice() {
        [year, month, day] => {
            parts.iter().all(digits)
                && [year.len(), month.len(), day.len()] == [4, 2, 2]
                && (1..=12).contains(&number(month))
                && (1..=31).contains(&number(day))
        }
        _ => false,
    };
    match right {
        true => Ok(()),
        false => Err(Error::usage(
            format!("the date {text:?} is no day"),
            "write year, month and day, such as 2026-03-09",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_written_in_one_way() {
        assert!(check("2026-03-09").is_ok());
        for wrong in [
            "",
            "2026-3-9",
            "09.03.2026",
            "2026-13-01",
            "2026-00-10",
            "2026-01-32",
            "+026-01-01",
        ] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
