//! The file, opened: its columns, and any rows of any columns.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::file::metadata::PageIndexPolicy;

use crate::library::Version;

/// Rows decoded at once.
const BATCH: usize = 8192;

pub struct Table {
    pub path: PathBuf,
    pub version: Version,
    metadata: ArrowReaderMetadata,
    /// Places of `id` and `member` among the columns.
    id: usize,
    member: usize,
    /// The attacks' names and places.
    attacks: Vec<(String, usize)>,
    /// First rows of the row groups, and the number of rows at the end.
    groups: Vec<usize>,
}

/// One record.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub row: usize,
    pub id: String,
    pub member: Option<bool>,
    /// In the order of the columns that were asked for.
    pub scores: Vec<Option<f64>>,
}

type Result<T> = std::result::Result<T, String>;

impl Table {
    pub fn open(path: &Path) -> Result<Self> {
        let wrong = |problem: String| format!("scores.parquet {problem}");
        let file = File::open(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let about = file.metadata().map_err(|error| wrong(error.to_string()))?;
        let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
        let metadata = ArrowReaderMetadata::load(&file, options)
            .map_err(|error| wrong(format!("is damaged: {error}")))?;
        let fields = metadata.schema().fields();
        let place = |name: &str, kind: &DataType| {
            let place = fields.iter().position(|field| field.name() == name);
            place
                .filter(|place| fields[*place].data_type() == kind)
                .ok_or_else(|| wrong(format!("has no column {name} of type {kind}")))
        };
        let (id, member) = (
            place("id", &DataType::Utf8)?,
            place("member", &DataType::Boolean)?,
        );
        let attacks = fields.iter().enumerate();
        let attacks = attacks
            .filter(|(_, field)| *field.data_type() == DataType::Float64)
            .map(|(place, field)| (field.name().clone(), place))
            .collect();
        let mut groups = vec![0];
        let mut rows = 0;
        for group in metadata.metadata().row_groups() {
            rows += usize::try_from(group.num_rows()).unwrap_or(0);
            groups.push(rows);
        }
        Ok(Self {
            version: Version::from_metadata(&about),
            path: path.to_owned(),
            id,
            member,
            attacks,
            groups,
            metadata,
        })
    }

    pub fn rows(&self) -> usize {
        self.groups.last().copied().unwrap_or(0)
    }

    pub fn attacks(&self) -> impl Iterator<Item = &str> {
        self.attacks.iter().map(|(name, _)| name.as_str())
    }

    fn place(&self, attack: &str) -> Result<usize> {
        let found = self.attacks.iter().find(|(name, _)| name == attack);
        found
            .map(|(_, place)| *place)
            .ok_or_else(|| format!("scores.parquet has no column {attack}"))
    }

    /// Rows in ascending ranges, with the scores of some attacks.
    pub fn read(&self, ranges: &[Range<usize>], attacks: &[&str]) -> Result<Vec<Row>> {
        let places: Vec<usize> = attacks
            .iter()
            .map(|attack| self.place(attack))
            .collect::<Result<_>>()?;
        let mut columns = vec![self.id, self.member];
        columns.extend(&places);
        let mut numbers = ranges.iter().cloned().flatten();
        let mut rows = Vec::new();
        for batch in self.reader(&columns, Some(ranges))? {
            let batch = batch.map_err(damaged)?;
            let column = |place: usize| self.column(&batch, place);
            let (ids, members) = (column(self.id)?, column(self.member)?);
            let (ids, members) = (ids.as_string::<i32>(), members.as_boolean());
            let scores: Vec<ArrayRef> = places
                .iter()
                .map(|place| column(*place).cloned())
                .collect::<Result<_>>()?;
            for at in 0..batch.num_rows() {
                let score = |scores: &ArrayRef| value(scores, at);
                rows.push(Row {
                    row: numbers.next().ok_or("scores.parquet has too many rows")?,
                    id: match ids.is_null(at) {
                        true => String::new(),
                        false => ids.value(at).to_owned(),
                    },
                    member: (!members.is_null(at)).then(|| members.value(at)),
                    scores: scores.iter().map(score).collect(),
                });
            }
        }
        Ok(rows)
    }

    /// Hands every batch of an attack's column on, with the truth beside it and its first row.
    pub fn stream_scores(
        &self,
        attack: &str,
        mut take: impl FnMut(usize, &dyn Fn(usize) -> (Option<bool>, Option<f64>), usize),
    ) -> Result<()> {
        let place = self.place(attack)?;
        let mut first = 0;
        for batch in self.reader(&[self.member, place], None)? {
            let batch = batch.map_err(damaged)?;
            let members = self.column(&batch, self.member)?.as_boolean().clone();
            let scores = self.column(&batch, place)?.clone();
            let at = |at: usize| {
                let member = (!members.is_null(at)).then(|| members.value(at));
                (member, value(&scores, at))
            };
            take(first, &at, batch.num_rows());
            first += batch.num_rows();
        }
        Ok(())
    }

    /// Hands every id on until that is enough.
    pub fn stream_ids(&self, mut enough: impl FnMut(usize, &str) -> bool) -> Result<()> {
        let mut first = 0;
        for batch in self.reader(&[self.id], None)? {
            let batch = batch.map_err(damaged)?;
            let ids = self.column(&batch, self.id)?.as_string::<i32>();
            for at in 0..ids.len() {
                if !ids.is_null(at) && enough(first + at, ids.value(at)) {
                    return Ok(());
                }
            }
            first += batch.num_rows();
        }
        Ok(())
    }

    fn column<'a>(&self, batch: &'a RecordBatch, place: usize) -> Result<&'a ArrayRef> {
        let name = self.metadata.schema().field(place).name();
        batch.column_by_name(name).ok_or_else(|| damaged(name))
    }

    /// Reads columns, of all rows or of ascending ranges; row groups without such rows are not touched.
    fn reader(
        &self,
        columns: &[usize],
        ranges: Option<&[Range<usize>]>,
    ) -> Result<ParquetRecordBatchReader> {
        let file = self.reopen()?;
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
        let mut builder = builder.with_projection(mask).with_batch_size(BATCH);
        if let Some(ranges) = ranges {
            let (groups, selection) = self.selection(ranges);
            builder = builder
                .with_row_groups(groups)
                .with_row_selection(selection);
        }
        builder.build().map_err(damaged)
    }

    /// Readers that share a handle share its place in the file, so that each has its own.
    fn reopen(&self) -> Result<File> {
        let file = File::open(&self.path).map_err(damaged)?;
        let about = file.metadata().map_err(damaged)?;
        match Version::from_metadata(&about) == self.version {
            true => Ok(file),
            false => Err("scores.parquet was replaced just now; load the page again".into()),
        }
    }

    /// The row groups that hold some of the rows, and the rows counted within these groups alone.
    fn selection(&self, ranges: &[Range<usize>]) -> (Vec<usize>, RowSelection) {
        let mut groups = Vec::new();
        let mut within = Vec::new();
        let mut kept = 0;
        for (group, bounds) in self.groups.windows(2).enumerate() {
            let (start, end) = (bounds[0], bounds[1]);
            let parts: Vec<Range<usize>> = ranges
                .iter()
                .map(|range| range.start.max(start)..range.end.min(end))
                .filter(|part| part.start < part.end)
                .map(|part| part.start - start + kept..part.end - start + kept)
                .collect();
            if !parts.is_empty() {
                groups.push(group);
                within.extend(parts);
                kept += end - start;
            }
        }
        let selection = RowSelection::from_consecutive_ranges(within.into_iter(), kept);
        (groups, selection)
    }
}

/// A score that is not a number would be no score.
fn value(scores: &ArrayRef, at: usize) -> Option<f64> {
    let scores = scores.as_primitive::<Float64Type>();
    let score = (!scores.is_null(at)).then(|| scores.value(at));
    score.filter(|score| !score.is_nan())
}

fn damaged(error: impl std::fmt::Display) -> String {
    format!("scores.parquet is damaged: {error}")
}
