//! Columns of numbers that are no scores: labels, record numbers, a model's outputs, the truth.
//!
//! A file of scores often holds more than scores. Judged as an attack, a label would fail an audit
//! by the share of its classes, so that whoever means such a column must name it.

use std::collections::HashMap;

use attacks::scores::Scores;
use formats::left_out::LeftOut;

/// Names of what is predicted.
const LABELS: [&str; 20] = [
    "label",
    "labels",
    "class",
    "classes",
    "target",
    "targets",
    "y",
    "y_true",
    "y_pred",
    "pred",
    "prediction",
    "predicted",
    "predictions",
    "truth",
    "true_label",
    "true_class",
    "ground_truth",
    "gt",
    "predicted_label",
    "predicted_class",
];
/// Names of where a record stands.
const PLACES: [&str; 14] = [
    "index",
    "idx",
    "row",
    "rows",
    "row_number",
    "record",
    "number",
    "fold",
    "split",
    "set",
    "partition",
    "ids",
    "uid",
    "uuid",
];
/// Names of whose a record is.
const PEOPLE: [&str; 13] = [
    "person",
    "persons",
    "people",
    "group",
    "groups",
    "owner",
    "author",
    "user",
    "patient",
    "customer",
    "client",
    "subject",
    "participant",
];
const NAMES_PEOPLE: &str = "is named like the person whom a record belongs to, which --group takes";
/// What the outputs of a model are called, before their number.
const OUTPUTS: [&str; 16] = [
    "logit",
    "logits",
    "prob",
    "probs",
    "proba",
    "probability",
    "probabilities",
    "p",
    "softmax",
    "output",
    "outputs",
    "out",
    "pred",
    "class",
    "z",
    "y",
];

/// Fewer records than this may be numbered by chance.
const FEWEST_ROWS: usize = 10;

/// Why a column is no score, for all columns that look like none.
pub(super) fn doubts(
    columns: &[(String, Scores)],
    members: &[Option<bool>],
) -> Vec<(String, String)> {
    let families = families(columns);
    let doubt = |(name, scores): &(String, Scores)| {
        let why = by_name(name)
            .or_else(|| by_family(name, &families))
            .or_else(|| by_values(scores, members))?;
        Some((name.clone(), why.to_owned()))
    };
    columns.iter().filter_map(doubt).collect()
}

/// Columns of texts that name people, as `doubts` has those of numbers: the audit would not know of persons.
pub(super) fn people(others: &[LeftOut]) -> Vec<(String, String)> {
    let people = others.iter().filter(|other| is_people(&plain(&other.name)));
    let said = people.map(|other| (other.name.clone(), NAMES_PEOPLE.to_owned()));
    said.collect()
}

fn is_people(name: &str) -> bool {
    PEOPLE.contains(&name)
}

/// What to say of columns that are judged all the same.
pub(super) fn remarks(columns: &[(String, Scores)], members: &[Option<bool>]) -> Vec<String> {
    let remark = |(name, scores): &(String, Scores)| match scores {
        scores if is_constant(scores) => Some(format!(
            "column {name} is the same in every row: as a score it tells nobody apart"
        )),
        scores if is_truth(scores, members) => Some(format!(
            "column {name} is the column member over again: what it shows is no attack"
        )),
        _ => None,
    };
    columns.iter().filter_map(remark).collect()
}

fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-', '.'], "_")
}

fn by_name(name: &str) -> Option<&'static str> {
    let name = plain(name);
    let place = name.starts_with('#') || name.starts_with("unnamed");
    if LABELS.contains(&name.as_str()) {
        Some("is named like a label")
    } else if place || name.ends_with("_id") || PLACES.contains(&name.as_str()) {
        Some("is named like the place of a record")
    } else if is_people(&name) {
        Some(NAMES_PEOPLE)
    } else {
        None
    }
}

/// The stem of a name that ends with a number, if outputs are called so.
fn stem(name: &str) -> Option<String> {
    let name = plain(name);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let numbered = stem.len() < name.len();
    let stem = stem.trim_end_matches('_');
    // A plain number is that of a class.
    (numbered && (stem.is_empty() || OUTPUTS.contains(&stem))).then(|| stem.to_owned())
}

