//! The slow twin: the same network in f64, one record at a time, straight from the definitions.

use stats::normal::{ln_normal_pdf, normal_cdf};
use stats::special::log_sum_exp;
use stats::streams::{Seed, below, standard_normal};

use crate::network::{Activation, Network};
use crate::parameters::{Layer, layers};
use crate::recipe::{Optimiser, Recipe};

pub(super) struct Twin {
    pub(super) network: Network,
    /// Per class.
    pub(super) class_weights: Vec<f64>,
    pub(super) smoothing: f64,
}

/// A record and what its hidden units are multiplied with, layer by layer.
pub(super) struct Example<'a> {
    pub(super) features: &'a [f32],
    pub(super) label: u32,
    pub(super) masks: Vec<Vec<f64>>,
}

fn activate(activation: Activation, x: f64) -> (f64, f64) {
    match activation {
        Activation::Relu => (x.max(0.0), if x > 0.0 { 1.0 } else { 0.0 }),
        Activation::Tanh => (x.tanh(), 1.0 - x.tanh().powi(2)),
        Activation::Gelu => {
            let density = ln_normal_pdf(x, 0.0, 1.0).exp();
            (x * normal_cdf(x), normal_cdf(x) + x * density)
        }
    }
}

fn sums(parameters: &[f64], layer: &Layer, input: &[f64]) -> Vec<f64> {
    let (weights, biases) = (&parameters[layer.weights()], &parameters[layer.biases()]);
    let sum = |o: usize| {
        let terms = input.iter().enumerate();
        biases[o]
            + terms
                .map(|(i, x)| x * weights[i * layer.outputs + o])
                .sum::<f64>()
    };
    (0..layer.outputs).map(sum).collect()
}

impl Twin {
    pub(super) fn plain(network: &Network) -> Self {
        Self {
            network: network.clone(),
            class_weights: vec![1.0; network.outputs],
            smoothing: 0.0,
        }
    }

    /// Outputs before softmax of one record.
    pub(super) fn logits(&self, parameters: &[f64], features: &[f32]) -> Vec<f64> {
        let layers = layers(&self.network);
        let mut values: Vec<f64> = features.iter().map(|&x| f64::from(x)).collect();
        for (index, layer) in layers.iter().enumerate() {
            values = sums(parameters, layer, &values);
            if index + 1 < layers.len() {
                let activation = self.network.activation;
                values
                    .iter_mut()
                    .for_each(|x| *x = activate(activation, *x).0);
            }
        }
        values
    }

    /// Loss of one record; its gradient is added.
    pub(super) fn example(
        &self,
        parameters: &[f64],
        example: &Example,
        gradient: &mut [f64],
    ) -> f64 {
        let layers = layers(&self.network);
        let mut inputs = vec![
            example
                .features
                .iter()
                .map(|&x| f64::from(x))
                .collect::<Vec<_>>(),
        ];
        let mut slopes = Vec::new();
        for (index, layer) in layers[..layers.len() - 1].iter().enumerate() {
            let units = sums(parameters, layer, &inputs[index])
                .into_iter()
                .enumerate()
                .map(|(unit, sum)| {
                    let mask = example.masks.get(index).map_or(1.0, |mask| mask[unit]);
                    let (value, slope) = activate(self.network.activation, sum);
                    (value * mask, slope * mask)
                });
            let (values, derivatives): (Vec<f64>, Vec<f64>) = units.unzip();
            inputs.push(values);
            slopes.push(derivatives);
        }
        let logits = sums(
            parameters,
            &layers[layers.len() - 1],
            &inputs[layers.len() - 1],
        );
        let (loss, mut delta) = self.cross_entropy(&logits, example.label);
        for index in (0..layers.len()).rev() {
            let layer = &layers[index];
            for (o, d) in delta.iter().enumerate() {
                for (i, x) in inputs[index].iter().enumerate() {
                    gradient[layer.weights().start + i * layer.outputs + o] += d * x;
                }
                gradient[layer.biases().start + o] += d;
            }
            if index > 0 {
                let weights = &parameters[layer.weights()];
                let back = |i: usize| -> f64 {
                    let terms = delta.iter().enumerate();
                    terms
                        .map(|(o, d)| d * weights[i * layer.outputs + o])
                        .sum::<f64>()
                        * slopes[index - 1][i]
                };
                delta = (0..layer.inputs).map(back).collect();
            }
        }
        loss
    }

