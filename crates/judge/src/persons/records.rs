//! Measures of records whose intervals count people.
//!
//! Every value stays what it is of so many records. Intervals are by person; what has no valid form
//! when records come in persons (Log-MIA's exact chance, bounds on ε over records) is taken back here
//! and measured on people instead, where each person counts once.

use attacks::scores::Scores;
use stats::beta::{clopper_pearson_lower_of, clopper_pearson_upper_of};
use stats::streams::Seed;

use super::bootstrap::bootstrap;
use super::clustered::{auc_variance, effective_records, independent};
use super::sorted::{Placed, Sorted};
use super::{Groups, PersonCounts};
use crate::abstained::placed;
use crate::epsilon::EpsilonBound;
use crate::measure::{
    Advantage, Auc, Bootstrap, BootstrapInterval, Level, Regime, TprAtFpr, accuracy,
};
use crate::measures::judged_records;
use crate::{AttackMeasures, Error, Options, Truth, measure};

const NOT_BY_RECORD: &str = "not given by record: the records of a person went in or out together, so that \
                             they are no independent trials; the bound by person holds";

/// Judges one attack record by record, with people as the units of chance.
pub fn measure_by_person(
    id: &str,
    scores: &Scores,
    truth: &Truth,
    groups: &Groups,
    options: &Options,
) -> Result<AttackMeasures, Error> {
    groups.check(truth.len())?;
    let without = Options {
        bootstrap_replicates: 0,
        ..options.clone()
    };
    let mut found = measure(id, scores, truth, &without)?;
    let sorted = sorted(&placed(&truth.masked(scores)), truth, groups);
    if let Some(judged) = &mut found.judged {
        let among = self::sorted(scores, truth, groups);
        area(&mut judged.auc, &among, options);
        rates(&mut judged.tpr_at_fpr, &among, None);
    }
    area(&mut found.auc, &sorted, options);
    let seed = Seed(options.seed);
    let (replicates, confidence) = (options.bootstrap_replicates, options.confidence);
    found.bootstrap = bootstrap(&sorted, &options.fprs, replicates, confidence, seed);
    rates(&mut found.tpr_at_fpr, &sorted, found.bootstrap.as_ref());
    accuracies(&mut found, &sorted, options);
    let turned = found.turned.as_mut().map(|turned| &mut turned.log_mia);
    for regimes in [Some(&mut found.log_mia), turned].into_iter().flatten() {
        unproven(&mut regimes.a);
        unproven(&mut regimes.b);
    }
    found.turned.take_if(|turned| !turned.tells());
    found.epsilon_bounds.clear();
    found.epsilon_cuts.clear();
    found.epsilon_lower_bound = nothing_proven(&found.epsilon_lower_bound);
    Ok(found)
}

/// Every record that is measured, with its person.
fn sorted(scores: &Scores, truth: &Truth, groups: &Groups) -> Sorted {
    let place = |(record, score, member): (usize, f64, bool)| Placed {
        person: groups.person(record) as u32,
        score,
        member,
    };
    let records = judged_records(scores, truth).map(place).collect();
    Sorted::new(records, groups.people())
}

fn area(auc: &mut Auc, sorted: &Sorted, options: &Options) {
    auc.record_error = auc.standard_error;
    auc.standard_error = auc_variance(sorted).map(f64::sqrt);
    auc.persons = Some(PersonCounts {
        members: sorted.people_with(true),
        nonmembers: sorted.people_with(false),
    });
    *auc = auc.at_confidence(options.confidence);
}

fn rates(rates: &mut [TprAtFpr], sorted: &Sorted, resampled: Option<&Bootstrap>) {
    for (place, rate) in rates.iter_mut().enumerate() {
        let Some(value) = rate.value else {
            continue;
        };
        let interval = resampled.map(|resampled| resampled.tpr_at_fpr[place]);
        let at_threshold = effective_records(sorted, true, rate.threshold.0);
        let trials = at_threshold.min(varying(value, interval.as_ref()));
        let side = (1.0 - rate.confidence) / 2.0;
        rate.low = Some(clopper_pearson_lower_of(value * trials, trials, side));
        rate.high = Some(clopper_pearson_upper_of(value * trials, trials, side));
        rate.method = "step-le, clopper-pearson over as many members as people make".to_owned();
        rate.effective_members = Some(trials);
        rate.bootstrap = interval;
    }
}

/// So many independent members vary as much as the bootstrap over people, which lets the threshold move:
/// with few people that matters as much as who is caught. No limit where nothing was drawn or varies.
fn varying(value: f64, resampled: Option<&BootstrapInterval>) -> f64 {
    let spread = resampled.map_or(0.0, |interval| interval.standard_error);
    match spread > 0.0 && value > 0.0 && value < 1.0 {
        true => (value * (1.0 - value) / (spread * spread)).max(1.0),
        false => f64::INFINITY,
    }
}

