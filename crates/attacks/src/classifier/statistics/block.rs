//! A block of records laid out in tiles of eight records: small enough to stay in a core's cache while several
//! statistics pass over it. φ stays in the precision that it is stored in.

use std::ops::Range;

use super::simd::fetch_soon;
use crate::signals::shadow::{Rescale, ShadowSignals};

/// Records side by side in a tile: one cache line of doubles.
pub(crate) const LANES: usize = 8;
pub(crate) type Lanes = [f64; LANES];

/// 64 records share a word of membership bits.
const TILES_PER_WORD: usize = 64 / LANES;

/// How many shadows ahead of its use a row is called from memory.
const ROWS_AHEAD: usize = 16;

/// Numbers of φ that one block holds: 256 KiB in single precision.
const BLOCK_VALUES: usize = 1 << 16;

/// How many records make a block for so many shadows: a multiple of 64, whatever the threads.
pub(crate) fn block_records(shadows: usize) -> usize {
    let fit = BLOCK_VALUES / shadows.max(1);
    (fit / 64 * 64).clamp(64, 4096)
}

/// A number as it is stored in a tile.
pub(crate) trait Stored: Copy + Default + 'static {
    fn widened(self) -> f64;

    /// Where a block keeps such numbers.
    fn of(block: &Block) -> &LineBuffer<Self>;
}

impl Stored for f32 {
    #[inline(always)]
    fn widened(self) -> f64 {
        f64::from(self)
    }

    fn of(block: &Block) -> &LineBuffer<f32> {
        &block.singles
    }
}

impl Stored for f64 {
    #[inline(always)]
    fn widened(self) -> f64 {
        self
    }

    fn of(block: &Block) -> &LineBuffer<f64> {
        &block.doubles
    }
}

/// φ of target and shadows, and the shadows' membership, for a run of records.
#[derive(Default)]
pub(crate) struct Block {
    records: usize,
    shadows: usize,
    /// From one tile to the next: odd, so that a shadow's places in all tiles do not fall on the
    /// same cache set.
    stride: usize,
    /// Whether the shadows' φ are in `singles`, or in `doubles`: tile by tile, in it shadow by shadow, in it
    /// record by record. Lanes beyond the last record repeat nothing and mean nothing.
    in_singles: bool,
    singles: LineBuffer<f32>,
    doubles: LineBuffer<f64>,
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
        self.stride = self.shadows | 1;
        let tiles = self.records.div_ceil(LANES);
        self.row.resize(tiles * LANES, 0.0);
        self.target.resize(tiles * LANES, 0.0);
        outputs.phi(
            signals.target,
            records.clone(),
            augmentation,
            rescale,
            &mut self.target,
        );
        self.load_membership(signals, records.start);
        let plain = |&model: &usize| outputs.plain_singles(model, records.clone(), augmentation);
        // Most signals are stored this way.
        let rows: Option<Vec<_>> = signals.shadows.iter().map(plain).collect();
        self.in_singles = rows.is_some();
        if let Some(rows) = rows {
            return self.load_singles(&rows);
        }
        self.doubles.resize(tiles * self.stride);
        for (shadow, &model) in signals.shadows.iter().enumerate() {
            outputs.phi(model, records.clone(), augmentation, rescale, &mut self.row);
            self.spread_row(shadow);
        }
    }

    fn load_membership(&mut self, signals: &ShadowSignals, first: usize) {
        self.inside
            .resize(self.records.div_ceil(64) * self.shadows, 0);
        for (shadow, members) in signals.members.iter().enumerate() {
            let places = self.inside[shadow..].iter_mut().step_by(self.shadows);
            for (place, word) in places.zip(members.words_from(first)) {
                *place = *word;
            }
        }
    }

    /// A row a shadow.
    fn load_singles(&mut self, rows: &[&[[u8; 4]]]) {
        let tiles = self.records.div_ceil(LANES);
        self.singles.resize(tiles * self.stride);
        for (shadow, row) in rows.iter().enumerate() {
            if let Some(soon) = rows.get(shadow + ROWS_AHEAD) {
                fetch_soon(soon.as_flattened());
            }
            let (whole, rest) = row.as_chunks::<LANES>();
            let places = self.singles.lanes_mut()[shadow..].iter_mut();
            let mut places = places.step_by(self.stride);
            for (eight, place) in whole.iter().zip(&mut places) {
                *place = eight.map(f32::from_le_bytes);
            }
            if let Some(place) = places.next() {
                for (lane, single) in place.iter_mut().zip(rest) {
                    *lane = f32::from_le_bytes(*single);
                }
            }
        }
    }

    fn spread_row(&mut self, shadow: usize) {
        let (lanes, _) = self.row.as_chunks::<LANES>();
        let places = self.doubles.lanes_mut()[shadow..].iter_mut();
        for (place, lanes) in places.step_by(self.stride).zip(lanes) {
            *place = *lanes;
        }
    }

    /// Whether the tiles are of single precision: of double otherwise.
    pub fn in_singles(&self) -> bool {
        self.in_singles
    }

    pub fn len(&self) -> usize {
        self.records
    }

    /// The records eight by eight, each with the target's φ. The last tile may be part empty.
    pub fn tiles<T: Stored>(&self) -> impl Iterator<Item = (Tile<'_, T>, &Lanes)> {
        let (targets, _) = self.target.as_chunks::<LANES>();
        let tiles = T::of(self).lanes().chunks_exact(self.stride).enumerate();
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
        if self.in_singles {
            self.column_of::<f32>(record, column);
        } else {
            self.column_of::<f64>(record, column);
        }
    }

    fn column_of<T: Stored>(&self, record: usize, column: &mut Column) {
        let (tile, lane) = (record / LANES, record % LANES);
        let rows = tile * self.stride..tile * self.stride + self.shadows;
        let rows = T::of(self).lanes()[rows].iter();
        column.target = self.target[record];
        column.phi.clear();
        column.phi.extend(rows.map(|lanes| lanes[lane].widened()));
        column.inside.clear();
        let words = &self.inside[self.words_of(tile)];
        column
            .inside
            .extend(words.iter().map(|word| word >> (record % 64) & 1 == 1));
    }
}

