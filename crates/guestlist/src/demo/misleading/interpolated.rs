//! A true-positive rate read off a line between two points of the curve.

use stats::roc::Roc;

use super::judged::report;
use super::{Case, Said, Sides, broken, digits};
use crate::Error;

const FPR: f64 = 0.01;

pub static CASE: Case = Case {
    id: "interpolated",
    title: "a rate between two points of the curve, where no attack is",
    habit: "The curve has a point at no false alarm and one at the first. np.interp draws a line and \
            reads off 1%. With 40 non-members there is no threshold that errs on 1% of them.",
    source: "mia/metrics.py of EZ-MIA's code (commit aa0b6b7) and Blind-MIA interpolate; the auditing of \
             jax_privacy (commit 8967688) takes the convex hull, SACRO-ML 2.0.1 interpolates thresholds",
    data: "a network trained on 40 of 80 handwritten digits",
    notices: "the step rule, always; enough-nonmembers, and the measure is refused",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let models = digits::models(seed, 80, 1)?;
    let (phi, members) = (&models.phi[0], &models.keep[0]);
    let rows = phi.iter().copied().zip(members.iter().copied());
    let roc = Roc::new(rows).ok_or_else(|| broken("the curve", "has no points"))?;
    let drawn = interpolated(&roc, FPR);
    let audit = report("confidence", phi, members, seed)?;
    let measured = audit.attacks[0]
        .tpr_at_fpr
        .iter()
        .find(|tpr| tpr.fpr == FPR)
        .and_then(|tpr| tpr.value);
    let none = roc.point_at_false_positives(0).true_positives as f64 / roc.members() as f64;
    let said = match measured {
        None => format!(
            "TPR at 1% FPR: too few; {} non-members cannot show it",
            roc.nonmembers()
        ),
        Some(value) => format!("TPR at 1% FPR: {:.1}%", 100.0 * value),
    };
    Ok(Sides {
        mistaken: vec![Said::new(
            "tpr",
            drawn,
            format!(
                "TPR at 1% FPR: {:.1}%, by a line between two points",
                100.0 * drawn
            ),
        )],
        guestlist: vec![
            Said::new("refused", f64::from(u8::from(measured.is_none())), said),
            Said::new(
                "tpr-without-false-positive",
                none,
                format!(
                    "what was seen: {:.1}% of the members above every non-member",
                    100.0 * none
                ),
            ),
        ],
    })
}

/// The mistake: a straight line from the last point below the rate to the first above it.
fn interpolated(roc: &Roc, fpr: f64) -> f64 {
    let (members, others) = (roc.members() as f64, roc.nonmembers() as f64);
    let points = roc.points().iter();
    let points: Vec<(f64, f64)> = points
        .map(|point| {
            let (x, y) = (point.false_positives as f64, point.true_positives as f64);
            (x / others, y / members)
        })
        .collect();
    let behind = points.partition_point(|point| point.0 <= fpr);
    let (before, after) = (points[behind - 1], points[behind.min(points.len() - 1)]);
    match after.0 > before.0 {
        true => before.1 + (after.1 - before.1) * (fpr - before.0) / (after.0 - before.0),
        false => before.1,
    }
}
