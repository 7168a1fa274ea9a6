use stats::streams::{Seed, standard_normal};

use super::*;

fn scores(values: impl IntoIterator<Item = f64>) -> Scores {
    values.into_iter().map(Ok).collect()
}

fn asked<'a>(attacks: &'a [(String, Scores)], members: &'a [Option<bool>]) -> Asked<'a> {
    Asked {
        attacks,
        members,
        known: None,
        preferred: &[],
        level: DEFAULT_LEVEL,
    }
}

#[test]
fn p_values_count_non_members_that_score_as_high() {
    let members = [false, false, false, false, true, true].map(Some);
    let members: Vec<Option<bool>> = members.into_iter().chain([None, None, None]).collect();
    let attack = scores([1.0, 2.0, 3.0, 3.0, 9.0, 8.0, 3.0, 4.0, 0.0]);
    let attacks = [("one".to_owned(), attack)];
    let calls = call(&asked(&attacks, &members)).unwrap();
    let found: Vec<f64> = calls.rows.iter().map(|call| call.p_value).collect();
    assert_eq!(found, [3.0 / 5.0, 1.0 / 5.0, 1.0]);
    // By hand: 0.2 · 3, 0.6 · 3 / 2, 1.
    let corrected: Vec<f64> = calls.rows.iter().map(|call| call.q_value).collect();
    for (found, expected) in corrected.iter().zip([0.9, 0.6, 1.0]) {
        assert!((found - expected).abs() < 1e-12, "{corrected:?}");
    }
    let Unknown {
        asked,
        called,
        calibration,
        smallest_p,
        needed,
        ..
    } = calls.summary;
    assert_eq!((asked, called, calibration, smallest_p), (3, 0, 4, 0.2));
    // 3 / 0.05 = 60 places, one of which is the record's own.
    assert_eq!(needed, 59);
}

#[test]
fn nineteen_non_members_call_at_five_per_cent_and_eighteen_do_not() {
    for (nonmembers, called) in [(18, 0), (19, 1)] {
        let mut members = vec![Some(false); nonmembers];
        members.extend([Some(true), None]);
        let values = (0..nonmembers).map(|value| value as f64);
        let attacks = [("one".to_owned(), scores(values.chain([100.0, 100.0])))];
        let calls = call(&asked(&attacks, &members)).unwrap();
        assert_eq!(calls.summary.called, called);
        assert_eq!(calls.summary.is_powerless(), called == 0);
        assert_eq!(calls.summary.calls_one(), called == 1);
    }
}

#[test]
fn a_record_that_was_abstained_on_is_never_called() {
    let mut members = vec![Some(false); 40];
    members.extend([Some(true), None, None]);
    let mut answers: Vec<Result<f64, Abstention>> = (0..40).map(|n| Ok(f64::from(n))).collect();
    // Half of those that calibrate are not judged either: they stand below.
    answers[..20].fill(Err(Abstention::NoInShadow));
    answers.extend([Ok(90.0), Err(Abstention::NoOutShadow), Ok(99.0)]);
    let attacks = [("one".to_owned(), answers.into_iter().collect())];
    let calls = call(&asked(&attacks, &members)).unwrap();
    assert_eq!(calls.summary.calibration, 40);
    assert_eq!((calls.summary.abstained, calls.summary.called), (1, 1));
    assert_eq!(calls.rows[0].score, Err(Abstention::NoOutShadow));
    assert_eq!((calls.rows[0].p_value, calls.rows[0].called), (1.0, false));
    assert_eq!(calls.rows[1].p_value, 1.0 / 41.0);
}

#[test]
fn without_members_the_preferred_attack_calls() {
    let mut members = vec![Some(false); 30];
    members.push(None);
    let rising = || scores((0..31).map(f64::from));
    let falling = scores((0..31).map(|n| -f64::from(n)));
    let attacks = [("loss".to_owned(), falling), ("lira".to_owned(), rising())];
    let request = Asked {
        preferred: &["lira", "loss"],
        ..asked(&attacks, &members)
    };
    let calls = call(&request).unwrap();
    assert_eq!(
        (calls.summary.attack.as_str(), calls.summary.called),
        ("lira", 1)
    );
    assert_eq!(calls.summary.chosen_from, 1);
    let first = call(&asked(&attacks, &members)).unwrap();
    assert_eq!(
        (first.summary.attack.as_str(), first.summary.called),
        ("loss", 0)
    );
}

