//! The measures that can be followed across audits, and their names in addresses.

use judge::AttackMeasures;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    Auc,
    Tpr(f64),
    LogMiaA,
    LogMiaB,
    BalancedAccuracy,
    Advantage,
    Epsilon,
}

/// A value with its interval, where it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    pub value: f64,
    pub interval: Option<(f64, f64)>,
}

impl Measure {
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "auc" => Measure::Auc,
            "log-mia-a" => Measure::LogMiaA,
            "log-mia-b" => Measure::LogMiaB,
            "balanced-accuracy" => Measure::BalancedAccuracy,
            "advantage" => Measure::Advantage,
            "epsilon" => Measure::Epsilon,
            _ => {
                let rate: f64 = text.strip_prefix("tpr@")?.parse().ok()?;
                return (rate > 0.0 && rate < 1.0).then_some(Measure::Tpr(rate));
            }
        })
    }

    pub fn name(self) -> String {
        match self {
            Measure::Auc => "auc".into(),
            Measure::Tpr(rate) => format!("tpr@{rate}"),
            Measure::LogMiaA => "log-mia-a".into(),
            Measure::LogMiaB => "log-mia-b".into(),
            Measure::BalancedAccuracy => "balanced-accuracy".into(),
            Measure::Advantage => "advantage".into(),
            Measure::Epsilon => "epsilon".into(),
        }
    }

    pub fn label(self) -> String {
        match self {
            Measure::Auc => "AUC".into(),
            Measure::Tpr(rate) => format!("TPR at {}% FPR", rate * 100.0),
            Measure::LogMiaA => "Log-MIA, regime A".into(),
            Measure::LogMiaB => "Log-MIA, regime B".into(),
            Measure::BalancedAccuracy => "balanced accuracy".into(),
            Measure::Advantage => "advantage".into(),
            Measure::Epsilon => "lower bound of ε".into(),
        }
    }

    /// What guessing gives, where that is one number.
    pub fn chance(self) -> Option<f64> {
        match self {
            Measure::Auc | Measure::BalancedAccuracy => Some(0.5),
            Measure::Tpr(rate) => Some(rate),
            Measure::Advantage | Measure::Epsilon => Some(0.0),
            Measure::LogMiaA | Measure::LogMiaB => None,
        }
    }
}

/// What an attack's section of a report says, measure by measure.
pub fn readings(attack: &AttackMeasures) -> Vec<(Measure, Reading)> {
    let whole = |value, low, high| Reading {
        value,
        interval: Some((low, high)),
    };
    let alone = |value| Reading {
        value,
        interval: None,
    };
    let (auc, balanced) = (&attack.auc, &attack.balanced_accuracy);
    let advantage = &attack.advantage;
    let mut readings = vec![(Measure::Auc, whole(auc.value, auc.low, auc.high))];
    readings.extend(attack.tpr_at_fpr.iter().filter_map(|tpr| {
        let reading = Reading {
            value: tpr.value?,
            interval: tpr.low.zip(tpr.high),
        };
        Some((Measure::Tpr(tpr.fpr), reading))
    }));
    readings.extend([
        (Measure::LogMiaA, alone(attack.log_mia.a.value)),
        (Measure::LogMiaB, alone(attack.log_mia.b.value)),
        (
            Measure::BalancedAccuracy,
            whole(balanced.value, balanced.low, balanced.high),
        ),
        (
            Measure::Advantage,
            whole(advantage.value, advantage.low, advantage.high),
        ),
        (Measure::Epsilon, alone(attack.epsilon_lower_bound.value)),
    ]);
    readings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for name in [
            "auc",
            "tpr@0.001",
            "log-mia-a",
            "log-mia-b",
            "advantage",
            "epsilon",
        ] {
            assert_eq!(Measure::parse(name).unwrap().name(), name);
        }
        for name in ["", "tpr@", "tpr@2", "tpr@nan", "aux"] {
            assert_eq!(Measure::parse(name), None, "{name}");
        }
    }
}
