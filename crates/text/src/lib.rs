//! Text: words, sentences, rare words, n-grams, stop words and similarity, the same for attacks,
//! judge and the rehearsal service.
//!
//! One tokeniser, [`words()`]; a search index looks at [`parts()`] of its words, and the judge at
//! hashes of them ([`Grams`]). One list of stop words, whose first half a search index leaves out.
//! [`Language`] has those of other languages, and knows which language a text is in.
//!
//! Deliberately absent: language models and their tokens, files, and who is a member.

mod bleu;
mod collection;
mod frequencies;
mod grams;
mod language;
mod listed;
mod looks;
mod maps;
mod paragraphs;
mod parts;
mod scripts;
mod segments;
mod sentences;
mod similarity;
mod spelling;
mod stems;
mod stop_words;
mod words;

pub use bleu::bleu;
pub use collection::{Closeness, Collection, Comparing, Other, outlier_threshold};
pub use frequencies::DocumentFrequencies;
pub use grams::{Grams, RUN, find_letters, find_word, hashed_words, runs, share_known};
pub use language::{Language, NoSuchLanguage};
pub use looks::{Look, Looked, look};
pub use maps::{HashMap, HashSet};
pub use paragraphs::{Sentence, split_sentences};
pub use parts::{is_plain_number, parts, plain, plain_parts};
pub use scripts::is_unspaced;
pub use segments::border_before;
pub use sentences::sentences;
pub use similarity::{cosine_of_counts, likeness};
pub use spelling::{did_you_mean, name_likeness, nearest};
pub use stems::{content_stems, stem};
pub use stop_words::{is_function_word, is_stop_word};
pub use words::{
    Word, count_words, count_words_of_any_script, each_word, folded, is_content, is_key_word,
    is_name, is_number, key_words, words, words_and_letters,
};
