//! Does the audited model say the same of every token? Then nothing of it was tested, whatever a reference tells.

/// Boyer and Moore's vote ("MJRTY", 1991): the value that more than half of all values have, in one pass.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alike {
    pub values: usize,
    candidate: f64,
    lead: usize,
}

impl Alike {
    pub fn add(&mut self, values: &[f64]) {
        for &value in values {
            self.values += 1;
            if self.lead == 0 {
                self.candidate = value;
            }
            match value == self.candidate {
                true => self.lead += 1,
                false => self.lead -= 1,
            }
        }
    }

    /// At least so many values are one and the same, where more than half are. Every other value takes one away
    /// from the lead, and one of them at the least.
    pub fn least(&self) -> usize {
        self.lead
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(values: &[f64]) -> usize {
        let mut alike = Alike::default();
        values.chunks(7).for_each(|some| alike.add(some));
        alike.least()
    }

    #[test]
    fn what_most_tokens_have_is_found_wherever_it_begins() {
        assert_eq!(least(&[-9999.0; 500]), 500);
        let late: Vec<f64> = (0..500)
            .map(|place| if place < 10 { -f64::from(place) } else { -1.0 })
            .collect();
        assert!((480..=490).contains(&least(&late)), "{}", least(&late));
        let spread: Vec<f64> = (0..500).map(|place| -f64::from(place * 37 % 101)).collect();
        assert!(least(&spread) < 50);
    }
}
