//! The regularised incomplete beta function, its inverse, and the exact
//! binomial (Clopper–Pearson) bounds that are its main use.
//!
//! The integral is prefactor × continued fraction. The prefactor is written
//! with deviances (Loader 2000), so that a million trials cost no digits, and
//! both x and 1 − x are carried so that neither end is rounded away.

use crate::normal::normal_quantile_of_ln;
use crate::special::{HALF_LN_TWO_PI, ln_beta, log_diff_exp, stirling_error};
use std::f64::consts::LN_2;

/// I_x(a, b) and 1 − I_x(a, b): the one that was computed directly, in logs.
#[derive(Clone, Copy)]
pub(crate) enum Tails {
    Lower(f64),
    Upper(f64),
}

impl Tails {
    pub(crate) fn lower(self) -> f64 {
        match self {
            Tails::Lower(ln_lower) => ln_lower.exp(),
            Tails::Upper(ln_upper) => -ln_upper.exp_m1(),
        }
    }

    pub(crate) fn ln(self, side: Side) -> f64 {
        match (self, side) {
            (Tails::Lower(ln), Side::Lower) | (Tails::Upper(ln), Side::Upper) => ln,
            (Tails::Lower(ln), Side::Upper) | (Tails::Upper(ln), Side::Lower) => {
                log_diff_exp(0.0, ln)
            }
        }
    }
}

/// An end to the continued fraction for shapes beyond about 1e12, which no
/// count of records reaches: a coarser answer rather than no answer.
const MOST_TERMS: f64 = 1e7;

/// A step so small is the last: the square of a slope of a million times its cube is beyond the last digit.
const CONVERGED: f64 = 1e-11;

/// Which tail of the beta distribution a probability belongs to.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Side {
    Lower,
    Upper,
}

/// I_x(a, b) for a, b > 0 and 0 ≤ x ≤ 1, else NaN.
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    tails(a, b, x, 1.0 - x).lower()
}

/// ln I_x(a, b), finite however small I_x is.
pub fn ln_incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    tails(a, b, x, 1.0 - x).ln(Side::Lower)
}

/// Both tails at x, with y = 1 − x given by the caller to full precision.
/// NaN for arguments out of domain.
pub(crate) fn tails(a: f64, b: f64, x: f64, y: f64) -> Tails {
    let inside = a > 0.0 && b > 0.0 && x >= 0.0 && y >= 0.0;
    if !inside || a.is_infinite() || b.is_infinite() {
        Tails::Lower(f64::NAN)
    } else if x == 0.0 {
        Tails::Lower(f64::NEG_INFINITY)
    } else if y == 0.0 {
        Tails::Upper(f64::NEG_INFINITY)
    } else if lower_is_direct(a, b, x, y) {
        Tails::Lower(ln_density_factor(a, b, x, y) - continued_fraction(a, b, x, y).ln())
    } else {
        Tails::Upper(ln_density_factor(b, a, y, x) - continued_fraction(b, a, y, x).ln())
    }
}

/// Whether to sum the lower tail (else the upper): the one that is the smaller,
/// split at the mean; but where the mean hugs an end, as it does for a shape
/// below one, split where the continued fraction still converges quickly.
fn lower_is_direct(a: f64, b: f64, x: f64, y: f64) -> bool {
    let below_mean = a * y >= b * x;
    let room = if below_mean { y } else { x };
    if room > 1e-3 {
        below_mean
    } else {
        (a + 1.0) * y >= (b + 1.0) * x
    }
}

/// ln of xᵃ yᵇ / B(a, b), by deviances: with n = a + b it is
/// ½ ln(ab/2πn) + δ(n) − δ(a) − δ(b) − D(a, nx) − D(b, ny) (Loader 2000, eq. 4).
pub(crate) fn ln_density_factor(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    // nx = a − lag and ny = b + lag.
    let lag = a * y - b * x;
    let corrections = stirling_error(n) - stirling_error(a) - stirling_error(b);
    let deviances = deviance(a, -lag, n * x) + deviance(b, lag, n * y);
    0.5 * (a / n * b).ln() - HALF_LN_TWO_PI + corrections - deviances
}

