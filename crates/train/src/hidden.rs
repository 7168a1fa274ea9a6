//! What the last hidden layer makes of records.

use crate::check::check_widths;
use crate::dataset::Dataset;
use crate::model::Model;
use crate::parameters::flatten;
use crate::pass::Pass;
use base::Result;

/// Records per forward pass.
const ROWS_AT_ONCE: usize = 256;

/// The values that the output layer reads, of all records: row-major [records, width of the last
/// hidden layer].
pub fn penultimate(model: &Model, data: &Dataset) -> Result<Vec<f32>> {
    check_widths(model.network(), data)?;
    if model.network().hidden.is_empty() {
        return Err(crate::refused::shape(
            "a network without hidden layers has no penultimate layer",
            "take its logits, or the features themselves",
        ));
    }
    let parameters = flatten(model);
    let records = data.records() as u32;
    let mut pass = Pass::new(model.network(), ROWS_AT_ONCE.min(data.records()));
    let rows: Vec<u32> = (0..records).collect();
    let mut values = Vec::new();
    for batch in rows.chunks(ROWS_AT_ONCE) {
        pass.gather(data, batch);
        pass.forward(&parameters, None);
        values.extend_from_slice(pass.last_hidden());
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use stats::streams::Seed;

    use super::*;
    use crate::model::logits;
    use crate::network::{Activation, Network};

    /// The output layer's sums over them are the logits.
    #[test]
    fn the_output_layer_reads_them() {
        let network = Network {
            inputs: 3,
            hidden: vec![5, 4],
            activation: Activation::Tanh,
            outputs: 2,
        };
        let model = Model::initial(&network, Seed(3)).unwrap();
        let features: Vec<f32> = (0..900).map(|i| (i as f32 * 0.37).sin()).collect();
        let labels = vec![1; 300];
        let data = Dataset::new(&features, &labels, 2).unwrap();
        let hidden = penultimate(&model, &data).unwrap();
        let mut outputs = vec![0.0; 600];
        logits(&model, &data, None, &mut outputs).unwrap();
        let last = &model.layers()[2];
        for (record, values) in hidden.chunks(4).enumerate() {
            for class in 0..2 {
                let weights = &last.weight[class * 4..][..4];
                let sum: f32 = weights.iter().zip(values).map(|(w, v)| w * v).sum();
                let found = outputs[record * 2 + class];
                assert!((sum + last.bias[class] - found).abs() < 1e-5);
            }
        }
        let flat = Network {
            hidden: vec![],
            ..network
        };
        let flat = Model::initial(&flat, Seed(3)).unwrap();
        assert!(penultimate(&flat, &data).is_err());
    }
}
