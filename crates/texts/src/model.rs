//! One model of an audit, wherever it runs, and the texts that it is asked about.

use base::Progress;
use std::path::{Path, PathBuf};

use attacks::signals::tokens::Need;
use stats::streams::Seed;

use super::native::{Native, with_hint};
use super::settings::{ModelSettings, ScoringSettings};
use crate::{Error, Result};
use crate::{Scored, Text};
use asking::lm::{Prompt, Server};
use asking::store::{Dates, Store};
use formats::texts::values::brief;

/// Prompts that a server is handed at once.
const PROMPTS_AT_ONCE: usize = 1024;
/// Tokens of a text that a model is tried out on.
const TRIED_TOKENS: usize = 512;

/// A model that was opened or probed.
pub struct Model {
    /// `target`, `reference`, or a checkpoint's label.
    pub role: String,
    /// Where it comes from, as the configuration names it.
    pub source: String,
    backend: Backend,
}

enum Backend {
    Native(Box<Native>),
    Served {
        server: Box<Server>,
        /// Where one is given, texts are sent as token ids.
        tokenizer: Option<Box<lm::Tokenizer>>,
    },
}

/// What is asked: the same texts, as this model takes them.
pub enum Asked {
    Ids(Vec<Vec<u32>>),
    Texts(Vec<String>),
}

