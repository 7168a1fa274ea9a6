//! Softmax cross-entropy with class weights and label smoothing, as PyTorch's `CrossEntropyLoss`.

use crate::dataset::Dataset;
use crate::elementwise::vectorised;
use crate::function::exp;
use crate::recipe::{ClassWeights, Recipe};

/// What a pass over records adds up to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    pub(crate) loss: f64,
    /// Sum of the records' class weights.
    pub(crate) weight: f64,
    pub(crate) correct: u64,
    pub(crate) records: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, more: Self) {
        self.loss += more.loss;
        self.weight += more.weight;
        self.correct += more.correct;
        self.records += more.records;
    }
}

pub(crate) struct Loss {
    /// Per class.
    weights: Vec<f32>,
    /// Target mass of the true class, before its weight.
    certain: f64,
    /// Target mass of every class, before its weight.
    spread: f64,
    exponentials: Vec<f64>,
}

impl Loss {
    pub(crate) fn new(recipe: &Recipe, data: &Dataset, rows: &[u32]) -> Self {
        let classes = data.classes();
        Self {
            weights: class_weights(&recipe.class_weights, data, rows),
            certain: 1.0 - recipe.label_smoothing,
            spread: recipe.label_smoothing / classes as f64,
            exponentials: vec![0.0; classes],
        }
    }

    /// Sum of the class weights of these labels.
    pub(crate) fn weight(&self, labels: &[u32]) -> f64 {
        labels.iter().map(|&label| self.weight_of(label)).sum()
    }

    fn weight_of(&self, label: u32) -> f64 {
        f64::from(self.weights[label as usize])
    }

    /// Losses of a batch, and their derivatives times `scale`.
    pub(crate) fn batch(
        &mut self,
        logits: &[f32],
        labels: &[u32],
        deltas: &mut [f32],
        scale: f64,
    ) -> Tally {
        let classes = self.weights.len();
        let rows = logits
            .chunks_exact(classes)
            .zip(deltas.chunks_exact_mut(classes));
        let mut tally = Tally::default();
        for ((logits, delta), &label) in rows.zip(labels) {
            tally += self.record(logits, label, delta, scale);
        }
        tally
    }

    /// With targets tⱼ = weightⱼ·(certain·[j = label] + spread), the loss is Σ tⱼ (ln Σ exp z − zⱼ)
    /// and its derivative softmaxⱼ·Σt − tⱼ. The largest output is taken off first, so that no
    /// exponential overflows.
    fn record(&mut self, logits: &[f32], label: u32, delta: &mut [f32], scale: f64) -> Tally {
        let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let exponentials = &mut self.exponentials;
        vectorised(|| {
            for (place, &logit) in exponentials.iter_mut().zip(logits) {
                *place = exp(f64::from(logit) - f64::from(largest));
            }
        });
        let sum: f64 = self.exponentials.iter().sum();
        let shifted = |class: usize| f64::from(logits[class]) - f64::from(largest);
        let mut target_sum = 0.0;
        let mut along = 0.0;
        for (class, weight) in self.weights.iter().enumerate() {
            let mut target = self.spread;
            if class == label as usize {
                target += self.certain;
            }
            target *= f64::from(*weight);
            target_sum += target;
            along += target * shifted(class);
            delta[class] = -target as f32;
        }
        for (place, exponential) in delta.iter_mut().zip(&self.exponentials) {
            *place = ((exponential / sum * target_sum + f64::from(*place)) * scale) as f32;
        }
        Tally {
            loss: target_sum * sum.ln() - along,
            weight: self.weight_of(label),
            correct: u64::from(logits[label as usize] == largest),
            records: 1,
        }
    }
}

/// One weight per class.
pub(crate) fn class_weights(weights: &ClassWeights, data: &Dataset, rows: &[u32]) -> Vec<f32> {
    match weights {
        ClassWeights::None => vec![1.0; data.classes()],
        ClassWeights::Given(given) => given.clone(),
        ClassWeights::Balanced => balanced(data, rows),
    }
}

fn balanced(data: &Dataset, rows: &[u32]) -> Vec<f32> {
    let mut counts = vec![0u32; data.classes()];
    for &row in rows {
        counts[data.label(row) as usize] += 1;
    }
    let present = counts.iter().filter(|&&count| count > 0).count();
    let weight = |&count: &u32| match count {
        0 => 1.0,
        _ => (rows.len() as f64 / (present as f64 * f64::from(count))) as f32,
    };
    counts.iter().map(weight).collect()
}
