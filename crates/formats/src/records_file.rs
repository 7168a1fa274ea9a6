//! A file that says more of the records of signals: whose they are, and what they are cut by.
//!
//! Its rows belong to records by their ids where both sides have ids, in whatever order they stand. Only where
//! one side has none do rows stand in the order of the records, and a note says so: rows in another order put
//! every record into a wrong slice, where a leak drowns unseen.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::data::{self, Group};
use crate::{Error, Result, fields, persons};

/// What the column of ids is called.
const NAMES: [&str; 4] = ["id", "ids", "ID", "Id"];
/// So many ids does a message name.
const MOST_NAMED: usize = 3;
const HINT: &str = "give one row per record with the id that the signals have in ids; if the column is about \
                    something else, rename it, and the rows are taken in the order of the records";

pub struct RecordsFile {
    path: PathBuf,
    /// Of each record its row; nothing where rows stand in the order of the records.
    rows: Option<Vec<usize>>,
    note: Option<String>,
}

impl RecordsFile {
    /// The file that the records themselves were read from.
    pub fn own(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            rows: None,
            note: None,
        }
    }

    /// A file beside the signals, whose records have these ids.
    pub fn beside(path: &Path, ids: Option<&[String]>) -> Result<Self> {
        let mut file = Self::own(path);
        let column = fields::first_there(path, &NAMES)?;
        match (column, ids) {
            (Some(column), Some(ids)) => {
                let named = fields::column(path, column, None)?;
                let rows = matched(column, &named, ids).map_err(|error| error.at(path))?;
                file.rows = Some(rows);
            }
            (None, Some(_)) => file.note = Some(file.in_order("it has no column id")),
            (Some(_), None) => file.note = Some(file.in_order("the signals have no ids")),
            (None, None) => file.note = Some(file.in_order("neither it nor the signals have ids")),
        }
        Ok(file)
    }

    fn in_order(&self, why: &str) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        format!(
            "the rows of {} were taken for the records in their order: {why}, so that nothing would tell rows in \
             another order; ids on both sides match them in any order",
            name.display()
        )
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What a report must say of how rows were taken for records.
    pub fn note(&self) -> Option<&String> {
        self.note.as_ref()
    }

    /// What the column of this name says of each record; nothing where it is empty.
    pub fn column(&self, name: &str) -> Result<Vec<Option<String>>> {
        self.of_records(fields::column(&self.path, name, None)?)
    }

    /// Whose each record is, by the column of this name.
    pub fn people(&self, name: &str) -> Result<Vec<Option<String>>> {
        self.of_records(persons::column(&self.path, name, None)?)
    }

    /// The groups of records that the named columns make, in the order of the names.
    pub fn groups(&self, names: &[String]) -> Result<Vec<Group>> {
        let groups = data::groups(&self.path, names)?.into_iter();
        let group = |group: Group| {
            let numbers = match group.numbers.is_empty() {
                true => Vec::new(),
                false => self.of_records(group.numbers)?,
            };
            Ok(Group {
                values: self.of_records(group.values)?,
                numbers,
                ..group
            })
        };
        groups.map(group).collect()
    }

    /// Values row by row, as the records have them.
    fn of_records<T: Clone>(&self, values: Vec<T>) -> Result<Vec<T>> {
        let Some(rows) = &self.rows else {
            return Ok(values);
        };
        if values.len() != rows.len() {
            let (there, ids) = (values.len(), rows.len());
            let message = format!("a column has {there} rows, but there are {ids} ids");
            return Err(Error::mismatch(message).at(&self.path).hint(HINT));
        }
        Ok(rows.iter().map(|&row| values[row].clone()).collect())
    }
}

/// The row of each record, which is about it alone.
fn matched(column: &str, named: &[Option<String>], ids: &[String]) -> Result<Vec<usize>> {
    let refused = |message: String| Err(Error::mismatch(message).hint(HINT));
    let mut rows: HashMap<&str, usize> = HashMap::with_capacity(named.len());
    for (row, id) in named.iter().enumerate() {
        let Some(id) = id else {
            return refused(format!(
                "column {column} is empty in row {} of {}",
                row + 1,
                named.len()
            ));
        };
        if let Some(earlier) = rows.insert(id, row) {
            let (earlier, row) = (earlier + 1, row + 1);
            return refused(format!("the id {id:?} stands in rows {earlier} and {row}"));
        }
    }
    let found: Vec<Option<usize>> = ids.iter().map(|id| rows.remove(id.as_str())).collect();
    let lacking = ids.iter().zip(&found).filter(|(_, row)| row.is_none());
    let lacking: Vec<&str> = lacking.map(|(id, _)| id.as_str()).collect();
    if !lacking.is_empty() {
        return refused(format!(
            "{} of {} records of the signals have no row here: {}",
            lacking.len(),
            ids.len(),
            some(&lacking)
        ));
    }
    let mut unknown: Vec<(usize, &str)> = rows.into_iter().map(|(id, row)| (row, id)).collect();
    unknown.sort_unstable();
    let unknown: Vec<&str> = unknown.into_iter().map(|(_, id)| id).collect();
    match unknown.is_empty() {
        true => Ok(found.into_iter().flatten().collect()),
        false => refused(format!(
            "{} rows are about records that the signals do not have: {}",
            unknown.len(),
            some(&unknown)
        )),
    }
}

