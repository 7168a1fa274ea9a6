//! A vector times a matrix, which is as fast as memory lets it be: every weight is read once.
//!
//! Each sum is formed in one order, however many threads share the work.

use rayon::prelude::*;

use super::vectorised;

/// Running parts of a sum, so that the compiler can use vectors.
const LANES: usize = 32;
/// Rows of weights that are read side by side, so that `out` is written once for all of them.
const ABREAST: usize = 8;
/// The fewest columns worth a thread.
const NARROWEST: usize = 64;
/// Rows of a head that are one piece of work.
const PIECE: usize = 256;

/// out ← out + input · weight, for a weight [input, out].
pub(super) fn add_product(out: &mut [f32], input: &[f32], weight: &[f32], parallel: bool) {
    let width = out.len();
    if !parallel {
        return add_band(out, input, weight, width, 0);
    }
    let share = width.div_ceil(rayon::current_num_threads());
    let band = share.next_multiple_of(LANES).max(NARROWEST);
    out.par_chunks_mut(band)
        .enumerate()
        .for_each(|(index, out)| add_band(out, input, weight, width, index * band));
}

/// The columns from `first` on that `out` has room for.
fn add_band(out: &mut [f32], input: &[f32], weight: &[f32], width: usize, first: usize) {
    let columns = first..first + out.len();
    vectorised(
        #[inline(always)]
        || {
            let (groups, rest) = input.as_chunks::<ABREAST>();
            let (grouped, single) = weight.split_at(groups.len() * ABREAST * width);
            for (x, rows) in groups.iter().zip(grouped.chunks_exact(ABREAST * width)) {
                let row = |index: usize| &rows[index * width..][columns.clone()];
                add_abreast(out, x, std::array::from_fn(row));
            }
            for (x, row) in rest.iter().zip(single.chunks_exact(width)) {
                accumulate(out, *x, &row[columns.clone()]);
            }
        },
    );
}

#[inline(always)]
fn add_abreast(out: &mut [f32], x: &[f32; ABREAST], rows: [&[f32]; ABREAST]) {
    let [a, b, c, d, e, f, g, h] = rows;
    let first = a.iter().zip(b).zip(c.iter().zip(d));
    let second = e.iter().zip(f).zip(g.iter().zip(h));
    for (out, (((a, b), (c, d)), ((e, f), (g, h)))) in out.iter_mut().zip(first.zip(second)) {
        let first = (x[0] * a + x[1] * b) + (x[2] * c + x[3] * d);
        let second = (x[4] * e + x[5] * f) + (x[6] * g + x[7] * h);
        *out += first + second;
    }
}

/// out ← out + scale · row.
#[inline(always)]
pub(super) fn accumulate(out: &mut [f32], scale: f32, row: &[f32]) {
    for (out, value) in out.iter_mut().zip(row) {
        *out += scale * value;
    }
}

/// One product with `input` for each row of a matrix.
pub(super) fn dot_rows(rows: &[f32], input: &[f32]) -> Vec<f32> {
    let mut out = vec![0.0; rows.len() / input.len()];
    out.par_chunks_mut(PIECE)
        .zip(rows.par_chunks(PIECE * input.len()))
        .for_each(|(out, rows)| {
            vectorised(
                #[inline(always)]
                || {
                    for (out, row) in out.iter_mut().zip(rows.chunks_exact(input.len())) {
                        *out = dot(row, input);
                    }
                },
            );
        });
    out
}

#[inline(always)]
pub(super) fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let (left, left_rest) = left.as_chunks::<LANES>();
    let (right, right_rest) = right.as_chunks::<LANES>();
    for (left, right) in left.iter().zip(right) {
        for ((lane, a), b) in lanes.iter_mut().zip(left).zip(right) {
            *lane += a * b;
        }
    }
    for ((lane, a), b) in lanes.iter_mut().zip(left_rest).zip(right_rest) {
        *lane += a * b;
    }
    // Halves are added to each other, since one after the other each sum would wait for the last.
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
        width /= 2;
    }
    lanes[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count)
            .map(|i| ((i * 7919 + seed * 104_729) % 1009) as f32 / 1009.0 - 0.5)
            .collect()
    }

    #[test]
    fn products_agree_with_the_definition_and_do_not_depend_on_threads() {
        for (depth, width) in [(1, 1), (7, 65), (64, 32), (130, 515)] {
            let (input, weight) = (numbers(depth, 1), numbers(depth * width, 2));
            let mut out = numbers(width, 3);
            let mut alone = out.clone();
            let before = out.clone();
            add_product(&mut out, &input, &weight, true);
            add_product(&mut alone, &input, &weight, false);
            assert_eq!(out, alone);
            for column in 0..width {
                let truth: f64 = (0..depth)
                    .map(|row| f64::from(input[row]) * f64::from(weight[row * width + column]))
                    .sum();
                let found = f64::from(out[column]) - f64::from(before[column]);
                assert!((found - truth).abs() < 1e-5, "{depth} x {width}: {found}");
            }
        }
    }

    #[test]
    fn dots_agree_with_the_definition() {
        for (rows, depth) in [(1, 1), (600, 33), (3, 576)] {
            let (matrix, input) = (numbers(rows * depth, 4), numbers(depth, 5));
            let found = dot_rows(&matrix, &input);
            assert_eq!(found.len(), rows);
            for (found, row) in found.iter().zip(matrix.chunks_exact(depth)) {
                let terms = row.iter().zip(&input);
                let truth: f64 = terms.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                assert!((f64::from(*found) - truth).abs() < 1e-5);
            }
        }
    }
}
