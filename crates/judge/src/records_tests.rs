use super::*;
use crate::Truth;
use crate::diagnostics::vulnerability::single_target;

fn scores(records: usize, step: usize) -> Scores {
    let value = |i: usize| ((i * step) % 1009) as f64 / 7.0;
    (0..records)
        .map(|i| match i % 97 {
            5 => Err(attacks::scores::Abstention::Undefined),
            _ => Ok((value(i) + f64::from(u8::from(i % 2 == 0)) * 20.0).floor()),
        })
        .collect()
}

#[test]
fn the_table_agrees_with_the_roc_of_the_judge() {
    let all = [
        ("one".to_owned(), scores(3000, 7919)),
        ("two".to_owned(), scores(3000, 104_729)),
    ];
    let members: Vec<Option<bool>> = (0..3000).map(|i| Some(i % 2 == 0)).collect();
    let truth = Truth::new(members.iter().map(|member| *member == Some(true))).unwrap();
    let judged = Judged {
        scores: &all,
        members: &members,
        exposures: None,
    };
    let table = judged.records("two", |row| format!("r{row}")).unwrap();
    assert_eq!(table.listed.len(), LISTED);
    assert_eq!(table.total, 3000 - all[1].1.abstained());
    // The slow twin: the ROC of every attack, and a percentile by the ruler of the diagnostics.
    let named = |row: usize| format!("r{row}");
    let slow = single_target("two", &all[1].1, &truth, 0.95, named).unwrap();
    for (record, twin) in table.listed.iter().zip(&slow.most_exposed) {
        assert_eq!((record.row, &record.id), (twin.row, &twin.id));
        let percentile = twin.mean_percentile.unwrap();
        assert!((record.percentile - percentile).abs() < 1e-12);
    }
    for record in &table.listed {
        let caught = all.each_ref().map(|(_, scores)| {
            let roc = crate::measures::ranked(scores, &truth).unwrap();
            let budget = false_positive_budget(CATCHING_FPR, roc.nonmembers());
            let cut = roc.point_at_false_positives(budget).threshold;
            let score = scores.get(record.row);
            score.is_some_and(|score| cut.is_some_and(|cut| score >= cut))
        });
        assert_eq!(record.caught, caught[1]);
        assert_eq!(record.caught_by, caught.iter().filter(|hit| **hit).count());
    }
}

#[test]
fn records_caught_again_and_again_come_first() {
    let members: Vec<Option<bool>> = (0..200).map(|i| Some(i < 100)).collect();
    let truth = Truth::new(members.iter().map(|member| *member == Some(true))).unwrap();
    let first: Scores = (0..200).map(|i| Ok(f64::from(u8::from(i == 7)))).collect();
    let last: Scores = (0..200).map(|i| Ok(f64::from(i == 150))).collect();
    let mut exposures = Exposures::new(200);
    exposures.add(&first, &truth).unwrap();
    exposures.add(&first, &truth).unwrap();
    let all = [("one".to_owned(), last)];
    let judged = Judged {
        scores: &all,
        members: &members,
        exposures: Some((&exposures, 0.95)),
    };
    let table = judged.records("one", |row| row.to_string()).unwrap();
    assert_eq!((table.listed[0].row, table.listed[1].row), (7, 150));
    assert_eq!(table.listed[0].exposure.unwrap().times.caught, 2);
    assert!(table.listed[0].catch_rate_low > table.listed[1].catch_rate_low);
}

#[test]
fn infinite_scores_and_unknown_members_are_written_as_nothing() {
    let all = [(
        "one".to_owned(),
        [Ok(f64::INFINITY), Ok(1.0), Ok(0.0)].into_iter().collect(),
    )];
    let members = [None, Some(true), Some(false)];
    let judged = Judged {
        scores: &all,
        members: &members,
        exposures: None,
    };
    let table = judged.records("one", |row| row.to_string()).unwrap();
    assert_eq!(
        (table.listed[0].member, table.listed[0].score),
        (None, None)
    );
    assert_eq!(table.listed[0].percentile, 1.0);
    assert!(judged.records("two", |row| row.to_string()).is_none());
    let nobody = Judged {
        members: &[Some(true); 3],
        ..judged
    };
    assert!(nobody.records("one", |row| row.to_string()).is_none());
}

#[test]
fn a_record_that_is_not_shown_keeps_its_number_and_its_measures() {
    let members: Vec<Option<bool>> = (0..200).map(|i| Some(i < 100)).collect();
    let all = [(
        "one".to_owned(),
        (0..200).map(|i| Ok(f64::from(i))).collect(),
    )];
    let judged = Judged {
        scores: &all,
        members: &members,
        exposures: None,
    };
    let mut record = judged
        .records("one", |row| format!("r{row}"))
        .unwrap()
        .listed[0]
        .clone();
    assert_eq!(
        (record.name().as_str(), record.member),
        ("r199", Some(false))
    );
    record.withhold();
    assert_eq!((record.name().as_str(), record.score), ("199", Some(199.0)));
    let written = serde_json::to_value(&record).unwrap();
    let keys: Vec<&String> = written.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["caught", "caught_by", "percentile", "row", "score"]);
}

#[test]
fn numbers_say_where_they_count_from() {
    let place = "(from 0, in the order of scores.parquet)";
    assert_eq!(numbered(&[7]), format!("record 7 {place}"));
    assert_eq!(numbered(&[7, 9]), format!("records 7, 9 {place}"));
}
