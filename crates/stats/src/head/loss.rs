//! The two losses of a two-way output, with their derivatives by the difference of the logits.
//!
//! With d = z₁ − z₀ everything is a function of d; the derivative by z₁ is that by d, and by z₀
//! its opposite.

/// A loss and its derivative by z₁ − z₀.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slope {
    pub(super) loss: f64,
    pub(super) derivative: f64,
}

/// 1 / (1 + e⁻ᵈ).
pub(super) fn sigmoid(difference: f64) -> f64 {
    if difference >= 0.0 {
        1.0 / (1.0 + (-difference).exp())
    } else {
        let small = difference.exp();
        small / (1.0 + small)
    }
}

/// ln(1 + eˣ) without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// −ln p of the true side.
pub(super) fn cross_entropy(difference: f64, positive: bool) -> Slope {
    let (loss, target) = if positive {
        (softplus(-difference), 1.0)
    } else {
        (softplus(difference), 0.0)
    };
    Slope {
        loss,
        derivative: sigmoid(difference) - target,
    }
}

/// H(softmax(z / T)); dH/dzⱼ = −pⱼ (ln pⱼ + H) / T, which is −p₁ p₀ (d/T) / T for j = 1.
pub(super) fn entropy(difference: f64, temperature: f64) -> Slope {
    let scaled = difference / temperature;
    let (positive, negative) = (sigmoid(scaled), sigmoid(-scaled));
    Slope {
        loss: positive * softplus(-scaled) + negative * softplus(scaled),
        derivative: -positive * negative * scaled / temperature,
    }
}
