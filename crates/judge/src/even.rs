//! What a leak that lies just at a gate's threshold shows elsewhere, where it is spread evenly over the members:
//! what guardrails hold against that which the gate itself does not look at.
//!
//! Scores are then two normals of equal spread, and the threshold says how far they lie apart. A rate is that of
//! few records, so that it says little of the rest: a leak at the usual threshold of AUC is allowed beside any. From
//! ε no curve follows: canaries that were trained on several times may show more than their bound on one record.

use stats::normal::{normal_cdf, normal_quantile};

use crate::gate::{DEFAULT_AUC_THRESHOLD, Gate, Measure};

/// The members that such a leak catches at a rate of false accusations; nothing where the gate does not say.
pub(crate) fn caught(gate: &Gate, rate: f64) -> Option<f64> {
    Some(normal_cdf(normal_quantile(rate) + apart(gate)?))
}

/// Its advantage at the best threshold; nothing where the gate does not say.
pub(crate) fn advantage(gate: &Gate) -> Option<f64> {
    Some(2.0 * normal_cdf(apart(gate)? / 2.0) - 1.0)
}

/// The distance of both normals in their deviations.
fn apart(gate: &Gate) -> Option<f64> {
    let of_area = |auc: f64| std::f64::consts::SQRT_2 * normal_quantile(auc);
    let threshold = gate.threshold;
    match gate.measure {
        Measure::Epsilon(_) => None,
        _ if threshold >= 1.0 => None,
        Measure::Auc => Some(of_area(threshold.max(0.5))),
        Measure::TprAtFpr(fpr) => {
            let rate = normal_quantile(threshold) - normal_quantile(fpr);
            Some(rate.max(of_area(DEFAULT_AUC_THRESHOLD)))
        }
        Measure::Advantage => Some(2.0 * normal_quantile((1.0 + threshold.max(0.0)) / 2.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(measure: &str, threshold: f64) -> Gate {
        Gate {
            measure: Measure::parse(measure).unwrap(),
            threshold,
            ..Gate::default()
        }
    }

    #[test]
    fn an_even_leak_has_the_advantage_of_two_normals() {
        let of = |measure, threshold| advantage(&gate(measure, threshold));
        assert_eq!(of("auc", 0.5), Some(0.0));
        assert!((of("auc", 0.65).unwrap() - 0.214_75).abs() < 1e-3);
        assert!(of("auc", 0.99).unwrap() > 0.89);
        assert_eq!(of("auc", 1.0), None);
        assert!((of("advantage", 0.3).unwrap() - 0.3).abs() < 1e-12);
        // At 1% such a rate takes normals that are 0.576 apart; a lower one allows what the usual gate does.
        assert!((of("tpr@0.01", 0.04).unwrap() - 0.2265).abs() < 1e-3);
        assert_eq!(of("tpr@0.01", 0.011), of("auc", 0.65));
        assert_eq!(of("epsilon", 0.5), None);
    }

    #[test]
    fn an_even_leak_catches_what_the_gate_asks_about() {
        let of = |measure, threshold, rate| caught(&gate(measure, threshold), rate).unwrap();
        assert!((of("tpr@0.01", 0.2, 0.01) - 0.2).abs() < 1e-12);
        // What docs say of the usual gate.
        assert!((of("auc", 0.65, 0.01) - 0.037).abs() < 1e-3);
    }
}
