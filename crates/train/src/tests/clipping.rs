//! DP-SGD's gradient: clipping against one example at a time, and the size of the noise.

use stats::streams::Seed;

use super::twin::{Example, Twin, network, records};
use crate::dataset::Dataset;
use crate::loss::Loss;
use crate::model::Model;
use crate::network::{Activation, Network};
use crate::parameters::flatten;
use crate::privacy::mechanism::Mechanism;
use crate::recipe::Recipe;
use crate::step::{GradientRule, Learner};

const EXPECTED: f64 = 8.0;

/// The noised mean gradient of one batch.
fn private_gradient(
    network: &Network,
    data: &Dataset,
    batch: &[u32],
    norm: f64,
    noise: f64,
) -> Vec<f32> {
    let recipe = Recipe::default();
    let flat = flatten(&Model::initial(network, Seed(3)).unwrap());
    let mechanism = Mechanism::new(norm, noise, EXPECTED, Seed(3));
    let rule = GradientRule::Private(Box::new(mechanism));
    let loss = Loss::new(&recipe, data, batch);
    let mut learner = Learner::new(network, &recipe, flat, loss, rule, 8, Seed(3));
    learner.step(data, batch, 0.1);
    learner.gradient().to_vec()
}

/// Sum of clipped gradients over the expected batch size, and how many were clipped.
fn one_by_one(network: &Network, data: &Dataset, batch: &[u32], norm: f64) -> (Vec<f64>, usize) {
    let flat = flatten(&Model::initial(network, Seed(3)).unwrap());
    let parameters: Vec<f64> = flat.into_iter().map(f64::from).collect();
    let mut sum = vec![0.0; parameters.len()];
    let mut clipped = 0;
    for &row in batch {
        let example = Example {
            features: data.record(row),
            label: data.label(row),
            masks: Vec::new(),
        };
        let mut gradient = vec![0.0; parameters.len()];
        Twin::plain(network).example(&parameters, &example, &mut gradient);
        let length = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        clipped += usize::from(length > norm);
        let factor = (norm / length).min(1.0);
        sum.iter_mut()
            .zip(&gradient)
            .for_each(|(s, g)| *s += factor * g / EXPECTED);
    }
    (sum, clipped)
}

#[test]
fn clipping_agrees_with_one_example_at_a_time() {
    let (features, labels) = records(40, 6, 4);
    let data = Dataset::new(&features, &labels, 4).unwrap();
    let large: Vec<u32> = (0..29).collect();
    for (activation, hidden) in [
        (Activation::Tanh, &[9, 5][..]),
        (Activation::Relu, &[]),
        (Activation::Gelu, &[7]),
    ] {
        let network = network(activation, hidden);
        for norm in [0.5, 1.8, 50.0] {
            // Smaller than the buffers, and nearly four times as large.
            for batch in [&large[..5], &large] {
                let own = private_gradient(&network, &data, batch, norm, 0.0);
                let (expected, clipped) = one_by_one(&network, &data, batch, norm);
                for (own, expected) in own.iter().zip(&expected) {
                    assert!(
                        (f64::from(*own) - expected).abs() < 1e-6,
                        "{own} {expected}"
                    );
                }
                assert!(norm != 0.5 || clipped > 0);
                assert!(norm != 50.0 || clipped == 0);
            }
        }
    }
}

#[test]
fn noise_has_the_stated_scale() {
    let (features, labels) = records(40, 6, 4);
    let data = Dataset::new(&features, &labels, 4).unwrap();
    let network = network(Activation::Relu, &[200, 100]);
    let (norm, multiplier) = (0.7, 1.3);
    let noise = private_gradient(&network, &data, &[], norm, multiplier);
    let scale = EXPECTED / (norm * multiplier);
    let draws: Vec<f64> = noise.iter().map(|&g| f64::from(g) * scale).collect();
    let n = draws.len() as f64;
    let moment = |power: i32| draws.iter().map(|x| x.powi(power)).sum::<f64>() / n;
    // Five standard errors.
    assert!(moment(1).abs() < 5.0 / n.sqrt());
    assert!((moment(2) - 1.0).abs() < 5.0 * (2.0 / n).sqrt());
    assert!((moment(4) - 3.0).abs() < 5.0 * (96.0 / n).sqrt());
}

#[test]
fn noise_is_added_to_the_clipped_sum() {
    let (features, labels) = records(40, 6, 4);
    let data = Dataset::new(&features, &labels, 4).unwrap();
    let network = network(Activation::Tanh, &[5]);
    let batch: Vec<u32> = (0..12).collect();
    let clean = private_gradient(&network, &data, &batch, 0.5, 0.0);
    let noise = private_gradient(&network, &data, &[], 0.5, 2.0);
    let both = private_gradient(&network, &data, &batch, 0.5, 2.0);
    for ((clean, noise), both) in clean.iter().zip(&noise).zip(&both) {
        assert!((clean + noise - both).abs() < 1e-6);
    }
}
