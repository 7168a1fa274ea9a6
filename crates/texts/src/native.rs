//! Models whose files are here: read and run by this program.

use base::{Event, Progress};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::hub;
use super::settings::{ModelSettings, ScoringSettings};
use crate::Scored;
use crate::{Error, ErrorKind, Result};
use asking::store::{Key, Store};

/// Models with more weights than this are let go between passes: two of them may not fit.
const KEPT_PARAMETERS: usize = 600_000_000;
/// A model that knows its tokenizer is never worse than a uniform guess by this much, in nats.
const WORSE_THAN_CHANCE: f64 = 1.0;

/// A model on this machine.
pub struct Native {
    source: lm::Source,
    scoring: ScoringSettings,
    model: Option<lm::Model>,
    about: lm::About,
    /// Every file of the model with its SHA-256.
    files: Vec<(PathBuf, String)>,
    /// A digest of everything that decides a score beside the text.
    fingerprint: Key,
}

impl Native {
    pub fn open(settings: &ModelSettings, base: &Path, scoring: &ScoringSettings) -> Result<Self> {
        let source = settings.source(base);
        let name = settings.model.as_deref().unwrap_or_default();
        if let Some(refused) = hub::refused(name, &source.path) {
            return Err(refused);
        }
        let model = load(&source, scoring)?;
        let about = model.about().clone();
        let files: Vec<(PathBuf, String)> = (about.files.iter())
            .map(|file| Ok((file.clone(), formats::files::sha256(file)?)))
            .collect::<Result<_>>()?;
        Ok(Self {
            fingerprint: fingerprint(&files, about.context, scoring),
            files,
            source,
            scoring: scoring.clone(),
            model: Some(model),
            about,
        })
    }

    pub fn files(&self) -> &[(PathBuf, String)] {
        &self.files
    }

    pub fn about(&self) -> String {
        let about = &self.about;
        let device = match self.scoring.device.as_str() {
            "cpu" => "f32 on the CPU".to_owned(),
            device => format!("{} on {device}", self.scoring.precision),
        };
        format!(
            "{}, {} layers of width {}, {} parameters stored as {}, {} tokens of context, run in \
             {device}",
            about.architecture.name(),
            about.layers,
            about.width,
            about.parameters,
            about.stored_type,
            about.context
        )
    }

    fn model(&mut self) -> Result<&lm::Model> {
        if self.model.is_none() {
            self.model = Some(load(&self.source, &self.scoring)?);
        }
        // Filled just above.
        let missing = || Error::new(ErrorKind::Unreadable, "the model is gone");
        self.model.as_ref().ok_or_else(missing)
    }

    /// Lets a large model go; it is read again when needed.
    pub fn rest(&mut self) {
        if self.about.parameters > KEPT_PARAMETERS {
            self.model = None;
        }
    }

    pub fn tokenise(&mut self, texts: &[&str]) -> Result<Vec<Vec<u32>>> {
        use rayon::prelude::*;
        let tokenizer = self.model()?.tokenizer();
        texts
            .par_iter()
            .map(|text| tokenizer.encode(text))
            .collect()
    }

    /// Where each token of a text comes from.
    pub fn locate(&mut self, texts: &[&str]) -> Result<Vec<Vec<lm::LocatedToken>>> {
        use rayon::prelude::*;
        let tokenizer = self.model()?.tokenizer();
        texts
            .par_iter()
            .map(|text| tokenizer.encode_located(text))
            .collect()
    }

    /// Texts that need more than one window.
    pub fn windowed(&self, ids: &[Vec<u32>]) -> usize {
        ids.iter()
            .filter(|ids| ids.len() > self.about.context)
            .count()
    }

