//! Were the scores written by an audit that judged persons, or cut its records, and are they judged here by record
//! alone?

use super::{Evidence, Status};

/// What the audit that wrote the scores judged besides single records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierLevels {
    /// The column or field that told people apart.
    pub persons: Option<String>,
    /// Columns that records were cut by, and those with a slice that violated the gate or seemed to.
    pub slices: Vec<String>,
    pub violated: Vec<String>,
}

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let earlier = evidence.earlier?;
    let mut found: Vec<(Status, String)> = Vec::new();
    if let (Some(group), None) = (&earlier.persons, evidence.persons) {
        let words = format!(
            "the audit that wrote these scores judged persons, too (by {group}), and these are judged by record alone: \
             name the column of persons with --group, or judge the signals again"
        );
        found.push((Status::Violated, words));
    }
    let violated = missing(evidence, &earlier.violated);
    if violated.is_empty() {
        let others = missing(evidence, &earlier.slices);
        if !others.is_empty() {
            found.push((Status::Warn, cut(&others, "no slice violated the gate")));
        }
    } else {
        found.push((
            Status::Violated,
            cut(&violated, "a slice violated the gate, or nearly so"),
        ));
    }
    let worst = found.iter().map(|(status, _)| *status).max()?;
    let words: Vec<String> = found.into_iter().map(|(_, words)| words).collect();
    Some((worst, words.join("; ")))
}

fn cut(columns: &[&str], what: &str) -> String {
    format!(
        "the audit that wrote these scores cut its records by {}, where {what}, and these are not cut by it: add the \
         column and name it with --slice, or judge the signals again",
        columns.join(", ")
    )
}

/// The columns that records are not cut by here.
fn missing<'a>(evidence: &Evidence, columns: &'a [String]) -> Vec<&'a str> {
    let cut = |name: &&String| {
        let slices = evidence.slices.iter().flat_map(|found| &found.slices);
        slices.into_iter().any(|slice| slice.column == **name)
    };
    let missing = columns.iter().filter(|name| !cut(name));
    missing.map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;

    fn status(earlier: &EarlierLevels) -> Option<Status> {
        let gate = Gate::default();
        let evidence = Evidence {
            earlier: Some(earlier),
            ..Evidence::new(200, 200, &gate, &[])
        };
        check(&evidence).map(|(status, _)| status)
    }

    #[test]
    fn what_was_judged_before_and_is_not_now_takes_a_pass_or_warns() {
        let none = EarlierLevels::default();
        assert_eq!(status(&none), None);
        let persons = EarlierLevels {
            persons: Some("patient".into()),
            ..none.clone()
        };
        assert_eq!(status(&persons), Some(Status::Violated));
        let sliced = EarlierLevels {
            slices: vec!["ward".into()],
            ..none
        };
        assert_eq!(status(&sliced), Some(Status::Warn));
        let violated = EarlierLevels {
            violated: vec!["ward".into()],
            ..sliced
        };
        assert_eq!(status(&violated), Some(Status::Violated));
    }
}
