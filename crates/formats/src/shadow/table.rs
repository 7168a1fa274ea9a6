//! Everything collected for a shadow audit.

use std::path::PathBuf;
use std::sync::Arc;

use attacks::signals::membership::MemberRow;
use attacks::signals::shadow::{ModelOutputs, ShadowSignals};

use super::labels;
use crate::data::Units;
use crate::{Error, ErrorKind, Result};

/// How many values sit at the edge of what was stored: equal to the largest or to the smallest
/// of all, and not alone there. Many ties at an edge mean that φ was clipped or rounded away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saturation {
    pub values: u64,
    pub total: u64,
}

/// The outputs of every model and the truth of every model, the audited one's included:
/// [`ShadowTable::signals`] splits them.
#[derive(Clone, Debug)]
pub struct ShadowTable {
    pub outputs: Arc<ModelOutputs>,
    /// Row m says which records model m trained on.
    pub members: Vec<MemberRow>,
    pub ids: Option<Vec<String>>,
    pub labels: Option<Vec<i64>>,
    /// Whose the records are, where the table is to be written with that; readers leave it where it lies.
    pub groups: Option<Vec<Option<String>>>,
    /// Which records are copies of each other, where their features are known.
    pub units: Option<Units>,
    /// The name of the layout it was read from.
    pub format: &'static str,
    /// Whether `members` was stored with the outputs. Of one model it need not be: then it is for the
    /// user to say who was a member.
    pub members_known: bool,
    /// Row m says of which records nobody knows whether model m trained on them; absent where all is
    /// known. Of the audited model alone this may be so.
    pub unknown: Option<Vec<MemberRow>>,
    /// The files that were read.
    pub sources: Vec<PathBuf>,
    /// What each model is called in the plan of its run, where some of that plan are not there; else by its place.
    pub numbers: Option<Vec<usize>>,
    /// What a user should know about the reading.
    pub notes: Vec<String>,
    /// Nothing is counted where logits are stored.
    pub saturated: Saturation,
}

impl ShadowTable {
    pub fn models(&self) -> usize {
        self.outputs.planes.len()
    }

    pub fn records(&self) -> usize {
        self.outputs.records
    }

    /// What a model is called.
    pub fn number(&self, model: usize) -> usize {
        let numbers = self.numbers.as_ref();
        numbers.map_or(model, |numbers| numbers[model])
    }

    pub fn augmentations(&self) -> usize {
        self.outputs.augmentations
    }

    /// Says what class every record is of.
    pub fn set_labels(&mut self, labels: Option<Vec<i64>>) {
        Arc::make_mut(&mut self.outputs).labels = labels.as_deref().and_then(labels::codes);
        self.labels = labels;
    }

    /// Whether all models trained on the same records, so that no shadow tells anything.
    pub fn is_one_split(&self) -> bool {
        self.models() > 1 && self.members.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// Whether a model trained on exactly the records that another did not. No attacker could have
    /// such a shadow, and it would give the other's membership away by counting.
    /// Records of which nobody knows whether one of them trained on them do not count.
    pub fn are_opposites(&self, one: usize, other: usize) -> bool {
        let (a, b) = (&self.members[one], &self.members[other]);
        let open: Vec<&MemberRow> = [one, other]
            .into_iter()
            .filter_map(|model| self.unknown_of(model))
            .collect();
        if open.is_empty() {
            return a.is_opposite(b);
        }
        let known = |record: &usize| !open.iter().any(|open| open.get(*record));
        let mut known = (0..a.len().min(b.len())).filter(known).peekable();
        known.peek().is_some() && known.all(|record| a.get(record) != b.get(record))
    }

    /// What an attack on model `target` may see with the first `shadows` other models, which may be
    /// none, and apart from it the target's truth. Opposites of the target are left out.
    pub fn signals(&self, target: usize, shadows: usize) -> Result<(ShadowSignals, MemberRow)> {
        self.check_target(target)?;
        self.check_shadows(shadows)?;
        let chosen: Vec<usize> = (0..self.models())
            .filter(|&model| model != target && !self.are_opposites(model, target))
            .take(shadows)
            .collect();
        if chosen.is_empty() && shadows > 0 {
            let message = format!("every shadow is the opposite of model {target}");
            return Err(self
                .out_of_range(message)
                .hint("train shadows on random halves, drawn apart from the target's"));
        }
        self.check_known(&chosen)?;
        Ok((
            self.seen_from(target, &chosen),
            self.members[target].clone(),
        ))
    }

    /// What an attack on model `target` may see with exactly these shadows.
    pub fn seen_from(&self, target: usize, shadows: &[usize]) -> ShadowSignals {
        ShadowSignals {
            outputs: self.outputs.clone(),
            target,
            shadows: shadows.to_vec(),
            members: shadows.iter().map(|&k| self.members[k].clone()).collect(),
        }
    }

    /// The records of which nobody knows whether a model trained on them.
    pub fn unknown_of(&self, model: usize) -> Option<&MemberRow> {
        let rows = self.unknown.as_ref()?;
        rows.get(model).filter(|row| row.count() > 0)
    }

    /// What a shadow trained on must be known.
    fn check_known(&self, shadows: &[usize]) -> Result<()> {
        let first = shadows.iter().find_map(|&shadow| {
            let row = self.unknown_of(shadow)?;
            Some((shadow, (0..row.len()).find(|&record| row.get(record))?))
        });
        match first {
            None => Ok(()),
            Some((shadow, record)) => Err(self
                .out_of_range(format!(
                    "keep of model {shadow}, record {record} is unknown (-1), but that model is a shadow"
                ))
                .hint("only of the audited model may it be unknown what it trained on; name it with --target")),
        }
    }

    fn check_target(&self, target: usize) -> Result<()> {
        if target < self.models() {
            return Ok(());
        }
        let models = self.models();
        Err(self
            .out_of_range(format!(
                "model {target} was asked for but there are {models}"
            ))
            .hint(format!("the target is one of 0 to {}", models - 1)))
    }

    fn check_shadows(&self, shadows: usize) -> Result<()> {
        let most = self.models() - 1;
        if shadows <= most {
            return Ok(());
        }
        let message = format!("{shadows} shadows were asked for but there are {most}");
        Err(self.out_of_range(message).hint(match most {
            0 => "add shadow models, a row each; alone, the model is audited without --shadows"
                .into(),
            _ => format!("ask for at most {most} shadows, or train more"),
        }))
    }

    fn out_of_range(&self, message: String) -> Error {
        Error {
            path: self.sources.first().cloned(),
            ..Error::new(ErrorKind::OutOfRange, message)
        }
    }
}
