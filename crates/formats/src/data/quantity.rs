//! Labels that are numbers to predict rather than classes: refused, because a model with a class
//! per number learns each record by heart, and its audit says nothing about a regression.

use super::table::{Column, Table};
use crate::Error;

/// So many different numbers may always be classes.
const MOST_GRADES: usize = 20;
/// Classes of fewer records than this on average are hardly learned.
const FEWEST_EACH: usize = 5;
/// Where the largest class has more than so many times the records of the smallest, numbers that
/// do not count the classes from 0 or 1 are a quantity.
const UNEVEN: usize = 10;
/// Numbers over a range so many times as wide as they are many are codes.
const SPARSE: f64 = 3.0;
/// Von Neumann's ratio of the counts is about 2 where neighbours have nothing to do with each
/// other, and near 0 where they go up and down together, as those of ages do.
const SMOOTH: f64 = 0.7;
/// A peak this close to either end of the range is a list in order of frequency.
const END: f64 = 0.1;
/// Last words of the names of columns whose numbers are names.
const NAMING: [&str; 6] = ["id", "code", "class", "category", "cluster", "type"];

/// The different numbers in ascending order, and how many records have each.
pub(crate) struct Counted(Vec<(f64, usize)>);

impl Counted {
    /// None where a class is no number, decimal commas allowed.
    pub(crate) fn new<'a>(classes: impl Iterator<Item = (&'a str, usize)>) -> Option<Self> {
        let number = |text: &str| text.replacen(',', ".", 1).parse::<f64>().ok();
        let number = |text| number(text).filter(|number| number.is_finite());
        let counted: Option<Vec<(f64, usize)>> = classes
            .map(|(text, count)| Some((number(text)?, count)))
            .collect();
        let mut counted = counted?;
        counted.sort_by(|one, other| one.0.total_cmp(&other.0));
        Some(Self(counted))
    }

    /// Whether these look like amounts rather than like names of classes. What a column is called
    /// counts where the numbers may be either.
    pub(crate) fn is_quantity(&self, column: &str) -> bool {
        if self.0.len() <= MOST_GRADES {
            return false;
        }
        if self.has_fractions() || self.is_designed() {
            return self.has_fractions();
        }
        if self.is_thin() || names_classes(column) {
            return self.is_thin();
        }
        let numbered = self.starts_low() && self.span() == self.0.len() as f64;
        let codes = self.starts_low() || self.span() >= SPARSE * self.0.len() as f64;
        match numbered {
            true => self.is_smooth() && !self.peaks_at_an_end(),
            false => !codes || self.is_uneven(),
        }
    }

    fn counts(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|(_, count)| *count)
    }

    fn records(&self) -> usize {
        self.counts().sum()
    }

    /// Whether somebody saw to it that all have as many records: chance spreads counts by as much
    /// as their mean.
    fn is_designed(&self) -> bool {
        let mean = self.records() as f64 / self.0.len() as f64;
        let square = |count: usize| (count as f64 - mean).powi(2);
        let variance = self.counts().map(square).sum::<f64>() / self.0.len() as f64;
        self.counts().all(|count| count > 1) && variance < mean / 2.0
    }

    fn has_fractions(&self) -> bool {
        self.0.iter().any(|(number, _)| number.fract() != 0.0)
    }

    /// Whether there are next to no records of a kind.
    fn is_thin(&self) -> bool {
        let alone = self.counts().filter(|count| *count == 1).count();
        self.records() < FEWEST_EACH * self.0.len() || 4 * alone >= self.0.len()
    }

    fn is_uneven(&self) -> bool {
        let (least, most) = (self.counts().min(), self.counts().max());
        most > least.map(|least| UNEVEN * least)
    }

    fn first(&self) -> f64 {
        self.0.first().map_or(0.0, |(number, _)| *number)
    }

    fn last(&self) -> f64 {
        self.0.last().map_or(0.0, |(number, _)| *number)
    }

    /// As classes that are counted do.
    fn starts_low(&self) -> bool {
        [0.0, 1.0].contains(&self.first())
    }

    fn span(&self) -> f64 {
        self.last() - self.first() + 1.0
    }

    fn is_smooth(&self) -> bool {
        let mean = self.records() as f64 / self.0.len() as f64;
        let counts: Vec<f64> = self.counts().map(|count| count as f64 - mean).collect();
        let steps: f64 = counts.windows(2).map(|two| (two[1] - two[0]).powi(2)).sum();
        let squares: f64 = counts.iter().map(|count| count.powi(2)).sum();
        steps < SMOOTH * squares
    }

    fn peaks_at_an_end(&self) -> bool {
        let peak = (0..self.0.len()).max_by_key(|&place| self.0[place].1);
        let place = peak.unwrap_or_default() as f64 / self.0.len() as f64;
        !(END..=1.0 - END).contains(&place)
    }

    /// What is wrong with them as labels, and what to do.
    pub(crate) fn refusal(&self, table: &Table, column: &Column) -> Error {
        let (name, records) = (&column.name, self.records());
        let example = self.0[self.0.len() / 2].0;
        Error::malformed(format!(
            "column {name} looks like a number to predict, not like a class: {} different numbers \
             from {} to {} in {records} records, such as {example}",
            self.0.len(),
            self.first(),
            self.last(),
        ))
        .at(&table.path)
        .hint(format!(
            "if they are classes, set categories = [{name:?}] under [data]; else cut them into a few \
             classes; to audit a regression, set records = {records} in place of path and label, and \
             let a [command] with output = \"phi\" write -abs(y - prediction) of every record"
        ))
    }
}