    /// Scores a few texts and refuses a model that is worse than guessing: its tokenizer, or its
    /// weights, are not its own. The seconds that it took come back, with the tokens.
    pub fn try_out(&mut self, ids: &[&[u32]]) -> Result<(f64, usize)> {
        let vocabulary = self.about.vocabulary;
        let path = self.source.path.clone();
        let model = self.model()?;
        let began = std::time::Instant::now();
        let scores = model.score(ids, lm::Wants { moments: true })?;
        let seconds = began.elapsed().as_secs_f64();
        let logprobs: Vec<f64> = scores
            .iter()
            .flat_map(|scores| scores.logprob.iter().map(|value| f64::from(*value)))
            .collect();
        if logprobs.iter().any(|value| !value.is_finite()) {
            return Err(
                Error::malformed("the model answers with numbers that are none")
                    .at(&path)
                    .hint("its weights overflow or are damaged; try scoring.precision = \"f32\""),
            );
        }
        let loss = -logprobs.iter().sum::<f64>() / logprobs.len() as f64;
        let chance = (vocabulary as f64).ln();
        if loss > chance + WORSE_THAN_CHANCE {
            let message = format!(
                "the model does worse than guessing: {loss:.2} nats per token, where a uniform \
                 guess among {vocabulary} tokens has {chance:.2}"
            );
            return Err(Error::mismatch(message).at(&path).hint(
                "the tokenizer does not seem to belong to the model, or the weights are damaged: \
                 take tokenizer.json from where the weights come from",
            ));
        }
        Ok((seconds, logprobs.len()))
    }

    /// Names a text's scores in the store.
    fn key(&self, ids: &[u32]) -> Key {
        let mut hasher = Sha256::new_with_prefix(self.fingerprint);
        for id in ids {
            hasher.update(id.to_le_bytes());
        }
        hasher.finalize().into()
    }

    /// How many of the texts are in the store.
    pub fn stored(&self, ids: &[Vec<u32>], store: &Store) -> Result<usize> {
        let keys: Vec<Key> = ids.iter().map(|ids| self.key(ids)).collect();
        Ok(store.records(&keys)?.iter().flatten().count())
    }

    /// Scores what the store does not have, a batch at a time. Batches depend on the texts alone,
    /// so that a run that was killed goes on with the same numbers.
    pub fn score(
        &mut self,
        ids: &[Vec<u32>],
        store: &Store,
        pass: &str,
        progress: Progress<'_>,
    ) -> Result<()> {
        let keys: Vec<Key> = ids.iter().map(|ids| self.key(ids)).collect();
        let there = store.records(&keys)?;
        let open: Vec<bool> = there.iter().map(Option::is_none).collect();
        drop(there);
        let count = open.iter().filter(|open| **open).count();
        progress.tell(Event::Found {
            stored: ids.len() - count,
        });
        let lengths: Vec<usize> = ids.iter().map(Vec::len).collect();
        let batches = lm::batches(
            &lengths,
            self.about.context,
            self.scoring.tokens_per_batch(),
        );
        for batch in batches {
            let batch: Vec<usize> = batch.into_iter().filter(|text| open[*text]).collect();
            if batch.is_empty() {
                continue;
            }
            if progress.cancelled() {
                return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
            }
            let tokens: Vec<&[u32]> = batch.iter().map(|text| ids[*text].as_slice()).collect();
            let scores = self.model()?.score(&tokens, lm::Wants { moments: true })?;
            let records: Vec<(Key, Vec<u8>)> = batch
                .iter()
                .zip(scores)
                .map(|(text, scores)| Ok((keys[*text], scored(&ids[*text], scores).to_bytes()?)))
                .collect::<Result<_>>()?;
            store.put_records(pass, &records)?;
            progress.tell(Event::Advanced {
                count: batch.len(),
                tokens: tokens.iter().map(|ids| ids.len()).sum(),
            });
        }
        Ok(())
    }

