//! Means of the loss and of logarithms, the sufficient statistics of the Exponential, Gamma and
//! Beta families. Everything is computed from φ, so nothing is lost near p = 1.

use stats::special::{ln_sigmoid, softplus};

use super::block::Column;

/// Means over one class of a record's shadows; loss ℓ = −ln p.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shape {
    pub mean_loss: f64,
    pub mean_ln_loss: f64,
    pub mean_ln_complement: f64,
}

/// Both classes of one record.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shapes {
    pub inside: Shape,
    pub outside: Shape,
}

impl Shapes {
    pub(crate) fn new(column: &Column) -> Self {
        Shapes {
            inside: Shape::new(column.class(true)),
            outside: Shape::new(column.class(false)),
        }
    }
}

impl Shape {
    fn new(phi: impl Iterator<Item = f64>) -> Self {
        let mut shape = Shape::default();
        let mut n = 0.0;
        for phi in phi {
            n += 1.0;
            shape.mean_loss += softplus(-phi);
            shape.mean_ln_loss += ln_loss(phi);
            shape.mean_ln_complement += ln_sigmoid(-phi);
        }
        Shape {
            mean_loss: shape.mean_loss / n,
            mean_ln_loss: shape.mean_ln_loss / n,
            mean_ln_complement: shape.mean_ln_complement / n,
        }
    }
}

/// ln ℓ = ln(−ln p). For large φ the loss is e^−φ(1 − e^−φ/2 + …), whose log needs no exponential
/// that could underflow.
pub fn ln_loss(phi: f64) -> f64 {
    if phi > 36.0 {
        -phi - 0.5 * (-phi).exp()
    } else {
        softplus(-phi).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_of_the_loss_survives_confidence() {
        assert!((ln_loss(0.0) - std::f64::consts::LN_2.ln()).abs() < 1e-15);
        assert!((ln_loss(35.999) - ln_loss(36.001) - 0.002).abs() < 1e-9);
        assert_eq!(ln_loss(2000.0), -2000.0);
        assert!((ln_loss(-50.0) - 50f64.ln()).abs() < 1e-15);
    }
}
