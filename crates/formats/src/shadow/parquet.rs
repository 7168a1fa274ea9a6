//! `parquet`: one row per record, lists over models. Row groups are streamed; φ goes to a
//! buffer in which a record's models lie side by side.

use std::io::Write;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema};
use attacks::signals::membership::MemberRow;
use attacks::signals::plane::Number;
use attacks::signals::shadow::Meaning;
use rayon::prelude::*;

use super::draft::Draft;
use super::parquet_column::{self, Flags};
use super::parquet_list::Lengths;
use super::parquet_write;
use super::registry::{Format, Writer};
use super::table::ShadowTable;
use crate::array::{Array, Axes, Layout, Order, Place};
use crate::element::Element;
use crate::memory::Spill;
use crate::parts::{self, Parts};
use crate::{Error, Result};

const ROWS_PER_BATCH: usize = 1024;
const WANTED: [&str; 4] = ["id", "label", "phi", "keep"];

pub(crate) struct Parquet;

impl Format for Parquet {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn layout(&self) -> &'static str {
        "a .parquet with one row per record and list columns phi (lists of lists with \
         augmentations) and keep over the models; id and label optional"
    }

    fn detect(&self, path: &Path) -> bool {
        match parts::is_folder(path) {
            // Other layouts are folders too, in which a table may lie beside.
            true => Parts::open(path).is_ok_and(|parts| parts.has("phi") && parts.has("keep")),
            false => parts::is_parquet(path),
        }
    }

    fn read(&self, path: &Path) -> Result<ShadowTable> {
        let mut rows = Rows::default();
        let parts = Parts::open(path)?;
        check_columns(parts.schema(), path)?;
        let wanted = |field: &Field| WANTED.contains(&field.name().as_str());
        for batch in parts.read(wanted, ROWS_PER_BATCH) {
            let batch = batch?;
            let taken = rows.take(&batch.columns);
            taken.map_err(|e| e.at(&batch.path))?;
        }
        rows.draft(self.name(), path)?.finish()
    }

    fn writer(&self) -> Option<Writer> {
        Some(parquet_write::write)
    }
}

fn check_columns(schema: &Schema, path: &Path) -> Result<()> {
    let names: Vec<_> = schema.fields().iter().map(|f| f.name().as_str()).collect();
    let missing = ["phi", "keep"]
        .into_iter()
        .find(|name| !names.contains(name));
    missing.map_or(Ok(()), |name| {
        let there = names.join(", ");
        Err(Error::missing(format!(
            "there is no column {name}; the columns are: {there}"
        ))
        .at(path)
        .hint(
            "one row per record, list columns phi and keep over the models; token signals of \
             language models have a column logprob",
        ))
    })
}

/// What the rows read so far amount to.
#[derive(Default)]
struct Rows {
    records: usize,
    lengths: Lengths,
    number: Option<Number>,
    phi: Spill,
    keep: Flags,
    ids: Option<Vec<String>>,
    labels: Option<Vec<i64>>,
}

impl Rows {
    fn take(&mut self, batch: &RecordBatch) -> Result<()> {
        let column = |name: &str| batch.column_by_name(name);
        if let (Some(phi), Some(keep)) = (column("phi"), column("keep")) {
            let phi = parquet_column::phi(phi, self.records, &mut self.lengths)?;
            self.number = Some(phi.number);
            self.phi
                .write_all(&phi.bytes)
                .map_err(|e| Error::buffering(&e))?;
            parquet_column::keep(keep, self.records, &mut self.lengths, &mut self.keep)?;
        }
        if let Some(ids) = column("id") {
            let ids = parquet_column::ids(ids, self.records)?;
            self.ids.get_or_insert_default().extend(ids);
        }
        if let Some(labels) = column("label") {
            let labels = parquet_column::labels(labels, self.records)?;
            self.labels.get_or_insert_default().extend(labels);
        }
        self.records += batch.num_rows();
        Ok(())
    }

    fn draft(self, format: &'static str, path: &Path) -> Result<Draft> {
        let (Some(models), Some(number)) = (self.lengths.models, self.number) else {
            return Err(Error::malformed("there are no rows")
                .at(path)
                .hint("write one row per record"));
        };
        let augmentations = self.lengths.augmentations.unwrap_or(1);
        let layout = Layout {
            element: Element::Float(number),
            big_endian: false,
            order: Order::C,
            shape: vec![self.records, models, augmentations],
        };
        let bytes = self.phi.finish().map_err(|e| Error::buffering(&e))?;
        let length = bytes.as_slice().len();
        let array = Array::new(Place::new(path, "phi"), &layout, bytes, 0, length)?;
        let axes = Axes {
            model: Some(1),
            record: 0,
            augmentation: Some(2),
            class: None,
        };
        let (records, keep) = (self.records, &self.keep);
        let row =
            |model: usize| MemberRow::from_fn(records, |record| keep.get(record * models + model));
        Ok(Draft {
            format,
            places: vec![array.place.clone()],
            planes: array.planes(&axes)?,
            meaning: Meaning::Phi,
            records,
            augmentations,
            members: (0..models).into_par_iter().map(row).collect(),
            members_known: true,
            unknown: None,
            ids: self.ids,
            ids_path: None,
            right: None,
            labels: self.labels,
            sources: vec![path.to_owned()],
            notes: Vec::new(),
        })
    }
}
