//! The sentences of the sources, and how much of something they cover.

use std::collections::{BTreeSet, HashSet};

use text::{content_stems, split_sentences};

use super::super::Source;
use crate::index::Postings;

/// What the reader has in front of it.
pub struct Reading<'a> {
    pub sources: &'a [Source<'a>],
    pub lines: Vec<Line<'a>>,
    pub citing: bool,
    postings: &'a Postings,
}

/// A sentence of a source.
pub struct Line<'a> {
    /// Which source.
    pub source: usize,
    pub text: &'a str,
    pub words: HashSet<String>,
}

/// Words that are looked for, with what each is worth.
pub struct Weights {
    words: Vec<(String, f64)>,
    total: f64,
}

impl<'a> Reading<'a> {
    pub fn new(sources: &'a [Source<'a>], postings: &'a Postings, citing: bool) -> Self {
        let mut seen = HashSet::new();
        let mut lines = Vec::new();
        for (source, whole) in sources.iter().enumerate() {
            for sentence in split_sentences(whole.text) {
                let text = &whole.text[sentence.range];
                // Chunks of one document repeat each other's ends.
                if seen.insert((whole.id, text)) {
                    let words = content_stems(text).into_iter().collect();
                    lines.push(Line {
                        source,
                        text,
                        words,
                    });
                }
            }
        }
        Self {
            sources,
            lines,
            citing,
            postings,
        }
    }

    pub fn weigh(&self, text: &str) -> Weights {
        let distinct: BTreeSet<String> = content_stems(text).into_iter().collect();
        // In a small store no word is rare, so that each counts for something by itself.
        let weigh = |word: String| {
            let worth = 1.0 + self.postings.idf(&word);
            (word, worth)
        };
        let words: Vec<(String, f64)> = distinct.into_iter().map(weigh).collect();
        Weights {
            total: words.iter().map(|(_, worth)| worth).sum(),
            words,
        }
    }

    /// ` [2]`, where sources may be named.
    pub fn mark(&self, source: usize) -> String {
        if self.citing {
            format!(" [{}]", source + 1)
        } else {
            String::new()
        }
    }
}

impl Weights {
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Which of the words a line has.
    pub fn presence(&self, line: &Line) -> Vec<bool> {
        let words = self.words.iter();
        words.map(|(word, _)| line.words.contains(word)).collect()
    }

    /// The share of the words' worth that is there, from 0 to 1; words go by their places.
    pub fn share(&self, there: impl Fn(usize) -> bool) -> f64 {
        if self.total == 0.0 {
            return 0.0;
        }
        let worth = self.words.iter().map(|(_, worth)| worth).enumerate();
        let present = worth.filter(|(place, _)| there(*place));
        present.map(|(_, worth)| worth).sum::<f64>() / self.total
    }

    pub fn covered_by(&self, lines: &[&Line]) -> f64 {
        self.share(|place| {
            let word = &self.words[place].0;
            lines.iter().any(|line| line.words.contains(word))
        })
    }
}
