//! `gamma`: log-likelihood ratio of Gamma-distributed losses.

use stats::special::{digamma, ln_gamma, softplus, trigamma};

use super::ShadowAttack;
use super::gaussian::need_both;
use super::statistics::{Shape, Wants, ln_loss};
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use crate::settings::{Kind, Setting};
use base::Result;

pub struct Gamma;

static FLOOR: Setting = Setting {
    key: "gamma.floor",
    kind: Kind::Number {
        default: 1e-10,
        least: 1e-14,
        most: 1.0,
    },
    help: "smallest spread ln(mean ℓ) − mean(ln ℓ) a record may have: constant losses would \
           make the law infinitely narrow",
};

static CARD: Card = Card {
    id: "gamma",
    summary: "log-likelihood ratio of the loss under one Gamma law per class",
    asks: "Is this loss more likely under the IN or under the OUT shadows' distribution of loss?",
    why_it_works: "A Gamma law fits positive, skewed losses better than an exponential and needs \
                   no rescaling.",
    access: Access::InAndOutShadows,
    when_it_misleads: "With few shadows its two parameters per class are noise, and its scores \
                       can be astronomically large: ranks are informative, sizes are not.",
    paper: "Brännvall 2026, arXiv:2603.11799, appendices A and E",
    settings: &[&FLOOR],
};

impl ShadowAttack for Gamma {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn wants(&self) -> Wants {
        Wants::SHAPES
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let floor = view.settings.number(&FLOOR);
        Ok(view.per_shape(|record, shapes| {
            need_both(record)?;
            let inside = Law::fit(&shapes.inside, floor);
            let outside = Law::fit(&shapes.outside, floor);
            Ok(inside.ln_density(record.target) - outside.ln_density(record.target))
        }))
    }
}

/// A Gamma law of the loss: shape κ and the log of the scale ϑ.
struct Law {
    shape: f64,
    ln_scale: f64,
}

impl Law {
    fn fit(class: &Shape, floor: f64) -> Self {
        let ln_mean = class.mean_loss.ln();
        let shape = solve_shape((ln_mean - class.mean_ln_loss).max(floor));
        Law {
            shape,
            ln_scale: ln_mean - shape.ln(),
        }
    }

    fn ln_density(&self, phi: f64) -> f64 {
        (self.shape - 1.0) * ln_loss(phi)
            - softplus(-phi) / self.ln_scale.exp()
            - ln_gamma(self.shape)
            - self.shape * self.ln_scale
    }
}

/// Solves ln κ − ψ(κ) = spread by Newton's method on ln κ, on which the function is nearly linear.
fn solve_shape(spread: f64) -> f64 {
    // Minka 2002's start, good to a few per cent everywhere.
    let start = 3.0 - spread + ((spread - 3.0).powi(2) + 24.0 * spread).sqrt();
    let mut ln_shape = (start / (12.0 * spread)).ln();
    for _ in 0..50 {
        let shape = ln_shape.exp();
        // Newton on ln(ln κ − ψ(κ)) against ln κ: slope −1 at both ends.
        let value = excess(shape);
        let slope = (1.0 - shape * trigamma(shape)) / value;
        let step = (value / spread).ln() / slope;
        ln_shape -= step;
        if step.abs() < 1e-14 * ln_shape.abs().max(1.0) {
            break;
        }
    }
    ln_shape.exp()
}

/// ln κ − ψ(κ), from its asymptotic series where the difference would cancel.
fn excess(shape: f64) -> f64 {
    if shape < 50.0 {
        return shape.ln() - digamma(shape);
    }
    let inverse = 1.0 / shape;
    let square = inverse * inverse;
    inverse / 2.0
        + square * (1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square / 240.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_solves_its_equation_from_flat_to_needle() {
        for exponent in -9..=2 {
            let spread = 10f64.powi(exponent);
            let shape = solve_shape(spread);
            let error = (excess(shape) / spread - 1.0).abs();
            assert!(error < 1e-12, "{spread}: shape {shape}, error {error}");
        }
    }

    #[test]
    fn series_and_difference_agree_where_they_meet() {
        let direct = 50f64.ln() - digamma(50.0);
        assert!((excess(50.0) - direct).abs() < 1e-15);
    }
}
