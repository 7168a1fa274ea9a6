//! The model under the head: forward in f32, back from the head's derivative, Adam on all weights.

use std::ops::Range;

use stats::head::{AdamForm, BETA1, BETA2, Body, Recipe, Set};

use crate::dataset::Dataset;
use crate::network::Network;
use crate::optimiser::AdamStep;
use crate::pass::Pass;

/// A network that learns from the derivative by its outputs. All memory is taken once and serves
/// every tuning.
pub(crate) struct Tunable<'a> {
    data: Dataset<'a>,
    /// Support, validation and asked.
    rows: [&'a [u32]; 3],
    pass: Pass,
    parameters: Vec<f32>,
    means: Vec<f32>,
    squares: Vec<f32>,
    steps: i32,
    piece: Vec<f32>,
    outputs: Vec<f64>,
    width: usize,
    learning_rate: f64,
    epsilon: f64,
    form: AdamForm,
}

impl<'a> Tunable<'a> {
    pub(crate) fn new(
        network: &Network,
        data: Dataset<'a>,
        rows: [&'a [u32]; 3],
        recipe: &Recipe,
        learning_rate: f64,
    ) -> Self {
        let most = rows.iter().map(|rows| rows.len()).max().unwrap_or(0);
        let pass = Pass::new(network, most);
        Self {
            data,
            rows,
            parameters: Vec::new(),
            means: Vec::new(),
            squares: Vec::new(),
            steps: 0,
            piece: vec![0.0; pass.piece()],
            outputs: Vec::new(),
            width: network.outputs,
            learning_rate,
            epsilon: recipe.epsilon,
            form: recipe.form,
            pass,
        }
    }

    /// Begins a new tuning, with nothing left of the one before.
    pub(crate) fn start_from(&mut self, parameters: &[f32]) {
        self.parameters.clear();
        self.parameters.extend_from_slice(parameters);
        for moments in [&mut self.means, &mut self.squares] {
            moments.clear();
            moments.resize(parameters.len(), 0.0);
        }
        self.steps = 0;
    }

    /// From the last layer to the first: the derivative is passed on before the layer it came
    /// from may be changed by `take`.
    pub(crate) fn backward(
        &mut self,
        derivative: &[f64],
        mut take: impl FnMut(Range<usize>, &mut [f32], &[f32]),
    ) {
        let (_, _, deltas) = self.pass.outputs();
        for (place, value) in deltas.iter_mut().zip(derivative) {
            *place = *value as f32;
        }
        for index in (0..self.pass.layers().len()).rev() {
            self.pass.propagate(index, &self.parameters);
            let parameters = &mut self.parameters;
            self.pass
                .gradient_pieces(index, &mut self.piece, |range, gradient| {
                    take(range.clone(), &mut parameters[range], gradient);
                });
        }
    }

    fn step(&self) -> AdamStep {
        let (rate, root, epsilon) = self.form.step(self.steps, self.learning_rate, self.epsilon);
        AdamStep {
            rate: rate as f32,
            root: root as f32,
            epsilon: epsilon as f32,
            new_mean: (1.0 - BETA1) as f32,
            old_square: BETA2 as f32,
            new_square: (1.0 - BETA2) as f32,
            penalty: 0.0,
            shrink: 1.0,
        }
    }
}

impl Body for Tunable<'_> {
    fn width(&self) -> usize {
        self.width
    }

    fn outputs(&mut self, set: Set) -> &[f64] {
        let rows = match set {
            Set::Support => self.rows[0],
            Set::Validation => self.rows[1],
            Set::Asked => self.rows[2],
        };
        self.outputs.clear();
        if !rows.is_empty() {
            self.pass.gather(&self.data, rows);
            let logits = self.pass.forward(&self.parameters, None);
            self.outputs.extend(logits.iter().map(|&z| f64::from(z)));
        }
        &self.outputs
    }

    fn learn(&mut self, derivative: &[f64]) {
        if self.learning_rate == 0.0 {
            return;
        }
        self.steps = self.steps.saturating_add(1);
        let step = self.step();
        let (mut means, mut squares) = (
            std::mem::take(&mut self.means),
            std::mem::take(&mut self.squares),
        );
        self.backward(derivative, |range, parameters, gradient| {
            let (means, squares) = (&mut means[range.clone()], &mut squares[range]);
            step.apply(parameters, gradient, means, squares);
        });
        (self.means, self.squares) = (means, squares);
    }
}
