//! A model that scores texts and continues them.

use std::path::PathBuf;

use crate::about::About;
use crate::accelerator::{Following, Growing};
use crate::chat::{self, ChatMessage, Conversation};
use crate::config::{self, Config};
use crate::cpu::Memory;
use crate::decoder::Decoder;
use crate::engine::{Engine, Place};
use crate::scores::{Piece, Scores, Wants};
use crate::source::{DeviceChoice, Precision, Source};
use crate::tokenizer::{self, Tokenizer};
use crate::weights::{Adapter, Files, GgufFile, SafetensorsFiles, Weights};
use crate::windows;
use crate::{Error, ErrorKind, Result};

pub struct Model {
    about: About,
    tokenizer: Tokenizer,
    conversation: Conversation,
    engine: Engine,
}

impl Model {
    pub fn open(source: &Source, device: DeviceChoice, precision: Precision) -> Result<Self> {
        let opened = Opened::new(source)?;
        opened
            .tokenizer
            .check_belongs(opened.config.vocabulary)
            .map_err(|error| error.within_file(&source.path))?;
        // Weights take long to read, so what cannot be computed is refused before.
        let place = Place::find(device, precision)?;
        place
            .check(&opened.config)
            .map_err(|error| error.within_file(&source.path))?;
        let weights = Weights::new(opened.files, opened.adapter, opened.config.architecture)?;
        let decoder =
            Decoder::read(opened.config, &weights).map_err(|e| e.within_file(&source.path))?;
        weights
            .check_all_used()
            .map_err(|error| error.within_file(&source.path))?;
        let about = About::new(
            &decoder.config,
            decoder.parameters(),
            weights.stored_type(),
            opened.read,
        );
        drop(weights);
        Ok(Self {
            about,
            conversation: opened.conversation.with_tokenizer(&opened.tokenizer),
            tokenizer: opened.tokenizer,
            engine: Engine::new(decoder, &place)?,
        })
    }

    /// Score in windows of at most so many tokens, however long the model's context is.
    pub fn cap_context(&mut self, tokens: usize) {
        self.about.context = self.about.context.min(tokens.max(2));
    }

    pub fn about(&self) -> &About {
        &self.about
    }

    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// One answer per text. Texts of a batch do not influence each other's scores by more than the
    /// rounding of sums, and the same batch gives the same bits.
    pub fn score(&self, batch: &[&[u32]], wants: Wants) -> Result<Vec<Scores>> {
        for (index, tokens) in batch.iter().enumerate() {
            self.check_text(index, tokens)?;
        }
        let counts: Vec<Vec<Piece>> = batch
            .iter()
            .map(|tokens| windows::pieces(tokens, self.about.context))
            .collect();
        let pieces: Vec<Piece> = counts.iter().flatten().copied().collect();
        let mut predictions = self.engine.score(&pieces, wants)?.into_iter();
        Ok(counts
            .iter()
            .map(|pieces| {
                let mut scores = Scores::default();
                for piece in predictions.by_ref().take(pieces.len()) {
                    scores.append(piece);
                }
                scores
            })
            .collect())
    }

    /// The mean state of the last layer, behind its normalisation, over the positions that predict:
    /// all tokens but the last. One vector per text.
    pub fn mean_states(&self, batch: &[&[u32]]) -> Result<Vec<Vec<f32>>> {
        for (index, tokens) in batch.iter().enumerate() {
            self.check_text(index, tokens)?;
        }
        let texts: Vec<Vec<Piece>> = batch
            .iter()
            .map(|tokens| windows::pieces(tokens, self.about.context))
            .collect();
        let pieces: Vec<Piece> = texts.iter().flatten().copied().collect();
        let mut states = self.engine.states(&pieces)?.into_iter();
        let width = self.about.width;
        Ok(texts
            .iter()
            .map(|pieces| {
                let rows: Vec<f32> = states.by_ref().take(pieces.len()).flatten().collect();
                mean_row(&rows, width)
            })
            .collect())
    }

    /// Whether the model's files say how it wants a conversation laid out.
    pub fn has_chat_template(&self) -> bool {
        self.conversation.has_template()
    }

    /// The prompt that asks for the assistant's next turn: laid out by the model's own template, or,
    /// for a model without one, as lines of `role: content`.
    pub fn chat(&self, messages: &[ChatMessage]) -> Result<Vec<u32>> {
        self.conversation.prompt(messages, &self.tokenizer)
    }

    pub(crate) fn ends_text(&self, token: u32) -> bool {
        self.conversation.ends_text(token)
    }

    pub(crate) fn memory(&self) -> Option<Memory> {
        self.engine.memory()
    }

    /// Logits of the token that follows `text`, of which the memory's tokens are the beginning.
    pub(crate) fn read(&self, memory: Option<&mut Memory>, text: &[u32]) -> Result<Vec<f32>> {
        self.engine.read(memory, text)
    }

    /// Whether texts are continued side by side.
    pub fn grows_together(&self) -> bool {
        self.engine.grows_together()
    }