/// The first of many ids.
fn some(ids: &[&str]) -> String {
    let named = ids.iter().take(MOST_NAMED).map(|id| format!("{id:?}"));
    let named: Vec<String> = named.collect();
    let more = if ids.len() > MOST_NAMED { ", …" } else { "" };
    named.join(", ") + more
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn ids(count: usize) -> Vec<String> {
        (0..count).map(|record| format!("p{record}")).collect()
    }

    fn ward(file: &RecordsFile) -> Vec<String> {
        let values = file.column("ward").unwrap().into_iter();
        values.map(Option::unwrap_or_default).collect()
    }

    #[test]
    fn rows_in_another_order_are_matched_by_their_ids() {
        for (name, text) in [
            ("a.csv", "id,ward,age\np2,c,3\np0,a,1\np1,b,2\n"),
            // Every name but that of the ids looks like data.
            ("a.csv", "id;1990;ward\np2;x;c\np0;x;a\np1;x;b\n"),
            (
                "a.jsonl",
                "{\"ward\": \"c\", \"id\": \"p2\"}\n{\"id\": \"p0\", \"ward\": \"a\"}\n\
                 {\"id\": \"p1\", \"ward\": \"b\"}\n",
            ),
        ] {
            let (_folder, path) = file(name, text);
            let records = RecordsFile::beside(&path, Some(&ids(3))).unwrap();
            assert_eq!(ward(&records), ["a", "b", "c"], "{text}");
            assert!(records.note().is_none());
            let people = records.people("ward").unwrap();
            assert_eq!(people[2].as_deref(), Some("c"), "{text}");
        }
    }

    #[test]
    fn groups_go_with_their_records_and_so_do_the_numbers_they_are_cut_by() {
        let order = |n: usize| n * 37 % 100;
        let rows: String = (0..100)
            .map(|n| format!("p{0},{0},{1}\n", order(n), order(n) % 3))
            .collect();
        let (_folder, path) = file("a.csv", &format!("id,age,ward\n{rows}"));
        let records = RecordsFile::beside(&path, Some(&ids(100))).unwrap();
        let groups = records.groups(&["ward", "age"].map(str::to_owned)).unwrap();
        for record in 0..100 {
            assert_eq!(groups[0].values[record] as usize, record % 3);
            assert_eq!(groups[1].numbers[record] as usize, record);
            assert_eq!(groups[1].values[record] as usize, record / 25);
        }
    }

    #[test]
    fn ids_that_do_not_match_are_named() {
        let refused = |text: &str, count: usize| {
            let (_folder, path) = file("a.csv", text);
            let refused = RecordsFile::beside(&path, Some(&ids(count))).err().unwrap();
            refused.to_string()
        };
        let twice = refused("id,ward\np0,a\np1,b\np0,c\n", 3);
        assert!(twice.contains("a.csv"), "{twice}");
        assert!(twice.contains("\"p0\" stands in rows 1 and 3"), "{twice}");
        let lacking = refused("id,ward\np0,a\np1,b\n", 6);
        assert!(
            lacking.contains(
                "4 of 6 records of the signals have no row here: \"p2\", \"p3\", \"p4\", …"
            ),
            "{lacking}"
        );
        let unknown = refused("id,ward\np0,a\nq,b\np1,c\n", 2);
        assert!(unknown.contains("1 rows are about records"), "{unknown}");
        assert!(
            unknown.contains("\"q\"") && unknown.contains("rename it"),
            "{unknown}"
        );
        let empty = refused("id,ward\np0,a\n,b\n", 2);
        assert!(
            empty.contains("column id is empty in row 2 of 2"),
            "{empty}"
        );
    }

    #[test]
    fn without_ids_on_both_sides_rows_stand_in_order_and_a_note_says_so() {
        let (_folder, path) = file("a.csv", "id,ward\np2,c\np0,a\n");
        let records = RecordsFile::beside(&path, None).unwrap();
        assert_eq!(ward(&records), ["c", "a"]);
        assert!(records.note().unwrap().contains("the signals have no ids"));
        let (_folder, path) = file("a.csv", "name,ward\np2,c\np0,a\n");
        let records = RecordsFile::beside(&path, Some(&ids(2))).unwrap();
        assert_eq!(ward(&records), ["c", "a"]);
        assert!(records.note().unwrap().contains("it has no column id"));
        assert!(RecordsFile::own(&path).note().is_none());
    }
}
