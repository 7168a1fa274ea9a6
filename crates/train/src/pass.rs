//! One batch on its way through the network and back. All memory is taken once, at the start.

use std::ops::Range;

use stats::streams::{ChaCha8Rng, Rng, Seed};

use crate::dataset::Dataset;
use crate::elementwise::{add_row_sums, add_to_rows, multiply as multiply_each, sum_of_squares};
use crate::matmul::{Matrix, accumulate, multiply};
use crate::network::{Activation, Network};
use crate::parameters::{Layer, layers};

/// Gradient values computed before they are used up: little enough to stay in the cache.
const PIECE: usize = 32 * 1024;

/// Buffers for a batch. Every matrix is row-major, one row per record.
pub(crate) struct Pass {
    layers: Vec<Layer>,
    activation: Activation,
    /// Records in the batch at hand.
    rows: usize,
    labels: Vec<u32>,
    /// What each layer reads: the features, then the hidden values.
    inputs: Vec<Vec<f32>>,
    /// Derivative of each hidden value with respect to its sum, dropout included.
    slopes: Vec<Vec<f32>>,
    logits: Vec<f32>,
    /// Derivative of the loss with respect to each layer's sums.
    deltas: Vec<Vec<f32>>,
}

impl Pass {
    /// Room for batches of up to `capacity` records.
    pub(crate) fn new(network: &Network, capacity: usize) -> Self {
        let layers = layers(network);
        let room = |width: usize| vec![0.0; width * capacity];
        Self {
            rows: 0,
            labels: Vec::with_capacity(capacity),
            inputs: layers.iter().map(|layer| room(layer.inputs)).collect(),
            slopes: network.hidden.iter().map(|&width| room(width)).collect(),
            logits: room(network.outputs),
            deltas: layers.iter().map(|layer| room(layer.outputs)).collect(),
            activation: network.activation,
            layers,
        }
    }

    pub(crate) fn layers(&self) -> &[Layer] {
        &self.layers
    }

    pub(crate) fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Take the records of a batch.
    pub(crate) fn gather(&mut self, data: &Dataset, batch: &[u32]) {
        self.rows = batch.len();
        self.labels.clear();
        self.labels.extend(batch.iter().map(|&row| data.label(row)));
        let places = self.inputs[0].chunks_exact_mut(data.width());
        for (place, &row) in places.zip(batch) {
            place.copy_from_slice(data.record(row));
        }
    }

    /// Outputs before softmax, [rows, classes].
    pub(crate) fn forward(
        &mut self,
        parameters: &[f32],
        mut dropout: Option<&mut Dropout>,
    ) -> &[f32] {
        let hidden = self.slopes.len();
        for index in 0..hidden {
            self.hidden_layer(index, parameters);
            if let Some(dropout) = dropout.as_deref_mut() {
                let count = self.rows * self.layers[index].outputs;
                let mask = dropout.draw(count);
                multiply_each(&mut self.slopes[index][..count], mask);
                multiply_each(&mut self.inputs[index + 1][..count], mask);
            }
        }
        let (layer, rows) = (&self.layers[hidden], self.rows);
        let weights = Matrix::new(&parameters[layer.weights()], layer.inputs, layer.outputs);
        let logits = &mut self.logits[..rows * layer.outputs];
        multiply(
            logits,
            Matrix::new(&self.inputs[hidden], rows, layer.inputs),
            weights,
        );
        add_to_rows(logits, &parameters[layer.biases()]);
        logits
    }

    fn hidden_layer(&mut self, index: usize, parameters: &[f32]) {
        let (layer, rows) = (&self.layers[index], self.rows);
        let weights = Matrix::new(&parameters[layer.weights()], layer.inputs, layer.outputs);
        let (before, after) = self.inputs.split_at_mut(index + 1);
        let sums = &mut self.slopes[index][..rows * layer.outputs];
        multiply(
            sums,
            Matrix::new(&before[index], rows, layer.inputs),
            weights,
        );
        let values = &mut after[0][..rows * layer.outputs];
        self.activation
            .apply(&parameters[layer.biases()], sums, values);
    }

    /// What the output layer reads, [rows, its inputs].
    pub(crate) fn last_hidden(&self) -> &[f32] {
        let last = self.layers.len() - 1;
        &self.inputs[last][..self.rows * self.layers[last].inputs]
    }

    /// The outputs, and the place for the loss's derivative with respect to them.
    pub(crate) fn outputs(&mut self) -> (&[f32], &[u32], &mut [f32]) {
        let last = self.layers.len() - 1;
        let count = self.rows * self.layers[last].outputs;
        (
            &self.logits[..count],
            &self.labels,
            &mut self.deltas[last][..count],
        )
    }

