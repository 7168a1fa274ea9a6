//! `lm-zlib`: log-likelihood beside the length that zlib compresses the text to.

use super::TokenAttack;
use crate::card::{Access, Card};
use crate::scores::{Abstention, Answer};
use crate::settings::Settings;
use crate::signals::tokens::{Need, TextSignals};

/// What "zlib" means in the published attacks: the level of Python's `zlib.compress`.
const LEVEL: std::ffi::c_int = 6;

pub struct Zlib;

static CARD: Card = Card {
    id: "lm-zlib",
    summary: "log-likelihood per compressed byte",
    asks: "Does the model find the text likelier than its repetitiveness explains?",
    why_it_works: "zlib stands in for a reference model: repetitive text is likely under any \
                   model and compresses well.",
    access: Access::Tokens(&[Need::Text]),
    when_it_misleads: "Short texts: the compressor's header and tables outweigh the text. It \
                       knows repetition, not language.",
    paper: "Carlini et al. 2021, arXiv:2012.07805",
    settings: &[],
};

impl TokenAttack for Zlib {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn score(&self, text: &TextSignals, _: &Settings) -> Answer {
        let bytes = text.text.as_deref().unwrap_or_default().as_bytes();
        let compressed = compressed(bytes).ok_or(Abstention::Undefined)?;
        Ok(text.logprob.iter().sum::<f64>() / compressed as f64)
    }
}

/// How many bytes zlib makes of these. The original library, because others of the same format
/// find other lengths, and published scores divide by this one.
fn compressed(bytes: &[u8]) -> Option<usize> {
    let source_length = libz_sys::uLong::try_from(bytes.len()).ok()?;
    // SAFETY: `compressBound` only computes; the buffer has the length it gives, and `compress2`
    // writes no more than that and reads no more than `source_length` bytes.
    unsafe {
        let mut length = libz_sys::compressBound(source_length);
        let mut buffer = vec![0u8; usize::try_from(length).ok()?];
        let (destination, source) = (buffer.as_mut_ptr(), bytes.as_ptr());
        let status =
            libz_sys::compress2(destination, &raw mut length, source, source_length, LEVEL);
        (status == libz_sys::Z_OK).then_some(usize::try_from(length).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::compressed;

    /// Lengths that Python's `zlib.compress` gives.
    #[test]
    fn lengths_are_those_of_the_original() {
        assert_eq!(compressed(b""), Some(8));
        assert_eq!(compressed(b"the quick brown fox"), Some(27));
        let long = "It was the best of times, it was the worst of times. ".repeat(20);
        assert_eq!(compressed(long.as_bytes()), Some(54));
    }
}
