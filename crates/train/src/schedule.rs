//! The learning rate at a batch.

use std::f64::consts::PI;

use crate::recipe::Schedule;

impl Schedule {
    /// Factor of the learning rate in epoch `epoch` (from 0) of `epochs`, at batch `batch` of
    /// `batches`.
    pub(crate) fn factor(
        self,
        (epoch, epochs): (u32, u32),
        (batch, batches): (usize, usize),
    ) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::Step { every, factor } => factor.powi((epoch / every) as i32),
            Self::Cosine => half_cosine(f64::from(epoch) / f64::from(epochs)),
            Self::WarmUpCosine { epochs: warm } => {
                let steps = |epochs: u32| f64::from(epochs) * batches as f64;
                let now = steps(epoch) + batch as f64;
                if epoch < warm {
                    (now + 1.0) / steps(warm)
                } else {
                    half_cosine((now - steps(warm)) / steps(epochs - warm))
                }
            }
        }
    }
}

/// Loshchilov & Hutter 2017, equation 5, from 1 to 0.
fn half_cosine(progress: f64) -> f64 {
    0.5 * (1.0 + (PI * progress).cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factors(schedule: Schedule, epochs: u32, batches: usize) -> Vec<f64> {
        let at = |index: usize| {
            let epoch = (index / batches) as u32;
            schedule.factor((epoch, epochs), (index % batches, batches))
        };
        (0..epochs as usize * batches).map(at).collect()
    }

    #[test]
    fn steps_fall_by_the_factor() {
        let schedule = Schedule::Step {
            every: 2,
            factor: 0.1,
        };
        let expected = [1.0, 1.0, 0.1, 0.1, 0.01];
        for (value, wanted) in factors(schedule, 5, 1).iter().zip(expected) {
            assert!((value - wanted).abs() < 1e-15);
        }
    }

    #[test]
    fn cosine_is_that_of_pytorch() {
        // torch.optim.lr_scheduler.CosineAnnealingLR with T_max = 4 and rate 1.
        let expected = [1.0, 0.853_553_390_593_273_8, 0.5, 0.146_446_609_406_726_2];
        for (value, wanted) in factors(Schedule::Cosine, 4, 1).iter().zip(expected) {
            assert!((value - wanted).abs() < 1e-15);
        }
    }

    #[test]
    fn warm_up_rises_to_one_then_falls() {
        let values = factors(Schedule::WarmUpCosine { epochs: 2 }, 6, 5);
        assert!((values[0] - 0.1).abs() < 1e-15);
        assert!((values[9] - 1.0).abs() < 1e-15 && (values[10] - 1.0).abs() < 1e-15);
        assert!(values[..10].is_sorted() && values[10..].is_sorted_by(|a, b| a >= b));
        assert!(values[29] > 0.0 && values[29] < 0.01);
    }
}
