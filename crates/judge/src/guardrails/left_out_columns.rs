//! Were columns of the table left out because they hold no numbers?

use super::{Evidence, Status};

/// So many are named before the others are counted.
const MOST_NAMED: usize = 5;

/// A column that nobody looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutColumn {
    pub name: String,
    /// In the plural, such as "texts".
    pub holds: String,
}

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let columns = evidence.left_out;
    if columns.is_empty() {
        return None;
    }
    let named = columns.iter().take(MOST_NAMED);
    let named = named.map(|column| format!("column {} holds {}", column.name, column.holds));
    let mut listed = named.collect::<Vec<_>>().join(", ");
    if columns.len() > MOST_NAMED {
        listed += &format!(" and {} more hold none either", columns.len() - MOST_NAMED);
    }
    let detail = format!(
        "{listed}, which are no numbers: left out, so that nothing is said of what they show; store as numbers what \
         is to be judged, and take the rest out of the file (of scores, --attacks names those that are)"
    );
    Some((Status::Warn, detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;

    #[test]
    fn columns_are_named_and_counted() {
        let gate = Gate::default();
        let column = |place: usize| LeftOutColumn {
            name: format!("c{place}"),
            holds: "texts".into(),
        };
        let columns: Vec<LeftOutColumn> = (0..7).map(column).collect();
        let said = |left_out: &[LeftOutColumn]| {
            let evidence = Evidence::new(200, 200, &gate, &[]);
            check(&Evidence {
                left_out,
                ..evidence
            })
        };
        assert!(said(&[]).is_none());
        let (status, detail) = said(&columns[..1]).unwrap();
        assert!(status == Status::Warn && detail.starts_with("column c0 holds texts, which"));
        assert!(said(&columns).unwrap().1.contains("and 2 more"));
    }
}
