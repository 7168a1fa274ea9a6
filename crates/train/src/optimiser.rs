//! Update rules, in PyTorch's conventions.

use std::ops::Range;

use crate::elementwise::vectorised;
use crate::recipe::{Optimiser, Recipe};

/// The state of an optimiser over all parameters.
pub(crate) struct Descent {
    rule: Optimiser,
    weight_decay: f64,
    learning_rate: f64,
    steps: i32,
    /// Momentum of SGD, running mean of Adam.
    first: Vec<f32>,
    /// Running mean square of Adam; empty for SGD.
    second: Vec<f32>,
}

impl Descent {
    pub(crate) fn new(recipe: &Recipe, parameters: usize) -> Self {
        let second = match recipe.optimiser {
            Optimiser::Sgd { .. } => 0,
            Optimiser::Adam { .. } | Optimiser::AdamW { .. } => parameters,
        };
        Self {
            rule: recipe.optimiser,
            weight_decay: recipe.weight_decay,
            learning_rate: 0.0,
            steps: 0,
            first: vec![0.0; parameters],
            second: vec![0.0; second],
        }
    }

    /// A new step begins; `update` then visits every parameter once.
    pub(crate) fn begin(&mut self, learning_rate: f64) {
        self.learning_rate = learning_rate;
        self.steps = self.steps.saturating_add(1);
    }

    /// Move the parameters of a range along their gradient.
    pub(crate) fn update(&mut self, range: Range<usize>, parameters: &mut [f32], gradient: &[f32]) {
        match self.rule {
            // Two loops, each without a branch inside.
            Optimiser::Sgd { momentum, nesterov } => {
                let momentum = momentum as f32;
                if nesterov {
                    let ahead = |v: f32, g: f32| g + momentum * v;
                    self.sgd(range, parameters, gradient, momentum, ahead);
                } else {
                    self.sgd(range, parameters, gradient, momentum, |v, _| v);
                }
            }
            Optimiser::Adam {
                beta1,
                beta2,
                epsilon,
            } => {
                let penalty = self.weight_decay as f32;
                self.adam(
                    range,
                    parameters,
                    gradient,
                    [beta1, beta2, epsilon],
                    penalty,
                    1.0,
                );
            }
            Optimiser::AdamW {
                beta1,
                beta2,
                epsilon,
            } => {
                let shrink = (1.0 - self.learning_rate * self.weight_decay) as f32;
                self.adam(
                    range,
                    parameters,
                    gradient,
                    [beta1, beta2, epsilon],
                    0.0,
                    shrink,
                );
            }
        }
    }

    /// Sutskever et al. 2013, equations 1 to 4, in PyTorch's form: the learning rate stands outside
    /// the momentum.
    fn sgd(
        &mut self,
        range: Range<usize>,
        parameters: &mut [f32],
        gradient: &[f32],
        momentum: f32,
        direction: impl Fn(f32, f32) -> f32,
    ) {
        let (rate, penalty) = (self.learning_rate as f32, self.weight_decay as f32);
        let velocity = &mut self.first[range];
        vectorised(|| {
            for ((w, &g), v) in parameters.iter_mut().zip(gradient).zip(velocity) {
                let g = g + penalty * *w;
                *v = momentum * *v + g;
                *w -= rate * direction(*v, g);
            }
        });
    }

    /// Kingma & Ba 2015, algorithm 1; `shrink` is AdamW's decay.
    fn adam(
        &mut self,
        range: Range<usize>,
        parameters: &mut [f32],
        gradient: &[f32],
        [beta1, beta2, epsilon]: [f64; 3],
        penalty: f32,
        shrink: f32,
    ) {
        let step = AdamStep {
            rate: (self.learning_rate / (1.0 - beta1.powi(self.steps))) as f32,
            root: (1.0 / (1.0 - beta2.powi(self.steps)).sqrt()) as f32,
            epsilon: epsilon as f32,
            new_mean: (1.0 - beta1) as f32,
            old_square: beta2 as f32,
            new_square: (1.0 - beta2) as f32,
            penalty,
            shrink,
        };
        let means = &mut self.first[range.clone()];
        step.apply(parameters, gradient, means, &mut self.second[range]);
    }
}

/// The numbers of one step of Adam.
pub(crate) struct AdamStep {
    pub(crate) rate: f32,
    pub(crate) root: f32,
    pub(crate) epsilon: f32,
    pub(crate) new_mean: f32,
    pub(crate) old_square: f32,
    pub(crate) new_square: f32,
    pub(crate) penalty: f32,
    pub(crate) shrink: f32,
}

impl AdamStep {
    pub(crate) fn apply(
        &self,
        parameters: &mut [f32],
        gradient: &[f32],
        means: &mut [f32],
        squares: &mut [f32],
    ) {
        let AdamStep {
            rate,
            root,
            epsilon,
            new_mean,
            old_square,
            new_square,
            penalty,
            shrink,
        } = *self;
        vectorised(|| {
            let moments = means.iter_mut().zip(squares);
            for ((w, &g), (m, v)) in parameters.iter_mut().zip(gradient).zip(moments) {
                let g = g + penalty * *w;
                *m += (g - *m) * new_mean;
                *v = old_square * *v + new_square * g * g;
                *w = shrink * *w - rate * *m / (v.sqrt() * root + epsilon);
            }
        });
    }
}
