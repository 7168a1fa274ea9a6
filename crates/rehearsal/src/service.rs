//! The service: looks chunks up, has an answer written, and defends itself.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use attacks::rag::reading::{Kind, kind};
use attacks::signals::probes::Reply;
use text::count_words;

use crate::defences::{
    self, Defences, FILTER_OUTPUT, ONE_REFUSAL, REFUSE_BY_STATUS, REFUSE_VERBATIM,
};
use crate::generate::{Extractive, Generate, Generated, Message, OnText, Question, Role, Source};
use crate::index::{Hit, Index};
use crate::retrieve::{RetrieveSettings, retrieve};
use crate::{Error, ErrorKind, Result};

/// What is said in place of a withheld answer.
const REFUSAL: &str = "I can't help with that request.";

/// The same where all that is no answer is told alike.
const NO_ANSWER: &str = "I can't answer that.";

/// Answers of no more words say yes, no or a name: there are no other words for them.
const SHORTEST_PARAPHRASED: usize = 4;

/// More chunks than this are never looked up for one question.
pub const MOST_CHUNKS: usize = 100;

/// Fewer usual questions do not tell which is the one in twenty.
const FEWEST_USUAL: usize = 20;

/// How the service works.
#[derive(Clone, Copy, Debug)]
pub struct ServiceSettings {
    pub retrieve: RetrieveSettings,
    pub defences: Defences,
    /// How long answers are where the question does not say.
    pub max_tokens: usize,
}

impl Default for ServiceSettings {
    fn default() -> Self {
        Self {
            retrieve: RetrieveSettings::default(),
            defences: Defences::default(),
            max_tokens: 128,
        }
    }
}

/// A question to the service.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The conversation; its last words by the user are the question.
    pub messages: Vec<Message>,
    /// Whether documents may be looked up.
    pub retrieval: bool,
    pub top_k: Option<usize>,
    pub max_tokens: Option<usize>,
    pub temperature: f32,
}

impl Ask {
    pub fn new(question: impl Into<String>) -> Self {
        Self {
            messages: vec![Message::new(Role::User, question)],
            retrieval: true,
            top_k: None,
            max_tokens: None,
            temperature: 0.0,
        }
    }
}

/// A chunk that an answer shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    pub id: String,
    pub title: Option<String>,
    pub score: f32,
    pub text: String,
}

/// How much was read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub prompt_tokens: usize,
    pub written_tokens: usize,
}

/// What the service says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub text: String,
    /// What the answer names as its sources.
    pub citations: Vec<Shown>,
    /// What was looked up, best first.
    pub retrieved: Vec<Shown>,
    pub usage: Usage,
    /// Whether the limit on its length ended it.
    pub cut: bool,
    /// The defence that withheld the answer.
    pub refused_by: Option<&'static str>,
    /// No answer was given, whatever is said in its place.
    pub withheld: bool,
    /// It is to be told by a status.
    pub by_status: bool,
    /// The id of the document that a defence kept out of the answer. Not for those who ask.
    pub hidden: Option<String>,
}

/// How often defences acted. Not for those who ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acted {
    pub asked: u64,
    /// Questions that fitted a document too well.
    pub suspected: u64,
    /// Answers that were withheld.
    pub refused: u64,
    /// Answers from which words were taken.
    pub filtered: u64,
}

#[derive(Default)]
struct Counters {
    asked: AtomicU64,
    suspected: AtomicU64,
    refused: AtomicU64,
    filtered: AtomicU64,
}

pub struct Service {
    acted: Counters,
    index: Index,
    generator: Box<dyn Generate>,
    settings: ServiceSettings,
    /// How far usual questions stand out at most, in deviations; nothing where none are known.
    usual: Option<f64>,
}

impl Service {
    /// A service with any generator.
    pub fn new(
        index: Index,
        generator: Box<dyn Generate>,
        settings: ServiceSettings,
    ) -> Result<Self> {
        if settings.retrieve.mode.needs_embeddings() && !index.has_embeddings() {
            let message = format!("the retriever {} needs embeddings", settings.retrieve.mode);
            return Err(
                Error::new(ErrorKind::Setting, message).hint("name an embedder, or choose bm25")
            );
        }
        check_top_k(settings.retrieve.top_k)?;
        Ok(Self {
            acted: Counters::default(),
            index,
            generator,
            settings,
            usual: None,
        })
    }

