//! The head itself, and the epochs that tune it.

use super::adam::Adam;
use super::loss::{Slope, cross_entropy, entropy, sigmoid};
use super::{Body, Recipe, Set};

/// A norm below this counts as this, so that an empty vector stays one.
const LEAST_NORM: f64 = 1e-6;

/// Two rows of weights (negative, positive), then two biases.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    width: usize,
    unit_length: bool,
    parameters: Vec<f64>,
}

/// What one record brings to the head.
struct Input {
    values: Vec<f64>,
    norm: f64,
}

impl Head {
    /// Each side's weights are the mean of relu(outputs) over its records, of length 1.
    pub fn initial(outputs: &[f64], width: usize, positive: &[bool], unit_length: bool) -> Self {
        let mut parameters = vec![0.0; 2 * width + 2];
        for (side, weights) in parameters[..2 * width].chunks_exact_mut(width).enumerate() {
            let rows = outputs.chunks_exact(width).zip(positive);
            for (row, _) in rows.filter(|(_, positive)| usize::from(**positive) == side) {
                for (weight, value) in weights.iter_mut().zip(row) {
                    *weight += value.max(0.0);
                }
            }
            let count = positive.iter().filter(|&&p| usize::from(p) == side).count();
            let mean = 1.0 / count.max(1) as f64;
            weights.iter_mut().for_each(|weight| *weight *= mean);
            let norm = length(weights).max(LEAST_NORM);
            weights.iter_mut().for_each(|weight| *weight /= norm);
        }
        Self {
            width,
            unit_length,
            parameters,
        }
    }

    /// P(positive) at temperature 1 for each row of a body's outputs.
    pub fn probabilities(&self, outputs: &[f64]) -> Vec<f64> {
        let rows = outputs.chunks_exact(self.width);
        rows.map(|row| sigmoid(self.difference(&self.input(row).values)))
            .collect()
    }

    fn input(&self, row: &[f64]) -> Input {
        let mut values: Vec<f64> = row.iter().map(|value| value.max(0.0)).collect();
        let mut norm = 1.0;
        if self.unit_length {
            norm = length(&values).max(LEAST_NORM);
            values.iter_mut().for_each(|value| *value /= norm);
        }
        Input { values, norm }
    }

    fn sides(&self) -> (&[f64], &[f64], &[f64]) {
        let (negative, rest) = self.parameters.split_at(self.width);
        let (positive, biases) = rest.split_at(self.width);
        (negative, positive, biases)
    }

    fn difference(&self, input: &[f64]) -> f64 {
        let (negative, positive, biases) = self.sides();
        let weights = positive.iter().zip(negative);
        let sum: f64 = input
            .iter()
            .zip(weights)
            .map(|(x, (p, n))| x * (p - n))
            .sum();
        sum + biases[1] - biases[0]
    }

    /// The mean of a loss over rows, with its derivative by the parameters and by the outputs.
    pub(super) fn slopes(
        &self,
        outputs: &[f64],
        loss: impl Fn(usize, f64) -> Slope,
        gradient: &mut [f64],
        back: &mut Vec<f64>,
    ) -> f64 {
        let width = self.width;
        let share = width as f64 / outputs.len() as f64;
        gradient.fill(0.0);
        back.clear();
        let mut total = 0.0;
        for (place, row) in outputs.chunks_exact(width).enumerate() {
            let input = self.input(row);
            let slope = loss(place, self.difference(&input.values));
            total += slope.loss;
            let derivative = slope.derivative * share;
            for (sum, value) in gradient[width..2 * width].iter_mut().zip(&input.values) {
                *sum += derivative * value;
            }
            gradient[2 * width + 1] += derivative;
            self.push_back(row, &input, derivative, back);
        }
        mirror(gradient, width);
        total * share
    }

