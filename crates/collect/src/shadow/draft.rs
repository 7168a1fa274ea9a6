//! The last step of every reader: check what was gathered as a whole and make the table.

use std::path::PathBuf;
use std::sync::Arc;

use attacks::signals::membership::MemberRow;
use attacks::signals::plane::Plane;
use attacks::signals::shadow::{Meaning, ModelOutputs};

use super::scan::{self, Culprit, Facts};
use super::table::ShadowTable;
use super::{ids, labels};
use crate::array::{Array, Axes, Place};
use crate::{Error, Result};

/// What a reader gathered. `members` has one row of `records` bits for each plane.
pub(super) struct Draft {
    pub(super) format: &'static str,
    /// Where the numbers were found: one place for all models, or one for each.
    pub(super) places: Vec<Place>,
    pub(super) planes: Vec<Plane>,
    pub(super) meaning: Meaning,
    pub(super) records: usize,
    pub(super) augmentations: usize,
    pub(super) members: Vec<MemberRow>,
    pub(super) ids: Option<Vec<String>>,
    /// Where the ids were found, when not with the numbers.
    pub(super) ids_path: Option<PathBuf>,
    pub(super) labels: Option<Vec<i64>>,
    pub(super) sources: Vec<PathBuf>,
    pub(super) notes: Vec<String>,
}

impl Draft {
    pub(super) fn finish(mut self) -> Result<ShadowTable> {
        self.check_models()?;
        if let Some(ids) = &self.ids {
            let path = self.ids_path.as_ref().unwrap_or(&self.places[0].path);
            ids::check(ids, self.records, path)?;
        }
        let outputs = ModelOutputs {
            planes: std::mem::take(&mut self.planes),
            meaning: self.meaning.clone(),
            records: self.records,
            augmentations: self.augmentations,
            levels: None,
        };
        let facts = scan::scan(&outputs);
        if let Some(culprit) = facts.culprit() {
            return Err(self.impossible(&culprit));
        }
        self.note_certainties(&facts);
        Ok(ShadowTable {
            outputs: Arc::new(outputs),
            members: self.members,
            ids: self.ids,
            labels: self.labels,
            units: None,
            format: self.format,
            sources: self.sources,
            notes: self.notes,
            saturated: facts.saturation(),
        })
    }

    fn check_models(&self) -> Result<()> {
        if self.planes.len() > 1 {
            return Ok(());
        }
        Err(Error::malformed("there is one model, so no shadow")
            .at(&self.places[0].path)
            .hint("add shadow models: the audited model and at least one more, a row each"))
    }

    fn impossible(&self, culprit: &Culprit) -> Error {
        let place = match self.places.as_slice() {
            [place] => place,
            places => &places[culprit.model],
        };
        let &Culprit {
            model,
            record,
            augmentation,
            class,
            value,
        } = culprit;
        let mut message = format!("{} of model {model}, record {record}", place.name);
        if self.augmentations > 1 {
            message += &format!(", augmentation {augmentation}");
        }
        if matches!(self.meaning, Meaning::Logits { .. }) {
            message += &format!(", class {class}");
        }
        message += &format!(" is {value}");
        Error::malformed(message)
            .at(&place.path)
            .hint(self.remedy())
    }

    fn remedy(&self) -> &'static str {
        match self.meaning {
            Meaning::Phi => {
                "phi must be finite: compute it from logits as z_y - logsumexp(other z), \
                 in float32 or wider"
            }
            Meaning::Probability => "probabilities of the true label lie between 0 and 1",
            Meaning::Logits { .. } => {
                "logits must be finite: did this model's training diverge, or float16 overflow?"
            }
        }
    }

    fn note_certainties(&mut self, facts: &Facts) {
        if !matches!(self.meaning, Meaning::Probability) {
            return;
        }
        let counts = [(facts.largest_at(1.0), "1"), (facts.smallest_at(0.0), "0")];
        for (count, value) in counts.into_iter().filter(|(count, _)| *count > 0) {
            self.notes.push(format!(
                "probabilities that are exactly {value}: {count}; differences beyond it were \
                 rounded away before they were stored"
            ));
        }
    }
}

/// The meaning of logits of so many classes, and the labels that give it.
pub(super) fn logits_meaning(
    labels: &Array,
    records: usize,
    classes: usize,
) -> Result<(Meaning, Vec<i64>)> {
    let all = labels::read(labels, records)?;
    let meaning = Meaning::Logits {
        labels: labels::for_classes(&all, classes, &labels.place)?,
        classes,
    };
    Ok((meaning, all))
}

/// The axes of an array of this rank, or an error that says which shapes are wanted.
pub(super) fn axes_of(array: &Array, shapes: &[(usize, Axes)], wanted: &str) -> Result<Axes> {
    let rank = array.shape.len();
    let found = shapes.iter().find(|(known, _)| *known == rank);
    found.map(|(_, axes)| *axes).ok_or_else(|| {
        let (name, shape) = (&array.place.name, &array.shape);
        Error::mismatch(format!("{name} has shape {shape:?}; wanted {wanted}"))
            .at(&array.place.path)
            .hint("store one row per model, the audited one included")
    })
}
