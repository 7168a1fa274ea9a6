//! Seeded random streams: one root seed, a named child stream per purpose.
//!
//! A stream is ChaCha8 under a 256-bit key of four little-endian words: the
//! seed, the FNV-1a hash of the name, the name's length in bytes, and 0 for a
//! plain stream or 1 for a numbered one. ChaCha turns any two different keys
//! into unrelated streams, so the words need no further mixing. The draws below
//! are written out here, on raw integers, because a library's distributions may
//! change between versions and a stored seed must not.

pub use rand::{Rng, SeedableRng};
pub use rand_chacha::ChaCha8Rng;

/// The root seed of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The stream of this name: the same for the same seed and name, always.
    pub fn stream(self, name: &str) -> ChaCha8Rng {
        self.keyed(name, 0)
    }

    /// The index-th of a family of streams, for work split over records or
    /// replicates. All share one key and differ in ChaCha's stream number.
    pub fn numbered(self, name: &str, index: u64) -> ChaCha8Rng {
        let mut rng = self.keyed(name, 1);
        rng.set_stream(index);
        rng
    }

    /// A number by lot for a text: the same for the same seed, purpose and text, whatever else is drawn.
    pub fn lot(self, purpose: &str, text: &str) -> u64 {
        self.stream(&format!("{purpose}/{text}")).next_u64()
    }

    fn keyed(self, name: &str, family: u64) -> ChaCha8Rng {
        let words = [self.0, name_number(name), name.len() as u64, family];
        let mut key = [0; 32];
        for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        ChaCha8Rng::from_seed(key)
    }
}

/// A number for a name: the 64-bit Fowler–Noll–Vo hash, variant 1a.
pub fn name_number(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Uniform on [0, 1): the top 53 bits of one draw.
pub fn uniform<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Uniform on 0..n without bias (Lemire 2019, algorithm 5); 0 when n is 0.
pub fn below<R: Rng + ?Sized>(rng: &mut R, n: u32) -> u32 {
    if n == 0 {
        return 0;
    }
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(n);
        let low = product as u32;
        // What is refused lies below n: most draws need no division to know.
        if low >= n || low >= n.wrapping_neg() % n {
            return (product >> 32) as u32;
        }
    }
}

/// The same for an index, whose range may pass 32 bits.
fn index_below<R: Rng + ?Sized>(rng: &mut R, n: usize) -> usize {
    if let Ok(small) = u32::try_from(n) {
        return below(rng, small) as usize;
    }
    let wide = n as u64;
    let refused = wide.wrapping_neg() % wide;
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(wide);
        if product as u64 >= refused {
            return (product >> 64) as usize;
        }
    }
}

/// One standard normal value by Marsaglia's polar method. The second value of
/// the pair is dropped, so that a draw keeps no state outside the stream.
pub fn standard_normal<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    loop {
        let x = 2.0 * uniform(rng) - 1.0;
        let y = 2.0 * uniform(rng) - 1.0;
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            // libm's logarithm is the same on every platform.
            return x * (-2.0 * libm::log(square) / square).sqrt();
        }
    }
}

/// At most so many of 0..n, ascending, every set of that size equally likely (Floyd; Bentley and Floyd 1987):
/// the work is that of the sample, not of what it is drawn from.
pub fn some_of<R: Rng + ?Sized>(rng: &mut R, n: usize, most: usize) -> Vec<usize> {
    if n <= most {
        return (0..n).collect();
    }
    let mut drawn = std::collections::BTreeSet::new();
    for last in n - most..n {
        let place = index_below(rng, last + 1);
        if !drawn.insert(place) {
            drawn.insert(last);
        }
    }
    drawn.into_iter().collect()
}

/// Fisher–Yates: every order equally likely.
pub fn shuffle<R: Rng + ?Sized, T>(rng: &mut R, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, index_below(rng, last + 1));
    }
}
