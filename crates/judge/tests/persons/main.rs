//! Persons on simulated people: intervals that hold, null data that stay null, and a leak that only
//! persons show.

mod simulated;

use guestlist_judge::measure;
use guestlist_judge::persons::{Join, judge_persons, measure_by_person};
use simulated::{Drawn, World, quick};

#[test]
fn intervals_by_person_hold_and_those_by_record_do_not() {
    let world = World {
        people: 120,
        shared: 0.5,
        lift: 0.3,
        most: 30,
    };
    let (truth, runs) = (world.record_auc(), 200);
    let (mut by_person, mut by_record) = (0, 0);
    for run in 0..runs {
        let Drawn {
            scores,
            truth: members,
            groups,
        } = world.draw(run);
        let options = quick(0);
        let person = measure_by_person("x", &scores, &members, &groups, &options).unwrap();
        let record = measure("x", &scores, &members, &options).unwrap();
        by_person += u32::from(person.auc.low <= truth && truth <= person.auc.high);
        by_record += u32::from(record.auc.low <= truth && truth <= record.auc.high);
    }
    // 95% of 200 is 190, with a deviation of 3.1.
    assert!((180..=199).contains(&by_person), "{by_person} of {runs}");
    assert!(by_record < 130, "{by_record} of {runs}");
}

#[test]
fn null_people_stay_null() {
    let world = World {
        people: 100,
        shared: 0.4,
        lift: 0.0,
        most: 30,
    };
    for join in [Join::Sum, Join::Mean, Join::Max] {
        let runs = 150;
        let (mut beyond, mut sum) = (0, 0.0);
        for run in 0..runs {
            let drawn = world.draw(1000 + run);
            let scores = [("x".to_owned(), drawn.scores)];
            let found = judge_persons(&scores, &drawn.truth, &drawn.groups, join, &quick(0));
            let auc = &found.attacks[0].auc;
            beyond += u32::from(auc.low > 0.5 || auc.high < 0.5);
            sum += auc.value;
        }
        // 5% of 150 is 7.5, with a deviation of 2.7; the mean's deviation is about 0.005.
        assert!(beyond <= 17, "{join:?}: {beyond} of {runs}");
        let mean = sum / runs as f64;
        assert!((mean - 0.5).abs() < 0.025, "{join:?}: {mean}");
    }
}

/// Each record hardly differs; thirty of them do.
#[test]
fn a_leak_that_only_persons_show_is_found() {
    let world = World {
        people: 300,
        shared: 0.0,
        lift: 0.25,
        most: 30,
    };
    let drawn = world.draw(7);
    let scores = [("x".to_owned(), drawn.scores)];
    let record = measure_by_person("x", &scores[0].1, &drawn.truth, &drawn.groups, &quick(0));
    let record = record.unwrap().auc;
    assert!(record.value < 0.6 && record.high < 0.65, "{record:?}");
    let of = |join| judge_persons(&scores, &drawn.truth, &drawn.groups, join, &quick(0)).attacks;
    let sum = &of(Join::Sum)[0].auc;
    assert!(sum.low > 0.65, "{sum:?}");
    assert!(sum.value > of(Join::Max)[0].auc.value);
}
