//! Whether an answer names the document as its source.

use std::cell::OnceCell;

use text::{HashMap, HashSet, Word, each_word, folded, is_content, words};

use crate::signals::probes::{Document, Reply, SourceShown, stands_in};

/// Ids shorter than this turn up in any text by chance.
const SHORTEST_ID: usize = 5;
/// Titles of fewer words do, too.
const SHORTEST_TITLE: usize = 3;
/// A source shows the document's text when this share of its words, in runs of four, is there.
const SAME_TEXT: f64 = 0.6;
const RUN: usize = 4;

/// Shown among the sources, or named in the answer's own words: a name that the question held
/// may only be an echo.
pub fn is_cited(document: &Document, query: &str, reply: &Reply) -> bool {
    Identity::new(document).is_cited(reply, &folded(query), &words(&reply.answer))
}

/// Among what the service looked up, or what it shows.
pub fn is_retrieved(document: &Document, reply: &Reply) -> bool {
    Identity::new(document).is_retrieved(reply)
}

/// A document as sources and answers name it, prepared once. The same sources come with many answers, and each
/// is looked at once.
pub struct Identity<'a> {
    document: &'a Document,
    /// Id and title, in words.
    id: Vec<String>,
    title: Option<Vec<String>>,
    /// Made once a source shows a text.
    runs: OnceCell<Runs>,
    seen: HashMap<&'a SourceShown, bool>,
}

impl<'a> Identity<'a> {
    pub fn new(document: &'a Document) -> Self {
        Self {
            id: folded(&document.id),
            title: document.title.as_deref().map(folded),
            document,
            runs: OnceCell::new(),
            seen: HashMap::default(),
        }
    }

    /// As [`is_cited`] has it, by the words of the question and of the answer.
    pub fn is_cited(&mut self, reply: &'a Reply, asked: &[String], answer: &[Word]) -> bool {
        let mut citations = reply.citations.iter();
        citations.any(|source| self.is_shown(source))
            || self.is_named(asked, answer)
            || reply.asides.iter().any(|aside| self.is_aside(aside, asked))
            || self.is_told(asked) && reply.metadata.names(&self.document.id)
    }

    /// Whether a text beside the answer is a part of the document, or names it. A name that the question has may be
    /// its echo.
    fn is_aside(&mut self, aside: &'a SourceShown, asked: &[String]) -> bool {
        if let Some(name) = aside.title.as_deref() {
            let name = folded(name);
            let echoed = asked.windows(name.len().max(1)).any(|run| run == name);
            let part = || {
                self.is_told(asked)
                    && aside
                        .title
                        .as_deref()
                        .is_some_and(|name| stands_in(name, &self.document.id))
            };
            return part() || !echoed && self.is_shown(aside);
        }
        let Some(text) = aside.text.as_deref() else {
            return false;
        };
        let has = match self.seen.get(aside) {
            Some(seen) => *seen,
            None => {
                let has = self.has(text);
                self.seen.insert(aside, has);
                has
            }
        };
        has || self.is_named(asked, &words(text))
    }

    /// As [`is_retrieved`] has it.
    pub fn is_retrieved(&mut self, reply: &'a Reply) -> bool {
        let mut sources = reply.retrieved.iter().chain(&reply.citations);
        sources.any(|source| self.is_shown(source))
    }

    fn is_shown(&mut self, source: &'a SourceShown) -> bool {
        if let Some(seen) = self.seen.get(source) {
            return *seen;
        }
        let shown = self.shows(source);
        self.seen.insert(source, shown);
        shown
    }

    fn shows(&self, source: &SourceShown) -> bool {
        let names = [source.id.as_deref(), source.title.as_deref()];
        let named = names.into_iter().flatten().any(|name| {
            let words = folded(name);
            let same = words == self.id || self.title.as_ref() == Some(&words);
            !name.trim().is_empty() && same || is_file_of(name, &self.document.id)
        });
        named || source.text.as_deref().is_some_and(|text| self.has(text))
    }

    /// Whether a text is a part of the document.
    fn has(&self, text: &str) -> bool {
        if self.document.text.is_empty() {
            return false;
        }
        let runs = self.runs.get_or_init(|| Runs::new(&self.document.text));
        let shown = runs.numbered(text);
        if shown.len() < 2 * RUN {
            return false;
        }
        let all = (shown.len() - RUN + 1) as f64;
        runs.shared(&shown) as f64 >= SAME_TEXT * all
    }

    /// Whether the id says something where it stands: it is long enough, and the question does not have it.
    fn is_told(&self, asked: &[String]) -> bool {
        let echoed = asked
            .windows(self.id.len().max(1))
            .any(|run| run == self.id);
        // A plain word may be the name of a field.
        let no_word = |letter: char| !letter.is_alphabetic();
        !echoed
            && self.document.id.contains(no_word)
            && self.document.id.chars().count() >= SHORTEST_ID
    }

