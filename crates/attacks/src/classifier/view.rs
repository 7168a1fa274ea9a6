//! What an attack is handed: the signals of one augmentation and their shared statistics.

use std::ops::Range;

use rayon::prelude::*;
use stats::streams::Seed;
use stats::vectors::logarithms;

use super::references::References;
use super::share::Population;
use super::statistics::block::{Block, block_records};
use super::statistics::{Column, RecordStatistics, Shapes, Statistics};
use crate::scores::{Abstention, Answer, Scores, as_value};
use crate::settings::Settings;
use crate::signals::outputs::ClassOutputs;
use crate::signals::shadow::{Rescale, ShadowSignals};
use base::Progress;
use base::{Error, Result};

/// Fewer records than this are not worth another thread.
const MIN_RECORDS: usize = 4096;

/// Of so many records logarithms and other slow functions are taken together.
const TOGETHER: usize = 256;

/// A score with logarithms in it, which are taken for many records at once: what else there is, and Σ weight · ln x.
#[derive(Clone, Copy, Debug)]
pub struct WithLogs<const N: usize> {
    pub rest: f64,
    /// Each weight, and its x.
    pub logs: [(f64, f64); N],
}

impl<const N: usize> WithLogs<N> {
    /// One by itself.
    pub fn value(self) -> f64 {
        self.with(self.logs.map(|(_, x)| x.ln()))
    }

    fn with(self, logarithms: [f64; N]) -> f64 {
        let weighed = self.logs.iter().zip(logarithms);
        weighed.fold(self.rest, |sum, ((weight, _), ln)| sum + weight * ln)
    }
}

/// One augmentation of the signals under attack.
pub struct View<'a> {
    pub signals: &'a ShadowSignals,
    pub augmentation: usize,
    pub statistics: &'a Statistics,
    /// Empty unless an attack wants them.
    pub shapes: &'a [Shapes],
    /// The same statistics of population records, where the user gave some.
    pub population: Option<&'a Statistics>,
    /// The population once more, where no audited record has an IN shadow and its records have.
    pub references: Option<References<'a>>,
    pub settings: &'a Settings,
    pub seed: Seed,
    pub(super) progress: Progress<'a>,
}

