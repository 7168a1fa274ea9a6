//! Is φ of the shadows normal? One Anderson–Darling test per record and class: the Gaussian
//! attacks fit a normal to exactly these samples.
//!
//! The small-sample factor 1 + 0.75/n + 2.25/n² and the critical value that goes with it, 0.752. (The
//! appendix of the BaVarIA paper has 0.748: what 0.752 becomes without the factor at n = 128.) Tests of different records share the shadow
//! models, so the rejection rate has no binomial interval.

use serde::{Deserialize, Serialize};
use stats::normality::{ANDERSON_DARLING_CRITICAL_5_PERCENT, SMALLEST_SAMPLE, anderson_darling};

use super::qq::Residuals;
use super::slices::SliceColumn;

/// How often a true normal is rejected at this level.
pub const LEVEL: f64 = 0.05;
/// The median of the statistic over samples of a true normal (0.34 to 0.35 from n = 8 on).
pub const MEDIAN_IF_NORMAL: f64 = 0.34;

/// One of something for IN and one for OUT.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Classes<T> {
    #[serde(rename = "in")]
    pub inside: T,
    #[serde(rename = "out")]
    pub outside: T,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Normality {
    pub critical_value: f64,
    pub level: f64,
    pub median_if_normal: f64,
    /// The augmentation whose φ was tested.
    pub augmentation: usize,
    /// Absent where every record was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<Drawn>,
    #[serde(flatten)]
    pub classes: Classes<ClassNormality>,
    /// The same by the true class of the records, where labels are known.
    pub by_label: Vec<LabelNormality>,
}

/// So many records, drawn by the seed without regard to anything, stand for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Drawn {
    pub records: usize,
    pub of: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClassNormality {
    pub records_tested: usize,
    /// Records with fewer than eight values.
    pub too_few_values: usize,
    /// Records whose values are all the same, or not finite.
    pub no_spread: usize,
    pub median: Option<f64>,
    pub rejected: usize,
    pub rejection_rate: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LabelNormality {
    pub label: String,
    #[serde(flatten)]
    pub classes: Classes<ClassNormality>,
}

/// What became of one record in one class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tested {
    TooFew,
    NoSpread,
    Statistic(f64),
}

/// The tests of one class, record by record, and the residuals of all that have a scale.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeTally {
    tested: Vec<Tested>,
    pub residuals: Residuals,
}

impl ShapeTally {
    /// Tests the next record. The sample is used up.
    pub fn add(&mut self, sample: &mut [f64]) {
        self.tested.push(if sample.len() < SMALLEST_SAMPLE {
            Tested::TooFew
        } else if let Some(statistic) = anderson_darling(sample) {
            self.residuals.add(sample);
            Tested::Statistic(statistic)
        } else {
            Tested::NoSpread
        });
    }

    /// The records of `self`, then those of `later`.
    pub fn merge(mut self, mut later: Self) -> Self {
        self.tested.append(&mut later.tested);
        self.residuals = self.residuals.merge(later.residuals);
        self
    }

    /// The records cut by a number each, into so many groups.
    fn grouped(&self, numbers: &[u32], groups: usize) -> Vec<ClassNormality> {
        let mut cut = vec![Vec::new(); groups];
        for (tested, &number) in self.tested.iter().zip(numbers) {
            cut[number as usize].push(*tested);
        }
        cut.into_iter().map(summarise).collect()
    }
}

/// Both classes of all records, and by the true class where it is known.
pub fn normality(
    tallies: &Classes<ShapeTally>,
    augmentation: usize,
    labels: Option<&SliceColumn>,
) -> Normality {
    let Classes { inside, outside } = tallies;
    Normality {
        critical_value: ANDERSON_DARLING_CRITICAL_5_PERCENT,
        level: LEVEL,
        median_if_normal: MEDIAN_IF_NORMAL,
        augmentation,
        drawn: None,
        classes: Classes {
            inside: summarise(inside.tested.iter().copied()),
            outside: summarise(outside.tested.iter().copied()),
        },
        by_label: labels.map_or(Vec::new(), |labels| by_label(tallies, labels)),
    }
}

fn by_label(tallies: &Classes<ShapeTally>, labels: &SliceColumn) -> Vec<LabelNormality> {
    let [inside, outside] = [&tallies.inside, &tallies.outside]
        .map(|tally| tally.grouped(&labels.values, labels.names.len()));
    let classes = inside.into_iter().zip(outside);
    let labelled = labels.names.iter().zip(classes);
    labelled
        .map(|(label, (inside, outside))| LabelNormality {
            label: label.clone(),
            classes: Classes { inside, outside },
        })
        .collect()
}

fn summarise(tested: impl IntoIterator<Item = Tested>) -> ClassNormality {
    let mut found = ClassNormality::default();
    let mut statistics = Vec::new();
    for outcome in tested {
        match outcome {
            Tested::TooFew => found.too_few_values += 1,
            Tested::NoSpread => found.no_spread += 1,
            Tested::Statistic(statistic) => statistics.push(statistic),
        }
    }
    let rejects = |statistic: &&f64| **statistic > ANDERSON_DARLING_CRITICAL_5_PERCENT;
    found.rejected = statistics.iter().filter(rejects).count();
    found.records_tested = statistics.len();
    if !statistics.is_empty() {
        found.rejection_rate = Some(found.rejected as f64 / statistics.len() as f64);
        found.median = Some(median(&mut statistics));
    }
    found
}

