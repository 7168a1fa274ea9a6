use super::*;
use stats::streams::{ChaCha8Rng, Seed, standard_normal, uniform};

/// Records drawn one by one: score, membership and slice.
struct Drawn {
    scores: Scores,
    truth: Truth,
    column: SliceColumn,
}

fn drawn(records: usize, slices: u32, draw: impl Fn(&mut ChaCha8Rng, bool, u32) -> f64) -> Drawn {
    drawn_with(Seed(1).stream("slices"), records, slices, draw)
}

fn drawn_with(
    mut stream: ChaCha8Rng,
    records: usize,
    slices: u32,
    draw: impl Fn(&mut ChaCha8Rng, bool, u32) -> f64,
) -> Drawn {
    let values: Vec<u32> = (0..records as u32).map(|record| record % slices).collect();
    let members: Vec<bool> = (0..records).map(|_| uniform(&mut stream) < 0.5).collect();
    let scores = (values.iter().zip(&members))
        .map(|(&slice, &member)| Ok(draw(&mut stream, member, slice)))
        .collect();
    Drawn {
        scores,
        truth: Truth::new(members).unwrap(),
        column: SliceColumn {
            name: "group".into(),
            values,
            names: (0..slices).map(|slice| format!("g{slice}")).collect(),
            numbers: Vec::new(),
        },
    }
}

fn judged(drawn: &Drawn) -> Slices {
    let records: Vec<usize> = (0..drawn.truth.len()).collect();
    let columns = std::slice::from_ref(&drawn.column);
    let cut = Cut {
        attack: "lira",
        attacks: &[("lira".to_owned(), drawn.scores.clone())],
        truth: &drawn.truth,
        records: &records,
        columns,
        show_records: false,
    };
    slices(&cut, &Gate::default(), &Options::default()).unwrap()
}

fn shift(member: bool, amount: f64) -> f64 {
    if member { amount } else { 0.0 }
}

#[test]
fn slices_are_those_of_a_plain_count() {
    let drawn = drawn(3000, 7, |rng, member, slice| {
        // Rounded, so that there are ties.
        let score = standard_normal(rng) + shift(member, f64::from(slice) / 4.0);
        (score * 8.0).round() / 8.0
    });
    let found = judged(&drawn);
    assert_eq!((found.looked_at, found.compared), (7, 7));
    let cut = found.threshold.0.unwrap();
    for slice in &found.slices {
        let code = found_code(&drawn, &slice.value);
        let part = |inside: bool| pairs(&drawn, |value| (value == code) == inside);
        let measures = slice.measures.as_ref().unwrap();
        assert!((measures.auc.value - part(true)).abs() < 1e-12);
        assert!((measures.rest_auc.unwrap() - part(false)).abs() < 1e-12);
        let count = |member: bool, least: f64| {
            let rows = (0..3000).filter(|&row| drawn.column.values[row] == code);
            let rows = rows.filter(|&row| drawn.truth.is_member(row) == Some(member));
            rows.filter(|&row| drawn.scores.get(row).unwrap() >= least)
                .count() as u64
        };
        let all = f64::NEG_INFINITY;
        assert_eq!(
            (slice.members, slice.nonmembers),
            (count(true, all), count(false, all))
        );
        assert_eq!(
            (measures.tpr.count, measures.tpr.of),
            (count(true, cut), slice.members)
        );
        assert_eq!(
            (measures.fpr.count, measures.fpr.of),
            (count(false, cut), slice.nonmembers)
        );
    }
}

fn found_code(drawn: &Drawn, name: &str) -> u32 {
    drawn
        .column
        .names
        .iter()
        .position(|other| other == name)
        .unwrap() as u32
}

/// AUC by looking at every pair.
fn pairs(drawn: &Drawn, belongs: impl Fn(u32) -> bool) -> f64 {
    let part = |member: bool| -> Vec<f64> {
        let rows = (0..drawn.truth.len()).filter(|&row| belongs(drawn.column.values[row]));
        rows.filter(|&row| drawn.truth.is_member(row) == Some(member))
            .map(|row| drawn.scores.get(row).unwrap())
            .collect()
    };
    let (members, nonmembers) = (part(true), part(false));
    let won: f64 = (members.iter())
        .flat_map(|m| nonmembers.iter().map(move |n| (m, n)))
        .map(|(m, n)| f64::from(u8::from(m > n)) + 0.5 * f64::from(u8::from(m == n)))
        .sum();
    won / (members.len() * nonmembers.len()) as f64
}