/// count · ln(count/expected) + excess, where excess = expected − count.
fn deviance(count: f64, excess: f64, expected: f64) -> f64 {
    let relative = excess / count;
    if relative.abs() < 0.5 {
        count * excess_over_log(relative)
    } else {
        excess - count * (expected / count).ln()
    }
}

/// t − ln(1+t) for |t| ≤ ½, without cancellation: with r = t/(2+t),
/// ln(1+t) = 2 artanh r (DLMF 4.6.3) and t − 2r = t·r.
fn excess_over_log(t: f64) -> f64 {
    let r = t / (2.0 + t);
    let square = r * r;
    let mut sum = 0.0;
    let mut power = 2.0 * square * r;
    let mut odd = 3.0;
    while power.abs() > 1e-18 * t.abs() * r.abs() {
        sum += power / odd;
        power *= square;
        odd += 2.0;
    }
    t * r - sum
}

/// The continued fraction C with I_x(a, b) = xᵃ yᵇ / (B(a, b) · C), best for
/// x up to about a/(a+b) (DiDonato and Morris 1992, eq. 9.1; the even part of
/// DLMF 8.17.22), by the modified Lentz method. About √max(a, b) terms.
fn continued_fraction(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let lag = a * y - b * x;
    let limit = (10_000.0 + 50.0 * a.max(b).sqrt()).min(MOST_TERMS);
    let mut value = a * (lag + 1.0) / (a + 1.0);
    let mut upper = value;
    let mut lower = 0.0;
    let mut n = 1.0;
    while n < limit {
        let step = a + 2.0 * n - 1.0;
        let pull = n * (b - n) * x / step;
        let numerator = (a + n - 1.0) * ((a + b + n - 1.0) * x / step) * pull;
        let denominator = n + pull + (a + n) * (lag + 1.0 + n * (1.0 + y)) / (step + 2.0);
        lower = 1.0 / (denominator + numerator * lower);
        upper = denominator + numerator / upper;
        let factor = upper * lower;
        value *= factor;
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
        n += 1.0;
    }
    value
}

/// x with I_x(a, b) = p; NaN unless a, b > 0 and 0 ≤ p ≤ 1.
pub fn inverse_incomplete_beta(a: f64, b: f64, p: f64) -> f64 {
    if p <= 0.5 {
        quantile(a, b, p.ln(), Side::Lower)
    } else {
        quantile(a, b, (1.0 - p).ln(), Side::Upper)
    }
}

/// The x that leaves probability exp(ln_p) on the given side.
fn quantile(a: f64, b: f64, ln_p: f64, side: Side) -> f64 {
    let middle = tails(a, b, 0.5, 0.5).ln(side);
    if middle.is_nan() || ln_p.is_nan() || ln_p > 0.0 {
        return f64::NAN;
    }
    let left_of_middle = (ln_p <= middle) == (side == Side::Lower);
    if left_of_middle {
        solve_left(a, b, ln_p, side).exp()
    } else {
        let mirrored = if side == Side::Lower {
            Side::Upper
        } else {
            Side::Lower
        };
        -solve_left(b, a, ln_p, mirrored).exp_m1()
    }
}