    fn cross_entropy(&self, logits: &[f64], label: u32) -> (f64, Vec<f64>) {
        let classes = logits.len() as f64;
        let target = |(class, weight): (usize, &f64)| {
            let own = if class == label as usize {
                1.0 - self.smoothing
            } else {
                0.0
            };
            weight * (own + self.smoothing / classes)
        };
        let targets: Vec<f64> = self.class_weights.iter().enumerate().map(target).collect();
        let total: f64 = targets.iter().sum();
        let normaliser = log_sum_exp(logits);
        let pairs = || targets.iter().zip(logits);
        let loss = pairs().map(|(t, z)| t * (normaliser - z)).sum();
        (
            loss,
            pairs()
                .map(|(t, z)| total * (z - normaliser).exp() - t)
                .collect(),
        )
    }

    /// Mean loss by weight, its gradient, and the sum of weights.
    pub(super) fn batch(&self, parameters: &[f64], batch: &[Example]) -> (f64, Vec<f64>, f64) {
        let mut gradient = vec![0.0; parameters.len()];
        let weight: f64 = batch
            .iter()
            .map(|e| self.class_weights[e.label as usize])
            .sum();
        let loss: f64 = batch
            .iter()
            .map(|e| self.example(parameters, e, &mut gradient))
            .sum();
        gradient.iter_mut().for_each(|g| *g /= weight);
        (loss / weight, gradient, weight)
    }
}

/// The update rules, one parameter at a time.
pub(super) struct TwinDescent {
    first: Vec<f64>,
    second: Vec<f64>,
    steps: i32,
}

impl TwinDescent {
    pub(super) fn new(parameters: usize) -> Self {
        Self {
            first: vec![0.0; parameters],
            second: vec![0.0; parameters],
            steps: 0,
        }
    }

    pub(super) fn update(
        &mut self,
        recipe: &Recipe,
        rate: f64,
        parameters: &mut [f64],
        gradient: &[f64],
    ) {
        self.steps += 1;
        let decay = recipe.weight_decay;
        for (k, w) in parameters.iter_mut().enumerate() {
            match recipe.optimiser {
                Optimiser::Sgd { momentum, nesterov } => {
                    let g = gradient[k] + decay * *w;
                    self.first[k] = momentum * self.first[k] + g;
                    *w -= rate
                        * if nesterov {
                            g + momentum * self.first[k]
                        } else {
                            self.first[k]
                        };
                }
                Optimiser::Adam {
                    beta1,
                    beta2,
                    epsilon,
                } => {
                    let g = gradient[k] + decay * *w;
                    *w -= rate * self.moments(k, g, beta1, beta2, epsilon);
                }
                Optimiser::AdamW {
                    beta1,
                    beta2,
                    epsilon,
                } => {
                    *w -= rate * decay * *w;
                    *w -= rate * self.moments(k, gradient[k], beta1, beta2, epsilon);
                }
            }
        }
    }

    fn moments(&mut self, k: usize, g: f64, beta1: f64, beta2: f64, epsilon: f64) -> f64 {
        self.first[k] = beta1 * self.first[k] + (1.0 - beta1) * g;
        self.second[k] = beta2 * self.second[k] + (1.0 - beta2) * g * g;
        let mean = self.first[k] / (1.0 - beta1.powi(self.steps));
        let square = self.second[k] / (1.0 - beta2.powi(self.steps));
        mean / (square.sqrt() + epsilon)
    }
}

/// Gaussian features, with labels that depend on them.
pub(super) fn records(count: usize, width: usize, classes: u32) -> (Vec<f32>, Vec<u32>) {
    let mut rng = Seed(5).stream("records");
    let features: Vec<f32> = (0..count * width)
        .map(|_| standard_normal(&mut rng) as f32)
        .collect();
    let label = |row: &[f32]| {
        let bin = ((f64::from(row[0]) + 1.5) / 3.0 * f64::from(classes)).max(0.0) as u32;
        if below(&mut rng, 10) == 0 {
            below(&mut rng, classes)
        } else {
            bin.min(classes - 1)
        }
    };
    let labels = features.chunks(width).map(label).collect();
    (features, labels)
}

pub(super) fn network(activation: Activation, hidden: &[usize]) -> Network {
    Network {
        inputs: 6,
        hidden: hidden.to_vec(),
        activation,
        outputs: 4,
    }
}