/// Lanes that each lie within one cache line: a vector never straddles two.
#[derive(Default)]
pub(crate) struct LineBuffer<T> {
    values: Vec<T>,
    first: usize,
    lanes: usize,
}

impl<T: Copy + Default> LineBuffer<T> {
    /// Makes room for so many; what they hold is left over from before.
    pub fn resize(&mut self, lanes: usize) {
        let line = 64 / size_of::<T>();
        self.values.resize(lanes * LANES + line, T::default());
        self.first = self.values.as_ptr().align_offset(64).min(line);
        self.lanes = lanes;
    }

    pub fn lanes(&self) -> &[[T; LANES]] {
        self.values[self.first..self.first + self.lanes * LANES]
            .as_chunks()
            .0
    }

    pub fn lanes_mut(&mut self) -> &mut [[T; LANES]] {
        self.values[self.first..self.first + self.lanes * LANES]
            .as_chunks_mut()
            .0
    }
}

/// Eight records under every shadow.
#[derive(Clone, Copy)]
pub(crate) struct Tile<'a, T> {
    phi: &'a [[T; LANES]],
    inside: &'a [u64],
    /// Where the eight records' bits begin in each word.
    shift: usize,
}

impl<'a, T: Stored> Tile<'a, T> {
    /// How many shadows there are.
    pub fn shadows(self) -> usize {
        self.phi.len()
    }

    /// The same under a few shadows after the other.
    #[inline(always)]
    pub fn runs(self, shadows: usize) -> impl Iterator<Item = Tile<'a, T>> {
        let runs = self.phi.chunks(shadows).zip(self.inside.chunks(shadows));
        runs.map(move |(phi, inside)| Tile {
            phi,
            inside,
            ..self
        })
    }

    /// φ of the eight records under each shadow in turn, and which of them the shadow did not train on.
    #[inline(always)]
    pub fn rows(self) -> impl Iterator<Item = (&'a [T; LANES], &'static Mask)> {
        self.phi.iter().zip(self.outside())
    }

    /// Which of the records each shadow did not train on.
    #[inline(always)]
    pub fn outside(self) -> impl ExactSizeIterator<Item = &'static Mask> {
        let mask = move |word: &u64| &OUTSIDE.0[usize::from((word >> self.shift) as u8)];
        self.inside.iter().map(mask)
    }

    /// φ of each record under the first shadow that trained on it, and under the first that did not; under
    /// the first of all where there is none.
    pub fn firsts(self) -> (Lanes, Lanes) {
        let first = self
            .phi
            .first()
            .map_or(Lanes::default(), |row| row.map(T::widened));
        let (mut inside, mut outside) = (first, first);
        let (mut wanted_in, mut wanted_out) = (u8::MAX, u8::MAX);
        for (row, word) in self.phi.iter().zip(self.inside) {
            let bits = (word >> self.shift) as u8;
            for (firsts, wanted, here) in [
                (&mut inside, &mut wanted_in, bits),
                (&mut outside, &mut wanted_out, !bits),
            ] {
                let mut found = *wanted & here;
                *wanted &= !here;
                while found != 0 {
                    let lane = found.trailing_zeros() as usize;
                    firsts[lane] = row[lane].widened();
                    found &= found - 1;
                }
            }
            if wanted_in | wanted_out == 0 {
                break;
            }
        }
        (inside, outside)
    }
}

/// All bits of a lane, or none.
pub(crate) type Mask = [u64; LANES];

#[repr(align(64))]
struct OnLines([Mask; 256]);

/// Of eight bits, where there is none.
static OUTSIDE: OnLines = {
    let mut table = [[0; LANES]; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut lane = 0;
        while lane < LANES {
            table[bits][lane] = (bits as u64 >> lane & 1).wrapping_sub(1);
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
