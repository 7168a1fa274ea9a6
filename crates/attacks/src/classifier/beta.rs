//! `beta`: log-likelihood ratio of Beta-distributed confidences.

use stats::special::{digamma_difference, ln_beta, ln_sigmoid, trigamma};

use super::ShadowAttack;
use super::gaussian::need_both;
use super::statistics::{Shape, Wants};
use super::view::View;
use crate::card::{Access, Card};
use crate::scores::Scores;
use crate::settings::{Kind, Setting};
use base::Result;

pub struct Beta;

static LIMIT: Setting = Setting {
    key: "beta.limit",
    kind: Kind::Number {
        default: 1e12,
        least: 10.0,
        most: 1e15,
    },
    help: "largest parameter a record's Beta law may have: constant confidences would make it \
           infinitely narrow",
};

static CARD: Card = Card {
    id: "beta",
    summary: "log-likelihood ratio of the confidence under one Beta law per class",
    asks: "Is this confidence more likely under the IN or under the OUT shadows' distribution?",
    why_it_works: "Confidences live between 0 and 1 and pile up at 1; a Beta law has that shape.",
    access: Access::InAndOutShadows,
    when_it_misleads: "Two parameters per class from a few shadows are noise; scores can be \
                       astronomically large. Ranks are informative, sizes are not.",
    paper: "Brännvall 2026, arXiv:2603.11799, appendices A and E",
    settings: &[&LIMIT],
};

impl ShadowAttack for Beta {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn wants(&self) -> Wants {
        Wants::SHAPES
    }

    fn score(&self, view: &View) -> Result<Scores> {
        let limit = view.settings.number(&LIMIT);
        Ok(view.per_shape(|record, shapes| {
            need_both(record)?;
            let inside = Law::fit(&shapes.inside, limit);
            let outside = Law::fit(&shapes.outside, limit);
            Ok(inside.ln_density(record.target) - outside.ln_density(record.target))
        }))
    }
}

/// A Beta law of the confidence.
#[derive(Clone, Copy, Debug)]
struct Law {
    a: f64,
    b: f64,
}

impl Law {
    /// Maximum likelihood: ψ(a+b) − ψ(a) = −mean ln p, ψ(a+b) − ψ(b) = −mean ln(1−p).
    fn fit(class: &Shape, limit: f64) -> Self {
        let wanted = [class.mean_loss, -class.mean_ln_complement];
        let mut law = Law::start(wanted, limit);
        for _ in 0..200 {
            let step = law.newton_step(wanted);
            let next = Law {
                a: (law.a * step[0].clamp(-1.5, 1.5).exp()).clamp(1e-12, limit),
                b: (law.b * step[1].clamp(-1.5, 1.5).exp()).clamp(1e-12, limit),
            };
            let moved = (next.a / law.a - 1.0).abs() + (next.b / law.b - 1.0).abs();
            law = next;
            if moved < 1e-14 {
                break;
            }
        }
        law
    }

    /// A start between the one-sided solutions: with mean m ≈ P(p), total ≈ 1.
    fn start(wanted: [f64; 2], limit: f64) -> Self {
        let mean = (-wanted[0]).exp();
        let complement = (-wanted[1]).exp();
        // E[ln p] ≈ ln m − (1−m)/(2mT): how far the geometric means fall short of one tells T.
        let short = (1.0 - mean - complement).max(1e-12);
        let total = (0.5 / short).clamp(1e-3, limit);
        Law {
            a: (total * mean + 0.5).min(limit),
            b: (total * complement + 1e-3).min(limit),
        }
    }

    /// Newton's step in (ln a, ln b), on which the equations are closest to linear.
    fn newton_step(self, wanted: [f64; 2]) -> [f64; 2] {
        let Law { a, b } = self;
        let residual = [
            wanted[0] - digamma_difference(a, b),
            wanted[1] - digamma_difference(b, a),
        ];
        let shared = trigamma(a + b);
        // Derivatives of ψ(a+b) − ψ(a) and ψ(a+b) − ψ(b) by ln a and ln b.
        let (aa, ab) = (a * (shared - trigamma(a)), b * shared);
        let (ba, bb) = (a * shared, b * (shared - trigamma(b)));
        let determinant = aa * bb - ab * ba;
        [
            (residual[0] * bb - residual[1] * ab) / determinant,
            (residual[1] * aa - residual[0] * ba) / determinant,
        ]
    }

    fn ln_density(self, phi: f64) -> f64 {
        (self.a - 1.0) * ln_sigmoid(phi) + (self.b - 1.0) * ln_sigmoid(-phi)
            - ln_beta(self.a, self.b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_finds_the_law_it_was_made_from() {
        for (a, b) in [
            (0.5, 0.5),
            (2.0, 5.0),
            (40.0, 0.3),
            (1e4, 2.0),
            (3e6, 0.7),
            (0.02, 9.0),
        ] {
            let class = Shape {
                mean_loss: digamma_difference(a, b),
                mean_ln_complement: -digamma_difference(b, a),
                ..Shape::default()
            };
            let law = Law::fit(&class, 1e12);
            assert!((law.a / a - 1.0).abs() < 1e-8, "{a} {b}: {law:?}");
            assert!((law.b / b - 1.0).abs() < 1e-8, "{a} {b}: {law:?}");
        }
    }
}
