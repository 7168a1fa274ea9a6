//! Records that are the same to a model: equal features and label.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash, Hasher};

use rayon::prelude::*;

use super::records::Records;

/// Records in units: a unit is a record with all of its copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Units {
    /// Of each record the number of its unit; units are numbered by their first records.
    of: Vec<u32>,
    count: usize,
}

impl Units {
    /// Every record for itself.
    pub fn single(records: usize) -> Self {
        Self {
            of: (0..records as u32).collect(),
            count: records,
        }
    }

    /// By what equal records share.
    pub fn by_key<K: Eq + Hash>(keys: impl IntoIterator<Item = K>) -> Self {
        let mut numbers: HashMap<K, u32> = HashMap::new();
        let number = |key| {
            let next = numbers.len() as u32;
            *numbers.entry(key).or_insert(next)
        };
        let of: Vec<u32> = keys.into_iter().map(number).collect();
        let count = numbers.len();
        Self { of, count }
    }

    /// Records with equal features and label share a unit.
    pub fn new(data: &Records) -> Self {
        let hashes = hashes(data);
        let mut firsts: HashMap<u64, Vec<(usize, u32)>> = HashMap::new();
        let (mut of, mut count) = (Vec::with_capacity(data.len()), 0);
        for (record, hash) in hashes.into_iter().enumerate() {
            let alike = firsts.entry(hash).or_default();
            let known = alike.iter().find(|(first, _)| same(data, *first, record));
            let unit = known.map_or(count as u32, |(_, unit)| *unit);
            if known.is_none() {
                alike.push((record, unit));
                count += 1;
            }
            of.push(unit);
        }
        Self { of, count }
    }

    pub fn records(&self) -> usize {
        self.of.len()
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// The unit of a record.
    pub fn unit(&self, record: usize) -> usize {
        self.of[record] as usize
    }

    /// How many records each unit has.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.count];
        for unit in &self.of {
            sizes[*unit as usize] += 1;
        }
        sizes
    }

    /// How many records have a copy.
    pub fn repeated(&self) -> usize {
        self.sizes().into_iter().filter(|size| *size > 1).sum()
    }
}

fn row(data: &Records, record: usize) -> &[f32] {
    &data.features[record * data.width..(record + 1) * data.width]
}

/// Equal numbers, not equal bits: 0 and -0 are the same to a model.
fn same(data: &Records, one: usize, other: usize) -> bool {
    data.labels[one] == data.labels[other] && row(data, one) == row(data, other)
}

fn hashes(data: &Records) -> Vec<u64> {
    let state = RandomState::new();
    let hash = |record: usize| {
        let mut hasher = state.build_hasher();
        hasher.write_u32(data.labels[record]);
        for number in row(data, record) {
            // Adding zero makes -0 and 0 the same.
            hasher.write_u32((number + 0.0).to_bits());
        }
        hasher.finish()
    };
    (0..data.len()).into_par_iter().map(hash).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(features: Vec<f32>, width: usize, labels: Vec<u32>) -> Records {
        Records {
            features,
            width,
            labels,
            classes: vec!["a".into(), "b".into()],
            ids: None,
            columns: Vec::new(),
            groups: Vec::new(),
            sources: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn copies_share_a_unit_where_features_and_label_agree() {
        let features = vec![1.0, 0.0, 2.0, 0.0, 1.0, -0.0, 1.0, 0.0];
        let units = Units::new(&records(features, 2, vec![0, 0, 0, 1]));
        assert_eq!(units.of, [0, 1, 0, 2]);
        assert_eq!((units.count(), units.repeated()), (3, 2));
        assert_eq!(units.sizes(), [2, 1, 1]);
    }

    #[test]
    fn records_without_copies_are_units_by_themselves() {
        let units = Units::new(&records(vec![3.0, 1.0, 2.0], 1, vec![0, 1, 0]));
        assert_eq!(units, Units::single(3));
        assert_eq!(units.repeated(), 0);
        assert_eq!(Units::by_key([7, 9, 7]).of, [0, 1, 0]);
    }
}
