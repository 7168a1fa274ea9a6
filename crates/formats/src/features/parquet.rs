//! Features in Parquet: one row per record, a list column, or a column per number; `member` and
//! `id` beside them.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use super::table::{Draft, FeatureTable};
use super::{LAYERS, Wanted, layer_among};
use crate::convert::{Misfits, convert};
use crate::left_out::{Holds, LeftOut, texts_of};
use crate::parts::{Parts, is_index};
use crate::shadow::parquet_column::{self, check_nulls};
use crate::shadow::parquet_list::{is_list, items};
use crate::{Error, ErrorKind, Result};

const ROWS_PER_BATCH: usize = 4096;
/// Numbers that are no features.
const OTHERS: [&str; 4] = ["member", "id", "label", "labels"];

/// Where the features lie.
enum Layer {
    List(String),
    /// A column per number, in the order of the file.
    Columns(Vec<String>),
}

pub(crate) fn read(path: &Path, wanted: &Wanted) -> Result<FeatureTable> {
    if wanted.target > 0 {
        return Err(Error::new(
            ErrorKind::OutOfRange,
            format!("there is no model {}: the table has one", wanted.target),
        )
        .at(path)
        .hint("leave --target out"));
    }
    let parts = Parts::open(path)?;
    let layer = layer(parts.schema(), wanted, path)?;
    let others = match &layer {
        Layer::List(_) => Vec::new(),
        Layer::Columns(_) => others(&parts, path)?,
    };
    let mut rows = Rows::default();
    let wanted = |field: &Field| {
        let name = field.name().as_str();
        name == "member" || name == "id" || layer.holds(name)
    };
    for batch in parts.read(wanted, ROWS_PER_BATCH) {
        let batch = batch?;
        let taken = rows.take(&batch.columns, &layer);
        taken.map_err(|e| e.at(&batch.path))?;
    }
    let Some(width) = rows.width else {
        return Err(Error::malformed("there are no rows")
            .at(path)
            .hint("write one row per record"));
    };
    Draft {
        format: "Parquet features",
        layer: layer.name(),
        width,
        values: rows.values,
        members: rows.members,
        ids: rows.ids,
        models: 1,
        others,
    }
    .finish(path)
}

impl Layer {
    fn name(&self) -> String {
        match self {
            Layer::List(name) => name.clone(),
            Layer::Columns(names) => format!("{} columns", names.len()),
        }
    }

    fn holds(&self, column: &str) -> bool {
        match self {
            Layer::List(name) => name == column,
            Layer::Columns(names) => names.iter().any(|name| name == column),
        }
    }
}

/// The columns of lists.
pub(crate) fn names(path: &Path) -> Result<Vec<String>> {
    let parts = Parts::open(path)?;
    let lists = lists(parts.schema()).into_iter();
    Ok(lists.map(str::to_owned).collect())
}

fn lists(schema: &Schema) -> Vec<&str> {
    let listed = |kind: &DataType| {
        matches!(
            kind,
            DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..)
        )
    };
    let lists = schema.fields().iter();
    let lists = lists.filter(|field| listed(field.data_type()));
    lists.map(|field| field.name().as_str()).collect()
}

fn layer(schema: &Schema, wanted: &Wanted, path: &Path) -> Result<Layer> {
    let fields = schema.fields();
    let lists = lists(schema);
    let numbers = fields.iter().filter(|field| {
        let name = field.name().as_str();
        Holds::of(field.data_type()) == Holds::Numbers && may_be_feature(name)
    });
    let numbers: Vec<String> = numbers.map(|field| field.name().clone()).collect();
    let has_list = LAYERS.iter().any(|layer| lists.contains(layer));
    if wanted.layer.is_none() && !has_list && !numbers.is_empty() {
        return Ok(Layer::Columns(numbers));
    }
    Ok(Layer::List(
        layer_among(&lists, wanted, "list column", path)?.to_owned(),
    ))
}

fn may_be_feature(name: &str) -> bool {
    !OTHERS.contains(&name) && !is_index(name)
}