    /// The derivative by one record's outputs, through the length and through relu.
    fn push_back(&self, row: &[f64], input: &Input, derivative: f64, back: &mut Vec<f64>) {
        let (negative, positive, _) = self.sides();
        let weights = positive.iter().zip(negative);
        let start = back.len();
        back.extend(weights.map(|(p, n)| derivative * (p - n)));
        let back = &mut back[start..];
        if self.unit_length && input.norm > LEAST_NORM {
            let along: f64 = back.iter().zip(&input.values).map(|(b, x)| b * x).sum();
            for (slope, value) in back.iter_mut().zip(&input.values) {
                *slope -= along * value;
            }
        }
        for (slope, value) in back.iter_mut().zip(row) {
            *slope = if *value > 0.0 {
                *slope / input.norm
            } else {
                0.0
            };
        }
    }
}

/// The negative side's derivative is the opposite of the positive side's.
fn mirror(gradient: &mut [f64], width: usize) {
    let (negative, positive) = gradient[..2 * width].split_at_mut(width);
    for (below, above) in negative.iter_mut().zip(positive) {
        *below = -*above;
    }
    gradient[2 * width] = -gradient[2 * width + 1];
}

fn length(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// Tunes a fresh head, and the body under it, on a labelled support and unlabelled records. One
/// Adam serves both kinds of step. Without validation labels every epoch runs.
pub fn tune(
    body: &mut dyn Body,
    support: &[bool],
    validation: &[bool],
    temperature: f64,
    recipe: &Recipe,
) -> Head {
    let width = body.width();
    let mut head = Head::initial(
        body.outputs(Set::Support),
        width,
        support,
        recipe.unit_length,
    );
    let mut steps = Steps {
        adam: Adam::new(
            head.parameters.len(),
            recipe.learning_rate,
            recipe.epsilon,
            recipe.form,
        ),
        gradient: vec![0.0; head.parameters.len()],
        back: Vec::new(),
    };
    let mut stop = EarlyStop::new(recipe.patience);
    for _ in 0..recipe.epochs {
        let lesson = |place: usize, d: f64| cross_entropy(d, support[place]);
        steps.step(&mut head, body, Set::Support, lesson);
        steps.step(&mut head, body, Set::Asked, |_, d| entropy(d, temperature));
        if !validation.is_empty() {
            let loss = head.mean_loss(body.outputs(Set::Validation), validation);
            if stop.after(loss) {
                break;
            }
        }
    }
    head
}

impl Head {
    /// Mean cross-entropy.
    pub(super) fn mean_loss(&self, outputs: &[f64], positive: &[bool]) -> f64 {
        let rows = outputs.chunks_exact(self.width).zip(positive);
        let loss = |(row, &positive): (&[f64], &bool)| {
            cross_entropy(self.difference(&self.input(row).values), positive).loss
        };
        rows.map(loss).sum::<f64>() / positive.len() as f64
    }
}

#[cfg(test)]
impl Head {
    pub(super) fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    pub(super) fn moved(&self, place: usize, by: f64) -> Self {
        let mut moved = self.clone();
        moved.parameters[place] += by;
        moved
    }
}

struct Steps {
    adam: Adam,
    gradient: Vec<f64>,
    back: Vec<f64>,
}

impl Steps {
    fn step(
        &mut self,
        head: &mut Head,
        body: &mut dyn Body,
        set: Set,
        loss: impl Fn(usize, f64) -> Slope,
    ) {
        let outputs = body.outputs(set);
        if outputs.is_empty() {
            return;
        }
        head.slopes(outputs, loss, &mut self.gradient, &mut self.back);
        self.adam.update(&mut head.parameters, &self.gradient);
        body.learn(&self.back);
    }
}

/// Counts epochs without a better validation loss.
struct EarlyStop {
    best: f64,
    waited: u32,
    patience: u32,
}

impl EarlyStop {
    fn new(patience: u32) -> Self {
        Self {
            best: f64::INFINITY,
            waited: 0,
            patience,
        }
    }

    fn after(&mut self, loss: f64) -> bool {
        if loss < self.best {
            self.best = loss;
            self.waited = 0;
        } else {
            self.waited += 1;
        }
        self.waited >= self.patience
    }
}
