//! Signals as named matrices that hold all models: `phi`, `logits` or `probabilities`, `keep`,
//! `labels`, `ids`.

use std::path::{Path, PathBuf};

use attacks::signals::membership::MemberRow;
use attacks::signals::shadow::Meaning;

use super::draft::{self, Draft};
use super::table::ShadowTable;
use super::{ids, keep, labels};
use crate::array::{Array, Axes};
use crate::{Error, Result};

const PHI_SHAPES: &str = "[models, records] or [models, records, augmentations]";
const CLASSES_SHAPES: &str =
    "[models, records, classes] or [models, records, augmentations, classes]";

/// A container of named arrays.
pub trait NamedArrays {
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

/// Where the models' outputs may be, the preferred first.
pub(crate) const OUTPUTS: [&str; 3] = ["phi", "logits", "probabilities"];
/// Where it may be said who trained on what.
pub(crate) const TRUTHS: [&str; 3] = ["keep", "members", "member"];

/// Reads the arrays that are wanted and leaves the others alone.
pub(crate) fn read(format: &'static str, mut arrays: impl NamedArrays) -> Result<ShadowTable> {
    let main = main_array(&arrays)?;
    let numbers = arrays.fetch(main)?;
    let truth = TRUTHS.into_iter().find(|name| arrays.has(name));
    let truth = truth.map(|name| arrays.fetch(name)).transpose()?;
    let (numbers, truth) = by_model(numbers, truth, main != "phi");
    if truth.is_none() && numbers.shape[0] != 1 {
        return Err(lacking(&arrays, "there is no keep"));
    }
    let labels = arrays.fetch_if_there("labels")?;
    let (ids, ids_path) = match arrays.fetch_if_there("ids")? {
        Some(array) => (Some(ids::read(&array)?), Some(array.place.path.clone())),
        None => (arrays.ids()?, None),
    };
    let draft = match &labels {
        Some(labels) if main != "phi" => classes_draft(format, &numbers, truth.as_ref(), labels),
        labels => phi_draft(format, &numbers, truth.as_ref(), labels.as_ref()),
    };
    Draft {
        ids,
        ids_path,
        sources: arrays.sources(),
        notes: notes(&arrays, main),
        ..draft?
    }
    .finish()
}

/// Which array holds the models' outputs.
fn main_array(arrays: &impl NamedArrays) -> Result<&'static str> {
    match OUTPUTS.into_iter().find(|name| arrays.has(name)) {
        Some("phi") => Ok("phi"),
        Some(main) if arrays.has("labels") => Ok(main),
        Some(main) => Err(lacking(arrays, &format!("there are {main} but no labels"))),
        None => Err(lacking(
            arrays,
            "there is neither phi nor logits nor probabilities",
        )),
    }
}

fn lacking(arrays: &impl NamedArrays, what: &str) -> Error {
    let there = arrays.names().join(", ");
    Error::missing(format!("{what}; the arrays are: {there}"))
        .at(arrays.path())
        .hint(format!(
            "store phi {PHI_SHAPES} and keep [models, records], or logits (or probabilities), labels \
             and keep; of one model the first axis may be left out"
        ))
}

/// What belongs to one model alone may lack the axis of the models: it is put before the others.
fn by_model(numbers: Array, truth: Option<Array>, classes: bool) -> (Array, Option<Array>) {
    let shape = truth.as_ref().map(|truth| truth.shape.as_slice());
    let alone = matches!(shape, None | Some([_] | [1, _]));
    let flat = numbers.shape.len() == 1 + usize::from(classes);
    // Augmentations take the place of an axis: then the first is known by its length.
    let augmented = matches!(shape, Some(&[records])
        if numbers.shape[0] == records && numbers.shape.get(1) != Some(&records));
    let numbers = match alone && (flat || augmented) {
        true => numbers.lifted(),
        false => numbers,
    };
    let one = numbers.shape[0] == 1;
    let truth = truth.map(|truth| match one && truth.shape.len() == 1 {
        true => truth.lifted(),
        false => truth,
    });
    (numbers, truth)
}

fn notes(arrays: &impl NamedArrays, main: &str) -> Vec<String> {
    let unused = OUTPUTS
        .into_iter()
        .filter(|name| *name != main && arrays.has(name));
    let note = |name: &str| format!("{main} was used; {name} are there too and were not looked at");
    unused.map(note).collect()
}

fn phi_draft(
    format: &'static str,
    phi: &Array,
    truth: Option<&Array>,
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
        ..draft(format, phi, truth, axes, Meaning::Phi)?
    })
}

/// Of logits or probabilities of all classes, as the array's name says.
fn classes_draft(
    format: &'static str,
    numbers: &Array,
    truth: Option<&Array>,
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
    let axes = draft::axes_of(numbers, &[(3, flat), (4, augmented)], CLASSES_SHAPES)?;
    let (meaning, labels) =
        draft::classes_meaning(labels, numbers.shape[1], numbers.extent(axes.class))?;
    let meaning = match numbers.place.name.as_str() {
        "probabilities" => draft::as_probabilities(meaning, &numbers.place)?,
        _ => meaning,
    };
    Ok(Draft {
        labels: Some(labels),
        ..draft(format, numbers, truth, axes, meaning)?
    })
}

fn draft(
    format: &'static str,
    numbers: &Array,
    truth: Option<&Array>,
    axes: Axes,
    meaning: Meaning,
) -> Result<Draft> {
    let (members, unknown) = members(numbers, truth)?;
    Ok(Draft {
        format,
        places: vec![numbers.place.clone()],
        planes: numbers.planes(&axes)?,
        meaning,
        records: numbers.shape[1],
        augmentations: numbers.extent(axes.augmentation),
        members,
        members_known: truth.is_some(),
        unknown,
        ids: None,
        ids_path: None,
        labels: None,
        right: None,
        sources: Vec::new(),
        notes: Vec::new(),
    })
}

/// Of one model it may be said elsewhere who was a member: until then nobody was.
/// Beside it, where nobody knows.
fn members(
    numbers: &Array,
    truth: Option<&Array>,
) -> Result<(Vec<MemberRow>, Option<Vec<MemberRow>>)> {
    match truth {
        None => Ok((vec![MemberRow::from_fn(numbers.shape[1], |_| false)], None)),
        Some(truth) => {
            check_agreement(numbers, truth)?;
            keep::known_rows(truth)
        }
    }
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
    let (name, truth) = (&numbers.place.name, &keep.place.name);
    let message = format!("{name} has {here} {what} but {truth} has {there}");
    Err(Error::mismatch(message).at(&numbers.place.path).hint(hint))
}