    /// Lets `detect-probing` know what people usually ask, so that it suspects no more than a share of that.
    pub fn knows_usual(mut self, questions: &[String]) -> Result<Self> {
        let Some(rate) = self.settings.defences.detect_probing else {
            return Err(
                Error::new(ErrorKind::Setting, "usual questions are for detect-probing")
                    .hint("add the defence detect-probing, or leave the questions out"),
            );
        };
        if questions.len() < FEWEST_USUAL {
            let message = format!("{} usual questions", questions.len());
            let hint = format!("give at least {FEWEST_USUAL}, so that one in twenty is known");
            return Err(Error::new(ErrorKind::Setting, message).hint(hint));
        }
        let mut deviations = Vec::with_capacity(questions.len());
        for question in questions {
            let closest = defences::closest(&self.similarities(question)?);
            deviations.push(closest.map_or(0.0, |closest| closest.deviations));
        }
        self.usual = Some(defences::usual(deviations, rate));
        Ok(self)
    }

    /// A service that answers with the words of its documents.
    pub fn extractive(index: Index, settings: ServiceSettings) -> Result<Self> {
        let generator = Extractive::new(Arc::clone(index.postings()));
        Self::new(index, Box::new(generator), settings)
    }

    pub fn index(&self) -> &Index {
        &self.index
    }

    pub fn generator(&self) -> &str {
        self.generator.name()
    }

    pub fn answer(&self, ask: &Ask) -> Result<Answer> {
        self.answer_in_pieces(ask, &mut |_| ControlFlow::Continue(()))
    }

    /// Hands the text on while it is written, where no defence has to see it whole.
    pub fn answer_in_pieces(&self, ask: &Ask, on_text: OnText) -> Result<Answer> {
        let asked = Asked::new(ask)?;
        let (hits, hidden) = if ask.retrieval {
            self.look_up(asked.text, ask.top_k)?
        } else {
            (Vec::new(), None)
        };
        let sources: Vec<Source> = hits.iter().map(|hit| self.source(hit)).collect();
        let question = Question {
            text: asked.text,
            before: asked.before,
            max_tokens: ask.max_tokens.unwrap_or(self.settings.max_tokens).max(1),
            temperature: ask.temperature,
            citing: !self.settings.defences.hide_citations,
        };
        let mut answer = self.write(&question, &sources, on_text)?;
        self.count(&self.acted.asked, true);
        self.count(&self.acted.suspected, hidden.is_some());
        answer.hidden = hidden;
        if question.citing && !answer.withheld {
            let shown: Vec<Shown> = hits.iter().map(|hit| self.shown(hit)).collect();
            let cited = defences::cited(&answer.text, shown.len());
            answer.citations = cited
                .into_iter()
                .map(|number| shown[number - 1].clone())
                .collect();
            answer.retrieved = shown;
        }
        Ok(answer)
    }

    fn write(&self, question: &Question, sources: &[Source], on_text: OnText) -> Result<Answer> {
        let defences = self.settings.defences;
        if self.quotes(question.text, sources) {
            return Ok(self.refuse(REFUSE_VERBATIM, on_text));
        }
        if !defences.screen_answers() {
            return Ok(answer_of(
                self.generator.answer(question, sources, on_text)?,
            ));
        }
        let mut written = self
            .generator
            .answer(question, sources, &mut |_| ControlFlow::Continue(()))?;
        let says = says_something(&written.text);
        if defences.paraphrase && says && count_words(&written.text) > SHORTEST_PARAPHRASED {
            written.text = self
                .generator
                .paraphrase(&written.text, question.max_tokens)?;
        }
        if self.quotes(&written.text, sources) {
            return Ok(self.refuse(REFUSE_VERBATIM, on_text));
        }
        if let Some(length) = defences.filter_output.filter(|_| says) {
            let texts = sources.iter().map(|source| source.text);
            match defences::filtered(&written.text, texts, length) {
                Some(text) => {
                    self.count(&self.acted.filtered, text != written.text);
                    written.text = text;
                }
                None => return Ok(self.refuse(FILTER_OUTPUT, on_text)),
            }
        }
        if defences.hide_citations {
            written.text = defences::strip_marks(&written.text, sources.len());
        }
        if defences.tells_alike() && !says_something(&written.text) {
            return Ok(self.refuse(ONE_REFUSAL, on_text));
        }
        let _ = on_text(&written.text);
        Ok(answer_of(written))
    }

    /// Whether a text shares too many words in a row with a source.
    fn quotes(&self, text: &str, sources: &[Source]) -> bool {
        let quotes = |length| {
            let runs = defences::runs(text, length);
            let mut sources = sources.iter();
            sources.any(|source| defences::shares_run(&runs, source.text, length))
        };
        self.settings.defences.refuse_verbatim.is_some_and(quotes)
    }

    /// What is said in place of an answer: where all are told alike, nothing shows which defence spoke.
    fn refuse(&self, by: &'static str, on_text: OnText) -> Answer {
        self.count(&self.acted.refused, by != ONE_REFUSAL);
        let defences = self.settings.defences;
        let alike = defences.tells_alike();
        let text = if alike { NO_ANSWER } else { REFUSAL };
        let _ = on_text(text);
        Answer {
            text: text.to_owned(),
            refused_by: match alike {
                true => defences.refuse_by_status.then_some(REFUSE_BY_STATUS),
                false => Some(by),
            },
            withheld: true,
            by_status: defences.refuse_by_status,
            ..Answer::default()
        }
    }