#[test]
fn the_slice_that_leaks_is_marked_and_comes_first() {
    let found = judged(&drawn(4000, 8, |rng, member, slice| {
        standard_normal(rng) + shift(member, if slice == 3 { 2.0 } else { 0.5 })
    }));
    assert_eq!(found.slices[0].value, "g3");
    let first = found.slices[0].measures.as_ref().unwrap();
    assert_eq!(first.mark, Mark::More);
    assert!(first.corrected_p_value.unwrap() < 1e-6);
    // Others may be found to leak less than a rest that has this one in it.
    let more = found
        .slices
        .iter()
        .filter_map(|slice| slice.measures.as_ref());
    assert_eq!(
        more.filter(|measures| measures.mark == Mark::More).count(),
        1
    );
}

#[test]
fn a_slice_that_leaks_less_is_marked_so() {
    let found = judged(&drawn(4000, 4, |rng, member, slice| {
        standard_normal(rng) + shift(member, if slice == 0 { 0.0 } else { 1.5 })
    }));
    let least = found
        .slices
        .iter()
        .find(|slice| slice.value == "g0")
        .unwrap();
    assert_eq!(least.measures.as_ref().unwrap().mark, Mark::Less);
}

#[test]
fn small_slices_are_listed_but_not_measured() {
    let mut drawn = drawn(600, 2, |rng, _, _| standard_normal(rng));
    drawn.column.names.extend(["rare".into(), "absent".into()]);
    for row in 0..15 {
        drawn.column.values[row] = 2;
    }
    let found = judged(&drawn);
    assert_eq!((found.looked_at, found.compared), (3, 2));
    let rare = found.slices.last().unwrap();
    assert_eq!((rare.value.as_str(), rare.records), ("rare", 15));
    assert!(rare.measures.is_none());
}

#[test]
fn a_single_slice_has_no_rest() {
    let found = judged(&drawn(400, 1, |rng, _, _| standard_normal(rng)));
    let only = found.slices[0].measures.as_ref().unwrap();
    assert_eq!(
        (only.p_value, only.rest_auc, found.compared),
        (None, None, 0)
    );
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let column = |values: Vec<u32>| SliceColumn {
        name: "sex".into(),
        values,
        names: vec!["f".into(), "m".into()],
        numbers: Vec::new(),
    };
    assert!(column(vec![0, 1, 1]).check(3).is_ok());
    let error = column(vec![0, 1]).check(3).unwrap_err().to_string();
    assert!(error.contains("sex has 2 values for 3 records"), "{error}");
    assert!(column(vec![0, 2]).check(2).is_err());
}

/// Equal leakage everywhere: some slice is marked in at most 5% of the audits, and none of them
/// where the normal approximation is at its worst, in small slices at a large AUC.
#[test]
fn audits_without_a_difference_mark_no_more_slices_than_stated() {
    const AUDITS: u64 = 200;
    for (slices, records, leak) in [(20, 480, 0.0), (20, 480, 2.5), (10, 2000, 1.0)] {
        let marked = (0..AUDITS)
            .filter(|&audit| {
                let stream = Seed(77).numbered("equal slices", audit);
                let drawn = drawn_with(stream, records, slices, |rng, member, _| {
                    standard_normal(rng) + shift(member, leak)
                });
                judged(&drawn).marked > 0
            })
            .count();
        // 5% of 200 is 10; more than 19 would come by chance once in 300 runs.
        assert!(
            marked <= 19,
            "{slices} slices, leak {leak}: {marked} of {AUDITS}"
        );
    }
}

#[test]
fn slices_that_say_who_is_a_member_are_counted_and_not_listed() {
    let mut drawn = drawn(600, 2, |rng, _, _| standard_normal(rng));
    drawn.column.name = LABEL.into();
    drawn.column.names.push("ann@example.org".into());
    for row in 0..4 {
        drawn.column.values[row] = 2;
    }
    let found = judged(&drawn);
    assert_eq!((found.looked_at, found.unlisted), (3, 1));
    assert!(found.slices.iter().all(|slice| slice.records > 4));
}