/// Columns beside those of numbers, which are no features as they lie.
fn others(parts: &Parts, path: &Path) -> Result<Vec<LeftOut>> {
    let (mut texts, mut others) = (Vec::new(), Vec::new());
    let fields = parts.schema().fields().iter();
    for field in fields.filter(|field| may_be_feature(field.name())) {
        let (name, kind) = (field.name(), field.data_type());
        match Holds::of(kind) {
            _ if parts.is_of_folders(name) => others.push(LeftOut::new(name, "names of folders")),
            Holds::Numbers => {}
            Holds::Texts => texts.push(name.clone()),
            Holds::Others => others.push(LeftOut::new(name, format!("{kind} values"))),
            Holds::Doubtful => {
                let mut list = LeftOut::doubted(name, format!("{kind} values"));
                if let Some(doubt) = &mut list.doubt {
                    doubt.remedy = format!(
                        "if it is the features, name it with --layer {name} (layer in a configuration)"
                    );
                }
                others.push(list);
            }
        }
    }
    others.extend(texts_of(path, &texts)?);
    Ok(others)
}

/// What the rows read so far amount to.
#[derive(Default)]
struct Rows {
    read: usize,
    width: Option<usize>,
    values: Vec<f64>,
    members: Option<Vec<bool>>,
    ids: Option<Vec<String>>,
}

impl Rows {
    fn take(&mut self, batch: &RecordBatch, layer: &Layer) -> Result<()> {
        match layer {
            Layer::List(name) => self.take_list(name, batch)?,
            Layer::Columns(names) => self.take_columns(names, batch)?,
        }
        if let Some(column) = batch.column_by_name("member") {
            let members = member(column, self.read)?;
            self.members.get_or_insert_default().extend(members);
        }
        if let Some(column) = batch.column_by_name("id") {
            let ids = parquet_column::ids(column, self.read)?;
            self.ids.get_or_insert_default().extend(ids);
        }
        self.read += batch.num_rows();
        Ok(())
    }

    fn take_list(&mut self, name: &str, batch: &RecordBatch) -> Result<()> {
        let Some(column) = batch.column_by_name(name) else {
            return Ok(());
        };
        check_nulls(name, column, |row| self.read + row)?;
        let (items, lengths) = items(column);
        if is_list(&items) {
            return Err(Error::unsupported(format!("{name} holds lists of lists"))
                .hint("features are one list of numbers per record"));
        }
        let first = lengths.first().copied().unwrap_or(0);
        let width = *self.width.get_or_insert(first);
        let odd = lengths.iter().position(|length| *length != width);
        if let Some(row) = odd.filter(|_| batch.num_rows() > 0) {
            let (length, row) = (lengths[row], self.read + row);
            return Err(Error::mismatch(format!(
                "{name}, row {row} has {length} numbers, the first row {width}"
            ))
            .hint("every record has a vector of the same length"));
        }
        let items = numbers(name, &items)?;
        check_nulls(name, &items, |item| self.read + item / width.max(1))?;
        let items = items.as_primitive::<Float64Type>();
        self.values.extend_from_slice(items.values());
        Ok(())
    }

    fn take_columns(&mut self, names: &[String], batch: &RecordBatch) -> Result<()> {
        let mut columns = Vec::with_capacity(names.len());
        for name in names {
            let Some(column) = batch.column_by_name(name) else {
                continue;
            };
            let column = numbers(name, column)?;
            check_nulls(name, &column, |row| self.read + row)?;
            columns.push(column);
        }
        self.width = Some(columns.len());
        let columns = columns.iter().map(|column| column.as_primitive());
        let columns: Vec<&Float64Array> = columns.collect();
        for row in 0..batch.num_rows() {
            let row = columns.iter().map(|column| column.value(row));
            self.values.extend(row);
        }
        Ok(())
    }
}

/// Numbers, and truths as 0 and 1, in whatever encoding.
fn numbers(name: &str, column: &ArrayRef) -> Result<ArrayRef> {
    let kind = column.data_type();
    let converted = match Holds::of(kind) {
        Holds::Numbers => convert(column, &DataType::Float64, Misfits::BecomeNull).ok(),
        _ => None,
    };
    converted.ok_or_else(|| {
        Error::unsupported(format!("{name} holds {kind} values")).hint("features are numbers")
    })
}

/// Booleans, or zeros and ones.
pub fn member(column: &ArrayRef, first_row: usize) -> Result<Vec<bool>> {
    check_nulls("member", column, |row| first_row + row)?;
    let known = known_member(column, first_row)?;
    Ok(known.into_iter().flatten().collect())
}

