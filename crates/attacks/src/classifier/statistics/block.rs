//! A block of records in plain double precision, laid out in tiles of eight records: small enough
//! to stay in a core's cache while several statistics pass over it.

use std::ops::Range;

use super::simd;
use crate::signals::shadow::{Rescale, ShadowSignals};

/// Records side by side in a tile: one cache line of doubles.
pub(crate) const LANES: usize = 8;
pub(crate) type Lanes = [f64; LANES];

/// 64 records share a word of membership bits.
const TILES_PER_WORD: usize = 64 / LANES;

/// How many shadows ahead of its use a row is called from memory.
const ROWS_AHEAD: usize = 8;

/// Numbers of φ that one block holds: 256 KiB.
const BLOCK_VALUES: usize = 1 << 15;

/// How many records make a block for so many shadows: a multiple of 64, whatever the threads.
pub(crate) fn block_records(shadows: usize) -> usize {
    let fit = BLOCK_VALUES / shadows.max(1);
    (fit / 64 * 64).clamp(64, 4096)
}

/// φ of target and shadows, and the shadows' membership, for a run of records.
#[derive(Default)]
pub(crate) struct Block {
    records: usize,
    shadows: usize,
    /// From one tile to the next: odd, so that a shadow's places in all tiles do not fall on the
    /// same cache set.
    stride: usize,
    /// Tile by tile, in it shadow by shadow, in it record by record. Lanes beyond the last
    /// record repeat nothing and mean nothing.
    phi: LineBuffer,
    /// One bit per record, 64 records and then shadow by shadow.
    inside: Vec<u64>,
    target: Vec<f64>,
    row: Vec<f64>,
}

impl Block {
    /// Fills the block, reusing its memory. The run starts at a multiple of 64.
    pub fn load(
        &mut self,
        signals: &ShadowSignals,
        records: Range<usize>,
        augmentation: usize,
        rescale: Rescale,
    ) {
        let outputs = &signals.outputs;
        self.records = records.len();
        self.shadows = signals.shadows.len();
        let tiles = self.records.div_ceil(LANES);
        self.stride = self.shadows | 1;
        self.phi.resize(tiles * self.stride);
        self.inside
            .resize(self.records.div_ceil(64) * self.shadows, 0);
        self.row.resize(tiles * LANES, 0.0);
        self.target.resize(tiles * LANES, 0.0);
        outputs.phi(
            signals.target,
            records.clone(),
            augmentation,
            rescale,
            &mut self.target,
        );
        for (k, (&model, members)) in signals.shadows.iter().zip(&signals.members).enumerate() {
            if let Some(&soon) = signals.shadows.get(k + ROWS_AHEAD)
                && let Some(singles) = outputs.plain_singles(soon, records.clone(), augmentation)
            {
                simd::fetch_soon(singles.as_flattened());
            }
            match outputs.plain_singles(model, records.clone(), augmentation) {
                // Most signals are stored this way: widened straight into the tiles.
                Some(singles) => {
                    simd::spread_singles(singles, &mut self.phi.lanes_mut()[k..], self.stride)
                }
                None => {
                    outputs.phi(model, records.clone(), augmentation, rescale, &mut self.row);
                    self.spread_row(k);
                }
            }
            let places = self.inside[k..].iter_mut().step_by(self.shadows);
            for (place, word) in places.zip(members.words_from(records.start)) {
                *place = *word;
            }
        }
    }

    fn spread_row(&mut self, shadow: usize) {
        let (lanes, _) = self.row.as_chunks::<LANES>();
        let places = self.phi.lanes_mut()[shadow..]
            .iter_mut()
            .step_by(self.stride);
        for (place, lanes) in places.zip(lanes) {
            *place = *lanes;
        }
    }

    pub fn len(&self) -> usize {
        self.records
    }

