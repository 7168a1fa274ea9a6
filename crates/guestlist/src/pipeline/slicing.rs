//! The columns that an audit is sliced by, whatever its kind: read from the files of its records, or
//! made of what is known of them. How records are cut never depends on who is a member.

use std::path::PathBuf;

use attacks::scores::Scores;
use formats::data::{Group, group_values, regroup};
use formats::fields;
use formats::records_file::RecordsFile;
use judge::Truth;
use judge::diagnostics::SliceColumn;
use report::Note;

use super::AuditContext;
use super::judged::Judged;
use crate::{Error, Result};

/// How long texts and documents are, in tokens or in words.
pub const LENGTH: &str = "length";
/// What documents are about.
pub const TOPIC: &str = "topic";

/// What was asked for, and what is read of it already.
#[derive(Clone, Debug, Default)]
pub struct Slicing {
    /// In the order in which they were named, each once.
    names: Vec<String>,
    /// Columns that files hold.
    read: Vec<SliceColumn>,
}

impl Slicing {
    pub fn new(names: &[String]) -> Self {
        let mut once: Vec<String> = Vec::new();
        for name in names {
            if !once.contains(name) {
                once.push(name.clone());
            }
        }
        Self {
            names: once,
            read: Vec::new(),
        }
    }

    /// The names of columns that only a file can have.
    fn of_files<'a>(&'a self, made: &'a [&str]) -> impl Iterator<Item = &'a String> {
        let names = self.names.iter();
        names.filter(move |name| !made.contains(&name.as_str()))
    }

    /// Reads the columns of the file of the records. Those that are `made` of the records themselves are no
    /// matter of files.
    pub fn read_rows(mut self, file: &RecordsFile, made: &[&str]) -> Result<Self> {
        let mut read = Vec::new();
        for name in self.of_files(made) {
            let values = file.column(name)?;
            let column = column(name, &values);
            read.push(column.map_err(|error| error.within_file(file.path()))?);
        }
        self.read = read;
        Ok(self)
    }

    /// The same from files whose rows have the ids of the records.
    pub fn read_by_id(mut self, files: &[PathBuf], ids: &[&str], made: &[&str]) -> Result<Self> {
        let mut read = Vec::new();
        for name in self.of_files(made) {
            let known = fields::by_id(files, name)?;
            let values: Vec<Option<String>> =
                ids.iter().map(|id| known.get(*id).cloned()).collect();
            let column = column(name, &values);
            read.push(match files {
                [file] => column.map_err(|error| error.within_file(file))?,
                _ => column?,
            });
        }
        self.read = read;
        Ok(self)
    }

