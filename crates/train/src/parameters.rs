//! The weights while they are trained: one flat buffer, layer after layer.
//!
//! Weights lie as [inputs, outputs], the other way round than in PyTorch: the forward product then
//! reads them along the vectors, and its cost is the largest that a layout can save. `model` turns
//! them round when training begins and ends.

use std::ops::Range;

use crate::model::Model;
use crate::network::Network;

/// Where one layer lies in the flat buffer.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// Weights, then biases.
    start: usize,
}

impl Layer {
    pub(crate) fn weights(&self) -> Range<usize> {
        self.start..self.start + self.inputs * self.outputs
    }

    pub(crate) fn biases(&self) -> Range<usize> {
        let start = self.weights().end;
        start..start + self.outputs
    }
}

/// Layers of a network, as they lie one after the other.
pub(crate) fn layers(network: &Network) -> Vec<Layer> {
    let mut start = 0;
    let place = |(inputs, outputs)| {
        let layer = Layer {
            inputs,
            outputs,
            start,
        };
        start = layer.biases().end;
        layer
    };
    network.layers().map(place).collect()
}

/// A model's weights, flat.
pub(crate) fn flatten(model: &Model) -> Vec<f32> {
    let mut flat = Vec::new();
    for ((inputs, outputs), layer) in model.network().layers().zip(model.layers()) {
        for input in 0..inputs {
            flat.extend((0..outputs).map(|output| layer.weight[output * inputs + input]));
        }
        flat.extend(&layer.bias);
    }
    flat
}

/// The other way round: flat weights put into a model of the same network.
pub(crate) fn unflatten(flat: &[f32], model: &mut Model) {
    for (place, layer) in layers(&model.network().clone())
        .iter()
        .zip(model.layers_mut())
    {
        let weights = &flat[place.weights()];
        for (index, weight) in layer.weight.iter_mut().enumerate() {
            let (output, input) = (index / place.inputs, index % place.inputs);
            *weight = weights[input * place.outputs + output];
        }
        layer.bias.copy_from_slice(&flat[place.biases()]);
    }
}
