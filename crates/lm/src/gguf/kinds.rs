//! How numbers are stored: so many of them in so many bytes.

use half::{bf16, f16};

use super::Complaint;
use super::blocks;

/// One way of storing numbers in blocks.
pub(crate) struct Kind {
    /// In the file.
    number: u32,
    pub(crate) name: &'static str,
    /// Of one block.
    pub(super) numbers: usize,
    pub(super) bytes: usize,
    /// Reads one block.
    block: fn(&[u8], &mut [f32]),
}

const fn kind(
    number: u32,
    name: &'static str,
    numbers: usize,
    bytes: usize,
    block: fn(&[u8], &mut [f32]),
) -> Kind {
    Kind {
        number,
        name,
        numbers,
        bytes,
        block,
    }
}

pub(super) static KINDS: [Kind; 13] = [
    kind(0, "f32", 1, 4, |block, out| {
        out[0] = f32::from_le_bytes([block[0], block[1], block[2], block[3]]);
    }),
    kind(1, "f16", 1, 2, |block, out| {
        out[0] = f16::from_le_bytes([block[0], block[1]]).to_f32();
    }),
    kind(30, "bf16", 1, 2, |block, out| {
        out[0] = bf16::from_le_bytes([block[0], block[1]]).to_f32();
    }),
    kind(2, "q4_0", 32, 18, blocks::q4_0),
    kind(3, "q4_1", 32, 20, blocks::q4_1),
    kind(6, "q5_0", 32, 22, blocks::q5_0),
    kind(7, "q5_1", 32, 24, blocks::q5_1),
    kind(8, "q8_0", 32, 34, blocks::q8_0),
    kind(10, "q2k", 256, 84, blocks::q2k),
    kind(11, "q3k", 256, 110, blocks::q3k),
    kind(12, "q4k", 256, 144, blocks::q4k),
    kind(13, "q5k", 256, 176, blocks::q5k),
    kind(14, "q6k", 256, 210, blocks::q6k),
];

impl Kind {
    pub(super) fn find(number: u32) -> Result<&'static Self, Complaint> {
        let found = KINDS.iter().find(|kind| kind.number == number);
        found.ok_or_else(|| format!("weights of kind {number} are not known"))
    }

    /// Whole blocks, read.
    pub(super) fn read(&self, stored: &[u8]) -> Vec<f32> {
        let mut numbers = vec![0.0; stored.len() / self.bytes * self.numbers];
        let out = numbers.chunks_exact_mut(self.numbers);
        for (block, out) in stored.chunks_exact(self.bytes).zip(out) {
            (self.block)(block, out);
        }
        numbers
    }

    #[cfg(test)]
    pub(super) fn number(&self) -> u32 {
        self.number
    }
}
