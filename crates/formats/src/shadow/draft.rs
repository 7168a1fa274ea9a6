//! The last step of every reader: check what was gathered as a whole and make the table.

use std::path::PathBuf;
use std::sync::Arc;

use attacks::signals::membership::MemberRow;
use attacks::signals::outputs::RightAnswers;
use attacks::signals::plane::Plane;
use attacks::signals::rescale::from_probability;
use attacks::signals::shadow::{Meaning, ModelOutputs};

use super::classes::{self, OddSum, Taken};
use super::scan::{self, Culprit, Facts};
use super::table::ShadowTable;
use super::{ids, labels};
use crate::array::{Array, Axes, Place};
use crate::{Error, Result};

/// Rounding hardly moves the sum of a record's probabilities by more.
const ROUNDED: f64 = 0.1;

/// What a reader gathered. `members` has one row of `records` bits for each plane.
pub(crate) struct Draft {
    pub(crate) format: &'static str,
    /// Where the numbers were found: one place for all models, or one for each.
    pub(crate) places: Vec<Place>,
    pub(crate) planes: Vec<Plane>,
    pub(crate) meaning: Meaning,
    pub(crate) records: usize,
    pub(crate) augmentations: usize,
    pub(crate) members: Vec<MemberRow>,
    pub(crate) members_known: bool,
    /// Where nobody knows, by model; absent where all is known.
    pub(crate) unknown: Option<Vec<MemberRow>>,
    pub(crate) ids: Option<Vec<String>>,
    /// Where the ids were found, when not with the numbers.
    pub(crate) ids_path: Option<PathBuf>,
    pub(crate) labels: Option<Vec<i64>>,
    /// Of each model whether its answers were right, where that was stored beside φ.
    pub(crate) right: Option<Vec<RightAnswers>>,
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) notes: Vec<String>,
}

impl Draft {
    pub(crate) fn finish(mut self) -> Result<ShadowTable> {
        if let Some(ids) = &self.ids {
            let path = self.ids_path.as_ref().unwrap_or(&self.places[0].path);
            ids::check(ids, self.records, path)?;
        }
        let outputs = ModelOutputs {
            planes: std::mem::take(&mut self.planes),
            meaning: self.meaning.clone(),
            labels: self.labels.as_deref().and_then(labels::codes),
            records: self.records,
            augmentations: self.augmentations,
            levels: None,
            right: self.right.take().map(Into::into),
        };
        let facts = scan::scan(&outputs);
        if let Some(culprit) = facts.culprit() {
            return Err(self.impossible(&culprit));
        }
        self.check_sums(&outputs)?;
        self.note_certainties(&facts);
        Ok(ShadowTable {
            outputs: Arc::new(outputs),
            members: self.members,
            members_known: self.members_known,
            unknown: self.unknown,
            ids: self.ids,
            labels: self.labels,
            groups: None,
            units: None,
            format: self.format,
            sources: self.sources,
            numbers: None,
            notes: self.notes,
            saturated: facts.saturation(),
        })
    }

    /// Probabilities add up to one, and logits do not: what is called one may be the other.
    fn check_sums(&self, outputs: &ModelOutputs) -> Result<()> {
        match self.meaning {
            Meaning::Logits { classes, .. } => match classes::taken(outputs, classes) {
                Some(taken) => Err(self.not_logits(classes, taken)),
                None => Ok(()),
            },
            Meaning::Probabilities { classes, .. } => {
                let odd = classes::first_odd_sum(outputs, classes);
                odd.map_or(Ok(()), |odd| Err(self.odd_sum(odd)))
            }
            _ => Ok(()),
        }
    }

    fn not_logits(&self, classes: usize, taken: Taken) -> Error {
        let place = &self.places[0];
        let name = &place.name;
        let (found, mend) = match classes {
            _ if taken == Taken::OneAgainstRest => (
                "lie all between 0 and 1 and do not add up to 1: they are probabilities of each class \
                 against the rest, as a sigmoid per class gives",
                "store the numbers before the sigmoid, log(p / (1 - p)), as logits; or divide each row by \
                 its sum and store it under the name probabilities",
            ),
            1 => (
                "lie all between 0 and 1: they are probabilities of class 1",
                "store probabilities of both classes, [models, records, 2], under the name \
                 probabilities",
            ),
            _ => (
                "are never below 0 and add up to 1 for every record: they are probabilities",
                "store them under the name probabilities instead of logits",
            ),
        };
        Error::malformed(format!("{name} {found}"))
            .at(&place.path)
            .hint(mend)
    }

