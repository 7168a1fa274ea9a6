//! Which key words each perturbed copy keeps.

use stats::streams::{Rng, Seed, below, uniform};

/// One row per copy, one column per key word; true where the word is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masks {
    columns: usize,
    kept: Vec<bool>,
}

impl Masks {
    /// Every word of every row is kept with chance `keep`; a row that keeps nothing keeps one word
    /// at random. Each row is drawn by its own number, so that the first rows of a longer draw are
    /// the shorter draw.
    pub fn draw(rows: usize, columns: usize, keep: f64, seed: Seed, document: u64) -> Self {
        let name = format!("sma masks {document}");
        let mut kept = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            kept.extend(draw_row(
                columns,
                keep,
                &mut seed.numbered(&name, row as u64),
            ));
        }
        Self { columns, kept }
    }

    /// The masks of these rows, each `columns` wide; a last row that is cut short is left out.
    pub fn from_rows(columns: usize, mut kept: Vec<bool>) -> Self {
        let whole = kept.len().checked_div(columns).unwrap_or(0) * columns;
        kept.truncate(whole);
        Self { columns, kept }
    }

    pub fn rows(&self) -> usize {
        self.kept.len().checked_div(self.columns).unwrap_or(0)
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn row(&self, row: usize) -> &[bool] {
        &self.kept[row * self.columns..][..self.columns]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[bool]> {
        self.kept.chunks_exact(self.columns.max(1))
    }

    /// The first rows alone.
    pub fn first(&self, rows: usize) -> Self {
        Self {
            columns: self.columns,
            kept: self.kept[..rows.min(self.rows()) * self.columns].to_vec(),
        }
    }
}

fn draw_row(columns: usize, keep: f64, rng: &mut impl Rng) -> Vec<bool> {
    let mut row: Vec<bool> = (0..columns).map(|_| uniform(rng) < keep).collect();
    if !row.contains(&true) {
        let chosen = below(rng, columns as u32) as usize;
        row.iter_mut()
            .skip(chosen)
            .take(1)
            .for_each(|kept| *kept = true);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_draw_begins_with_the_shorter() {
        let long = Masks::draw(64, 20, 0.5, Seed(1), 7);
        let short = Masks::draw(16, 20, 0.5, Seed(1), 7);
        assert_eq!(long.first(16), short);
        assert_eq!((long.rows(), long.columns()), (64, 20));
        assert_ne!(short, Masks::draw(16, 20, 0.5, Seed(1), 8));
        assert_ne!(short, Masks::draw(16, 20, 0.5, Seed(2), 7));
        assert_eq!(long.first(99), long);
    }

    #[test]
    fn words_are_kept_as_often_as_asked_and_never_none() {
        let masks = Masks::draw(2_000, 10, 0.3, Seed(1), 0);
        let kept = masks.kept.iter().filter(|kept| **kept).count() as f64 / 20_000.0;
        assert!((kept - 0.3).abs() < 0.02, "{kept}");
        let sparse = Masks::draw(500, 4, 0.0, Seed(1), 0);
        assert!(
            sparse
                .iter()
                .all(|row| row.iter().filter(|kept| **kept).count() == 1)
        );
        let columns: Vec<usize> = (0..4)
            .map(|column| sparse.iter().filter(|row| row[column]).count())
            .collect();
        assert!(
            columns.iter().all(|count| (90..160).contains(count)),
            "{columns:?}"
        );
    }

    #[test]
    fn no_words_and_no_rows_are_no_masks() {
        assert_eq!(Masks::draw(5, 0, 0.5, Seed(1), 0).rows(), 0);
        assert_eq!(Masks::draw(0, 5, 0.5, Seed(1), 0).rows(), 0);
        assert_eq!(Masks::from_rows(2, vec![true; 5]).rows(), 2);
        assert_eq!(Masks::from_rows(0, vec![true; 5]).rows(), 0);
    }
}