    /// Carry the derivative from this layer's sums to those of the layer before.
    pub(crate) fn propagate(&mut self, index: usize, parameters: &[f32]) {
        let Some(before) = index.checked_sub(1) else {
            return;
        };
        let (layer, rows) = (&self.layers[index], self.rows);
        let weights = Matrix::new(&parameters[layer.weights()], layer.inputs, layer.outputs);
        let (earlier, later) = self.deltas.split_at_mut(index);
        let delta = &mut earlier[before][..rows * layer.inputs];
        multiply(
            delta,
            Matrix::new(&later[0], rows, layer.outputs),
            weights.transposed(),
        );
        multiply_each(delta, &self.slopes[before]);
    }

    /// Room that [`Pass::gradient_pieces`] needs.
    pub(crate) fn piece(&self) -> usize {
        let outputs = self.layers.iter().map(|layer| layer.outputs);
        outputs.fold(PIECE, usize::max)
    }

    /// The gradient of a layer's weights, piece by piece, and then of its biases, each with its
    /// place among the parameters.
    pub(crate) fn gradient_pieces(
        &self,
        index: usize,
        buffer: &mut [f32],
        mut take: impl FnMut(Range<usize>, &[f32]),
    ) {
        let layer = &self.layers[index];
        let (weights, outputs) = (layer.weights(), layer.outputs);
        let piece = (PIECE / outputs).max(1) * outputs;
        for start in weights.clone().step_by(piece) {
            let range = start..weights.end.min(start + piece);
            let gradient = &mut buffer[..range.len()];
            self.weight_gradient(index, (start - weights.start) / outputs, gradient);
            take(range, gradient);
        }
        let gradient = &mut buffer[..outputs];
        gradient.fill(0.0);
        self.add_bias_gradient(index, gradient);
        take(layer.biases(), gradient);
    }

    /// Gradient of a layer's weights from input `first` on, as many as `out` has room for.
    fn weight_gradient(&self, index: usize, first: usize, out: &mut [f32]) {
        let (inputs, deltas) = self.factors(index, first, out.len());
        multiply(out, inputs.transposed(), deltas);
    }

    /// The same for all weights of a layer, added to what is there.
    pub(crate) fn add_weight_gradient(&self, index: usize, out: &mut [f32]) {
        let (inputs, deltas) = self.factors(index, 0, out.len());
        accumulate(out, inputs.transposed(), deltas);
    }

    fn factors(&self, index: usize, first: usize, room: usize) -> (Matrix<'_>, Matrix<'_>) {
        let layer = &self.layers[index];
        let inputs = Matrix::new(&self.inputs[index], self.rows, layer.inputs);
        let deltas = Matrix::new(&self.deltas[index], self.rows, layer.outputs);
        (inputs.columns(first, room / layer.outputs), deltas)
    }

    /// Gradient of a layer's biases, added to what is there.
    pub(crate) fn add_bias_gradient(&self, index: usize, out: &mut [f32]) {
        add_row_sums(out, &self.deltas[index][..self.rows * out.len()]);
    }

    /// Squared norm of one record's own gradient: that of a linear layer is the outer product of
    /// its delta and its input, with a 1 added for the bias, so the norm is the product of both
    /// (Goodfellow 2015, "Efficient per-example gradient computations", section 4).
    pub(crate) fn gradient_norm_squared(&self, row: usize) -> f64 {
        let of_layer = |(index, layer): (usize, &Layer)| {
            let input = &self.inputs[index][row * layer.inputs..][..layer.inputs];
            let delta = &self.deltas[index][row * layer.outputs..][..layer.outputs];
            sum_of_squares(delta) * (sum_of_squares(input) + 1.0)
        };
        self.layers.iter().enumerate().map(of_layer).sum()
    }

    /// Scale one record's gradient.
    pub(crate) fn scale_gradient(&mut self, row: usize, factor: f32) {
        for (delta, layer) in self.deltas.iter_mut().zip(&self.layers) {
            crate::elementwise::scale(&mut delta[row * layer.outputs..][..layer.outputs], factor);
        }
    }
}

/// Silences hidden units at random and makes up for them (inverted dropout, Srivastava et al.
/// 2014, section 10), from the model's stream "dropout".
pub(crate) struct Dropout {
    stream: ChaCha8Rng,
    /// Units whose 32-bit draw lies below are silenced.
    threshold: u32,
    scale: f32,
    mask: Vec<f32>,
}

impl Dropout {
    pub(crate) fn new(probability: f64, largest: usize, seed: Seed) -> Self {
        Self {
            stream: seed.stream("dropout"),
            threshold: (probability * 2f64.powi(32)) as u32,
            scale: (1.0 / (1.0 - probability)) as f32,
            mask: vec![0.0; largest],
        }
    }

    /// What to multiply the next units with.
    pub(crate) fn draw(&mut self, count: usize) -> &[f32] {
        for factor in &mut self.mask[..count] {
            let kept = self.stream.next_u32() >= self.threshold;
            *factor = if kept { self.scale } else { 0.0 };
        }
        &self.mask[..count]
    }
}
