//! A model: its network and its weights, named and laid out as PyTorch does.

use stats::streams::{Seed, uniform};

use crate::check::check_widths;
use crate::dataset::Dataset;
use crate::network::Network;
use crate::parameters::flatten;
use crate::pass::Pass;
use base::{Error, Result};

/// Records per forward pass when only outputs are wanted.
const ROWS_AT_ONCE: usize = 256;

/// A network with weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    network: Network,
    layers: Vec<Linear>,
}

/// One linear layer: weight [outputs, inputs], bias [outputs].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Linear {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

impl Model {
    /// Fresh weights by the rule of PyTorch's `nn.Linear`: weights and biases uniform on
    /// ±1/√inputs (He et al. 2015 with a = √5), drawn layer by layer from the model's stream
    /// "initial weights", weights in row order before biases.
    pub fn initial(network: &Network, seed: Seed) -> Result<Self> {
        network.check()?;
        let mut stream = seed.stream("initial weights");
        let mut draw = |count: usize, bound: f64| -> Vec<f32> {
            let one = |_| ((2.0 * uniform(&mut stream) - 1.0) * bound) as f32;
            (0..count).map(one).collect()
        };
        let linear = |(inputs, outputs)| {
            let bound = 1.0 / (inputs as f64).sqrt();
            Linear {
                weight: draw(inputs * outputs, bound),
                bias: draw(outputs, bound),
            }
        };
        Ok(Self {
            network: network.clone(),
            layers: network.layers().map(linear).collect(),
        })
    }

    pub fn network(&self) -> &Network {
        &self.network
    }

    pub(crate) fn layers(&self) -> &[Linear] {
        &self.layers
    }

    pub(crate) fn layers_mut(&mut self) -> &mut [Linear] {
        &mut self.layers
    }

    /// Name, shape and values of every tensor. The names are those of a PyTorch `nn.Sequential`
    /// of linear layers with an activation module between each two: 0.weight, 0.bias, 2.weight…
    pub fn tensors(&self) -> impl Iterator<Item = (String, Vec<usize>, &[f32])> {
        let sizes = self.network.layers().zip(&self.layers).enumerate();
        sizes.flat_map(|(index, ((inputs, outputs), layer))| {
            let weight = (weight_name(index), vec![outputs, inputs], &layer.weight[..]);
            let bias = (bias_name(index), vec![outputs], &layer.bias[..]);
            [weight, bias]
        })
    }

    /// A model from tensors named as [`Model::tensors`] names them, in any order.
    pub fn from_tensors<'a>(
        network: &Network,
        tensors: impl IntoIterator<Item = (&'a str, &'a [usize], &'a [f32])>,
    ) -> Result<Self> {
        network.check()?;
        let tensors: Vec<_> = tensors.into_iter().collect();
        let take = |name: String, shape: &[usize]| -> Result<Vec<f32>> {
            let found = tensors.iter().find(|tensor| tensor.0 == name);
            found.map_or_else(|| Err(absent(&name)), |tensor| checked(tensor, shape))
        };
        let linear = |(index, (inputs, outputs))| {
            Ok(Linear {
                weight: take(weight_name(index), &[outputs, inputs])?,
                bias: take(bias_name(index), &[outputs])?,
            })
        };
        let layers: Vec<Linear> = network
            .layers()
            .enumerate()
            .map(linear)
            .collect::<Result<_>>()?;
        if tensors.len() != 2 * layers.len() {
            return Err(crate::refused::shape(
                format!("{} tensors for {} layers", tensors.len(), layers.len()),
                "give one weight and one bias per layer of the network, and nothing else",
            ));
        }
        Ok(Self {
            network: network.clone(),
            layers,
        })
    }
}

fn weight_name(layer: usize) -> String {
    format!("{}.weight", 2 * layer)
}

fn bias_name(layer: usize) -> String {
    format!("{}.bias", 2 * layer)
}

fn absent(name: &str) -> Error {
    crate::refused::shape(
        format!("tensor {name} is missing"),
        "tensors are named as in nn.Sequential(Linear, activation, Linear, …): 0.weight, 0.bias, 2.weight…",
    )
}

fn checked((name, shape, values): &(&str, &[usize], &[f32]), wanted: &[usize]) -> Result<Vec<f32>> {
    if *shape != wanted || values.len() != wanted.iter().product::<usize>() {
        return Err(crate::refused::shape(
            format!(
                "tensor {name} is {shape:?} with {} values, not {wanted:?}",
                values.len()
            ),
            "weights are [outputs, inputs] and biases [outputs] of the network described",
        ));
    }
    if let Some(value) = values.iter().find(|value| !value.is_finite()) {
        return Err(crate::refused::shape(
            format!("tensor {name} holds {value}"),
            "the weights are damaged or their training diverged; train again",
        ));
    }
    Ok(values.to_vec())
}

/// Outputs before softmax for the rows named, or for all: row-major [rows, classes] into `out`.
pub fn logits(model: &Model, data: &Dataset, rows: Option<&[u32]>, out: &mut [f32]) -> Result<()> {
    check_widths(&model.network, data)?;
    data.check_rows(rows.unwrap_or_default())?;
    let records = rows.map_or(data.records(), <[u32]>::len);
    let classes = data.classes();
    if out.len() != records * classes {
        return Err(crate::refused::shape(
            format!(
                "{} places for {records} rows of {classes} outputs",
                out.len()
            ),
            "the buffer must be [rows, classes]",
        ));
    }
    let parameters = flatten(model);
    let mut pass = Pass::new(&model.network, ROWS_AT_ONCE.min(records));
    let mut batch = Vec::with_capacity(ROWS_AT_ONCE);
    for (index, out) in out.chunks_mut(ROWS_AT_ONCE * classes).enumerate() {
        let first = index * ROWS_AT_ONCE;
        let count = out.len() / classes;
        batch.clear();
        match rows {
            Some(rows) => batch.extend_from_slice(&rows[first..first + count]),
            None => batch.extend((first..first + count).map(|row| row as u32)),
        }
        pass.gather(data, &batch);
        out.copy_from_slice(pass.forward(&parameters, None));
    }
    Ok(())
}
