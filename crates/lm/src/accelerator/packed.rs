//! Texts one behind the other, without padding, and what their rows predict.

use crate::scores::Piece;

/// Rows of queries that look back together.
pub(super) const TILE: usize = 64;

/// One row for each token that is read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Packed {
    pub(super) tokens: Vec<u32>,
    /// Of each row in its text.
    pub(super) positions: Vec<u32>,
    /// Three numbers for each tile of queries: its text's first row, the text's length, and the
    /// first query's position in the text.
    pub(super) tiles: Vec<u32>,
    /// Rows that predict something, and the tokens that they should predict.
    pub(super) places: Vec<u32>,
    pub(super) targets: Vec<u32>,
    pub(super) longest: usize,
}

impl Packed {
    pub(super) fn new(pieces: &[Piece]) -> Self {
        let mut packed = Self::default();
        for piece in pieces {
            let (begin, length) = (packed.tokens.len(), piece.inputs().len());
            packed.tokens.extend_from_slice(piece.inputs());
            packed.positions.extend(0..length as u32);
            for query in (0..length).step_by(TILE) {
                packed
                    .tiles
                    .extend([begin, length, query].map(|x| x as u32));
            }
            let places = begin + piece.skip..begin + length;
            packed.places.extend(places.map(|row| row as u32));
            packed.targets.extend_from_slice(piece.targets());
            packed.longest = packed.longest.max(length);
        }
        packed
    }

    pub(super) fn rows(&self) -> usize {
        self.tokens.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lie_one_behind_the_other() {
        let pieces = [
            Piece {
                tokens: &[5, 6, 7],
                skip: 1,
            },
            Piece {
                tokens: &[8, 9],
                skip: 0,
            },
        ];
        let expected = Packed {
            tokens: vec![5, 6, 8],
            positions: vec![0, 1, 0],
            tiles: vec![0, 2, 0, 2, 1, 0],
            places: vec![1, 2],
            targets: vec![7, 9],
            longest: 2,
        };
        assert_eq!(Packed::new(&pieces), expected);
    }

    #[test]
    fn tiles_cover_long_texts_and_the_last_may_be_short() {
        let tokens = vec![0; 2 * TILE + 2];
        let piece = Piece {
            tokens: &tokens,
            skip: 100,
        };
        let packed = Packed::new(&[piece, piece]);
        let length = 2 * TILE as u32 + 1;
        let of_text = |begin| (0..3).flat_map(move |tile| [begin, length, tile * TILE as u32]);
        let tiles: Vec<u32> = of_text(0).chain(of_text(length)).collect();
        assert_eq!(packed.tiles, tiles);
        assert_eq!(packed.places.len(), 2 * (length as usize - 100));
        assert_eq!(packed.places.len(), packed.targets.len());
        assert_eq!(packed.rows(), 2 * length as usize);
    }
}