fn families(columns: &[(String, Scores)]) -> HashMap<String, usize> {
    let mut families = HashMap::new();
    for stem in columns.iter().filter_map(|(name, _)| stem(name)) {
        *families.entry(stem).or_default() += 1;
    }
    families
}

fn by_family(name: &str, families: &HashMap<String, usize>) -> Option<&'static str> {
    let several = families.get(&stem(name)?).is_some_and(|many| *many > 1);
    several.then_some("is one of the outputs of a model, as its name says")
}

fn by_values(scores: &Scores, members: &[Option<bool>]) -> Option<&'static str> {
    if is_truth(scores, members) {
        Some("is the column member over again")
    } else if counts_rows(scores) {
        Some("numbers the rows")
    } else {
        None
    }
}

fn is_constant(scores: &Scores) -> bool {
    let mut given = scores.iter().flatten();
    let first = given.next();
    given.all(|score| Some(score) == first)
}

/// Whether it is the truth, or its opposite.
fn is_truth(scores: &Scores, members: &[Option<bool>]) -> bool {
    let says = |truth: bool| {
        let mut pairs = scores.iter().zip(members);
        let same =
            |score: Option<f64>, member: bool| score == Some(f64::from(u8::from(member == truth)));
        pairs.all(|(score, member)| member.is_none_or(|member| same(score, member)))
    };
    let known = members.iter().any(Option::is_some);
    known && (says(true) || says(false))
}

fn counts_rows(scores: &Scores) -> bool {
    let numbers = scores.as_slice();
    let follows = |two: &[f64]| two[1] == two[0] + 1.0;
    scores.abstained() == 0 && numbers.len() >= FEWEST_ROWS && numbers.windows(2).all(follows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubted(names: &[&str]) -> Vec<String> {
        let scores = |seed: usize| (0..40).map(|n| Ok(((n + seed) * 37 % 41) as f64)).collect();
        let columns: Vec<(String, Scores)> = names
            .iter()
            .enumerate()
            .map(|(seed, name)| ((*name).to_owned(), scores(seed)))
            .collect();
        let members: Vec<Option<bool>> = (0..40).map(|n| Some(n % 2 == 0)).collect();
        let found = doubts(&columns, &members).into_iter();
        found.map(|(name, _)| name).collect()
    }

    #[test]
    fn names_of_labels_places_and_outputs_are_no_scores() {
        let none = [
            "label",
            "Class",
            "y",
            "index",
            "row",
            "fold",
            "user_id",
            "person",
            "Owner",
            "logit_0",
            "logit_1",
            "p0",
            "p1",
            "prob-0",
            "prob-1",
            "Unnamed: 0",
            "ground_truth",
            "true label",
            "predicted_class",
            "0",
            "1",
        ];
        assert_eq!(doubted(&none), none);
        let scores = [
            "loss",
            "lira",
            "lira_64",
            "rmia_2",
            "confidence",
            "logit",
            "p0",
            "attack_1",
            "attack_2",
            "entropy",
            "min-k-20",
        ];
        assert!(doubted(&scores).is_empty());
    }

    #[test]
    fn the_truth_and_row_numbers_are_known_by_their_values() {
        let members: Vec<Option<bool>> = (0..40).map(|n| Some(n % 3 == 0)).collect();
        let of = |value: fn(usize) -> f64| (0..40).map(|n| Ok(value(n))).collect::<Scores>();
        let truth = of(|n| f64::from(u8::from(n % 3 == 0)));
        let swapped = of(|n| f64::from(u8::from(n % 3 != 0)));
        let rows = of(|n| n as f64 + 1.0);
        let noise = of(|n| (n * 37 % 41) as f64);
        let constant = of(|_| 0.5);
        let columns = [truth, swapped, rows, noise, constant];
        let columns = ["a", "b", "c", "d", "e"]
            .map(str::to_owned)
            .into_iter()
            .zip(columns);
        let columns: Vec<(String, Scores)> = columns.collect();
        let found: Vec<String> = doubts(&columns, &members)
            .into_iter()
            .map(|(n, _)| n)
            .collect();
        assert_eq!(found, ["a", "b", "c"]);
        let said = remarks(&columns, &members);
        assert_eq!(said.len(), 3);
        assert!(
            said[2].contains("column e is the same in every row"),
            "{said:?}"
        );
    }
}