/// Whether the last word of a name says that its numbers stand for something else.
fn names_classes(column: &str) -> bool {
    let lower = column.to_lowercase();
    let last = lower.rsplit(|c: char| !c.is_alphanumeric()).next();
    last.is_some_and(|word| NAMING.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many records of each number.
    fn is_quantity(counts: impl IntoIterator<Item = (f64, usize)>) -> bool {
        Counted(counts.into_iter().collect()).is_quantity("y")
    }

    /// Counts that go up and down as those of ages do.
    fn hill(first: u32, many: u32, scale: f64) -> Vec<(f64, usize)> {
        let count = |n: u32| {
            let place = f64::from(n) / f64::from(many);
            1 + (scale * (-20.0 * (place - 0.35).powi(2)).exp()) as usize
        };
        (0..many)
            .map(|n| (f64::from(first + n), count(n)))
            .collect()
    }

    /// A spread of counts around a mean, the same every time.
    fn about(mean: usize, n: usize) -> usize {
        mean - mean / 4 + (n * 7919) % (mean / 2)
    }

    #[test]
    fn targets_of_a_regression_are_a_quantity() {
        let whole = (0..214).map(|n| (f64::from(25 + n), 1 + (n as usize * 7) % 4));
        assert!(is_quantity(whole));
        let fractions = (0..60).map(|n| (f64::from(n) * 0.25, 100 + n as usize));
        assert!(is_quantity(fractions));
    }

    #[test]
    fn ages_are_a_quantity_wherever_they_start_and_however_they_lie() {
        for scale in [40.0, 900.0] {
            assert!(is_quantity(hill(17, 73, scale)), "{scale}");
            assert!(is_quantity(hill(0, 90, scale)), "{scale}");
        }
        let even = (0..72).map(|n| (18.0 + n as f64, about(55, n)));
        assert!(is_quantity(even));
        // Most people work 40 hours a week.
        let hours = (1..95).map(|n| (f64::from(n), if n == 40 { 15_000 } else { 180 }));
        assert!(is_quantity(hours.filter(|(number, _)| *number != 90.0)));
    }

    #[test]
    fn many_classes_with_numbers_for_names_are_classes() {
        assert!(!is_quantity((0..100).map(|n| (f64::from(n), 50))));
        assert!(!is_quantity((0..100).map(|n| (f64::from(5000 + n), 50))));
        assert!(!is_quantity((0..30).map(|n| (n as f64, about(167, n)))));
        assert!(!is_quantity((1..27).map(|n| (n as f64, about(700, n)))));
        let codes = (0..40).map(|n| (f64::from(1000 + 37 * n), about(60, n as usize)));
        assert!(!is_quantity(codes));
        let long_tail = (0..100).map(|n| (n as f64, 500 / (n + 1) + 5));
        assert!(!is_quantity(long_tail));
        assert!(!is_quantity((0..20).map(|n| (f64::from(n) / 2.0, 3))));
    }

    #[test]
    fn a_column_that_is_called_a_code_is_one() {
        let uneven = (1..29).filter(|n| *n != 26);
        let counted = Counted(
            uneven
                .map(|n| (f64::from(n), 60_000 / (n as usize).pow(3) + 5))
                .collect(),
        );
        assert!(counted.is_quantity("visits"));
        assert!(!counted.is_quantity("discharge_id") && !counted.is_quantity("Ward Code"));
        let thin = Counted((0..200).map(|n| (f64::from(3 * n), 1)).collect());
        assert!(thin.is_quantity("code"));
    }

    #[test]
    fn texts_are_no_numbers_and_decimal_commas_are() {
        assert!(Counted::new([("a", 1), ("1", 2)].into_iter()).is_none());
        let counted = Counted::new([("3,25", 1), ("-1", 2)].into_iter()).unwrap();
        assert_eq!(counted.0, [(-1.0, 2), (3.25, 1)]);
    }
}
