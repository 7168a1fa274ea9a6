//! From values to places on the page, and where ticks stand.

/// One axis: values from `low` to `high`, drawn from `from` to `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl Scale {
    pub fn linear((low, high): (f64, f64), from: f64, to: f64) -> Self {
        let spread = if high > low { high } else { low + 1.0 };
        Scale {
            low,
            high: spread,
            from,
            to,
            logarithmic: false,
        }
    }

    /// `low` is above zero; what lies at or below it is drawn at the axis' start.
    pub fn logarithmic((low, high): (f64, f64), from: f64, to: f64) -> Self {
        Scale {
            logarithmic: low > 0.0,
            ..Scale::linear((low, high), from, to)
        }
    }

    pub fn from(&self) -> f64 {
        self.from
    }

    pub fn to(&self) -> f64 {
        self.to
    }

    pub fn low(&self) -> f64 {
        self.low
    }

    /// The place of a value. What lies beyond an end, or is no number, is drawn at an end.
    pub fn at(&self, value: f64) -> f64 {
        let share = match self.logarithmic {
            false => (value - self.low) / (self.high - self.low),
            true => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        let share = if share.is_nan() { 0.0 } else { share };
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Powers of ten where the axis is logarithmic, else round numbers, about so many.
    pub fn ticks(&self, about: usize) -> Vec<f64> {
        match self.logarithmic {
            true => decades(self.low, self.high),
            false => round_numbers(self.low, self.high, about),
        }
    }
}

fn decades(low: f64, high: f64) -> Vec<f64> {
    let first = (low.log10() - 1e-9).ceil() as i32;
    let last = (high.log10() + 1e-9).floor() as i32;
    // No axis of ours has more than these, whatever a damaged report says.
    let last = last.min(first.saturating_add(20));
    (first..=last).map(|power| 10f64.powi(power)).collect()
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn round_numbers(low: f64, high: f64, about: usize) -> Vec<f64> {
    let rough = (high - low) / about.max(1) as f64;
    if !rough.is_finite() || rough <= 0.0 {
        return Vec::new();
    }
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|times| times * power)
        .find(|step| *step >= 0.75 * rough)
        .unwrap_or(10.0 * power);
    let first = (low / step - 1e-9).ceil();
    let count = ((high / step + 1e-9).floor() - first).clamp(0.0, 100.0) as usize;
    // Adding zero turns −0 into 0.
    (0..=count)
        .map(|place| (first + place as f64) * step + 0.0)
        .collect()
}

/// The least and the most of some values, nothing else counted; `start` where there are none.
pub fn bounds(values: impl IntoIterator<Item = f64>, start: (f64, f64)) -> (f64, f64) {
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite.fold(start, |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

/// A little room on both sides.
pub fn padded((low, high): (f64, f64)) -> (f64, f64) {
    let room = 0.04 * (high - low);
    (low - room, high + room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let scale = Scale::linear((0.43, 0.92), 0.0, 100.0);
        let shown: Vec<String> = scale.ticks(5).iter().map(|t| format!("{t:.1}")).collect();
        assert_eq!(shown, ["0.5", "0.6", "0.7", "0.8", "0.9"]);
        let scale = Scale::logarithmic((0.0005, 1.0), 0.0, 100.0);
        assert_eq!(scale.ticks(5).len(), 4);
    }

    #[test]
    fn nothing_is_drawn_beyond_the_ends() {
        let scale = Scale::logarithmic((0.001, 1.0), 10.0, 110.0);
        let places = [0.0, f64::NAN, -1.0, 0.001, 1.0, 5.0].map(|value| scale.at(value));
        assert_eq!(places, [10.0, 10.0, 10.0, 10.0, 110.0, 110.0]);
        assert!((scale.at(0.1) - (10.0 + 200.0 / 3.0)).abs() < 1e-9);
        let broken = Scale::linear((f64::NAN, f64::NAN), 0.0, 1.0);
        assert!(broken.ticks(5).is_empty() && broken.at(3.0) == 0.0);
    }
}