    /// Reads columns of a table: as `read_rows` does, and arrays of an npz too.
    pub fn read_table(mut self, file: &RecordsFile) -> Result<Self> {
        if self.names.is_empty() {
            return Ok(self);
        }
        if formats::scores::is_json_lines(file.path()) {
            return self.read_rows(file, &[]);
        }
        let groups = file.groups(&self.names)?;
        self.read = groups.into_iter().map(of_group).collect();
        Ok(self)
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Every column that was named: read, or else made here.
    fn columns(
        &self,
        make: impl Fn(&str) -> Option<Result<SliceColumn>>,
    ) -> Result<Vec<SliceColumn>> {
        let column = |name: &String| {
            let read = self.read.iter().find(|column| column.name == *name);
            let made = || make(name).unwrap_or_else(|| Err(no_column(name)));
            read.cloned().map_or_else(made, Ok)
        };
        self.names.iter().map(column).collect()
    }
}

impl Judged {
    /// Cuts the records that count by what was named; what is to be said of it comes back.
    pub fn slice(
        &mut self,
        context: &AuditContext,
        scores: &[(String, Scores)],
        truth: &Truth,
        make: impl Fn(&str) -> Option<Result<SliceColumn>>,
    ) -> Result<Vec<Note>> {
        let columns = context.slicing.columns(make)?;
        for column in &columns {
            column.check(truth.len())?;
        }
        let (columns, notes) = shown(columns, truth, context.people(), context.show_records);
        self.cut(&columns, scores, truth, context)?;
        Ok(notes)
    }
}

/// The columns as they may be shown, and what to say of values whose names are not, because they may
/// be people: where they are what tells people apart, always. Records of unknown membership enter no
/// measure, so that they move no cut.
pub fn shown(
    mut columns: Vec<SliceColumn>,
    truth: &Truth,
    people: Option<&str>,
    show_records: bool,
) -> (Vec<SliceColumn>, Vec<Note>) {
    let mut notes = Vec::new();
    for column in &mut columns {
        if truth.unknown() > 0 && !column.numbers.is_empty() {
            let known = |record| truth.is_member(record).is_some();
            (column.values, column.names) = regroup(&column.numbers, known);
        }
        // What says whose a record is names people.
        let persons = people == Some(column.name.as_str());
        let names_nobody = column.name == LENGTH || column.names_nobody();
        if !show_records && (persons || !names_nobody) {
            *column = column.numbered();
            notes.push(format!(
                "the values of {} are many, rare or look like people, so that they are shown by \
                 number; --show-records names them",
                column.name
            ));
        }
    }
    (columns, notes)
}

/// A column of what each record says of itself; numbers of which there are many are cut at their
/// quartiles.
pub fn column(name: &str, values: &[Option<String>]) -> Result<SliceColumn> {
    Ok(of_group(group_values(name, values)?))
}

/// Lengths, cut at their quartiles.
pub fn lengths(lengths: impl Iterator<Item = usize>) -> Result<SliceColumn> {
    let values: Vec<Option<String>> = lengths.map(|length| Some(length.to_string())).collect();
    column(LENGTH, &values)
}

/// A column of a data set whose rows are the records.
pub fn of_group(group: Group) -> SliceColumn {
    SliceColumn {
        name: group.name,
        values: group.values,
        names: group.names,
        numbers: group.numbers,
    }
}

fn no_column(name: &str) -> Error {
    Error::usage(
        format!("there is nothing to slice by that is called {name}"),
        "name a field or column of the records' own file",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_comes_in_the_place_where_it_was_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("texts.jsonl");
        let rows = "{\"id\": \"a\", \"text\": \"x\", \"author\": \"ana\"}\n\
                    {\"id\": \"b\", \"text\": \"y\", \"author\": \"bob\"}\n";
        std::fs::write(&path, rows).unwrap();
        let names = ["author", "length", "author"].map(str::to_owned);
        let slicing = Slicing::new(&names);
        let made = |name: &str| (name == LENGTH).then(|| lengths([3, 9].into_iter()));
        let file = RecordsFile::own(&path);
        let by_row = slicing.clone().read_rows(&file, &[LENGTH]).unwrap();
        let columns = by_row.columns(made).unwrap();
        assert_eq!(columns.len(), 2);
        assert_eq!(columns[0].names, ["ana", "bob"]);
        assert_eq!(columns[1].names, ["3", "9"]);
        let by_id = slicing.read_by_id(&[path], &["b", "a", "c"], &[LENGTH]);
        let column = &by_id.unwrap().read[0];
        assert_eq!(column.names, ["ana", "bob", "(missing)"]);
        assert_eq!(column.values, [1, 0, 2]);
    }

    /// Two names that fifty records share each, which would be shown.
    fn common(name: &str) -> SliceColumn {
        let values: Vec<Option<String>> = (0..100)
            .map(|record| Some(["ana", "bob"][record % 2].to_owned()))
            .collect();
        column(name, &values).unwrap()
    }

    #[test]
    fn people_are_numbered_and_lengths_are_not() {
        let people = column("author", &["ana", "bob"].map(|name| Some(name.into()))).unwrap();
        let long = lengths((0..100).map(|n| n * 7)).unwrap();
        let truth = Truth::new((0..100).map(|record| record < 50)).unwrap();
        let (columns, notes) = shown(vec![people.clone(), long], &truth, None, false);
        assert_eq!(columns[0].names, ["#0", "#1"]);
        assert!(
            columns[1].names[0].starts_with("below "),
            "{:?}",
            columns[1]
        );
        assert_eq!(notes.len(), 1);
        let named = |people, show| shown(vec![common(people)], &truth, Some("author"), show).0;
        assert_eq!(named("author", false)[0].names, ["#0", "#1"]);
        assert_eq!(named("author", true)[0].names, ["ana", "bob"]);
        assert_eq!(named("town", false)[0].names, ["ana", "bob"]);
        assert_eq!(
            shown(vec![people], &truth, None, true).0[0].names,
            ["ana", "bob"]
        );
    }
}