    fn count(&self, counter: &AtomicU64, is_so: bool) {
        counter.fetch_add(u64::from(is_so), Ordering::Relaxed);
    }

    /// How often defences acted, for whoever runs the service.
    pub fn acted(&self) -> Acted {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Acted {
            asked: read(&self.acted.asked),
            suspected: read(&self.acted.suspected),
            refused: read(&self.acted.refused),
            filtered: read(&self.acted.filtered),
        }
    }

    /// Whether what is no answer is told by a status.
    pub(crate) fn refuses_by_status(&self) -> bool {
        self.settings.defences.refuse_by_status
    }

    /// How many questions may be answered side by side; nothing where each takes a core.
    pub fn at_once(&self) -> Option<usize> {
        self.generator.at_once()
    }

    /// The chunks to answer from, and the document that the question was too close to.
    fn look_up(&self, question: &str, top_k: Option<usize>) -> Result<(Vec<Hit>, Option<String>)> {
        let mut settings = self.settings.retrieve;
        settings.top_k = top_k.unwrap_or(settings.top_k);
        check_top_k(settings.top_k)?;
        let suspect = match self.settings.defences.detect_probing {
            Some(rate) => self.suspect(question, rate)?,
            None => None,
        };
        let hidden = suspect.map_or(0..0, |document| self.index.extent(document));
        let hits = retrieve(&self.index, question, settings, &hidden)?;
        Ok((
            hits,
            suspect.map(|document| self.index.documents()[document].id.clone()),
        ))
    }

    /// The document that a question was made from, as far as it stands out of what is usual.
    fn suspect(&self, question: &str, rate: f64) -> Result<Option<usize>> {
        let similarities = self.similarities(question)?;
        let by_chance = defences::beyond_chance(similarities.len(), rate);
        let limit = self.usual.map_or(by_chance, |usual| usual.max(by_chance));
        let closest = defences::closest(&similarities);
        let suspect = closest.filter(|closest| closest.deviations > limit);
        Ok(suspect.map(|closest| closest.document))
    }

    /// How close a question is to every document: to the closest of its chunks, by embeddings where
    /// there are any, else by TF-IDF.
    fn similarities(&self, question: &str) -> Result<Vec<f32>> {
        let chunks = match self.index.meaning_scores(question) {
            Some(cosines) => cosines?,
            None => self.index.tfidf_scores(question),
        };
        let closest = |chunks: &[f32]| chunks.iter().copied().reduce(f32::max).unwrap_or(0.0);
        let extents = (0..self.index.documents().len()).map(|document| self.index.extent(document));
        Ok(extents
            .map(|extent: Range<usize>| closest(&chunks[extent]))
            .collect())
    }

    fn source(&self, hit: &Hit) -> Source<'_> {
        let document = self.index.document_of(hit.chunk);
        Source {
            id: &document.id,
            title: document.title.as_deref(),
            text: self.index.text_of(hit.chunk),
        }
    }

    fn shown(&self, hit: &Hit) -> Shown {
        let source = self.source(hit);
        Shown {
            id: source.id.to_owned(),
            title: source.title.map(str::to_owned),
            score: hit.score,
            text: source.text.to_owned(),
        }
    }
}

/// Whether a text answers, rather than saying that nothing is known or told.
fn says_something(text: &str) -> bool {
    kind(&Reply {
        answer: text.into(),
        ..Reply::default()
    }) == Kind::Answer
}

fn answer_of(written: Generated) -> Answer {
    Answer {
        text: written.text,
        cut: written.cut,
        usage: Usage {
            prompt_tokens: written.prompt_tokens,
            written_tokens: written.written_tokens,
        },
        ..Answer::default()
    }
}

/// The question of a conversation, and what came before it.
struct Asked<'a> {
    text: &'a str,
    before: &'a [Message],
}

impl<'a> Asked<'a> {
    fn new(ask: &'a Ask) -> Result<Self> {
        let users = |message: &Message| message.role == Role::User;
        let last = ask.messages.iter().rposition(users);
        let question = last.map(|place| Self {
            text: &ask.messages[place].content,
            before: &ask.messages[..place],
        });
        question
            .filter(|question| !question.text.trim().is_empty())
            .ok_or_else(|| {
                Error::new(ErrorKind::Setting, "messages has no words of a user")
                    .hint("let the last message have the role user and a content")
            })
    }
}

fn check_top_k(top_k: usize) -> Result<()> {
    if (1..=MOST_CHUNKS).contains(&top_k) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Setting, format!("top_k is {top_k}"))
        .hint(format!("look up from 1 to {MOST_CHUNKS} chunks")))
}
