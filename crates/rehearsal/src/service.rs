//! The service: looks chunks up, has an answer written, and defends itself.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use crate::defences::{self, Defences, REFUSE_VERBATIM};
use crate::generate::{Extractive, Generate, Generated, Message, OnText, Question, Role, Source};
use crate::index::{Hit, Index};
use crate::retrieve::{RetrieveSettings, retrieve};
use crate::{Error, ErrorKind, Result};

/// What is said in place of a withheld answer.
const REFUSAL: &str = "I can't help with that request.";

/// More chunks than this are never looked up for one question.
pub const MOST_CHUNKS: usize = 100;

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
    /// The id of the document that a defence kept out of the answer. Not for those who ask.
    pub hidden: Option<String>,
}

pub struct Service {
    index: Index,
    generator: Box<dyn Generate>,
    settings: ServiceSettings,
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
            index,
            generator,
            settings,
        })
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
        answer.hidden = hidden;
        if question.citing && answer.refused_by.is_none() {
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
        let quoted = |text: &str| {
            let refuses = |length| {
                let runs = defences::runs(text, length);
                sources
                    .iter()
                    .any(|source| defences::shares_run(&runs, source.text, length))
            };
            defences.refuse_verbatim.is_some_and(refuses)
        };
        if quoted(question.text) {
            return Ok(refuse(on_text));
        }
        if !defences.screen_answers() {
            return Ok(answer_of(
                self.generator.answer(question, sources, on_text)?,
            ));
        }
        let mut written = self
            .generator
            .answer(question, sources, &mut |_| ControlFlow::Continue(()))?;
        if quoted(&written.text) {
            return Ok(refuse(on_text));
        }
        if defences.hide_citations {
            written.text = defences::strip_marks(&written.text, sources.len());
        }
        let _ = on_text(&written.text);
        Ok(answer_of(written))
    }

    /// The chunks to answer from, and the document that the question was too close to.
    fn look_up(&self, question: &str, top_k: Option<usize>) -> Result<(Vec<Hit>, Option<String>)> {
        let mut settings = self.settings.retrieve;
        settings.top_k = top_k.unwrap_or(settings.top_k);
        check_top_k(settings.top_k)?;
        let suspect = match self.settings.defences.detect_probing {
            Some(rate) => defences::outlier(&self.similarities(question)?, rate),
            None => None,
        };
        let hidden = suspect.map_or(0..0, |document| self.index.extent(document));
        let hits = retrieve(&self.index, question, settings, &hidden)?;
        Ok((
            hits,
            suspect.map(|document| self.index.documents()[document].id.clone()),
        ))
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

fn refuse(on_text: OnText) -> Answer {
    let _ = on_text(REFUSAL);
    Answer {
        text: REFUSAL.to_owned(),
        refused_by: Some(REFUSE_VERBATIM),
        ..Answer::default()
    }
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
