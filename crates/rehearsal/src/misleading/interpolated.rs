//! A true-positive rate read off a line between two points of the curve.

use stats::roc::Roc;

use super::judged::report;
use super::{Case, Claim, Sides, broken, digits};
use guestlist::Error;

const FPR: f64 = 0.01;

pub static CASE: Case = Case {
    id: "interpolated",
    title: "a rate between two points of the curve, where no attack is",
    habit: "Scores with few values (rounded confidences, counts) make a curve with few points. np.interp draws \
            a line from the origin to the first and reads off 1%, a rate that no threshold has.",
    source: "mia/metrics.py of EZ-MIA's code (commit aa0b6b7) and Blind-MIA interpolate; the auditing of \
             jax_privacy (commit 8967688) takes the convex hull, SACRO-ML 2.0.1 interpolates thresholds \
             (executed: 0.229 where the step has 0.191)",
    data: "a network's confidence in 400 handwritten digits, to two decimals; half of them trained on",
    notices: "the step rule, always; tied-scores",
    show,
};

fn show(seed: u64) -> Result<Sides, Error> {
    let models = digits::models(seed, 400, 1)?;
    let members = &models.keep[0];
    let rounded = |phi: &f64| (100.0 / (1.0 + (-phi).exp())).round() / 100.0;
    let scores: Vec<f64> = models.phi[0].iter().map(rounded).collect();
    let rows = scores.iter().copied().zip(members.iter().copied());
    let roc = Roc::new(rows).ok_or_else(|| broken("the curve", "has no points"))?;
    let drawn = interpolated(&roc, FPR);
    let audit = report("confidence", &scores, members, seed)?;
    let rates = audit.attacks.iter().flat_map(|attack| &attack.tpr_at_fpr);
    let measured = rates.filter(|tpr| tpr.fpr == FPR).find_map(|tpr| tpr.value);
    let measured = measured.unwrap_or(0.0);
    let alarms = roc.points().iter().map(|point| point.false_positives);
    let fewest = alarms.filter(|alarms| *alarms > 0).min().unwrap_or(0);
    let fewest = fewest as f64 / roc.nonmembers() as f64;
    Ok(Sides {
        mistaken: vec![Claim::new(
            "tpr",
            drawn,
            format!(
                "TPR at 1% FPR: {:.1}%, by a line between two points",
                100.0 * drawn
            ),
        )],
        guestlist: vec![
            Claim::new(
                "tpr",
                measured,
                format!("TPR at 1% FPR: {:.1}%, by the step rule", 100.0 * measured),
            ),
            Claim::new(
                "smallest-fpr",
                fewest,
                format!(
                    "the strictest threshold that accuses anybody accuses {:.1}% of the non-members",
                    100.0 * fewest
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