/// The middle value, or the mean of the two in the middle.
fn median(values: &mut [f64]) -> f64 {
    let (middle, even) = (values.len() / 2, values.len().is_multiple_of(2));
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if even { 0.5 * (lower + upper) } else { upper }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::normal::ln_normal_cdf;
    use stats::streams::{Seed, standard_normal, uniform};

    fn tally(records: u64, values: usize, draw: impl Fn(f64, f64) -> f64) -> ShapeTally {
        let mut tally = ShapeTally::default();
        for record in 0..records {
            let mut stream = Seed(5).numbered("shapes", record);
            let mut sample: Vec<f64> = (0..values)
                .map(|_| draw(standard_normal(&mut stream), uniform(&mut stream)))
                .collect();
            tally.add(&mut sample);
        }
        tally
    }

    fn both(tally: ShapeTally) -> Classes<ShapeTally> {
        Classes {
            outside: tally.clone(),
            inside: tally,
        }
    }

    /// The statistic as it is defined, pair by pair, each logarithm on its own.
    fn slow(sample: &[f64]) -> f64 {
        let n = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / n;
        let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let mut z: Vec<f64> = sample
            .iter()
            .map(|x| (x - mean) / variance.sqrt())
            .collect();
        z.sort_by(f64::total_cmp);
        let sum: f64 = (1..=z.len())
            .map(|i| {
                let both = ln_normal_cdf(z[i - 1]) + ln_normal_cdf(-z[z.len() - i]);
                (2.0 * i as f64 - 1.0) * both
            })
            .sum();
        (-n - sum / n) * (1.0 + 0.75 / n + 2.25 / n / n)
    }

    #[test]
    fn the_fast_statistic_is_the_slow_one() {
        for (number, values) in [8, 9, 31, 128, 400, 5000].into_iter().enumerate() {
            let mut stream = Seed(9).numbered("twin", number as u64);
            let sample: Vec<f64> = (0..values)
                .map(|_| 3.0 + standard_normal(&mut stream) * uniform(&mut stream).recip())
                .collect();
            let fast = anderson_darling(&mut sample.clone()).unwrap();
            assert!((fast / slow(&sample) - 1.0).abs() < 1e-11, "{values}");
        }
    }

    /// With 100,000 samples the two critical values can be told apart.
    #[test]
    fn the_critical_value_belongs_to_the_corrected_statistic() {
        let tally = tally(100_000, 128, |normal, _| normal);
        let found = normality(&both(tally), 0, None);
        assert_eq!(found.critical_value, 0.752);
        let rate = found.classes.inside.rejection_rate.unwrap();
        assert!((rate - 0.05).abs() < 0.002, "{rate}");
        // What the factor takes off at n = 128.
        let factor = 1.0 + 0.75 / 128.0 + 2.25 / (128.0 * 128.0);
        assert!((found.critical_value / factor - 0.748).abs() < 5e-4);
    }

    #[test]
    fn a_true_normal_is_rejected_about_as_often_as_stated() {
        for values in [8, 32, 128] {
            let tally = tally(4000, values, |normal, _| 7.0 + 3.0 * normal);
            let found = normality(&both(tally), 0, None).classes.inside;
            // Three binomial deviations around 5%.
            let rate = found.rejection_rate.unwrap();
            assert!((0.0397..=0.0603).contains(&rate), "{values}: {rate}");
            let median = found.median.unwrap();
            assert!(
                (median - MEDIAN_IF_NORMAL).abs() < 0.025,
                "{values}: {median}"
            );
        }
    }

    #[test]
    fn what_is_not_normal_is_rejected() {
        let skewed = tally(200, 64, |_, uniform| -(1.0 - uniform).ln());
        let found = normality(&both(skewed), 0, None).classes.outside;
        assert!(found.rejection_rate.unwrap() > 0.95, "{found:?}");
    }

    #[test]
    fn records_that_cannot_be_tested_are_counted() {
        let mut tally = tally(3, 10, |normal, _| normal);
        tally.add(&mut [1.0; 7]);
        tally.add(&mut [0.1; 20]);
        tally.add(&mut [f64::INFINITY, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let labels = SliceColumn {
            name: "label".into(),
            values: vec![0, 0, 1, 1, 1, 0],
            names: vec!["cat".into(), "dog".into()],
            numbers: Vec::new(),
        };
        let found = normality(&both(tally), 0, Some(&labels));
        let counts =
            |class: &ClassNormality| (class.records_tested, class.too_few_values, class.no_spread);
        assert_eq!(counts(&found.classes.inside), (3, 1, 2));
        assert_eq!(counts(&found.by_label[0].classes.inside), (2, 0, 1));
        assert_eq!(counts(&found.by_label[1].classes.outside), (1, 1, 1));
    }

    #[test]
    fn nothing_tested_has_no_rate() {
        let found = normality(&both(ShapeTally::default()), 0, None)
            .classes
            .inside;
        assert_eq!((found.rejection_rate, found.median), (None, None));
    }

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&mut [5.0, 1.0, 3.0]), 3.0);
    }
}
