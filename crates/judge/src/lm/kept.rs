//! The texts that are looked at word by word. Of very many some are kept, drawn by lot: every second or
//! third would be none but members where members and others take turns.

use stats::streams::Seed;

/// So many texts are enough to judge a set.
const MOST_TEXTS: usize = 50_000;
/// Their bytes that are looked at, together: what is made of them takes ten times that.
const MOST_BYTES: usize = 48 << 20;
/// What is looked at of one text.
const LOOKED_AT: usize = 8192;

pub(super) struct Kept {
    texts: Vec<Text>,
    bytes: usize,
    seed: u64,
    /// A text is kept whose lot is no larger.
    limit: u64,
    most: (usize, usize),
}

pub(super) struct Text {
    /// Its place among those that have a text.
    pub(super) place: usize,
    pub(super) text: String,
    lot: u64,
}

impl Text {
    fn bytes(&self) -> usize {
        self.text.len().min(LOOKED_AT)
    }
}

impl Kept {
    pub(super) fn new(seed: Seed) -> Self {
        Self {
            texts: Vec::new(),
            bytes: 0,
            seed: seed.0,
            limit: u64::MAX,
            most: (MOST_TEXTS, MOST_BYTES),
        }
    }

    pub(super) fn add(&mut self, place: usize, text: &str) {
        let lot = lot(self.seed, place as u64);
        if lot > self.limit {
            return;
        }
        let text = Text {
            place,
            text: text.to_owned(),
            lot,
        };
        self.bytes += text.bytes();
        self.texts.push(text);
        while self.texts.len() > 1 && (self.texts.len() > self.most.0 || self.bytes > self.most.1) {
            self.limit /= 2;
            let limit = self.limit;
            self.texts.retain(|text| text.lot <= limit);
            self.bytes = self.texts.iter().map(Text::bytes).sum();
        }
    }

    pub(super) fn texts(&self) -> &[Text] {
        &self.texts
    }
}

/// A number that has nothing to do with its neighbours (the finaliser of SplitMix64, Steele, Lea and
/// Flood 2014).
fn lot(seed: u64, place: u64) -> u64 {
    let mut lot = seed
        .wrapping_mul(0xd1b5_4a32_d192_ed03)
        .wrapping_add(place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    lot = (lot ^ (lot >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    lot = (lot ^ (lot >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    lot ^ (lot >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_texts_are_all_kept_and_many_are_drawn_evenly() {
        let kept = |texts: usize, seed: u64| {
            let mut kept = Kept::new(Seed(seed));
            for place in 0..texts {
                kept.add(place, "a");
                assert!(kept.texts.len() <= MOST_TEXTS, "{place}");
            }
            kept.texts.iter().map(|text| text.place).collect::<Vec<_>>()
        };
        assert_eq!(kept(1000, 3), (0..1000).collect::<Vec<_>>());
        let many = kept(400_000, 3);
        assert!(many.len() > MOST_TEXTS / 3 && many.is_sorted());
        // Neither turns of two nor halves tell who is kept.
        let share = |is: &dyn Fn(usize) -> bool| {
            many.iter().filter(|place| is(**place)).count() as f64 / many.len() as f64
        };
        for share in [
            share(&|place| place % 2 == 0),
            share(&|place| place < 200_000),
        ] {
            assert!((share - 0.5).abs() < 0.02, "{share}");
        }
        assert_ne!(many, kept(400_000, 4));
    }

    #[test]
    fn long_texts_are_kept_by_their_bytes() {
        let mut kept = Kept::new(Seed(0));
        kept.most = (1000, 100_000);
        let long = "x".repeat(3 * LOOKED_AT);
        for place in 0..100 {
            kept.add(place, &long);
            assert!(kept.bytes <= 100_000);
        }
        assert!(!kept.texts.is_empty() && kept.texts.len() <= 12);
    }
}
