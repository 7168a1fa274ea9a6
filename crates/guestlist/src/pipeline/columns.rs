//! Columns that a table holds beside its numbers: those that may be numbers in another form are refused, the others
//! are told of where the verdict is.

use formats::left_out::LeftOut;
use judge::guardrails::LeftOutColumn;
use report::printable;

use super::AuditContext;
use crate::Error;

impl AuditContext {
    /// Whether something asks for a column by name: it cuts the records, or tells people apart.
    pub(crate) fn takes(&self, column: &str) -> bool {
        self.people() == Some(column) || self.slicing.names().iter().any(|name| name == column)
    }

    /// Tells of columns that were left out.
    pub(crate) fn tell_left_out<'a>(&mut self, columns: impl IntoIterator<Item = &'a LeftOut>) {
        let told = |column: &LeftOut| LeftOutColumn {
            name: printable(&column.name),
            holds: column.holds.clone(),
        };
        self.left_out = columns.into_iter().map(told).collect();
    }
}

/// Refuses the first column that may hold numbers in another form.
pub(crate) fn refuse_doubted(columns: &[LeftOut], otherwise: &str) -> Result<(), Error> {
    let doubted = |column: &'_ LeftOut| {
        column
            .doubt
            .clone()
            .map(|doubt| (column.name.clone(), doubt))
    };
    match columns.iter().find_map(doubted) {
        None => Ok(()),
        Some((name, doubt)) => Err(Error::usage(
            format!("column {} {}", printable(&name), printable(&doubt.why)),
            format!("{}; {otherwise}", doubt.remedy),
        )),
    }
}
