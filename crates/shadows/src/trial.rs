//! How long training takes, from a short trial.
//!
//! The first epoch of a process is no measure: memory is fresh, code is cold and the processor idles,
//! so that a small model seems to take ten times as long as it will. So it is run and not counted,
//! and what an epoch takes is the difference between many and one, which leaves out what is done
//! once per model.

/// A trial of this many seconds is long enough to be believed.
const ENOUGH: f64 = 0.25;

/// What one model takes, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Done once, whatever the number of epochs.
    pub once: f64,
    pub epoch: f64,
}

/// Times training for growing numbers of epochs; `train` says how many seconds so many took.
pub fn time(mut train: impl FnMut(u32) -> Option<f64>) -> Option<Timing> {
    let cold = train(1)?;
    if cold >= 4.0 * ENOUGH {
        return Some(alone(cold));
    }
    let one = train(1)?.min(cold);
    if one >= ENOUGH {
        return Some(alone(one));
    }
    let mut epochs = 1;
    loop {
        epochs *= 2;
        let many = train(epochs)?;
        if many >= ENOUGH || epochs >= 1 << 20 {
            let epoch = ((many - one) / f64::from(epochs - 1)).max(0.0);
            let once = (one - epoch).max(0.0);
            return Some(Timing { once, epoch });
        }
    }
}

fn alone(epoch: f64) -> Timing {
    Timing { once: 0.0, epoch }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cold_start_is_not_counted_and_a_fixed_cost_only_once() {
        let mut calls = 0;
        let found = time(|epochs| {
            calls += 1;
            let cold = if calls == 1 { 0.05 } else { 0.0 };
            Some(cold + 0.02 + 0.001 * f64::from(epochs))
        });
        let found = found.unwrap();
        assert!((found.epoch - 0.001).abs() < 1e-9, "{found:?}");
        assert!((found.once - 0.02).abs() < 1e-9, "{found:?}");
        // 256 epochs are the first to take a quarter of a second.
        assert_eq!(calls, 2 + 8);
    }

    #[test]
    fn slow_models_are_not_trained_longer_than_it_takes_to_tell() {
        let mut calls = 0;
        let mut slow = |seconds: f64| {
            calls = 0;
            let found = time(|epochs| {
                calls += 1;
                Some(seconds * f64::from(epochs))
            });
            (found.unwrap(), calls)
        };
        assert_eq!(slow(30.0), (alone(30.0), 1));
        assert_eq!(slow(0.5), (alone(0.5), 2));
        assert_eq!(time(|_| None), None);
    }

    #[test]
    fn a_clock_that_stands_still_ends_the_trial() {
        let found = time(|_| Some(0.0)).unwrap();
        assert_eq!((found.once, found.epoch), (0.0, 0.0));
    }
}
