//! Documents cut into chunks: whole sentences, about as many words as asked for, the end of one
//! chunk repeated at the start of the next.

use std::ops::Range;

use text::{count_words_of_any_script as count_words, split_sentences};

use crate::documents::Document;
use crate::{Error, ErrorKind, Result};

/// How long chunks are, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkSettings {
    pub words: usize,
    /// How much of a chunk's end the next one repeats.
    pub overlap: usize,
}

impl Default for ChunkSettings {
    fn default() -> Self {
        Self {
            words: 120,
            overlap: 20,
        }
    }
}

impl ChunkSettings {
    pub fn check(self) -> Result<()> {
        if self.words == 0 || self.overlap * 2 > self.words {
            let message = format!(
                "chunks of {} words cannot overlap by {}",
                self.words, self.overlap
            );
            return Err(Error::new(ErrorKind::Setting, message).hint(
                "let chunks have at least one word and overlap by at most half of their words",
            ));
        }
        Ok(())
    }
}

/// A stretch of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The document's place among the documents.
    pub document: usize,
    /// Bytes of the document's text.
    pub range: Range<usize>,
}

/// A sentence, or a part of one that is longer than a chunk.
struct Piece {
    range: Range<usize>,
    words: usize,
    ends_paragraph: bool,
}

/// The chunks of all documents, in their order.
pub fn split(documents: &[Document], settings: ChunkSettings) -> Vec<Chunk> {
    let chunks = |(document, whole): (usize, &Document)| {
        let ranges = split_text(&whole.text, settings);
        ranges
            .into_iter()
            .map(move |range| Chunk { document, range })
    };
    documents.iter().enumerate().flat_map(chunks).collect()
}

fn split_text(text: &str, settings: ChunkSettings) -> Vec<Range<usize>> {
    let pieces = pieces(text, settings.words);
    let mut chunks = Vec::new();
    let mut first = 0;
    while first < pieces.len() {
        let end = chunk_end(&pieces, first, settings.words);
        chunks.push(pieces[first].range.start..pieces[end - 1].range.end);
        if end == pieces.len() {
            break;
        }
        first = step_back(&pieces, first, end, settings);
    }
    chunks
}

fn pieces(text: &str, most: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for sentence in split_sentences(text) {
        let cuts = cut(text, sentence.range, most);
        let last = cuts.len() - 1;
        pieces.extend(cuts.into_iter().enumerate().map(|(index, range)| Piece {
            words: count_words(&text[range.clone()]),
            ends_paragraph: sentence.ends_paragraph && index == last,
            range,
        }));
    }
    pieces
}

/// A sentence in parts of at most so many words; never empty.
fn cut(text: &str, range: Range<usize>, most: usize) -> Vec<Range<usize>> {
    let sentence = &text[range.clone()];
    let offset = |word: &str| word.as_ptr() as usize - sentence.as_ptr() as usize;
    let starts: Vec<usize> = sentence
        .split_whitespace()
        .step_by(most)
        .map(offset)
        .collect();
    if starts.len() < 2 {
        return vec![range];
    }
    let ends = starts[1..].iter().copied().chain([sentence.len()]);
    let trim = |(start, end): (&usize, usize)| {
        let length = sentence[*start..end].trim_end().len();
        range.start + start..range.start + start + length
    };
    starts.iter().zip(ends).map(trim).collect()
}

/// Behind which piece a chunk ends. It is full, or nearly so at the end of a paragraph.
fn chunk_end(pieces: &[Piece], first: usize, most: usize) -> usize {
    let mut words = pieces[first].words;
    let mut end = first + 1;
    while end < pieces.len() && words + pieces[end].words <= most {
        if pieces[end - 1].ends_paragraph && words * 4 >= most * 3 {
            break;
        }
        words += pieces[end].words;
        end += 1;
    }
    end
}

/// Where the next chunk starts: as many sentences back as the overlap asks for, but never more than
/// half a chunk, and never at or before the start of this one.
fn step_back(pieces: &[Piece], first: usize, end: usize, settings: ChunkSettings) -> usize {
    let (mut start, mut words) = (end, 0);
    while start > first + 1 && words < settings.overlap {
        words += pieces[start - 1].words;
        if words * 2 > settings.words {
            break;
        }
        start -= 1;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(text: &str, words: usize, overlap: usize) -> Vec<&str> {
        let settings = ChunkSettings { words, overlap };
        split_text(text, settings)
            .into_iter()
            .map(|range| &text[range])
            .collect()
    }

    #[test]
    fn chunks_end_with_sentences_and_repeat_the_last_one() {
        let text = "One two three. Four five six. Seven eight nine. Ten eleven twelve.";
        assert_eq!(
            chunks(text, 6, 3),
            [
                "One two three. Four five six.",
                "Four five six. Seven eight nine.",
                "Seven eight nine. Ten eleven twelve."
            ]
        );
        assert_eq!(
            chunks(text, 6, 0),
            [
                "One two three. Four five six.",
                "Seven eight nine. Ten eleven twelve."
            ]
        );
        assert_eq!(chunks(text, 120, 20), [text]);
        assert!(chunks(" \n", 6, 3).is_empty());
    }

    #[test]
    fn a_nearly_full_chunk_ends_with_its_paragraph() {
        let text = "One two three. Four five.\n\nSix. Seven eight nine ten.";
        assert_eq!(
            chunks(text, 6, 0),
            ["One two three. Four five.", "Six. Seven eight nine ten."]
        );
    }

    #[test]
    fn endless_sentences_are_cut_between_words_and_nothing_is_lost() {
        let text: String = (0..97).map(|number| format!("wörd{number} ")).collect();
        let cut = chunks(&text, 10, 5);
        assert!(cut.iter().all(|chunk| count_words(chunk) <= 10));
        let all: Vec<&str> = chunks(&text, 10, 0)
            .into_iter()
            .flat_map(str::split_whitespace)
            .collect();
        assert_eq!(all, text.split_whitespace().collect::<Vec<_>>());
    }

    #[test]
    fn an_overlap_beyond_half_a_chunk_is_refused() {
        assert!(
            ChunkSettings {
                words: 10,
                overlap: 6
            }
            .check()
            .is_err()
        );
        assert!(
            ChunkSettings {
                words: 0,
                overlap: 0
            }
            .check()
            .is_err()
        );
        assert!(ChunkSettings::default().check().is_ok());
    }
}
