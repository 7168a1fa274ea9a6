//! The share of a population that lies strictly below each of many values, by sorting once.

use super::order::{Keyed, key, sort, value_of};
use crate::scores::{Abstention, Answer, Scores};

/// What values are compared with.
pub enum Population {
    /// The values themselves, each times (in logs: plus) the same amount.
    Own { plus: f64 },
    /// Others.
    Given(Vec<f64>),
}

/// For every value, the share of the population strictly below it: O((N + Z) log) by sorting
/// both and walking them together, never a matrix of all pairs.
pub fn shares_below(values: Vec<Answer>, population: Population) -> Scores {
    let ordered = in_order(&values);
    let mut answers = values;
    match population {
        // Adding one amount to all keeps their order.
        Population::Own { plus } => {
            let others = ordered.iter().map(|(key, _)| value_of(*key) + plus);
            walk(&ordered, others, ordered.len(), &mut answers);
        }
        Population::Given(others) => {
            let known = others.into_iter().filter(|other| !other.is_nan());
            let sorted = sort(known.map(|other| (key(other), 0)).collect());
            let others = sorted.iter().map(|(key, _)| value_of(*key));
            walk(&ordered, others, sorted.len(), &mut answers);
        }
    }
    answers.into_iter().collect()
}

/// Goes up both orders together: what was below one value is below the next.
fn walk(
    ordered: &[Keyed],
    others: impl Iterator<Item = f64>,
    population: usize,
    answers: &mut [Answer],
) {
    let mut others = others.peekable();
    let mut below = 0u32;
    for &(key, place) in ordered {
        let value = value_of(key);
        while others.next_if(|other| *other < value).is_some() {
            below += 1;
        }
        answers[place as usize] = if population == 0 {
            Err(Abstention::Undefined)
        } else {
            Ok(f64::from(below) / population as f64)
        };
    }
}

/// The values that are there, ascending, as keys with their places.
fn in_order(values: &[Answer]) -> Vec<Keyed> {
    let known = values.iter().zip(0..);
    let keyed = known.filter_map(|(value, place)| {
        let value = value.ok().filter(|value| !value.is_nan())?;
        Some((key(value), place))
    });
    sort(keyed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_that_of_a_count_over_all_pairs() {
        let population = [3.0, -1.0, 3.0, 0.0, -0.0, f64::NEG_INFINITY, f64::INFINITY];
        let values = [9.0, -2.0, 0.0, -1.0, -0.0, 1.0, 3.0, f64::INFINITY];
        let answers: Vec<Answer> = values.iter().map(|value| Ok(*value)).collect();
        let shares = shares_below(answers.clone(), Population::Given(population.to_vec()));
        for (place, value) in values.iter().enumerate() {
            let naive = population.iter().filter(|z| *z < value).count();
            assert_eq!(shares.get(place), Some(naive as f64 / 7.0), "{value}");
        }
    }

    #[test]
    fn the_values_may_be_their_own_population() {
        let values = [0.5, 2.0, -1.0, 2.0, 0.0];
        let answers: Vec<Answer> = values.iter().map(|value| Ok(*value)).collect();
        for plus in [-0.7, 0.0, 0.6] {
            let moved = values.iter().map(|value| value + plus).collect();
            let own = shares_below(answers.clone(), Population::Own { plus });
            let given = shares_below(answers.clone(), Population::Given(moved));
            assert!(own.iter().eq(given.iter()));
        }
    }

    #[test]
    fn abstentions_pass_through_and_an_empty_population_has_no_shares() {
        let values = [Err(Abstention::NoOutShadow), Ok(1.0), Ok(f64::NAN)];
        let shares = shares_below(values.to_vec(), Population::Given(vec![0.0]));
        assert_eq!(shares.answer(0), Err(Abstention::NoOutShadow));
        assert_eq!(shares.answer(1), Ok(1.0));
        assert_eq!(shares.answer(2), Err(Abstention::Undefined));
        let none = shares_below(vec![Ok(1.0)], Population::Given(Vec::new()));
        assert_eq!(none.answer(0), Err(Abstention::Undefined));
    }
}