impl View<'_> {
    /// How many shadow models there are.
    pub fn shadows(&self) -> usize {
        self.signals.shadows.len()
    }

    /// The records that tell what is usual: the audited ones, or the reference records of an audit
    /// whose shadows trained on no audited record.
    pub fn learnt_from(&self) -> &Statistics {
        let references = self.references.as_ref();
        references.map_or(self.statistics, |references| references.statistics)
    }

    /// What a population attack compares with: the records given, or the audited ones.
    pub(super) fn compared_with(
        &self,
        plus: f64,
        value: impl Fn(&RecordStatistics) -> Answer,
    ) -> Population {
        match self.population {
            None => Population::Own { plus },
            Some(others) => {
                let known = others.records.iter().filter_map(|other| value(&other).ok());
                Population::Given(known.map(|value| value + plus).collect())
            }
        }
    }

    /// Scores every record from its statistics alone.
    pub fn per_record(&self, score: impl Fn(&RecordStatistics) -> Answer + Sync) -> Scores {
        let records = &self.statistics.records;
        Scores::in_runs(records.len(), MIN_RECORDS, |run, values| {
            for (value, record) in values.iter_mut().zip(records.within(run)) {
                *value = as_value(score(&record));
            }
        })
    }

    /// The same of scores that take most of their time to find logarithms.
    pub fn per_record_with_logs<const N: usize>(
        &self,
        score: impl Fn(&RecordStatistics) -> Result<WithLogs<N>, Abstention> + Sync,
    ) -> Scores {
        self.few_at_a_time(|few, values| {
            let mut of = [[1.0; TOGETHER]; N];
            let mut weights = [[0.0; TOGETHER]; N];
            let mut sums = [0.0; TOGETHER];
            for (place, record) in self.statistics.records.within(few).enumerate() {
                match score(&record) {
                    Ok(parts) => {
                        values[place] = 0.0;
                        sums[place] = parts.rest;
                        for (n, (weight, x)) in parts.logs.into_iter().enumerate() {
                            (weights[n][place], of[n][place]) = (weight, x);
                        }
                    }
                    Err(reason) => values[place] = as_value(Err(reason)),
                }
            }
            let mut logs = [0.0; TOGETHER];
            for (of, weights) in of.iter().zip(&weights) {
                logarithms(&of[..values.len()], &mut logs[..values.len()]);
                for ((sum, weight), ln) in sums.iter_mut().zip(weights).zip(&logs) {
                    *sum += weight * ln;
                }
            }
            for (value, sum) in values.iter_mut().zip(sums) {
                *value = if value.is_nan() {
                    *value
                } else {
                    as_value(Ok(sum))
                };
            }
        })
    }

    /// The same of scores that are a slow function of something quick: the function is taken of many at once.
    pub fn per_record_through(
        &self,
        function: impl Fn(&[f64], &mut [f64]) + Sync,
        score: impl Fn(&RecordStatistics) -> Answer + Sync,
    ) -> Scores {
        self.few_at_a_time(|few, values| {
            let mut of = [0.0; TOGETHER];
            for (of, record) in of.iter_mut().zip(self.statistics.records.within(few)) {
                *of = as_value(score(&record));
            }
            let of = &of[..values.len()];
            function(of, values);
            for (value, of) in values.iter_mut().zip(of) {
                // What is no number has its reason in it.
                *value = if of.is_nan() {
                    *of
                } else {
                    as_value(Ok(*value))
                };
            }
        })
    }

    /// Scores the records a few at a time.
    fn few_at_a_time(&self, score: impl Fn(Range<usize>, &mut [f64]) + Sync) -> Scores {
        let records = self.statistics.records.len();
        Scores::in_runs(records, MIN_RECORDS, |run, values| {
            for (few, values) in values.chunks_mut(TOGETHER).enumerate() {
                let first = run.start + few * TOGETHER;
                score(first..first + values.len(), values);
            }
        })
    }

    /// Scores every record from its statistics and its place among the records.
    pub fn per_place(&self, score: impl Fn(usize, &RecordStatistics) -> Answer + Sync) -> Scores {
        let records = self.statistics.records.par_iter().enumerate();
        records
            .map(|(place, record)| score(place, &record))
            .collect()
    }

    /// Scores every record from its statistics and the shapes of its classes.
    pub fn per_shape(&self, score: impl Fn(&RecordStatistics, &Shapes) -> Answer + Sync) -> Scores {
        let records = self.statistics.records.par_iter().zip(self.shapes);
        records
            .map(|(record, shapes)| score(&record, shapes))
            .collect()
    }

    /// Scores every record from what the audited model puts out for all classes.
    pub(super) fn per_output(
        &self,
        score: impl Fn(&ClassOutputs) -> Answer + Sync,
    ) -> Result<Scores> {
        let (outputs, model) = (&self.signals.outputs, self.signals.target);
        if !outputs.has_classes() {
            return Err(Error::missing_access(
                "φ alone is there, and it needs what the model puts out for all classes",
                "store logits or probabilities of all classes, and labels",
            ));
        }
        let records = (0..outputs.records).into_par_iter();
        let records = records.with_min_len(MIN_RECORDS);
        let answer = |output: &mut ClassOutputs, record: usize| {
            outputs.read_classes(model, record, self.augmentation, output);
            score(output)
        };
        Ok(records.map_init(ClassOutputs::default, answer).collect())
    }

    /// Scores every record by whether the audited model names its true class: 1 or 0.
    pub(super) fn per_right_answer(&self) -> Result<Scores> {
        let (outputs, model) = (&self.signals.outputs, self.signals.target);
        if !outputs.tells_right() {
            return Err(Error::missing_access(
                "φ alone is there, and it needs what the model puts out for all classes, or whether it is right",
                "store logits or probabilities of all classes, and labels",
            ));
        }
        let records = (0..outputs.records).into_par_iter();
        let records = records.with_min_len(MIN_RECORDS);
        let answer = |scratch: &mut ClassOutputs, record: usize| {
            let right = outputs.is_right(model, record, self.augmentation, scratch);
            Ok(f64::from(u8::from(right.unwrap_or(false))))
        };
        Ok(records.map_init(ClassOutputs::default, answer).collect())
    }

    /// The same signals under another augmentation. Statistics stay those of this one.
    pub fn at(&self, augmentation: usize) -> View<'_> {
        View {
            augmentation,
            ..*self
        }
    }

    /// Scores every record from its values under all shadows.
    pub fn per_column(
        &self,
        rescale: Rescale,
        score: impl Fn(&Column) -> Answer + Sync,
    ) -> Result<Scores> {
        Ok(self.map_columns(rescale, score)?.into_iter().collect())
    }

    /// Something of every record, from its values under all shadows.
    pub fn map_columns<T: Send>(
        &self,
        rescale: Rescale,
        map: impl Fn(&Column) -> T + Sync,
    ) -> Result<Vec<T>> {
        map_columns(self.signals, self.augmentation, rescale, self.progress, map)
    }
}