#[test]
fn nothing_is_called_where_nobody_is_asked_or_nobody_calibrates() {
    let attacks = [("one".to_owned(), scores([1.0, 2.0, 3.0]))];
    let known = [Some(true), Some(false), Some(true)];
    assert!(call(&asked(&attacks, &known)).is_none());
    let nobody = [Some(true), None, Some(true)];
    assert!(call(&asked(&attacks, &nobody)).is_none());
    let silent: Scores = vec![Err(Abstention::NotGiven); 3].into_iter().collect();
    let attacks = [("one".to_owned(), silent)];
    assert!(call(&asked(&attacks, &[Some(true), Some(false), None])).is_none());
}

/// The choice by its definition: every pair counted, with the row among the non-members.
#[test]
fn the_attack_that_calls_is_the_best_with_the_row_among_the_non_members() {
    let mut rng = Seed(9).stream("choice");
    for _ in 0..50 {
        let members: Vec<Option<bool>> = (0..24)
            .map(|row| [Some(true), Some(false), None][row % 3])
            .collect();
        let mut attack = |id: &str| {
            let answer = |row: usize, value: f64| match row % 5 {
                4 => Err(Abstention::NotGiven),
                // Ties are common.
                _ => Ok((2.0 * value).round()),
            };
            let answers = (0..24).map(|row| answer(row + id.len(), standard_normal(&mut rng)));
            (id.to_owned(), answers.collect::<Scores>())
        };
        let attacks = [attack("a"), attack("bb"), attack("ccc")];
        let calls = call(&asked(&attacks, &members)).unwrap();
        for call in &calls.rows {
            let won = |scores: &Scores| {
                let mut won = 0.0;
                for member in (0..24).filter(|row| members[*row] == Some(true)) {
                    let others = (0..24).filter(|row| members[*row] == Some(false));
                    for other in others.chain([call.row]) {
                        won += match (scores.get(member), scores.get(other)) {
                            (Some(a), Some(b)) if a > b => 1.0,
                            (Some(a), Some(b)) if a < b => 0.0,
                            _ => 0.5,
                        };
                    }
                }
                won
            };
            let own = attacks.iter().find(|(id, _)| *id == call.attack).unwrap();
            assert!(attacks.iter().all(|(_, other)| won(other) <= won(&own.1)));
        }
    }
}

/// The corrected p-values by the definition of the method: the largest k with p(k) ≤ k · level / m.
#[test]
fn benjamini_and_hochberg_reject_what_the_definition_rejects() {
    for seed in 0..200_u64 {
        let value = |i: u64| ((seed * 31 + i) * 7919 % 1009) as f64 / 1009.0 * 0.1;
        let p_values: Vec<f64> = (0..8).map(value).collect();
        let mut sorted = p_values.clone();
        sorted.sort_by(f64::total_cmp);
        let holds = |k: &usize| sorted[k - 1] <= *k as f64 * 0.05 / 8.0;
        let rejected = (1..=8).filter(holds).max().unwrap_or(0);
        let found = benjamini_hochberg(&p_values);
        let found = found.iter().filter(|q| **q <= 0.05 + 1e-15).count();
        assert_eq!(found, rejected, "{p_values:?}");
    }
}

/// Many attacks of which none knows anything, few non-members: choosing the best of them on the
/// non-members that calibrate is where p-values would lie, if they did.
struct Simulated {
    attacks: Vec<(String, Scores)>,
    members: Vec<Option<bool>>,
    /// The asked rows that are members.
    used: Vec<usize>,
}