    fn odd_sum(&self, odd: OddSum) -> Error {
        let OddSum { model, record, sum } = odd;
        let place = self.place(model);
        let name = &place.name;
        let message = format!("{name} of model {model}, record {record} add up to {sum}");
        Error::malformed(message)
            .at(&place.path)
            .hint(match (sum - 1.0).abs() < ROUNDED {
                true => {
                    "if they were rounded, store them with all their digits, as float32 or float64: rounding to two \
                     or three decimals alone moves the sum; otherwise store probabilities of all classes, or logits \
                     under the name logits"
                }
                false => "store probabilities of all classes, or logits under the name logits",
            })
    }

    /// Where the numbers of a model were found.
    fn place(&self, model: usize) -> &Place {
        match self.places.as_slice() {
            [place] => place,
            places => &places[model],
        }
    }

    fn impossible(&self, culprit: &Culprit) -> Error {
        let place = self.place(culprit.model);
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
        if self.has_classes() {
            message += &format!(", class {class}");
        }
        message += &format!(" is {value}");
        Error::malformed(message)
            .at(&place.path)
            .hint(self.remedy())
    }

    fn has_classes(&self) -> bool {
        matches!(
            self.meaning,
            Meaning::Logits { .. } | Meaning::Probabilities { .. }
        )
    }

    fn remedy(&self) -> &'static str {
        match self.meaning {
            Meaning::Phi => {
                "phi must be finite: compute it from logits as z_y - logsumexp(other z), \
                 in float32 or wider"
            }
            Meaning::Probability => "probabilities of the true label lie between 0 and 1",
            Meaning::Probabilities { .. } => "probabilities lie between 0 and 1",
            Meaning::Logits { .. } => {
                "logits must be finite: did this model's training diverge, or float16 overflow?"
            }
        }
    }

    fn note_certainties(&mut self, facts: &Facts) {
        let (one, zero) = match self.meaning {
            Meaning::Probability => (1.0, 0.0),
            // Of these the edges are those of φ.
            Meaning::Probabilities { .. } => (from_probability(1.0), from_probability(0.0)),
            Meaning::Phi | Meaning::Logits { .. } => return,
        };
        let counts = [(facts.largest_at(one), "1"), (facts.smallest_at(zero), "0")];
        for (count, value) in counts.into_iter().filter(|(count, _)| *count > 0) {
            self.notes.push(format!(
                "probabilities that are exactly {value}: {count}; differences beyond it were \
                 rounded away before they were stored"
            ));
        }
    }
}

/// The meaning of logits of so many classes, and the labels that give it.
pub(crate) fn classes_meaning(
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

/// The same labels and classes, of probabilities.
pub(crate) fn as_probabilities(meaning: Meaning, place: &Place) -> Result<Meaning> {
    match meaning {
        Meaning::Logits { labels, classes } if classes > 1 => {
            Ok(Meaning::Probabilities { labels, classes })
        }
        _ => Err(Error::mismatch("probabilities have one column")
            .at(&place.path)
            .hint(
                "store the probabilities of all classes: two columns where there are two classes",
            )),
    }
}

/// The axes of an array of this rank, or an error that says which shapes are wanted.
pub(crate) fn axes_of(array: &Array, shapes: &[(usize, Axes)], wanted: &str) -> Result<Axes> {
    let rank = array.shape.len();
    let found = shapes.iter().find(|(known, _)| *known == rank);
    found.map(|(_, axes)| *axes).ok_or_else(|| {
        let (name, shape) = (&array.place.name, &array.shape);
        Error::mismatch(format!("{name} has shape {shape:?}; wanted {wanted}"))
            .at(&array.place.path)
            .hint("store one row per model, the audited one included")
    })
}
