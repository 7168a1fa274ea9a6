//! How far measures of records may be off when the records of a person speak alike.
//!
//! AUC: Obuchowski, "Nonparametric analysis of clustered ROC curve data", Biometrics 1997. With the
//! placements V10 of members and V01 of non-members (see `measure/auc.rs`) summed over each person's
//! records, less the AUC for each of them, as a and b, and I1, I0 and I people with members, with
//! non-members and in all,
//!
//! var = I1/(I1 − 1) · Σa²/n₁² + I0/(I0 − 1) · Σb²/n₀² + 2 · I/(I − 1) · Σab/(n₁ n₀).
//!
//! With one record per person that is DeLong's variance.
//!
//! A share of members that was caught: the variance of a ratio over people, p = Σcaughtₖ/Σsizeₖ,
//! var = I/(I − 1) · Σ(caughtₖ − p · sizeₖ)²/n², gives the number of independent records that would
//! vary as much, p(1 − p)/var, at which Clopper and Pearson's interval is taken (Korn and Graubard,
//! "Confidence intervals for proportions with small expected number of positive counts estimated from
//! survey data", Survey Methodology 1998). It is never more than there are records; where all or none
//! was caught it is (Σsize)²/Σsize² (Kish 1965), as if a person's records all said the same.

use super::sorted::Sorted;

/// The variance of the AUC over people; nothing where a kind has a single person.
pub fn auc_variance(sorted: &Sorted) -> Option<f64> {
    let (members, nonmembers) = (sorted.members, sorted.nonmembers);
    let mut sums = vec![[0.0; 2]; sorted.people];
    let (mut members_above, mut nonmembers_above, mut won) = (0.0, 0.0, 0.0);
    for tie in sorted.ties() {
        let own = &sorted.records[tie];
        let here = own.iter().filter(|record| record.member).count() as f64;
        let others = own.len() as f64 - here;
        let beaten = (nonmembers - nonmembers_above - others / 2.0) / nonmembers;
        let beaten_by = (members_above + here / 2.0) / members;
        for record in own {
            let kind = usize::from(record.member);
            sums[record.person as usize][kind] += [beaten_by, beaten][kind];
        }
        won += here * beaten;
        members_above += here;
        nonmembers_above += others;
    }
    let area = won / members;
    let (mut squares, mut products) = ([0.0; 2], 0.0);
    let (mut with, mut all) = ([0.0; 2], 0.0);
    for (sum, size) in sums.iter().zip(sorted.sizes()) {
        let off = [0, 1].map(|kind| sum[kind] - size[kind] * area);
        for kind in [0, 1] {
            squares[kind] += off[kind] * off[kind];
            with[kind] += f64::from(u8::from(size[kind] > 0.0));
        }
        products += off[0] * off[1];
        all += f64::from(u8::from(size[0] + size[1] > 0.0));
    }
    let corrected = |people: f64| people / (people - 1.0);
    (with[0] > 1.0 && with[1] > 1.0).then(|| {
        let variance = corrected(with[1]) * squares[1] / (members * members)
            + corrected(with[0]) * squares[0] / (nonmembers * nonmembers)
            + 2.0 * corrected(all) * products / (members * nonmembers);
        variance.max(0.0)
    })
}

/// So many independent records of one kind vary as those at or above a score do.
pub fn effective_records(sorted: &Sorted, member: bool, cut: Option<f64>) -> f64 {
    let mut caught = vec![0.0; sorted.people];
    let kind = |record: &&super::sorted::Placed| record.member == member;
    for record in sorted.records.iter().filter(kind) {
        if cut.is_some_and(|cut| record.score >= cut) {
            caught[record.person as usize] += 1.0;
        }
    }
    let sizes = sorted.sizes();
    let size = |person: usize| sizes[person][usize::from(member)];
    let all: f64 = (0..sorted.people).map(size).sum();
    let share = caught.iter().sum::<f64>() / all;
    if share == 0.0 || share == 1.0 {
        return independent(sorted, member);
    }
    let off = |person: usize| (caught[person] - share * size(person)).powi(2);
    let people = sorted.people_with(member) as f64;
    if people < 2.0 {
        return 1.0;
    }
    let squares: f64 = (0..sorted.people).map(off).sum();
    let variance = people / (people - 1.0) * squares / (all * all);
    match variance > 0.0 {
        true => (share * (1.0 - share) / variance).clamp(1.0, all),
        // Every person was caught by the same share: that says as much as there are people.
        false => independent(sorted, member),
    }
}

