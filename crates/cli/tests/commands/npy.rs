//! NumPy files written by hand.

/// The bytes of a little-endian `.npy` file, version 1, in C order.
pub fn npy(element: &str, shape: &[usize], data: Vec<u8>) -> Vec<u8> {
    let extents: String = shape.iter().map(|extent| format!("{extent},")).collect();
    let header =
        format!("{{'descr': '{element}', 'fortran_order': False, 'shape': ({extents}), }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

pub fn floats(shape: &[usize], values: &[f32]) -> Vec<u8> {
    npy(
        "<f4",
        shape,
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect(),
    )
}

pub fn integers(shape: &[usize], values: &[i64]) -> Vec<u8> {
    npy(
        "<i8",
        shape,
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect(),
    )
}

pub fn flags(shape: &[usize], values: &[bool]) -> Vec<u8> {
    npy(
        "|b1",
        shape,
        values.iter().map(|value| u8::from(*value)).collect(),
    )
}

/// Text, cut or padded to 16 characters each.
pub fn texts(values: &[String]) -> Vec<u8> {
    let points = values
        .iter()
        .flat_map(|value| value.chars().chain(std::iter::repeat('\0')).take(16));
    let data = points
        .flat_map(|point| u32::from(point).to_le_bytes())
        .collect();
    npy("<U16", &[values.len()], data)
}
