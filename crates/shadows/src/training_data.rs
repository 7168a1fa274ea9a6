//! What models are trained on, read once.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::people::People;
use super::settings::DataSettings;
use crate::{Error, ErrorKind, Result};
use formats::data::{self, Records, Units, Wanted};
use formats::files;
use formats::npy;
use formats::shadow::labels_of;

/// The records of an audit, as far as they are known here.
pub struct TrainingData {
    pub records: usize,
    /// Class numbers from 0, where they are known.
    pub labels: Option<Vec<u32>>,
    /// Features and all that was noted while reading; absent where only a user's program reads.
    pub data: Option<Records>,
    /// Which records are copies of each other, where their features are known.
    pub units: Option<Units>,
    /// Whose the records are, where that was said.
    pub people: Option<People>,
    /// What a model learns from: a change of it is a change of every model.
    pub digest: String,
    /// The files that were read.
    pub sources: Vec<PathBuf>,
}

impl TrainingData {
    pub fn read(settings: &DataSettings, base: &Path) -> Result<Self> {
        if let (Some(group), None) = (&settings.group, &settings.path) {
            let message = format!("data.group is {group}, but no data file is read");
            return Err(setting(&message).hint("set data.path to the file with that column"));
        }
        match (&settings.path, settings.records, &settings.labels) {
            (Some(path), None, None) => Self::from_file(&base.join(path), settings),
            (None, None, Some(labels)) => Self::from_labels(&base.join(labels)),
            (None, Some(records), None) => Ok(Self::counted(records)),
            (None, Some(records), Some(labels)) => {
                let subject = Self::from_labels(&base.join(labels))?;
                match subject.records == records {
                    true => Ok(subject),
                    false => Err(Error::mismatch(format!(
                        "data.records is {records} but the file has {} labels",
                        subject.records
                    ))
                    .at(&base.join(labels))
                    .hint("leave data.records out: the labels are counted")),
                }
            }
            (Some(_), _, _) => Err(
                setting("data.path stands beside data.records or data.labels")
                    .hint("with a data file, records and labels are read from it: leave those out"),
            ),
            (None, None, None) => Err(setting("no data are named")
                .hint("set data.path to a CSV, Parquet, npz or idx file")),
        }
    }

    fn from_file(path: &Path, settings: &DataSettings) -> Result<Self> {
        People::check(path, settings)?;
        let label = settings.label.as_deref().unwrap_or_default();
        if label.is_empty() && !data::finds_labels_itself(path)? {
            return Err(no_label(path));
        }
        let data = data::read(path, &wanted(settings, label))?;
        if data.classes.len() < 2 {
            return Err(Error::malformed(format!(
                "every record has the label {:?}",
                data.classes.first().map_or("", String::as_str)
            ))
            .at(path)
            .hint("a classifier needs two classes or more: name another column as data.label"));
        }
        Ok(Self {
            records: data.len(),
            labels: Some(data.labels.clone()),
            units: Some(Units::new(&data)),
            people: People::read(path, settings, data.len())?,
            digest: digest(&data),
            sources: data.sources.clone(),
            data: Some(data),
        })
    }

    fn from_labels(path: &Path) -> Result<Self> {
        let labels = labels_of(&npy::open(path)?)?;
        let labels: Vec<u32> = labels
            .iter()
            .enumerate()
            .map(|(record, &label)| {
                u32::try_from(label).map_err(|_| {
                    Error::malformed(format!("record {record} has the label {label}"))
                        .at(path)
                        .hint("number the classes from 0")
                })
            })
            .collect::<Result<_>>()?;
        if labels.iter().all(|label| *label == labels[0]) {
            return Err(Error::malformed("every record has the same label")
                .at(path)
                .hint("a classifier needs two classes or more"));
        }
        Ok(Self {
            records: labels.len(),
            labels: Some(labels),
            data: None,
            units: None,
            people: None,
            digest: files::sha256(path)?,
            sources: vec![path.to_owned()],
        })
    }

    /// Records that somebody holds in memory: their labels, which of them are copies, whose they are, and a
    /// digest of all that a model learns from.
    pub fn given(
        labels: Vec<u32>,
        copies: Option<Units>,
        people: Option<People>,
        digest: String,
    ) -> Result<Self> {
        let records = labels.len();
        let others = [
            copies.as_ref().map(|units| (units.records(), "copies")),
            people
                .as_ref()
                .map(|people| (people.units.records(), "groups")),
        ];
        for (count, name) in others.into_iter().flatten() {
            if count != records {
                let message = format!("there are {count} {name} but {records} labels");
                return Err(Error::mismatch(message).hint("give one entry per record"));
            }
        }
        Ok(Self {
            records,
            labels: Some(labels),
            data: None,
            units: copies,
            people,
            digest,
            sources: Vec::new(),
        })
    }

    fn counted(records: usize) -> Self {
        Self {
            records,
            labels: None,
            data: None,
            units: None,
            people: None,
            digest: format!("{records} records"),
            sources: Vec::new(),
        }
    }

    /// One more than the largest class number.
    pub fn classes(&self) -> Option<usize> {
        let largest = self.labels.as_ref()?.iter().max()?;
        Some(*largest as usize + 1)
    }

    /// The labels as the shadow signals carry them.
    pub fn signed_labels(&self) -> Option<Vec<i64>> {
        let labels = self.labels.as_ref()?;
        Some(labels.iter().map(|&label| i64::from(label)).collect())
    }
}

fn wanted(settings: &DataSettings, label: &str) -> Wanted {
    let usual = Wanted::label(label);
    let group = settings.group.iter();
    Wanted {
        id: settings.id.clone(),
        // Whose a record is says nothing that a model should learn.
        ignore: settings.ignore.iter().chain(group).cloned().collect(),
        categories: settings.categories.clone(),
        numbers: settings.numbers.clone(),
        missing: settings.missing.clone().unwrap_or(usual.missing),
        header: settings.header,
        decimal: settings.decimal,
        label: usual.label,
    }
}

fn setting(message: &str) -> Error {
    Error::new(ErrorKind::Setting, message)
}

fn no_label(path: &Path) -> Error {
    let hint = match data::columns(path) {
        Ok(names) => format!(
            "set data.label to the column to predict, one of {}",
            data::listed(&names)
        ),
        Err(error) => return error,
    };
    setting("data.label names no column").at(path).hint(hint)
}

/// Of what enters training, number by number: names, ids and notes do not.
fn digest(data: &Records) -> String {
    let mut hasher = Sha256::new();
    hasher.update((data.width as u64).to_le_bytes());
    hasher.update((data.classes.len() as u64).to_le_bytes());
    let mut buffer = Vec::with_capacity(1 << 16);
    for numbers in data.features.chunks(1 << 14) {
        buffer.clear();
        buffer.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        hasher.update(&buffer);
    }
    for label in &data.labels {
        hasher.update(label.to_le_bytes());
    }
    files::hexadecimal(&hasher.finalize())
}
