//! Student's t distribution, from the Cauchy end to the normal limit.

use crate::beta::tails;
use crate::special::{HALF_LN_TWO_PI, half_step_excess};

/// lnΓ((ν+1)/2) − lnΓ(ν/2) − ½ ln(νπ): the part of the log density that
/// depends on the degrees of freedom alone. Tends to −½ ln 2π. NaN unless ν > 0.
pub fn student_t_constant(degrees: f64) -> f64 {
    half_step_excess(0.5 * degrees) - HALF_LN_TWO_PI
}

/// ln of the density of location + √scale_squared · T(ν). NaN unless
/// `degrees` and `scale_squared` are positive and finite.
pub fn ln_student_t_pdf(x: f64, degrees: f64, location: f64, scale_squared: f64) -> f64 {
    let deviation = (x - location).abs() / (degrees * scale_squared).sqrt();
    let spread = if deviation < 1e150 {
        (deviation * deviation).ln_1p()
    } else {
        2.0 * deviation.ln()
    };
    student_t_constant(degrees) - 0.5 * scale_squared.ln() - 0.5 * (degrees + 1.0) * spread
}

/// P[T > t], with full relative accuracy in the upper tail (DLMF 8.17 with
/// x = ν/(ν+t²), a = ν/2, b = ½). NaN unless ν > 0.
pub fn student_t_sf(t: f64, degrees: f64) -> f64 {
    if t < 0.0 {
        return 1.0 - student_t_sf(-t, degrees);
    }
    let ratio = t * (t / degrees);
    let outside = 1.0 / (1.0 + ratio);
    let inside = if ratio.is_infinite() {
        1.0
    } else {
        ratio / (1.0 + ratio)
    };
    0.5 * tails(0.5 * degrees, 0.5, outside, inside).lower()
}
