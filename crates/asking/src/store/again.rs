//! Answers of another day: when they came, and how to be rid of them.

use std::collections::HashSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Key, Store};
use crate::Result;

/// The pass under which it is remembered what a server made of a probe.
pub const PROBE: &str = "probe";
/// The same of how questions failed.
pub const FAILURE: &str = "failure";
/// The same of what asking took.
pub const TALLY: &str = "tally";

/// When the answers to some questions came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dates {
    pub answers: usize,
    pub first: SystemTime,
    pub last: SystemTime,
}

impl Dates {
    /// `2026-03-09`, or `2026-03-09 to 2026-03-11`, in UTC.
    pub fn days(&self) -> String {
        match (day(self.first), day(self.last)) {
            (first, last) if first == last => first,
            (first, last) => format!("{first} to {last}"),
        }
    }

    fn and(self, received: SystemTime) -> Self {
        Self {
            answers: self.answers + 1,
            first: self.first.min(received),
            last: self.last.max(received),
        }
    }
}

impl Store {
    /// When the answers under these keys came; nothing where none is there. One pass over all answers takes a
    /// part of the time that looking up each of many takes.
    pub fn dates(&self, keys: &[Key]) -> Result<Option<Dates>> {
        let wanted: HashSet<&[u8]> = keys.iter().map(Key::as_slice).collect();
        let connection = self.connection();
        let read = || {
            let mut query = connection.prepare("SELECT key, received FROM answers")?;
            let mut rows = query.query([])?;
            let mut dates: Option<Dates> = None;
            while let Some(row) = rows.next()? {
                if !wanted.contains(row.get_ref(0)?.as_blob()?) {
                    continue;
                }
                let received: i64 = row.get(1)?;
                let received = UNIX_EPOCH + Duration::from_millis(received.max(0) as u64);
                let none = Dates {
                    answers: 0,
                    first: received,
                    last: received,
                };
                dates = Some(dates.unwrap_or(none).and(received));
            }
            Ok(dates)
        };
        read().map_err(|error| self.failed(&error))
    }

    /// Discards every answer, and what is remembered of who gave them. Texts that were scored on
    /// this machine stay: their keys hold the digests of the model's files.
    pub fn discard_answers(&self) -> Result<()> {
        let mut connection = self.connection();
        let mut write = || {
            let transaction = connection.transaction()?;
            transaction.execute("DELETE FROM answers", [])?;
            transaction.execute("DELETE FROM pieces", [])?;
            for pass in [PROBE, FAILURE, TALLY] {
                transaction.execute("DELETE FROM records WHERE pass = ?1", [pass])?;
            }
            transaction.commit()
        };
        self.pieces().forget();
        write().map_err(|error| self.failed(&error))
    }
}

/// Year, month and day in UTC, by the proleptic Gregorian calendar: 400 years have 146,097 days,
/// and years are counted from March so that the leap day comes last.
pub fn day(moment: SystemTime) -> String {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    let days = since.as_secs() / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let at = |seconds: u64| day(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01");
        assert_eq!(at(951_782_400), "2000-02-29");
        assert_eq!(at(1_767_225_599), "2025-12-31");
        assert_eq!(at(1_767_225_600), "2026-01-01");
    }
}