impl Asked {
    pub fn len(&self) -> usize {
        match self {
            Asked::Ids(ids) => ids.len(),
            Asked::Texts(texts) => texts.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tokens in all, where they are known.
    pub fn tokens(&self) -> Option<usize> {
        match self {
            Asked::Ids(ids) => Some(ids.iter().map(Vec::len).sum()),
            Asked::Texts(_) => None,
        }
    }

    /// What a model of this machine takes: texts as a server cuts them are of no use to it.
    fn ids(&self) -> Result<&[Vec<u32>]> {
        match self {
            Asked::Ids(ids) => Ok(ids),
            Asked::Texts(_) => Err(Error::mismatch(
                "the texts were prepared for a server, not for a model of this machine",
            )
            .hint("prepare them with the model that is to score them")),
        }
    }

    fn prompts(&self, range: std::ops::Range<usize>) -> Vec<Prompt> {
        match self {
            Asked::Ids(ids) => ids[range].iter().cloned().map(Prompt::Ids).collect(),
            Asked::Texts(texts) => texts[range].iter().cloned().map(Prompt::Text).collect(),
        }
    }
}

impl Model {
    /// Reads the files, or probes the server.
    pub fn open(
        role: &str,
        settings: &ModelSettings,
        base: &Path,
        scoring: &ScoringSettings,
    ) -> Result<Self> {
        let (source, backend) = match &settings.server {
            None => {
                let native = Native::open(settings, base, scoring)?;
                let adapter = settings.adapter.as_ref();
                let adapter =
                    adapter.map_or(String::new(), |path| format!(" with {}", path.display()));
                let path = settings.model.as_deref().unwrap_or_default();
                (
                    format!("{path}{adapter}"),
                    Backend::Native(Box::new(native)),
                )
            }
            Some(url) => {
                let tokenizer = match &settings.tokenizer {
                    Some(path) => Some(Box::new(
                        lm::Tokenizer::open(&base.join(path)).map_err(with_hint)?,
                    )),
                    None => None,
                };
                let server = Server::connect(settings.endpoint(url, role)?)?;
                if tokenizer.is_some() && !server.gives().takes_ids {
                    return Err(Error::unsupported(format!(
                        "{role} has a tokenizer, but a server of dialect {} takes no token ids",
                        server.dialect()
                    ))
                    .hint("leave tokenizer out: the server cuts texts into tokens itself"));
                }
                let server = Box::new(server);
                (
                    String::from("a server"),
                    Backend::Served { server, tokenizer },
                )
            }
        };
        Ok(Self {
            role: role.to_owned(),
            source,
            backend,
        })
    }

    /// For a report.
    pub fn about(&self) -> String {
        match &self.backend {
            Backend::Native(native) => native.about(),
            Backend::Served { server, .. } => server.about(),
        }
    }

    /// The texts as this model takes them. A text without two tokens is refused by its id.
    pub fn prepare(&mut self, texts: &[Text], lower: bool) -> Result<Asked> {
        let words: Vec<String> = match lower {
            true => texts.iter().map(|text| text.text.to_lowercase()).collect(),
            false => texts.iter().map(|text| text.text.clone()).collect(),
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ids = match &mut self.backend {
            Backend::Native(native) => native.tokenise(&words)?,
            Backend::Served {
                tokenizer: Some(tokenizer),
                ..
            } => {
                let ids: lm::Result<Vec<Vec<u32>>> =
                    words.iter().map(|text| tokenizer.encode(text)).collect();
                ids?
            }
            Backend::Served { .. } => {
                return Ok(Asked::Texts(words.into_iter().map(str::to_owned).collect()));
            }
        };
        if let Some(place) = ids.iter().position(|ids| ids.len() < 2) {
            return Err(Error::malformed(format!(
                "text {:?} has {} token under {}: there is nothing to predict",
                brief(&texts[place].id),
                ids[place].len(),
                self.role
            ))
            .hint("leave texts out that are this short"));
        }
        Ok(Asked::Ids(ids))
    }

    /// Where each token of the texts comes from; nothing where a server cuts them.
    pub fn locate(&mut self, texts: &[Text]) -> Result<Option<Vec<Vec<lm::LocatedToken>>>> {
        let words: Vec<&str> = texts.iter().map(|text| text.text.as_str()).collect();
        match &mut self.backend {
            Backend::Native(native) => native.locate(&words).map(Some),
            Backend::Served {
                tokenizer: Some(tokenizer),
                ..
            } => {
                let located = words.iter().map(|text| tokenizer.encode_located(text));
                Ok(Some(located.collect::<lm::Result<_>>()?))
            }
            Backend::Served { .. } => Ok(None),
        }
    }

    /// Scores a few texts of this machine's models, to see that they work. Tokens per second
    /// come back.
    pub fn try_out(&mut self, asked: &Asked, most: usize) -> Result<Option<f64>> {
        match &mut self.backend {
            Backend::Native(native) => {
                let few: Vec<&[u32]> = spread(asked.ids()?, most);
                let (seconds, tokens) = native.try_out(&few)?;
                Ok(Some(tokens as f64 / seconds))
            }
            Backend::Served { .. } => Ok(None),
        }
    }

    /// What it gives beside log-probabilities.
    pub fn gives(&self) -> Vec<Need> {
        match &self.backend {
            Backend::Native(_) => vec![Need::Ranks, Need::Moments],
            Backend::Served { server, .. } => match server.gives().first_choice {
                true => vec![Need::Ranks],
                false => Vec::new(),
            },
        }
    }

    /// Every file that was read, with its SHA-256.
    pub fn files(&self) -> &[(PathBuf, String)] {
        match &self.backend {
            Backend::Native(native) => native.files(),
            Backend::Served { .. } => &[],
        }
    }

    /// Texts that this model reads in more than one window. How a server reads them is its own
    /// affair.
    pub fn windowed(&self, asked: &Asked) -> usize {
        match (&self.backend, asked) {
            (Backend::Native(native), Asked::Ids(ids)) => native.windowed(ids),
            (Backend::Native(_), Asked::Texts(_)) | (Backend::Served { .. }, _) => 0,
        }
    }

    /// Lets go of memory until the model is needed again.
    pub fn rest(&mut self) {
        if let Backend::Native(native) = &mut self.backend {
            native.rest();
        }
    }

    /// How many of the texts are in the store.
    pub fn stored(&self, asked: &Asked, store: &Store) -> Result<usize> {
        match &self.backend {
            Backend::Native(native) => native.stored(asked.ids()?, store),
            Backend::Served { server, .. } => server.stored(&asked.prompts(0..asked.len()), store),
        }
    }

    /// When the stored answers of a server came; nothing for models of this machine, whose files'
    /// digests are part of the key.
    pub fn dates(&self, asked: &Asked, store: &Store) -> Result<Option<Dates>> {
        match &self.backend {
            Backend::Native(_) => Ok(None),
            Backend::Served { server, .. } => server.dates(&asked.prompts(0..asked.len()), store),
        }
    }

    /// Has a server score a few texts again whose answers are in the store, and refuses to go on
    /// where it answers otherwise today.
    pub fn check_stored(
        &self,
        asked: &Asked,
        store: &Store,
        seed: Seed,
        progress: Progress<'_>,
    ) -> Result<()> {
        match &self.backend {
            Backend::Native(_) => Ok(()),
            Backend::Served { server, .. } => {
                server.check_stored(&asked.prompts(0..asked.len()), store, seed, progress)
            }
        }
    }

    /// Scores what the store does not have yet.
    pub fn score(
        &mut self,
        asked: &Asked,
        store: &Store,
        pass: &str,
        progress: Progress<'_>,
    ) -> Result<()> {
        match &mut self.backend {
            Backend::Native(native) => native.score(asked.ids()?, store, pass, progress),
            Backend::Served { server, .. } => {
                for first in (0..asked.len()).step_by(PROMPTS_AT_ONCE) {
                    let last = asked.len().min(first + PROMPTS_AT_ONCE);
                    server
                        .score(&asked.prompts(first..last), store, progress)
                        .map_err(|error| later(error, first))?;
                }
                Ok(())
            }
        }
    }

    /// Reads the mean states of the last layer that the store does not have yet.
    pub fn read_states(
        &mut self,
        asked: &Asked,
        store: &Store,
        progress: Progress<'_>,
    ) -> Result<()> {
        match &mut self.backend {
            Backend::Native(native) => native.read_states(asked.ids()?, store, progress),
            Backend::Served { .. } => Err(no_states()),
        }
    }

    /// Mean states, of some of the texts.
    pub fn fetch_states(
        &self,
        asked: &Asked,
        range: std::ops::Range<usize>,
        store: &Store,
    ) -> Result<Vec<Vec<f32>>> {
        match &self.backend {
            Backend::Native(native) => native.fetch_states(&asked.ids()?[range], store),
            Backend::Served { .. } => Err(no_states()),
        }
    }

    /// What was scored, of some of the texts.
    pub fn fetch(
        &self,
        asked: &Asked,
        range: std::ops::Range<usize>,
        store: &Store,
    ) -> Result<Vec<Scored>> {
        match &self.backend {
            Backend::Native(native) => native.fetch(&asked.ids()?[range], store),
            Backend::Served { server, .. } => {
                server.score(&asked.prompts(range), store, Progress::unwatched())
            }
        }
    }
}

fn no_states() -> Error {
    Error::unsupported("a server does not show states of the model")
        .hint("set scoring.features to \"statistics\", or name the model's folder")
}

/// The beginnings of a few texts from all over the list.
fn spread(ids: &[Vec<u32>], most: usize) -> Vec<&[u32]> {
    let step = ids.len().div_ceil(most.max(1)).max(1);
    let beginning = |ids: &'_ Vec<u32>| ids.len().min(TRIED_TOKENS);
    let chosen = ids.iter().step_by(step);
    chosen.map(|ids| &ids[..beginning(ids)]).collect()
}

/// The error's place among all texts.
fn later(mut error: Error, first: usize) -> Error {
    error.text = error.text.map(|text| text + first);
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn texts_that_were_prepared_for_a_server_are_no_models_of_this_machine() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lm/tests/data");
        let settings = ModelSettings {
            model: Some("llama.gguf".into()),
            ..ModelSettings::default()
        };
        let scoring = ScoringSettings::default();
        let mut model = Model::open("target", &settings, &data, &scoring).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let asked = Asked::Texts(vec!["a text".into()]);
        let refused = [
            model.try_out(&asked, 1).err(),
            model.stored(&asked, &store).err(),
            model.fetch(&asked, 0..1, &store).err(),
            model
                .score(&asked, &store, "target", Progress::unwatched())
                .err(),
        ];
        for error in refused {
            assert_eq!(error.unwrap().kind, ErrorKind::Mismatch);
        }
    }
}