    fn is_named(&self, asked: &[String], answer: &[Word]) -> bool {
        let names = |name: &[String], shortest: usize| {
            let telling = name.iter().any(|word| is_content(word));
            name.len() >= shortest
                && telling
                && answer.windows(name.len()).any(|run| {
                    let mut both = run.iter().zip(name);
                    both.all(|(word, named)| word.folded == *named)
                })
                && !asked.windows(name.len()).any(|run| run == name)
        };
        let id = self.document.id.chars().count() >= SHORTEST_ID && names(&self.id, 1);
        let title = self.title.as_deref();
        id || title.is_some_and(|title| names(title, SHORTEST_TITLE))
    }
}

/// `store/notes/doc-17.txt#2` is a piece of `doc-17`.
fn is_file_of(name: &str, id: &str) -> bool {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let Some(rest) = name.strip_prefix(id) else {
        return false;
    };
    id.chars().count() >= 3 && rest.starts_with(['.', '#', ':', '_', '-', ' '])
}

/// The number of a word that a text does not have.
const UNKNOWN: u32 = u32::MAX;

/// A text in runs of words, which have numbers of its own.
struct Runs {
    numbers: HashMap<String, u32>,
    runs: HashSet<[u32; RUN]>,
}

impl Runs {
    fn new(text: &str) -> Self {
        let mut numbers = HashMap::default();
        let mut words = Vec::new();
        for word in folded(text) {
            let next = numbers.len() as u32;
            words.push(*numbers.entry(word).or_insert(next));
        }
        let runs = words.windows(RUN).filter_map(|run| run.try_into().ok());
        Self {
            runs: runs.collect(),
            numbers,
        }
    }

    /// The words of another text by their numbers.
    fn numbered(&self, text: &str) -> Vec<u32> {
        let mut numbers = Vec::with_capacity(text.len() / 6);
        each_word(text, |_, word| {
            numbers.push(self.numbers.get(word).copied().unwrap_or(UNKNOWN));
        });
        numbers
    }

    /// How many runs of these words it has. No run of its own has a word that it does not know.
    fn shared(&self, words: &[u32]) -> usize {
        let runs = words.windows(RUN);
        let known = runs.filter(|run| !run.contains(&UNKNOWN) && self.has(run));
        known.count()
    }

    fn has(&self, run: &[u32]) -> bool {
        <&[u32; RUN]>::try_from(run).is_ok_and(|run| self.runs.contains(run))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        Document {
            id: "doc-00017".into(),
            title: Some("Mitochondria in lace plant leaves".into()),
            text: "Programmed cell death is the regulated death of cells within an organism of \
                   any kind, and the lace plant makes holes in its leaves by it."
                .into(),
            ..Document::default()
        }
    }

    fn reply(answer: &str, source: SourceShown) -> Reply {
        Reply {
            answer: answer.into(),
            citations: vec![source],
            ..Reply::default()
        }
    }

    #[test]
    fn ids_titles_files_and_texts_are_recognised() {
        let id = |id: &str| SourceShown {
            id: Some(id.into()),
            ..SourceShown::default()
        };
        let text = |text: &str| SourceShown {
            text: Some(text.into()),
            ..SourceShown::default()
        };
        let nothing = SourceShown::default;
        assert!(is_cited(&document(), "", &reply("", id("DOC-00017"))));
        assert!(is_cited(
            &document(),
            "",
            &reply("", id("store/doc-00017.txt"))
        ));
        assert!(!is_cited(&document(), "", &reply("", id("doc-000171"))));
        let part = "the regulated death of cells within an organism of any kind";
        assert!(is_cited(&document(), "", &reply("", text(part))));
        assert!(!is_cited(
            &document(),
            "",
            &reply(
                "",
                text("another text about cells and plants of any sort at all")
            )
        ));
        let named = "See “Mitochondria in Lace Plant Leaves”.";
        assert!(is_cited(&document(), "", &reply(named, nothing())));
        assert!(!is_cited(
            &document(),
            "",
            &reply("Mitochondria, leaves.", nothing())
        ));
        let asked = "What discusses Mitochondria in lace plant leaves?";
        assert!(
            !is_cited(&document(), asked, &reply(named, nothing())),
            "an echo"
        );
    }

    proptest::proptest! {
        /// The definition: every run of one text looked for in the other.
        #[test]
        fn shared_runs_are_those_of_the_definition(one in "[ab ]{0,60}", other in "[abc ]{0,60}") {
            let (own, shown) = (folded(&one), folded(&other));
            let shared = shown.windows(RUN).filter(|run| own.windows(RUN).any(|o| o == *run));
            let runs = Runs::new(&one);
            proptest::prop_assert_eq!(runs.shared(&runs.numbered(&other)), shared.count());
        }
    }

    #[test]
    fn what_was_looked_up_is_not_a_citation() {
        let seen = Reply {
            retrieved: vec![SourceShown {
                id: Some("doc-00017".into()),
                ..SourceShown::default()
            }],
            ..Reply::default()
        };
        assert!(is_retrieved(&document(), &seen) && !is_cited(&document(), "", &seen));
    }
}
