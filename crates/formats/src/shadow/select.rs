//! Some of the records of a table, as a table of their own.

use std::io::Write;
use std::sync::Arc;

use attacks::signals::membership::MemberRow;
use attacks::signals::plane::Plane;
use attacks::signals::shadow::{Meaning, ModelOutputs};

use super::scan;
use super::table::ShadowTable;
use crate::data::Units;
use crate::memory::Spill;
use crate::{Error, Result};

impl ShadowTable {
    /// These records, in this order, under all models. Records without ids are named by their place in
    /// this table.
    pub fn select(&self, records: &[usize]) -> Result<ShadowTable> {
        let classes = match &self.outputs.meaning {
            Meaning::Phi | Meaning::Probability => 1,
            Meaning::Logits { classes, .. } | Meaning::Probabilities { classes, .. } => *classes,
        };
        let planes = self.outputs.planes.iter();
        let picked = |plane| pick(plane, records, self.augmentations(), classes);
        let outputs = ModelOutputs {
            planes: planes.map(picked).collect::<Result<_>>()?,
            meaning: self.meaning_of(records),
            labels: self.outputs.labels.as_ref().map(|all| some(all, records)),
            records: records.len(),
            augmentations: self.augmentations(),
            levels: None,
            right: self.outputs.right.as_ref().map(|models| {
                let of_model = models.iter().map(|answers| answers.select(records));
                of_model.collect()
            }),
        };
        let row =
            |row: &MemberRow| MemberRow::from_fn(records.len(), |place| row.get(records[place]));
        let rows = |rows: &Vec<MemberRow>| rows.iter().map(row).collect::<Vec<MemberRow>>();
        let id = |&record: &usize| match &self.ids {
            Some(ids) => ids[record].clone(),
            None => record.to_string(),
        };
        let labels = self.labels.as_ref();
        let groups = self.groups.as_ref();
        let unit = |units: &Units| Units::by_key(records.iter().map(|&record| units.unit(record)));
        Ok(ShadowTable {
            saturated: scan::scan(&outputs).saturation(),
            outputs: Arc::new(outputs),
            members: rows(&self.members),
            unknown: self.unknown.as_ref().map(rows),
            ids: Some(records.iter().map(id).collect()),
            labels: labels.map(|all| records.iter().map(|&record| all[record]).collect()),
            groups: groups.map(|all| records.iter().map(|&record| all[record].clone()).collect()),
            units: self.units.as_ref().map(unit),
            sources: self.sources.clone(),
            numbers: self.numbers.clone(),
            notes: self.notes.clone(),
            ..*self
        })
    }

    fn meaning_of(&self, records: &[usize]) -> Meaning {
        match &self.outputs.meaning {
            Meaning::Phi => Meaning::Phi,
            Meaning::Probability => Meaning::Probability,
            Meaning::Logits { labels, classes } => Meaning::Logits {
                labels: some(labels, records),
                classes: *classes,
            },
            Meaning::Probabilities { labels, classes } => Meaning::Probabilities {
                labels: some(labels, records),
                classes: *classes,
            },
        }
    }
}

fn some(labels: &[u32], records: &[usize]) -> Arc<[u32]> {
    records.iter().map(|&record| labels[record]).collect()
}

/// The numbers as they are stored, augmentation by augmentation, record by record, class by class.
fn pick(plane: &Plane, records: &[usize], augmentations: usize, classes: usize) -> Result<Plane> {
    let size = plane.number.size();
    let source = plane.bytes.as_slice();
    let mut spill = Spill::default();
    for augmentation in 0..augmentations {
        for &record in records {
            let first = plane.offset
                + record * plane.record_stride
                + augmentation * plane.augmentation_stride;
            for class in 0..classes {
                let at = first + class * plane.class_stride;
                let written = spill.write_all(&source[at..at + size]);
                written.map_err(|error| Error::buffering(&error))?;
            }
        }
    }
    Ok(Plane {
        bytes: spill.finish().map_err(|error| Error::buffering(&error))?,
        number: plane.number,
        big_endian: plane.big_endian,
        offset: 0,
        record_stride: classes * size,
        augmentation_stride: records.len() * classes * size,
        class_stride: size,
    })
}

#[cfg(test)]
mod tests {
    use attacks::signals::bytes::Bytes;
    use attacks::signals::shadow::Rescale;

    use super::*;
    use crate::in_memory::MemoryArray;
    use crate::shadow::from_arrays;

    fn table() -> ShadowTable {
        let numbers = |count: usize| (0..count).map(|n| (n as f32).sin());
        let logits: Vec<u8> = numbers(2 * 5 * 3).flat_map(f32::to_le_bytes).collect();
        let labels: Vec<u8> = [0i64, 2, 1, 1, 0]
            .iter()
            .flat_map(|n| n.to_le_bytes())
            .collect();
        let array = |name: &str, element: &str, shape: Vec<usize>, strides, bytes: Vec<u8>| {
            MemoryArray::new(name, element, shape, strides, Bytes::new(bytes)).unwrap()
        };
        let arrays = vec![
            array("logits", "<f4", vec![2, 5, 3], vec![60, 12, 4], logits),
            array("labels", "<i8", vec![5], vec![8], labels),
            array(
                "keep",
                "|b1",
                vec![2, 5],
                vec![5, 1],
                vec![1, 0, 0, 1, 1, 0, 1, 0, 1, 0],
            ),
        ];
        from_arrays(arrays, None).unwrap()
    }

    #[test]
    fn numbers_members_and_labels_go_with_their_records() {
        let whole = table();
        let chosen = [4, 1, 2];
        let part = whole.select(&chosen).unwrap();
        assert_eq!(part.ids.as_deref().unwrap(), ["4", "1", "2"]);
        assert_eq!(part.labels.as_deref().unwrap(), [0, 2, 1]);
        for model in 0..2 {
            let (mut all, mut some) = ([0.0; 5], [0.0; 3]);
            let exact = Rescale::Exact;
            whole.outputs.phi(model, 0..5, 0, exact, &mut all);
            part.outputs.phi(model, 0..3, 0, exact, &mut some);
            for (place, &record) in chosen.iter().enumerate() {
                assert_eq!(some[place], all[record]);
                let (new, old) = (&part.members[model], &whole.members[model]);
                assert_eq!(new.get(place), old.get(record));
            }
        }
    }
}