    /// Reads the beginnings of texts, each of which may grow by `room` tokens.
    pub(crate) fn begin(
        &self,
        texts: &[&[u32]],
        room: usize,
        drawn: bool,
    ) -> Result<(Growing, Following)> {
        self.engine.tensor()?.begin(texts, room, drawn)
    }

    /// Reads one more token of every text.
    pub(crate) fn grow(
        &self,
        growing: &mut Growing,
        tokens: &[u32],
        drawn: bool,
    ) -> Result<Following> {
        self.engine.tensor()?.grow(growing, tokens, drawn)
    }

    /// Goes on with these texts alone.
    pub(crate) fn keep(&self, growing: &mut Growing, texts: &[usize]) -> Result<()> {
        self.engine.tensor()?.keep(growing, texts)
    }

    /// Whether a prompt can be continued at all.
    pub fn check_prompt(&self, prompt: &[u32]) -> Result<()> {
        let (length, context) = (prompt.len(), self.about.context);
        if prompt.is_empty() {
            return Err(
                Error::new(ErrorKind::Text, "the prompt has no tokens").hint("begin the text")
            );
        }
        if length >= context {
            return Err(Error::new(ErrorKind::Text, format!(
                "the prompt has {length} tokens, which leaves no room for an answer in the model's \
                 context of {context}"
            ))
            .hint("shorten the prompt, or use a model with a longer context"));
        }
        let rows = self.about.vocabulary;
        match prompt.iter().find(|&&token| token as usize >= rows) {
            Some(token) => Err(Error::new(
                ErrorKind::Text,
                format!("the prompt has token {token} but the model knows {rows} tokens"),
            )
            .hint("tokenise prompts with this model's own tokenizer")),
            None => Ok(()),
        }
    }

    fn check_text(&self, index: usize, tokens: &[u32]) -> Result<()> {
        if tokens.len() < 2 {
            return Err(Error::new(
                ErrorKind::Text,
                format!(
                    "text {index} of the batch has {} token{}, and predicting needs two",
                    tokens.len(),
                    if tokens.len() == 1 { "" } else { "s" }
                ),
            )
            .hint("leave empty texts out"));
        }
        let rows = self.about.vocabulary;
        match tokens.iter().find(|&&token| token as usize >= rows) {
            Some(token) => Err(Error::new(
                ErrorKind::Text,
                format!(
                    "text {index} of the batch has token {token} but the model knows {rows} tokens"
                ),
            )
            .hint("tokenise texts with this model's own tokenizer")),
            None => Ok(()),
        }
    }
}

fn mean_row(rows: &[f32], width: usize) -> Vec<f32> {
    let mut sums = vec![0.0f64; width];
    for row in rows.chunks_exact(width) {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += f64::from(*value);
        }
    }
    let count = (rows.len() / width).max(1) as f64;
    sums.into_iter().map(|sum| (sum / count) as f32).collect()
}

/// Everything but the weights themselves.
struct Opened {
    config: Config,
    tokenizer: Tokenizer,
    conversation: Conversation,
    files: Files,
    adapter: Option<Adapter>,
    read: Vec<PathBuf>,
}

impl Opened {
    fn new(source: &Source) -> Result<Self> {
        if source.path.is_dir() {
            Self::folder(source)
        } else {
            Self::gguf(source)
        }
    }

    fn folder(source: &Source) -> Result<Self> {
        let config = config::from_folder(&source.path)?;
        let tokenizer = Tokenizer::open(source.tokenizer.as_ref().unwrap_or(&source.path))?;
        let files = SafetensorsFiles::open_folder(&source.path)?;
        let mut read = vec![source.path.join("config.json")];
        read.extend(files.paths().cloned());
        Self {
            config,
            tokenizer,
            conversation: chat::from_folder(&source.path)?,
            files: Files::Folder(files),
            adapter: None,
            read,
        }
        .with_adapter(source)
    }

    fn gguf(source: &Source) -> Result<Self> {
        let file = GgufFile::open(&source.path)?;
        let config =
            config::from_gguf(&file.content).map_err(|error| error.within_file(&source.path))?;
        let tokenizer = match &source.tokenizer {
            Some(path) => Tokenizer::open(path)?,
            None => tokenizer::from_gguf(&file)?,
        };
        Self {
            config,
            tokenizer,
            conversation: chat::from_gguf(&file),
            files: Files::Gguf(file),
            adapter: None,
            read: vec![source.path.clone()],
        }
        .with_adapter(source)
    }

    fn with_adapter(mut self, source: &Source) -> Result<Self> {
        if let Some(folder) = &source.adapter {
            let adapter = Adapter::open(folder, self.config.architecture)?;
            self.read.push(folder.join("adapter_config.json"));
            self.read.extend(adapter.paths().cloned());
            self.adapter = Some(adapter);
        }
        let tokenizer = self.tokenizer.path().to_owned();
        if !self.read.contains(&tokenizer) {
            self.read.push(tokenizer);
        }
        Ok(self)
    }
}
