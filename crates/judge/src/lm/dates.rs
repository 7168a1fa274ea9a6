//! Dates as they are written in files: a year, a month, a day, or a moment.

use super::Dating;

/// The dates of texts as they are read. Nothing is kept of texts without any.
#[derive(Default)]
pub(super) struct Dates {
    texts: usize,
    /// By the place of the text; not a number where it has none. Empty before the first date.
    years: Vec<f64>,
    unread: usize,
    example: Option<usize>,
}

impl Dates {
    pub(super) fn add(&mut self, row: usize, date: Option<&str>) {
        let date = date.filter(|date| !date.trim().is_empty());
        let read = date.and_then(parse);
        if date.is_some() && read.is_none() {
            self.unread += 1;
            self.example.get_or_insert(row);
        }
        if let Some(year) = read {
            self.years.resize(self.texts, f64::NAN);
            self.years.push(year);
        }
        self.texts += 1;
    }

    /// Those that are dated, with whether each is a member.
    pub(super) fn of(&self, members: &[bool]) -> Vec<(f64, bool)> {
        let dated = self.years.iter().copied().zip(members.iter().copied());
        dated.filter(|(year, _)| !year.is_nan()).collect()
    }

    pub(super) fn dating(&self, members: &[bool]) -> Option<Dating> {
        let dated = self.of(members);
        let count = |kind: bool| dated.iter().filter(|(_, member)| *member == kind).count();
        let all = |kind: bool| members.iter().filter(|member| **member == kind).count();
        (self.unread > 0 || !dated.is_empty()).then(|| Dating {
            members: all(true),
            members_dated: count(true),
            nonmembers: all(false),
            nonmembers_dated: count(false),
            unread: self.unread,
            example: self.example,
        })
    }
}

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
