//! Requests and answers as they lie in the store: long ones compressed, each by itself, so that one is read
//! without the others. Short ones stay as they are: nothing would be won, and people can look at them.

use std::borrow::Cow;
use std::cell::RefCell;

use zstd::bulk::Decompressor;

/// Bytes from which on it is worth it.
const LONG: usize = 256;
const LEVEL: i32 = 3;
/// No answer that is stored is larger, whatever a damaged file says.
const LARGEST: usize = 1 << 30;

/// What of a row is compressed, and what has numbers in the place of pieces, as the store writes it down.
pub(super) const REQUEST: i64 = 1;
pub(super) const ANSWER: i64 = 2;
pub(super) const REQUEST_CUT: i64 = 4;
pub(super) const ANSWER_CUT: i64 = 8;

/// The bytes, compressed where that makes them shorter, and whether they are.
pub(super) fn pack(bytes: &[u8]) -> (Cow<'_, [u8]>, bool) {
    if bytes.len() < LONG {
        return (Cow::Borrowed(bytes), false);
    }
    match zstd::bulk::compress(bytes, LEVEL) {
        Ok(packed) if packed.len() < bytes.len() => (Cow::Owned(packed), true),
        // What cannot be made shorter is kept as it is.
        _ => (Cow::Borrowed(bytes), false),
    }
}

thread_local! {
    /// Making one takes longer than most answers do.
    static UNPACKING: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

pub(super) fn unpack(bytes: Vec<u8>, packed: bool) -> std::io::Result<Vec<u8>> {
    if !packed {
        return Ok(bytes);
    }
    let length = zstd::zstd_safe::get_frame_content_size(&bytes)
        .ok()
        .flatten();
    let length = length.and_then(|length| usize::try_from(length).ok());
    let length = length.filter(|length| *length <= LARGEST);
    let damaged = || std::io::Error::other("a compressed answer is damaged");
    let length = length.ok_or_else(damaged)?;
    UNPACKING.with_borrow_mut(|unpacking| match unpacking {
        Some(unpacking) => unpacking.decompress(&bytes, length),
        None => unpacking
            .insert(Decompressor::new()?)
            .decompress(&bytes, length),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_packed_comes_back(
            bytes in prop::collection::vec(any::<u8>(), 0..3000), copies in 1_usize..4,
        ) {
            let bytes = bytes.repeat(copies);
            let (packed, is_packed) = pack(&bytes);
            prop_assert!(packed.len() <= bytes.len());
            prop_assert_eq!(unpack(packed.into_owned(), is_packed).unwrap(), bytes);
        }
    }

    #[test]
    fn long_texts_become_shorter_and_short_ones_stay_readable() {
        let text = "Thicker asphalt lowered the stress range. ".repeat(100);
        let (packed, is_packed) = pack(text.as_bytes());
        assert!(is_packed && packed.len() < text.len() / 10);
        assert_eq!(pack(b"short"), (Cow::Borrowed(&b"short"[..]), false));
    }

    #[test]
    fn damage_is_an_error() {
        let text = "Thicker asphalt lowered the stress range. ".repeat(100);
        let (packed, _) = pack(text.as_bytes());
        assert!(unpack(packed[..packed.len() / 2].to_vec(), true).is_err());
        assert!(unpack(b"no frame".to_vec(), true).is_err());
        let mut huge = packed.into_owned();
        huge[5..9].fill(0xff);
        assert!(unpack(huge, true).is_err());
    }
}
