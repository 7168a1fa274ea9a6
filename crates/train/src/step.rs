//! One batch's worth of learning.

use stats::streams::Seed;

use crate::dataset::Dataset;
use crate::elementwise::{scale, sum_of_squares};
use crate::loss::{Loss, Tally};
use crate::network::Network;
use crate::optimiser::Descent;
use crate::pass::{Dropout, Pass};
use crate::privacy::mechanism::Mechanism;
use crate::recipe::Recipe;

/// A model being trained.
pub(crate) struct Learner {
    pub(crate) parameters: Vec<f32>,
    pass: Pass,
    loss: Loss,
    dropout: Option<Dropout>,
    descent: Descent,
    rule: GradientRule,
    /// A piece of the gradient, or all of it, as the rule wants.
    gradient: Vec<f32>,
    capacity: usize,
}

/// What happens between gradient and update.
pub(crate) enum GradientRule {
    /// Nothing: each piece of gradient is used at once and never stored whole.
    Plain,
    /// The whole gradient is held to a norm.
    Clipped(f64),
    /// Each example's gradient is held to a norm, and noise is added to their sum.
    Private(Box<Mechanism>),
}

impl Learner {
    /// `capacity` is the number of records that go through the network at once.
    pub(crate) fn new(
        network: &Network,
        recipe: &Recipe,
        parameters: Vec<f32>,
        loss: Loss,
        rule: GradientRule,
        capacity: usize,
        seed: Seed,
    ) -> Self {
        let widest = network.hidden.iter().copied().max().unwrap_or(0);
        let pass = Pass::new(network, capacity);
        let room = match rule {
            GradientRule::Plain => pass.piece(),
            GradientRule::Clipped(_) | GradientRule::Private(_) => parameters.len(),
        };
        let dropout = || Dropout::new(recipe.dropout, capacity * widest, seed);
        Self {
            descent: Descent::new(recipe, parameters.len()),
            dropout: (recipe.dropout > 0.0).then(dropout),
            gradient: vec![0.0; room],
            capacity,
            parameters,
            pass,
            loss,
            rule,
        }
    }

    /// Learn from one batch.
    pub(crate) fn step(&mut self, data: &Dataset, batch: &[u32], learning_rate: f64) -> Tally {
        self.descent.begin(learning_rate);
        match self.rule {
            GradientRule::Plain => {
                let tally = self.forward(data, batch);
                self.update_piece_by_piece();
                tally
            }
            GradientRule::Clipped(norm) => {
                let tally = self.forward(data, batch);
                self.gradient.fill(0.0);
                self.propagate();
                self.add_gradient();
                clip(&mut self.gradient, norm);
                self.update_whole();
                tally
            }
            GradientRule::Private(_) => {
                let tally = self.private_gradient(data, batch);
                self.update_whole();
                tally
            }
        }
    }

    /// Losses of a batch; the derivative of their mean, by weight, is left in the pass.
    fn forward(&mut self, data: &Dataset, batch: &[u32]) -> Tally {
        let scale = |loss: &Loss, labels: &[u32]| 1.0 / loss.weight(labels);
        self.forward_scaled(data, batch, scale)
    }

    fn forward_scaled(
        &mut self,
        data: &Dataset,
        batch: &[u32],
        scale: impl Fn(&Loss, &[u32]) -> f64,
    ) -> Tally {
        self.pass.gather(data, batch);
        self.pass.forward(&self.parameters, self.dropout.as_mut());
        let scale = scale(&self.loss, self.pass.labels());
        let (logits, labels, deltas) = self.pass.outputs();
        self.loss.batch(logits, labels, deltas, scale)
    }

    /// Losses without dropout and without learning.
    pub(crate) fn evaluate(&mut self, data: &Dataset, rows: &[u32]) -> Tally {
        let mut tally = Tally::default();
        for batch in rows.chunks(self.capacity) {
            self.pass.gather(data, batch);
            self.pass.forward(&self.parameters, None);
            let (logits, labels, deltas) = self.pass.outputs();
            tally += self.loss.batch(logits, labels, deltas, 1.0);
        }
        tally
    }

    /// From the last layer to the first: pass the derivative on, then update the layer it came from.
    fn update_piece_by_piece(&mut self) {
        for index in (0..self.pass.layers().len()).rev() {
            self.pass.propagate(index, &self.parameters);
            let (parameters, descent) = (&mut self.parameters, &mut self.descent);
            self.pass
                .gradient_pieces(index, &mut self.gradient, |range, gradient| {
                    descent.update(range.clone(), &mut parameters[range], gradient);
                });
        }
    }

    fn propagate(&mut self) {
        for index in (0..self.pass.layers().len()).rev() {
            self.pass.propagate(index, &self.parameters);
        }
    }

    fn add_gradient(&mut self) {
        for (index, layer) in self.pass.layers().iter().enumerate() {
            self.pass
                .add_weight_gradient(index, &mut self.gradient[layer.weights()]);
            self.pass
                .add_bias_gradient(index, &mut self.gradient[layer.biases()]);
        }
    }

    fn update_whole(&mut self) {
        let range = 0..self.parameters.len();
        self.descent
            .update(range, &mut self.parameters, &self.gradient);
    }

    /// Sum of clipped gradients plus noise, over the expected batch size. A Poisson batch may be
    /// larger than the buffers, or empty.
    fn private_gradient(&mut self, data: &Dataset, batch: &[u32]) -> Tally {
        self.gradient.fill(0.0);
        let mut tally = Tally::default();
        for part in batch.chunks(self.capacity) {
            tally += self.forward_scaled(data, part, |_, _| 1.0);
            self.propagate();
            if let GradientRule::Private(mechanism) = &self.rule {
                mechanism.clip(&mut self.pass, part.len());
            }
            self.add_gradient();
        }
        if let GradientRule::Private(mechanism) = &mut self.rule {
            mechanism.add_noise(&mut self.gradient);
        }
        tally
    }

    #[cfg(test)]
    pub(crate) fn gradient(&self) -> &[f32] {
        &self.gradient
    }
}

/// Pascanu et al. 2013, algorithm 1, with PyTorch's 1e-6 in the denominator.
fn clip(gradient: &mut [f32], norm: f64) {
    let factor = norm / (sum_of_squares(gradient).sqrt() + 1e-6);
    if factor < 1.0 {
        scale(gradient, factor as f32);
    }
}
