//! Signals as named matrices that hold all models: `phi` or `logits`, `keep`, `labels`, `ids`.

use std::path::{Path, PathBuf};

use attacks::signals::membership::MemberRow;
use attacks::signals::shadow::Meaning;

use super::draft::{self, Draft};
use super::table::ShadowTable;
use super::{ids, keep, labels};
use crate::array::{Array, Axes};
use crate::{Error, Result};

const PHI_SHAPES: &str = "[models, records] or [models, records, augmentations]";
const LOGITS_SHAPES: &str =
    "[models, records, classes] or [models, records, augmentations, classes]";

/// A container of named arrays.
pub(crate) trait Shelf {
    fn path(&self) -> &Path;

    fn names(&self) -> Vec<String>;

    fn fetch(&mut self, name: &str) -> Result<Array>;

    /// Ids that the container keeps elsewhere than in an array.
    fn ids(&self) -> Result<Option<Vec<String>>> {
        Ok(None)
    }

    /// The files that were read.
    fn sources(&self) -> Vec<PathBuf> {
        vec![self.path().to_owned()]
    }

    fn has(&self, name: &str) -> bool {
        self.names().iter().any(|there| there == name)
    }

    fn fetch_if_there(&mut self, name: &str) -> Result<Option<Array>> {
        self.has(name).then(|| self.fetch(name)).transpose()
    }
}

/// Reads the arrays that are wanted and leaves the others alone.
pub(super) fn read(format: &'static str, mut shelf: impl Shelf) -> Result<ShadowTable> {
    let main = main_array(&shelf)?;
    let numbers = shelf.fetch(main)?;
    let keep = shelf.fetch("keep")?;
    let labels = shelf.fetch_if_there("labels")?;
    let (ids, ids_path) = match shelf.fetch_if_there("ids")? {
        Some(array) => (Some(ids::read(&array)?), Some(array.place.path.clone())),
        None => (shelf.ids()?, None),
    };
    let draft = match &labels {
        Some(labels) if main == "logits" => logits_draft(format, &numbers, &keep, labels),
        labels => phi_draft(format, &numbers, &keep, labels.as_ref()),
    };
    Draft {
        ids,
        ids_path,
        sources: shelf.sources(),
        notes: notes(&shelf),
        ..draft?
    }
    .finish()
}

/// Which array holds the models' outputs.
fn main_array(shelf: &impl Shelf) -> Result<&'static str> {
    let missing = match ["phi", "logits", "labels", "keep"].map(|name| shelf.has(name)) {
        [true, _, _, true] => return Ok("phi"),
        [_, true, true, true] => return Ok("logits"),
        [_, true, false, _] => "there are logits but no labels",
        [true, _, _, false] | [_, true, _, false] => "there is no keep",
        _ => "there is neither phi nor logits",
    };
    let there = shelf.names().join(", ");
    Err(
        Error::missing(format!("{missing}; the arrays are: {there}"))
            .at(shelf.path())
            .hint(format!(
                "store phi {PHI_SHAPES} and keep [models, records], or logits, labels and keep; \
                 features of one model are audited with --kind fewshot"
            )),
    )
}

fn notes(shelf: &impl Shelf) -> Vec<String> {
    let both = shelf.has("phi") && shelf.has("logits");
    let note = || "phi was used; logits are there too and were not looked at".to_owned();
    both.then(note).into_iter().collect()
}

fn phi_draft(
    format: &'static str,
    phi: &Array,
    keep: &Array,
    labels: Option<&Array>,
) -> Result<Draft> {
    let flat = Axes {
        model: Some(0),
        record: 1,
        ..Axes::default()
    };
    let augmented = Axes {
        augmentation: Some(2),
        ..flat
    };
    let axes = draft::axes_of(phi, &[(2, flat), (3, augmented)], PHI_SHAPES)?;
    let labels = labels.map(|labels| labels::read(labels, phi.shape[1]));
    Ok(Draft {
        labels: labels.transpose()?,
        ..draft(format, phi, keep, axes, Meaning::Phi)?
    })
}

fn logits_draft(
    format: &'static str,
    logits: &Array,
    keep: &Array,
    labels: &Array,
) -> Result<Draft> {
    let flat = Axes {
        model: Some(0),
        record: 1,
        augmentation: None,
        class: Some(2),
    };
    let augmented = Axes {
        augmentation: Some(2),
        class: Some(3),
        ..flat
    };
    let axes = draft::axes_of(logits, &[(3, flat), (4, augmented)], LOGITS_SHAPES)?;
    let (meaning, labels) =
        draft::logits_meaning(labels, logits.shape[1], logits.extent(axes.class))?;
    Ok(Draft {
        labels: Some(labels),
        ..draft(format, logits, keep, axes, meaning)?
    })
}

fn draft(
    format: &'static str,
    numbers: &Array,
    keep: &Array,
    axes: Axes,
    meaning: Meaning,
) -> Result<Draft> {
    Ok(Draft {
        format,
        places: vec![numbers.place.clone()],
        planes: numbers.planes(&axes)?,
        meaning,
        records: numbers.shape[1],
        augmentations: numbers.extent(axes.augmentation),
        members: members(numbers, keep)?,
        ids: None,
        ids_path: None,
        labels: None,
        sources: Vec::new(),
        notes: Vec::new(),
    })
}

fn members(numbers: &Array, keep: &Array) -> Result<Vec<MemberRow>> {
    check_agreement(numbers, keep)?;
    keep::rows(keep)
}

/// The first two axes of the numbers and the axes of keep must be the same.
fn check_agreement(numbers: &Array, keep: &Array) -> Result<()> {
    let (&[models, records, ..], &[keep_models, keep_records]) =
        (numbers.shape.as_slice(), keep.shape.as_slice())
    else {
        return Ok(());
    };
    let (what, here, there) = if records != keep_records {
        ("records", records, keep_records)
    } else if models != keep_models {
        ("models", models, keep_models)
    } else {
        return Ok(());
    };
    let hint = match (keep_records, keep_models) == (models, records) {
        true => "keep is transposed: both must be [models, records]",
        false => "both must be [models, records]",
    };
    let name = &numbers.place.name;
    let message = format!("{name} has {here} {what} but keep has {there}");
    Err(Error::mismatch(message).at(&numbers.place.path).hint(hint))
}
