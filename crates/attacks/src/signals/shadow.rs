//! Shadow signals: models × records, with the shadows' own membership.

use std::ops::Range;
use std::sync::Arc;

use super::membership::MemberRow;
use super::outputs::RightAnswers;
use super::plane::Plane;

/// What the stored numbers of a model are.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// The rescaled logit φ = ln p − ln(1−p) of the true label.
    Phi,
    /// The probability p of the true label.
    Probability,
    /// All logits; φ is computed on reading from the true label's and the others'.
    Logits { labels: Arc<[u32]>, classes: usize },
    /// The probabilities of all classes; φ is computed likewise.
    Probabilities { labels: Arc<[u32]>, classes: usize },
}

/// φ becomes `stretch · φ + shift`.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    pub stretch: f64,
    pub shift: f64,
}

impl Default for Level {
    fn default() -> Self {
        Self {
            stretch: 1.0,
            shift: 0.0,
        }
    }
}

/// Which φ to compute from logits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rescale {
    /// z_y − logsumexp of the other logits: exact, no clipping.
    Exact,
    /// As the published LiRA code does: single-precision exponentials and 1e-45 inside the logs,
    /// which stops at about ±103.6.
    Published,
}

/// The outputs of every model on every record.
#[derive(Clone, Debug)]
pub struct ModelOutputs {
    pub planes: Vec<Plane>,
    pub meaning: Meaning,
    /// The true class of every record, where it is known though φ alone is stored.
    pub labels: Option<Arc<[u32]>>,
    /// Of each model whether it names the true class, where that was stored beside φ.
    pub right: Option<Arc<[RightAnswers]>>,
    pub records: usize,
    pub augmentations: usize,
    /// What φ of each model is shifted and stretched by on reading; nothing for φ as it is.
    pub levels: Option<Arc<[Level]>>,
}

impl ModelOutputs {
    /// φ of one model on a run of records.
    pub fn phi(
        &self,
        model: usize,
        records: Range<usize>,
        augmentation: usize,
        rescale: Rescale,
        out: &mut [f64],
    ) {
        let count = records.len();
        self.stored_phi(model, records, augmentation, rescale, out);
        if let Some(levels) = &self.levels {
            let Level { stretch, shift } = levels[model];
            for phi in &mut out[..count] {
                *phi = stretch * *phi + shift;
            }
        }
    }

    /// The mean of φ over augmentations: what a model as a whole is like, where no attack asks.
    pub fn mean_phi(&self, model: usize, records: Range<usize>, out: &mut [f64]) {
        let count = records.len();
        self.phi(model, records.clone(), 0, Rescale::Exact, out);
        if self.augmentations < 2 {
            return;
        }
        let mut further = vec![0.0; count];
        for augmentation in 1..self.augmentations {
            self.phi(
                model,
                records.clone(),
                augmentation,
                Rescale::Exact,
                &mut further,
            );
            let values = out.iter_mut().zip(&further);
            values.for_each(|(sum, phi)| *sum += phi);
        }
        let whole = self.augmentations as f64;
        out[..count].iter_mut().for_each(|phi| *phi /= whole);
    }

    fn stored_phi(
        &self,
        model: usize,
        records: Range<usize>,
        augmentation: usize,
        rescale: Rescale,
        out: &mut [f64],
    ) {
        let plane = &self.planes[model];
        match &self.meaning {
            Meaning::Phi => plane.read(records, augmentation, 0, out),
            Meaning::Probability => {
                plane.read(records.clone(), augmentation, 0, out);
                for p in &mut out[..records.len()] {
                    *p = super::rescale::from_probability(*p);
                }
            }
            Meaning::Logits { labels, classes } => super::rescale::from_logits(
                plane,
                records,
                augmentation,
                labels,
                *classes,
                rescale,
                out,
            ),
            Meaning::Probabilities { labels, classes } => super::rescale::from_probabilities(
                plane,
                records,
                augmentation,
                labels,
                *classes,
                out,
            ),
        }
    }

    /// The stored numbers themselves, where they are φ in single precision, one after the other.
    pub(crate) fn plain_singles(
        &self,
        model: usize,
        records: Range<usize>,
        augmentation: usize,
    ) -> Option<&[[u8; 4]]> {
        match (&self.meaning, &self.levels) {
            (Meaning::Phi, None) => self.planes[model].singles(records, augmentation),
            _ => None,
        }
    }
}

/// What a shadow attack may see: the target's outputs, the shadows' outputs and the shadows'
/// membership. The target's own membership is not here.
#[derive(Clone, Debug)]
pub struct ShadowSignals {
    pub outputs: Arc<ModelOutputs>,
    pub target: usize,
    pub shadows: Vec<usize>,
    /// Row k says which records shadow `shadows[k]` trained on.
    pub members: Vec<MemberRow>,
}

impl ShadowSignals {
    pub fn records(&self) -> usize {
        self.outputs.records
    }

    pub fn augmentations(&self) -> usize {
        self.outputs.augmentations
    }

    /// Whether there are shadows and none of them trained on any of the records.
    pub fn is_offline(&self) -> bool {
        !self.shadows.is_empty() && self.members.iter().all(|row| row.count() == 0)
    }
}