    /// Mean states of texts, a batch at a time; what the store has is not computed again.
    pub fn read_states(
        &mut self,
        ids: &[Vec<u32>],
        store: &Store,
        progress: Progress<'_>,
    ) -> Result<()> {
        let keys: Vec<Key> = ids.iter().map(|ids| self.state_key(ids)).collect();
        let there = store.records(&keys)?;
        let open: Vec<bool> = there.iter().map(Option::is_none).collect();
        drop(there);
        progress.tell(Event::Found {
            stored: open.iter().filter(|open| !**open).count(),
        });
        let lengths: Vec<usize> = ids.iter().map(Vec::len).collect();
        let tokens_at_once = self.scoring.tokens_per_batch();
        for batch in lm::batches(&lengths, self.about.context, tokens_at_once) {
            let batch: Vec<usize> = batch.into_iter().filter(|text| open[*text]).collect();
            if batch.is_empty() {
                continue;
            }
            if progress.cancelled() {
                return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
            }
            let tokens: Vec<&[u32]> = batch.iter().map(|text| ids[*text].as_slice()).collect();
            let states = self.model()?.mean_states(&tokens)?;
            let records: Vec<(Key, Vec<u8>)> = batch
                .iter()
                .zip(states)
                .map(|(text, state)| {
                    let bytes = state.iter().flat_map(|value| value.to_le_bytes());
                    (keys[*text], bytes.collect())
                })
                .collect();
            store.put_records("states", &records)?;
            progress.tell(Event::Advanced {
                count: batch.len(),
                tokens: tokens.iter().map(|ids| ids.len()).sum(),
            });
        }
        Ok(())
    }

    /// Mean states that were read.
    pub fn fetch_states(&self, ids: &[Vec<u32>], store: &Store) -> Result<Vec<Vec<f32>>> {
        let keys: Vec<Key> = ids.iter().map(|ids| self.state_key(ids)).collect();
        let wrong = || Error::missing("a text's state is gone from the store").at(store.file());
        let state = |record: Option<Vec<u8>>| {
            let record = record.filter(|record| record.len() == 4 * self.about.width);
            let record = record.ok_or_else(wrong)?;
            let (values, _) = record.as_chunks::<4>();
            Ok(values
                .iter()
                .map(|bytes| f32::from_le_bytes(*bytes))
                .collect())
        };
        store.records(&keys)?.into_iter().map(state).collect()
    }

    fn state_key(&self, ids: &[u32]) -> Key {
        let mut hasher = Sha256::new_with_prefix(b"mean states of a model, 1\n");
        hasher.update(self.key(ids));
        hasher.finalize().into()
    }

    /// What the store has of texts that were scored.
    pub fn fetch(&self, ids: &[Vec<u32>], store: &Store) -> Result<Vec<Scored>> {
        let keys: Vec<Key> = ids.iter().map(|ids| self.key(ids)).collect();
        let records = store.records(&keys)?;
        let read = |record: Option<Vec<u8>>| {
            let lost = || Error::missing("a scored text is gone from the store").at(store.file());
            Scored::from_bytes(&record.ok_or_else(lost)?)
        };
        records.into_iter().map(read).collect()
    }
}

fn load(source: &lm::Source, scoring: &ScoringSettings) -> Result<lm::Model> {
    let mut model =
        lm::Model::open(source, scoring.device()?, scoring.precision()?).map_err(with_hint)?;
    if let Some(context) = scoring.context {
        model.cap_context(context);
    }
    Ok(model)
}

/// Every file of the model, and how it is run. The number in front grows with what is computed of a
/// text: scores of an earlier kind lack a part, and are made anew.
fn fingerprint(files: &[(PathBuf, String)], context: usize, scoring: &ScoringSettings) -> Key {
    let mut hasher = Sha256::new_with_prefix(b"scores of a model, 2\n");
    for (_, digest) in files {
        hasher.update(digest);
    }
    hasher.update(format!(
        "{context} {} {}",
        scoring.device, scoring.precision
    ));
    hasher.finalize().into()
}

/// The first token has no prediction.
fn scored(ids: &[u32], scores: lm::Scores) -> Scored {
    fn after_first<T>(values: Vec<T>) -> Vec<Option<T>> {
        std::iter::once(None)
            .chain(values.into_iter().map(Some))
            .collect()
    }
    Scored {
        token_ids: Some(ids.to_vec()),
        pieces: None,
        logprob: after_first(scores.logprob),
        rank: Some(after_first(scores.rank)),
        rank_cap: None,
        mean: Some(after_first(scores.mean)),
        variance: Some(after_first(scores.variance)),
        max_logprob: Some(after_first(scores.max_logprob)),
    }
}

/// Whatever is wrong with a model's files, another copy is the first thing to try.
pub fn with_hint(mut error: Error) -> Error {
    error.hint.get_or_insert_with(|| {
        "take the model's files from where they come from once more, all of one version".into()
    });
    error
}