fn simulated(seed: u64, attacks: usize, lead: f64) -> Simulated {
    const KNOWN: usize = 30;
    const ASKED: usize = 40;
    let mut rng = Seed(seed).stream("calls");
    let rows = 2 * KNOWN + ASKED;
    let is_used = |row: usize| row < KNOWN || (row >= 2 * KNOWN && row.is_multiple_of(4));
    let members = (0..rows).map(|row| (row < 2 * KNOWN).then_some(row < KNOWN));
    let mut attack = |id: usize| {
        let score = |row: usize, noise: f64| noise + if is_used(row) { lead } else { 0.0 };
        let all = (0..rows).map(|row| Ok(score(row, standard_normal(&mut rng))));
        (format!("attack-{id}"), all.collect())
    };
    Simulated {
        attacks: (0..attacks).map(&mut attack).collect(),
        members: members.collect(),
        used: (2 * KNOWN..rows).filter(|row| is_used(*row)).collect(),
    }
}

/// Shares of p-values at or below the level, of called records among those that are no members, and
/// among those that are; over 200 audits.
fn over_200(attacks: usize, lead: f64, level: f64) -> [f64; 3] {
    let mut counts = [[0.0; 2]; 3];
    let mut count = |place: usize, hit: bool| {
        counts[place][0] += f64::from(u8::from(hit));
        counts[place][1] += 1.0;
    };
    for run in 0..200 {
        let simulated = simulated(run, attacks, lead);
        let request = Asked {
            level,
            ..asked(&simulated.attacks, &simulated.members)
        };
        for found in call(&request).unwrap().rows {
            match simulated.used.contains(&found.row) {
                true => count(2, found.called),
                false => {
                    count(0, found.p_value <= level);
                    count(1, found.called);
                }
            }
        }
    }
    counts.map(|[hits, all]| hits / all)
}

#[test]
fn true_non_members_are_called_no_more_often_than_stated() {
    for (attacks, lead) in [(1, 0.0), (30, 0.0), (1, 2.0), (30, 2.0), (1, 4.0)] {
        for level in [0.05, 0.2] {
            let [small, called, found] = over_200(attacks, lead, level);
            // 200 audits share their 30 non-members each: a deviation of a fifth of the level or less.
            assert!(small <= 1.2 * level, "{attacks}, {lead}, {level}: {small}");
            assert!(called <= level, "{attacks}, {lead}, {level}: {called}");
            // At 5% so few non-members call nobody who stands out among 40.
            if lead == 4.0 && level == 0.2 {
                assert!(found > 0.5, "{level}: {found}");
            }
        }
    }
}

/// People with 1 to 30 records that are nearly alike: 40 who are known to be outside, and one more.
fn by_person(run: u64) -> (Vec<(String, Scores)>, Vec<Option<bool>>, Groups) {
    let mut rng = Seed(run).stream("people");
    let (mut values, mut members, mut people) = (Vec::new(), Vec::new(), Vec::new());
    for person in 0..41_u64 {
        let own = standard_normal(&mut rng);
        for _ in 0..1 + (run + person * 7) % 30 {
            values.push(own + 0.1 * standard_normal(&mut rng));
            members.push((person < 40).then_some(false));
            people.push(Some(person));
        }
    }
    (
        vec![("one".to_owned(), scores(values))],
        members,
        Groups::new("person", people),
    )
}

#[test]
fn records_of_people_are_called_no_more_often_than_stated() {
    let mut small = [[0.0, 0.0]; 2];
    for run in 0..400 {
        let (attacks, members, groups) = by_person(run);
        let one_each = one_of_each(&groups, &members, None, Seed(run));
        assert_eq!(one_each.len(), 40);
        for (place, known) in [Some(one_each.as_slice()), None].into_iter().enumerate() {
            let request = Asked {
                known,
                ..asked(&attacks, &members)
            };
            let found = call(&request).unwrap();
            let share = found
                .rows
                .iter()
                .filter(|call| call.p_value <= 0.05)
                .count();
            small[place][0] += share as f64 / found.rows.len() as f64;
            small[place][1] += 1.0;
        }
    }
    let [by_person, by_record] = small.map(|[hits, all]| hits / all);
    // 2 of 41 are at or below 5%; a deviation over 400 people is 1.1%.
    assert!(by_person <= 0.07, "{by_person}");
    // With all records the same audits say more than they know.
    assert!(by_record > by_person, "{by_record}");
}