    /// The records eight by eight, each with the target's φ. The last tile may be part empty.
    pub fn tiles(&self) -> impl Iterator<Item = (Tile<'_>, &Lanes)> {
        let (targets, _) = self.target.as_chunks::<LANES>();
        let tiles = self.phi.lanes().chunks_exact(self.stride).enumerate();
        let tiles = tiles.map(|(tile, phi)| Tile {
            phi: &phi[..self.shadows],
            inside: &self.inside[self.words_of(tile)],
            shift: tile % TILES_PER_WORD * LANES,
        });
        tiles.zip(targets)
    }

    /// Where the membership of a tile's records lies.
    fn words_of(&self, tile: usize) -> Range<usize> {
        let first = tile / TILES_PER_WORD * self.shadows;
        first..first + self.shadows
    }

    /// One record's values under all shadows, copied into `column`.
    pub fn column(&self, record: usize, column: &mut Column) {
        let (tile, lane) = (record / LANES, record % LANES);
        let rows = tile * self.stride..tile * self.stride + self.shadows;
        column.target = self.target[record];
        column.phi.clear();
        column
            .phi
            .extend(self.phi.lanes()[rows].iter().map(|lanes| lanes[lane]));
        column.inside.clear();
        let words = &self.inside[self.words_of(tile)];
        column
            .inside
            .extend(words.iter().map(|word| word >> (record % 64) & 1 == 1));
    }
}

/// Lanes that each fill one cache line: a vector never straddles two.
#[derive(Default)]
pub(super) struct LineBuffer {
    values: Vec<f64>,
    first: usize,
    lanes: usize,
}

impl LineBuffer {
    /// Makes room for so many; what they hold is left over from before.
    pub fn resize(&mut self, lanes: usize) {
        self.values.resize((lanes + 1) * LANES, 0.0);
        self.first = self.values.as_ptr().align_offset(64).min(LANES);
        self.lanes = lanes;
    }

    pub fn lanes(&self) -> &[Lanes] {
        self.values[self.first..self.first + self.lanes * LANES]
            .as_chunks()
            .0
    }

    pub fn lanes_mut(&mut self) -> &mut [Lanes] {
        self.values[self.first..self.first + self.lanes * LANES]
            .as_chunks_mut()
            .0
    }
}

/// Eight records under every shadow.
#[derive(Clone, Copy)]
pub(crate) struct Tile<'a> {
    phi: &'a [Lanes],
    inside: &'a [u64],
    /// Where the eight records' bits begin in each word.
    shift: usize,
}

impl<'a> Tile<'a> {
    /// φ shadow by shadow.
    pub fn phi(self) -> &'a [Lanes] {
        self.phi
    }

    /// φ and membership (1.0 or 0.0) of the eight records under each shadow in turn.
    #[inline(always)]
    pub fn rows(self) -> impl Iterator<Item = (&'a Lanes, &'static Lanes)> {
        let weights = move |word: &u64| &WEIGHTS.0[usize::from((word >> self.shift) as u8)];
        self.phi.iter().zip(self.inside.iter().map(weights))
    }
}

#[repr(align(64))]
struct OnLines([Lanes; 256]);

/// Eight bits as eight numbers.
static WEIGHTS: OnLines = {
    let mut table = [[0.0; LANES]; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut lane = 0;
        while lane < LANES {
            table[bits][lane] = (bits >> lane & 1) as f64;
            lane += 1;
        }
        bits += 1;
    }
    OnLines(table)
};

/// One record under the target and under every shadow.
#[derive(Clone, Debug, Default)]
pub struct Column {
    pub target: f64,
    pub phi: Vec<f64>,
    pub inside: Vec<bool>,
}

impl Column {
    /// The φ of the shadows that did (or did not) train on the record, in model order.
    pub fn class(&self, inside: bool) -> impl Iterator<Item = f64> + '_ {
        self.phi
            .iter()
            .zip(&self.inside)
            .filter(move |(_, is_inside)| **is_inside == inside)
            .map(|(phi, _)| *phi)
    }
}