/// The same, and nothing where the column is null.
pub fn known_member(column: &ArrayRef, first_row: usize) -> Result<Vec<Option<bool>>> {
    if *column.data_type() == DataType::Null {
        return Ok(vec![None; column.len()]);
    }
    if let Some(flags) = column.as_boolean_opt() {
        return Ok(flags.iter().collect());
    }
    let values = numbers("member", column).map_err(|error| {
        error.hint("member is true (or 1) where the record was trained on, else false (or 0)")
    })?;
    let flag = |(row, value): (usize, Option<f64>)| match value {
        None => Ok(None),
        Some(0.0) => Ok(Some(false)),
        Some(1.0) => Ok(Some(true)),
        Some(other) => Err(
            Error::malformed(format!("member, row {} is {other}", first_row + row))
                .hint("member is true (or 1) where the record was trained on, else false (or 0)"),
        ),
    };
    let values = values.as_primitive::<Float64Type>().iter();
    values.enumerate().map(flag).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ::parquet::arrow::ArrowWriter;
    use arrow_array::types::Int8Type;
    use arrow_array::{BooleanArray, DictionaryArray, Int8Array, StringArray};

    use super::*;

    #[test]
    fn an_index_that_pandas_saved_is_no_feature() {
        let field = |name: &str, kind| Field::new(name, kind, true);
        let schema = Schema::new(vec![
            field("member", DataType::Boolean),
            field("x", DataType::Float64),
            field("__index_level_0__", DataType::Int64),
        ]);
        let layer = layer(&schema, &Wanted::default(), Path::new("f.parquet")).unwrap();
        assert!(layer.holds("x") && !layer.holds("__index_level_0__"));
    }

    fn table(columns: Vec<(&str, ArrayRef)>) -> (tempfile::TempDir, crate::Result<FeatureTable>) {
        let folder = tempfile::tempdir().unwrap();
        let columns = columns.into_iter();
        let columns = columns.map(|(name, column)| (name, column, true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        let path = folder.path().join("f.parquet");
        let file = std::fs::File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let found = super::super::read(&path, &Wanted::default());
        (folder, found)
    }

    #[test]
    fn features_are_numbers_in_whatever_encoding() {
        let keys = Int8Array::from(vec![1, 0, 1]);
        let values = Arc::new(Float64Array::from(vec![0.25, 0.5]));
        let kept = DictionaryArray::<Int8Type>::try_new(keys, values).unwrap();
        let (_folder, found) = table(vec![
            (
                "member",
                Arc::new(BooleanArray::from(vec![true, false, true])),
            ),
            ("x", Arc::new(Float64Array::from(vec![1.0, 2.0, 3.0]))),
            ("kept", Arc::new(kept)),
            (
                "truth",
                Arc::new(BooleanArray::from(vec![true, true, false])),
            ),
        ]);
        let found = found.unwrap();
        assert_eq!(found.features.width(), 3);
        assert_eq!(found.features.row(0), [1.0, 0.5, 1.0]);
        assert!(found.others.is_empty());
    }

    #[test]
    fn columns_that_are_no_features_are_told() {
        let (_folder, found) = table(vec![
            ("member", Arc::new(BooleanArray::from(vec![true, false]))),
            ("x", Arc::new(Float64Array::from(vec![1.0, 2.0]))),
            ("written", Arc::new(StringArray::from(vec!["1.5", "2.5"]))),
            ("town", Arc::new(StringArray::from(vec!["rom", "oslo"]))),
        ]);
        let others = found.unwrap().others;
        let told = others
            .iter()
            .map(|other| (other.name.as_str(), other.doubt.is_some()));
        let told: Vec<(&str, bool)> = told.collect();
        assert_eq!(told, [("written", true), ("town", false)]);
    }

    #[test]
    fn a_folder_of_files_is_one_table() {
        let (folder, found) = table(vec![
            ("member", Arc::new(BooleanArray::from(vec![true, false]))),
            ("x", Arc::new(Float64Array::from(vec![1.0, 2.0]))),
        ]);
        let copy = folder.path().join("g.parquet");
        std::fs::copy(folder.path().join("f.parquet"), copy).unwrap();
        assert_eq!(found.unwrap().features.records(), 2);
        let found = super::super::read(folder.path(), &Wanted::default()).unwrap();
        assert_eq!(found.features.records(), 4);
        assert_eq!(found.members.unwrap(), [true, false, true, false]);
    }
}
