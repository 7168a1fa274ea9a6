//! Blocks of numbers in few bits each: what llama.cpp's `dequantize_row_*` make of them, in the same
//! order of operations, so to the last bit.

use half::f16;

fn number(bytes: &[u8]) -> f32 {
    f16::from_le_bytes([bytes[0], bytes[1]]).to_f32()
}

/// The scale is the first number, nibbles follow: lower halves first, then upper halves.
pub(super) fn q4_0(block: &[u8], out: &mut [f32]) {
    let (scale, nibbles) = (number(block), &block[2..]);
    for (place, pair) in nibbles.iter().enumerate() {
        out[place] = (i16::from(pair & 15) - 8) as f32 * scale;
        out[place + 16] = (i16::from(pair >> 4) - 8) as f32 * scale;
    }
}

/// Scale, then least value.
pub(super) fn q4_1(block: &[u8], out: &mut [f32]) {
    let (scale, least, nibbles) = (number(block), number(&block[2..]), &block[4..]);
    for (place, pair) in nibbles.iter().enumerate() {
        out[place] = f32::from(pair & 15) * scale + least;
        out[place + 16] = f32::from(pair >> 4) * scale + least;
    }
}

/// The fifth bit of each of 32 numbers.
fn fifth(bits: &[u8], place: usize) -> u8 {
    (bits[place / 8] >> (place % 8) & 1) << 4
}

pub(super) fn q5_0(block: &[u8], out: &mut [f32]) {
    let (scale, bits, nibbles) = (number(block), &block[2..6], &block[6..]);
    for (place, pair) in nibbles.iter().enumerate() {
        let low = (pair & 15) | fifth(bits, place);
        let high = (pair >> 4) | fifth(bits, place + 16);
        out[place] = (i32::from(low) - 16) as f32 * scale;
        out[place + 16] = (i32::from(high) - 16) as f32 * scale;
    }
}

pub(super) fn q5_1(block: &[u8], out: &mut [f32]) {
    let (scale, least) = (number(block), number(&block[2..]));
    let (bits, nibbles) = (&block[4..8], &block[8..]);
    for (place, pair) in nibbles.iter().enumerate() {
        let low = (pair & 15) | fifth(bits, place);
        let high = (pair >> 4) | fifth(bits, place + 16);
        out[place] = f32::from(low) * scale + least;
        out[place + 16] = f32::from(high) * scale + least;
    }
}

pub(super) fn q8_0(block: &[u8], out: &mut [f32]) {
    let scale = number(block);
    for (byte, out) in block[2..].iter().zip(out) {
        *out = f32::from(*byte as i8) * scale;
    }
}

/// Sixteen scales and least values of four bits each, then two bits for each number.
pub(super) fn q2k(block: &[u8], out: &mut [f32]) {
    let (scales, pairs) = (&block[..16], &block[16..80]);
    let (scale, least) = (number(&block[80..]), number(&block[82..]));
    for (group, out) in out.chunks_exact_mut(16).enumerate() {
        let scales = scales[group];
        let scale = scale * f32::from(scales & 15);
        let least = least * f32::from(scales >> 4);
        let (first, shift) = two_bits(group);
        for (out, pair) in out.iter_mut().zip(&pairs[first..]) {
            *out = scale * f32::from(pair >> shift & 3) - least;
        }
    }
}

/// Where the two bits of a group of sixteen lie: 32 bytes hold 128 numbers, the lowest bits those of
/// the first 32.
fn two_bits(group: usize) -> (usize, usize) {
    let (half, within) = (group / 8, group % 8);
    (32 * half + 16 * (within % 2), 2 * (within / 2))
}

/// A third bit for each number, two bits for each, sixteen scales of six bits.
pub(super) fn q3k(block: &[u8], out: &mut [f32]) {
    let (third, pairs) = (&block[..32], &block[32..96]);
    let (scales, scale) = (six_bits(&block[96..108]), number(&block[108..]));
    for (group, out) in out.chunks_exact_mut(16).enumerate() {
        let scale = scale * (f32::from(scales[group]) - 32.0);
        let (first, shift) = two_bits(group);
        let (column, bit) = (16 * (group % 2), 1 << (group / 2));
        for (place, out) in out.iter_mut().enumerate() {
            let low = (pairs[first + place] >> shift & 3) as i8;
            let high = if third[column + place] & bit == 0 {
                4
            } else {
                0
            };
            *out = scale * f32::from(low - high);
        }
    }
}

/// Four lower bits of sixteen scales in eight bytes, two upper bits of each in four.
fn six_bits(packed: &[u8]) -> [u8; 16] {
    std::array::from_fn(|place| {
        let low = packed[place % 8] >> (4 * (place / 8)) & 15;
        let high = packed[8 + place % 4] >> (2 * (place / 4)) & 3;
        low | high << 4
    })
}

/// Scale and least value of a group of 32: six bits each, those of the first four whole, the upper
/// two of the others in theirs.
fn scale_and_least(group: usize, packed: &[u8]) -> (u8, u8) {
    if group < 4 {
        return (packed[group] & 63, packed[group + 4] & 63);
    }
    let scale = (packed[group + 4] & 15) | (packed[group - 4] >> 6) << 4;
    let least = (packed[group + 4] >> 4) | (packed[group] >> 6) << 4;
    (scale, least)
}

pub(super) fn q4k(block: &[u8], out: &mut [f32]) {
    let (scale, least) = (number(block), number(&block[2..]));
    let (packed, nibbles) = (&block[4..16], &block[16..]);
    for (group, out) in out.chunks_exact_mut(32).enumerate() {
        let (own_scale, own_least) = scale_and_least(group, packed);
        let (scale, least) = (scale * f32::from(own_scale), least * f32::from(own_least));
        let shift = 4 * (group % 2);
        for (out, pair) in out.iter_mut().zip(&nibbles[32 * (group / 2)..]) {
            *out = scale * f32::from(pair >> shift & 15) - least;
        }
    }
}

pub(super) fn q5k(block: &[u8], out: &mut [f32]) {
    let (scale, least) = (number(block), number(&block[2..]));
    let (packed, fifth, nibbles) = (&block[4..16], &block[16..48], &block[48..]);
    for (group, out) in out.chunks_exact_mut(32).enumerate() {
        let (own_scale, own_least) = scale_and_least(group, packed);
        let (scale, least) = (scale * f32::from(own_scale), least * f32::from(own_least));
        let shift = 4 * (group % 2);
        let nibbles = nibbles[32 * (group / 2)..].iter().zip(fifth);
        for (out, (pair, fifth)) in out.iter_mut().zip(nibbles) {
            let value = (pair >> shift & 15) | (fifth >> group & 1) << 4;
            *out = scale * f32::from(value) - least;
        }
    }
}

/// Halves of 128: nibbles of 64 bytes, two upper bits of each in 32, a scale for each sixteen.
pub(super) fn q6k(block: &[u8], out: &mut [f32]) {
    let scale = number(&block[208..]);
    for (half, out) in out.chunks_exact_mut(128).enumerate() {
        let (nibbles, pairs) = (&block[64 * half..], &block[128 + 32 * half..]);
        let scales = &block[192 + 8 * half..];
        for (place, out) in out.iter_mut().enumerate() {
            let (quarter, within) = (place / 32, place % 32);
            let low = nibbles[within + 32 * (quarter % 2)] >> (4 * (quarter / 2)) & 15;
            let high = pairs[within] >> (2 * quarter) & 3;
            let value = (low | high << 4) as i8 - 32;
            *out = scale * f32::from(scales[place / 16] as i8) * f32::from(value);
        }
    }
}