/// As many as if the records of a person all said the same.
pub fn independent(sorted: &Sorted, member: bool) -> f64 {
    let sizes = sorted.sizes();
    let sizes = sizes.iter().map(|size| size[usize::from(member)]);
    let (sum, squares) = sizes.fold((0.0, 0.0), |(sum, squares), size| {
        (sum + size, squares + size * size)
    });
    sum * sum / squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::auc::delong_variance;
    use crate::persons::sorted::Placed;
    use proptest::prelude::*;
    use stats::roc::Roc;

    fn placed(records: &[(u32, i32, bool)]) -> Vec<Placed> {
        let place = |&(person, score, member): &(u32, i32, bool)| Placed {
            person,
            score: f64::from(score),
            member,
        };
        records.iter().map(place).collect()
    }

    /// The published sums, pair by pair.
    fn naive(records: &[Placed], people: u32) -> f64 {
        let psi = |a: f64, b: f64| match a.total_cmp(&b) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        };
        let of = |member: bool| records.iter().filter(move |record| record.member == member);
        let (n1, n0) = (of(true).count() as f64, of(false).count() as f64);
        let v10 = |x: f64| of(false).map(|y| psi(x, y.score)).sum::<f64>() / n0;
        let v01 = |y: f64| of(true).map(|x| psi(x.score, y)).sum::<f64>() / n1;
        let area = of(true).map(|x| v10(x.score)).sum::<f64>() / n1;
        let (mut a2, mut b2, mut ab, mut counts) = (0.0, 0.0, 0.0, [0.0; 3]);
        for person in 0..people {
            let own = |member: bool| of(member).filter(move |record| record.person == person);
            let a: f64 = own(true).map(|x| v10(x.score) - area).sum();
            let b: f64 = own(false).map(|y| v01(y.score) - area).sum();
            let has = [own(true).count() > 0, own(false).count() > 0];
            counts[0] += f64::from(u8::from(has[0]));
            counts[1] += f64::from(u8::from(has[1]));
            counts[2] += f64::from(u8::from(has[0] || has[1]));
            (a2, b2, ab) = (a2 + a * a, b2 + b * b, ab + a * b);
        }
        let [i1, i0, i] = counts.map(|count| count / (count - 1.0));
        (i1 * a2 / (n1 * n1) + i0 * b2 / (n0 * n0) + 2.0 * i * ab / (n1 * n0)).max(0.0)
    }

    proptest! {
        #[test]
        fn the_fast_variance_is_the_naive_one(
            records in prop::collection::vec((0_u32..9, 0_i32..8, any::<bool>()), 6..60),
        ) {
            let records = placed(&records);
            let sorted = Sorted::new(records.clone(), 9);
            if let Some(fast) = auc_variance(&sorted) {
                prop_assert!((fast - naive(&records, 9)).abs() < 1e-12);
            }
        }

        #[test]
        fn one_record_each_is_delong(
            records in prop::collection::vec((0_i32..12, any::<bool>()), 6..40),
        ) {
            let numbered = records.iter().zip(0..).map(|(&(score, member), person)| (person, score, member));
            let records = placed(&numbered.collect::<Vec<_>>());
            let roc = Roc::new(records.iter().map(|record| (record.score, record.member)));
            let people = records.len();
            if let Some(expected) = roc.as_ref().and_then(delong_variance) {
                let found = auc_variance(&Sorted::new(records, people)).unwrap();
                prop_assert!((found - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn records_that_say_the_same_count_once() {
        // Ten people with four records each that are caught together, or not.
        let records: Vec<(u32, i32, bool)> = (0..40)
            .map(|i| (i / 4, i32::from(i / 4 % 2 == 0), true))
            .chain((40..50).map(|i| (i, 0, false)))
            .collect();
        let sorted = Sorted::new(placed(&records), 50);
        let found = effective_records(&sorted, true, Some(1.0));
        // p = 1/2, Σ(caught − 2)² = 10 · 4, var = 10/9 · 40/1600.
        assert!(
            (found - 0.25 / (10.0 / 9.0 / 40.0)).abs() < 1e-12,
            "{found}"
        );
        assert_eq!(effective_records(&sorted, true, None), 10.0);
        assert_eq!(independent(&sorted, false), 10.0);
        assert_eq!(sorted.people_with(true), 10);
    }
}