/// Goes over all records block by block, in parallel, and keeps their order.
pub(super) fn map_columns<T: Send>(
    signals: &ShadowSignals,
    augmentation: usize,
    rescale: Rescale,
    progress: Progress<'_>,
    map: impl Fn(&Column) -> T + Sync,
) -> Result<Vec<T>> {
    let size = block_records(signals.shadows.len());
    let blocks = signals.records().div_ceil(size);
    let mapped = (0..blocks)
        .into_par_iter()
        .map_init(Default::default, |scratch: &mut (Block, Column), index| {
            if progress.cancelled() {
                return Err(Error::interrupted());
            }
            let (block, column) = scratch;
            let first = index * size;
            let last = signals.records().min(first + size);
            block.load(signals, first..last, augmentation, rescale);
            let mapped = (0..block.len())
                .map(|record| {
                    block.column(record, column);
                    map(column)
                })
                .collect();
            progress.advance(block.len());
            Ok(mapped)
        })
        .collect::<Result<Vec<Vec<T>>>>()?;
    Ok(mapped.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use stats::vectors::ln_mixtures;

    use super::super::gaussian::need_outside;
    use super::super::statistics::{Estimator, Wants};
    use super::super::tests::random_signals;
    use super::*;

    /// More than two runs, and the last batch not a whole one.
    const RECORDS: usize = 9001;

    /// No OUT shadow: at both ends of batches and of runs, and in the midst; all of one batch.
    fn has_no_out_shadow(record: usize) -> bool {
        let ends = [
            0, 255, 256, 300, 511, 4095, 4096, 4351, 8191, 8192, 8959, 8960, 9000,
        ];
        ends.contains(&record) || (1024..1280).contains(&record)
    }

    /// Undefined, by its place: beside the others.
    fn is_undefined(record: usize) -> bool {
        [1, 254, 257, 4097, 8190, 8999].contains(&record)
    }

    fn with_view<T>(work: impl FnOnce(&View) -> T) -> T {
        let mut data = random_signals(RECORDS, 3, 20);
        for record in 0..RECORDS {
            if has_no_out_shadow(record) {
                data.keep[1..].iter_mut().for_each(|row| row[record] = true);
            }
            if is_undefined(record) {
                data.phi[0][record] = f64::NAN;
            }
        }
        let signals = data.signals();
        let mle = Estimator::MaximumLikelihood;
        let progress = Progress::unwatched();
        let statistics =
            Statistics::compute(&signals, 0, Wants::PROBABILITIES, mle, progress).unwrap();
        work(&View {
            signals: &signals,
            augmentation: 0,
            statistics: &statistics,
            shapes: &[],
            population: None,
            references: None,
            settings: &Settings::default(),
            seed: Seed(0),
            progress,
        })
    }

    /// Every answer beside that of the record by itself; where there is one, near enough.
    fn answers_are(
        view: &View,
        scores: &Scores,
        slow: impl Fn(&RecordStatistics) -> Answer,
        near: impl Fn(f64, f64) -> bool,
    ) {
        assert_eq!(scores.len(), RECORDS);
        for (place, record) in view.statistics.records.iter().enumerate() {
            let slow = slow(&record).and_then(|value| match value.is_nan() {
                true => Err(Abstention::Undefined),
                false => Ok(value),
            });
            match (scores.answer(place), slow) {
                (Ok(fast), Ok(slow)) => assert!(near(fast, slow), "{place}: {fast} {slow}"),
                (fast, slow) => assert_eq!(fast, slow, "{place}"),
            }
            let reason = if has_no_out_shadow(place) {
                Some(Abstention::NoOutShadow)
            } else {
                is_undefined(place).then_some(Abstention::Undefined)
            };
            assert_eq!(slow.err(), reason, "{place}");
        }
    }

    fn same(fast: f64, slow: f64) -> bool {
        fast.to_bits() == slow.to_bits()
    }

    #[test]
    fn records_are_scored_as_each_by_itself() {
        with_view(|view| {
            let score = |record: &RecordStatistics| {
                need_outside(record)?;
                Ok(record.target - record.outside.mean)
            };
            answers_are(view, &view.per_record(score), score, same);
        });
    }

    #[test]
    fn logarithms_of_many_are_those_of_each_by_itself() {
        with_view(|view| {
            let score = |record: &RecordStatistics| {
                need_outside(record)?;
                let far = record.target - record.outside.mean;
                Ok(WithLogs {
                    rest: record.target,
                    logs: [(0.5, 1.0 + far * far), (-2.0, record.outside.n)],
                })
            };
            let slow = |record: &RecordStatistics| score(record).map(WithLogs::value);
            let near = |fast: f64, slow: f64| (fast - slow).abs() <= 1e-14 * slow.abs().max(1.0);
            answers_are(view, &view.per_record_with_logs(score), slow, near);
        });
    }

    #[test]
    fn a_function_of_many_is_that_of_each_by_itself() {
        with_view(|view| {
            let score = |record: &RecordStatistics| {
                need_outside(record)?;
                Ok(record.ln_p)
            };
            let slow = |record: &RecordStatistics| {
                let mut value = [0.0];
                ln_mixtures(0.65, &[score(record)?], &mut value);
                Ok(value[0])
            };
            let function = |of: &[f64], into: &mut [f64]| ln_mixtures(0.65, of, into);
            let scores = view.per_record_through(function, score);
            answers_are(view, &scores, slow, same);
        });
    }
}