impl AttackMeasures {
    /// The variance of the AUC by person, as a multiple of what records by themselves would have.
    /// Nothing without persons, or where nothing varies.
    pub fn design_effect(&self) -> Option<f64> {
        self.auc.persons?;
        let by_person = self.auc.standard_error?;
        let by_record = self.auc.record_error?;
        (by_record > 0.0).then(|| (by_person / by_record).powi(2))
    }
}

/// Over every threshold at once, as if a person's records all said the same.
fn accuracies(found: &mut AttackMeasures, sorted: &Sorted, options: &Options) {
    let trials = [true, false].map(|member| independent(sorted, member));
    accuracy::widen(&mut found.balanced_accuracy, trials, options.confidence);
    found.advantage = Advantage::from(&found.balanced_accuracy);
    if let Some(turned) = &mut found.turned {
        accuracy::widen(&mut turned.balanced_accuracy, trials, options.confidence);
    }
    let share = (trials[0] + trials[1]) / (sorted.members + sorted.nonmembers);
    for precision in &mut found.precision_at_fpr {
        let accused = precision.tp + precision.fp;
        let (Some(value), true) = (precision.value, accused > 0) else {
            continue;
        };
        let trials = (accused as f64 * share).max(1.0);
        let side = (1.0 - precision.confidence) / 2.0;
        precision.low = Some(clopper_pearson_lower_of(value * trials, trials, side));
        precision.high = Some(clopper_pearson_upper_of(value * trials, trials, side));
    }
}

/// The exact chance is that of records that were shuffled one by one.
fn unproven(regime: &mut Regime) {
    regime.p_value = 1.0;
    if regime.nominal_level != Level::None {
        regime.level = Level::Chance;
    }
}

fn nothing_proven(bound: &EpsilonBound) -> EpsilonBound {
    EpsilonBound {
        value: 0.0,
        tp: None,
        fp: None,
        mu: None,
        method: "by person only".to_owned(),
        note: NOT_BY_RECORD.to_owned(),
        ..bound.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(each: usize) -> (Scores, Truth, Groups) {
        let records = 60 * each;
        let person = |record: usize| record / each;
        // A person's records share a score.
        let score = |record: usize| ((person(record) * 37 % 61) as f64) / 61.0;
        let scores = (0..records).map(|record| Ok(score(record))).collect();
        let truth = Truth::new((0..records).map(|record| person(record) < 30)).unwrap();
        let groups = Groups::new("person", (0..records).map(|record| Some(person(record))));
        (scores, truth, groups)
    }

    #[test]
    fn records_that_repeat_a_person_narrow_nothing() {
        let options = Options::default();
        let (scores, truth, groups) = people(1);
        let once = measure("lira", &scores, &truth, &options).unwrap();
        let (scores, truth, groups_of_ten) = people(10);
        let ten = measure_by_person("lira", &scores, &truth, &groups_of_ten, &options).unwrap();
        assert!((ten.auc.value - once.auc.value).abs() < 1e-12);
        assert!(
            (ten.auc.low - once.auc.low).abs() < 1e-9,
            "{:?} {:?}",
            ten.auc,
            once.auc
        );
        assert!((ten.advantage.low - once.advantage.low).abs() < 1e-9);
        let rates = ten.tpr_at_fpr[0].effective_members.unwrap();
        assert!(rates <= 31.0, "{rates}");
        assert_eq!(ten.auc.method, "delong-logit, by person");
        assert_eq!(ten.epsilon_lower_bound.value, 0.0);
        let records = measure("lira", &scores, &truth, &options).unwrap();
        assert_eq!(records.auc.value, ten.auc.value);
        assert!(records.auc.high - records.auc.low < 0.5 * (ten.auc.high - ten.auc.low));
        assert!(measure_by_person("lira", &scores, &truth, &groups, &options).is_err());
    }

    #[test]
    fn one_record_each_is_the_usual_measure() {
        let options = Options::default();
        let (scores, truth, groups) = people(1);
        let usual = measure("lira", &scores, &truth, &options).unwrap();
        let found = measure_by_person("lira", &scores, &truth, &groups, &options).unwrap();
        assert!((found.auc.low - usual.auc.low).abs() < 1e-12);
        assert!((found.advantage.low - usual.advantage.low).abs() < 1e-12);
        for (one, other) in found.tpr_at_fpr.iter().zip(&usual.tpr_at_fpr) {
            assert_eq!(one.value, other.value);
        }
    }
}