/// ln x ≤ ln ½ of the quantile: Halley's method on the logs of both x and probability,
/// where the function is nearly straight in the tails, kept in a bracket. With g = ln of
/// the tail and t = ln x, g″/g′ = a − (b − 1)·x/(1 − x) − g′.
fn solve_left(a: f64, b: f64, ln_p: f64, side: Side) -> f64 {
    let (mut low, mut high) = (-746.0, -LN_2);
    let mut ln_x = first_guess(a, b, ln_p, side).clamp(-700.0, high);
    for _ in 0..200 {
        let (x, y) = (ln_x.exp(), -ln_x.exp_m1());
        let ln_tail = tails(a, b, x, y).ln(side);
        let beyond = (ln_tail > ln_p) == (side == Side::Lower);
        if beyond {
            high = ln_x
        } else {
            low = ln_x
        }
        let slope = (ln_density_factor(a, b, x, y) - ln_tail).exp() / y;
        let signed = if side == Side::Lower { slope } else { -slope };
        let newton = (ln_tail - ln_p) / signed;
        let bend = 0.5 * newton * (a - (b - 1.0) * x / y - signed);
        // Where the function bends much, the tangent is the safer guess.
        let step = if bend.abs() < 0.5 {
            newton / (1.0 - bend)
        } else {
            newton
        };
        // After a step of the method its error is of the order of the step's cube.
        if step.abs() <= CONVERGED * ln_x.abs() {
            ln_x -= step;
            break;
        }
        let halley = ln_x - step;
        let next = if halley > low && halley < high {
            halley
        } else {
            0.5 * (low + high)
        };
        let moved = (next - ln_x).abs();
        ln_x = next;
        if moved <= 4e-16 * ln_x.abs() {
            break;
        }
    }
    ln_x
}

/// Normal approximation of ln X for shapes of at least one, otherwise the
/// leading term xᵃ/(a B(a, b)) of the lower tail.
fn first_guess(a: f64, b: f64, ln_p: f64, side: Side) -> f64 {
    if a < 1.0 || b < 1.0 {
        let ln_lower = if side == Side::Lower {
            ln_p
        } else {
            log_diff_exp(0.0, ln_p)
        };
        return (ln_lower + a.ln() + ln_beta(a, b)) / a;
    }
    let z = normal_quantile_of_ln(ln_p);
    let signed = if side == Side::Lower { z } else { -z };
    (a / (a + b)).ln() + signed * (b / (a * (a + b + 1.0))).sqrt()
}

/// One-sided lower confidence bound, at error level `alpha`, of a binomial
/// proportion (Clopper and Pearson 1934): 0 when there is no success. NaN when
/// successes exceed trials or alpha is not in (0, 1).
pub fn clopper_pearson_lower(successes: u64, trials: u64, alpha: f64) -> f64 {
    clopper_pearson_lower_of(successes as f64, trials as f64, alpha)
}

/// One-sided upper confidence bound: 1 when every trial succeeded. NaN as for
/// the lower bound.
pub fn clopper_pearson_upper(successes: u64, trials: u64, alpha: f64) -> f64 {
    clopper_pearson_upper_of(successes as f64, trials as f64, alpha)
}

/// The lower bound at an effective number of trials, which need not be whole
/// (Korn and Graubard 1998).
pub fn clopper_pearson_lower_of(successes: f64, trials: f64, alpha: f64) -> f64 {
    if !bounds_exist(successes, trials, alpha) {
        f64::NAN
    } else if successes == 0.0 {
        0.0
    } else if successes == trials {
        (alpha.ln() / trials).exp()
    } else {
        let failures = trials - successes;
        quantile(successes, failures + 1.0, alpha.ln(), Side::Lower)
    }
}

/// The upper bound at an effective number of trials.
pub fn clopper_pearson_upper_of(successes: f64, trials: f64, alpha: f64) -> f64 {
    if !bounds_exist(successes, trials, alpha) {
        f64::NAN
    } else if successes == trials {
        1.0
    } else if successes == 0.0 {
        -(alpha.ln() / trials).exp_m1()
    } else {
        let failures = trials - successes;
        quantile(successes + 1.0, failures, alpha.ln(), Side::Upper)
    }
}

fn bounds_exist(successes: f64, trials: f64, alpha: f64) -> bool {
    successes <= trials && alpha > 0.0 && alpha < 1.0
}
