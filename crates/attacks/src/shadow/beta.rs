//! `beta`: log-likelihood ratio of Beta-distributed confidences.

use stats::special::{ln_beta, ln_sigmoid, trigamma};

use super::ShadowAttack;
use super::gaussian::need_both;
use super::statistics::{Shape, Wants};
use super::view::View;
use crate::card::{Access, Card};
use crate::error::Result;
use crate::scores::Scores;
use crate::settings::{Kind, Setting};

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
        Ok(view.per_record(|record| {
            need_both(record)?;
            let inside = Law::fit(&record.inside_shape, limit);
            let outside = Law::fit(&record.outside_shape, limit);
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

/// ψ(a+b) − ψ(a) without cancellation: terms of the recurrence, then of the asymptotic series,
/// each subtracted by hand (DLMF 5.5.2 and 5.11.2).
fn digamma_difference(a: f64, b: f64) -> f64 {
    let mut low = a;
    let mut sum = 0.0;
    while low < 12.0 {
        sum += b / (low * (low + b));
        low += 1.0;
    }
    let high = low + b;
    // B₂ₙ/2n of the series ψ(x) = ln x − 1/2x − Σ B₂ₙ/(2n x²ⁿ).
    const TERMS: [f64; 6] = [
        1.0 / 12.0,
        -1.0 / 120.0,
        1.0 / 252.0,
        -1.0 / 240.0,
        1.0 / 132.0,
        -691.0 / 32_760.0,
    ];
    sum += (b / low).ln_1p() + b / (2.0 * low * high);
    let (low_square, high_square) = (low * low, high * high);
    let apart = b * (low + high) / (low_square * high_square);
    // x⁻²ⁿ − y⁻²ⁿ = (x⁻² − y⁻²)·Σ x⁻²ⁱ y⁻²ʲ over i + j = n − 1.
    let (mut power, mut mixed) = (1.0, 1.0);
    for term in TERMS {
        sum += term * apart * mixed;
        power /= high_square;
        mixed = mixed / low_square + power;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_keeps_its_digits() {
        use stats::special::digamma;
        for (a, b) in [(0.3, 0.7), (2.0, 5.0), (13.0, 40.0), (0.01, 200.0)] {
            let plain = digamma(a + b) - digamma(a);
            let error = (digamma_difference(a, b) / plain - 1.0).abs();
            assert!(error < 1e-13, "{a} {b}: {error}");
        }
        // ψ(a+1) − ψ(a) = 1/a exactly.
        assert!((digamma_difference(1e14, 1.0) * 1e14 - 1.0).abs() < 1e-14);
    }

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
