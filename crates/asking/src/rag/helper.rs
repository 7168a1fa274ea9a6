//! A language model of this machine that answers prompts: it helps to write questions.

use base::{Event, Progress};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lm::{ChatMessage, DeviceChoice, Generator, Model, Precision, Sampling, Source};
use sha2::{Digest, Sha256};

use crate::store::{Key, Store};
use crate::{Error, ErrorKind, Result};

/// Enough for ten questions.
const LONGEST_ANSWER: usize = 600;
const PASS: &str = "helper";

pub struct NativeHelper {
    generator: Generator,
    path: PathBuf,
    /// The digests of all its files.
    fingerprint: Key,
}

impl NativeHelper {
    /// A GGUF file, or a folder in Hugging Face's layout.
    pub fn open(path: &Path) -> Result<Self> {
        let model = Model::open(&Source::new(path), DeviceChoice::Cpu, Precision::F32)?;
        Ok(Self {
            fingerprint: fingerprint(&model.about().files)?,
            generator: Generator::new(Arc::new(model)),
            path: path.to_owned(),
        })
    }

    /// For a report.
    pub fn about(&self) -> String {
        format!("{} on this machine", self.path.display())
    }

    /// One answer per prompt, each in the store before the next is begun. What is there already is
    /// not written again.
    pub fn answer_all(
        &self,
        prompts: &[String],
        store: &Store,
        progress: Progress<'_>,
    ) -> Result<Vec<String>> {
        let keys: Vec<Key> = prompts.iter().map(|prompt| self.key(prompt)).collect();
        let stored = store.records(&keys)?;
        let there = stored.iter().flatten().count();
        progress.tell(Event::Found { stored: there });
        let mut answers = Vec::with_capacity(prompts.len());
        for ((prompt, key), stored) in prompts.iter().zip(&keys).zip(stored) {
            if progress.cancelled() {
                return Err(Error::new(
                    ErrorKind::Interrupted,
                    "stopped while questions were written",
                )
                .hint("run again to go on: what was written is kept"));
            }
            let answer = match stored.and_then(|bytes| String::from_utf8(bytes).ok()) {
                Some(answer) => answer,
                None => {
                    let answer = self.answer(prompt)?;
                    store.put_records(PASS, &[(*key, answer.clone().into_bytes())])?;
                    progress.advance(1);
                    answer
                }
            };
            answers.push(answer);
        }
        Ok(answers)
    }

    fn answer(&self, prompt: &str) -> Result<String> {
        let model = self.generator.model();
        let message = ChatMessage {
            role: "user".into(),
            content: prompt.to_owned(),
        };
        let prompt = model.chat(&[message])?;
        let sampling = Sampling {
            max_tokens: LONGEST_ANSWER,
            ..Sampling::default()
        };
        Ok(self
            .generator
            .generate(&prompt, &sampling, &mut |_| true)?
            .text)
    }

    /// Another model's answer is another answer, also where it has taken the place of the first.
    fn key(&self, prompt: &str) -> Key {
        let mut hasher = Sha256::new_with_prefix(self.fingerprint);
        hasher.update(prompt);
        hasher.finalize().into()
    }
}

/// Of what the files hold, wherever they lie.
fn fingerprint(files: &[PathBuf]) -> Result<Key> {
    let mut hasher = Sha256::new_with_prefix(b"answers of a helper, 1\n");
    for file in files {
        hasher.update(formats::files::sha256(file)?);
    }
    Ok(hasher.finalize().into())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_model_that_was_trained_anew_answers_anew() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lm/tests/data/llama.gguf");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("helper.gguf");
        fs::copy(data, &path).unwrap();
        let prompt = String::from("Write a question.");
        let key = || NativeHelper::open(&path).unwrap().key(&prompt);
        let before = key();
        let store = Store::open(&folder.path().join("audit")).unwrap();
        store
            .put_records(PASS, &[(before, b"kept".into())])
            .unwrap();
        let answers = |prompts: &[String]| {
            let helper = NativeHelper::open(&path).unwrap();
            helper.answer_all(prompts, &store, Progress::unwatched())
        };
        assert_eq!(answers(std::slice::from_ref(&prompt)).unwrap(), ["kept"]);

        // The same name, size and shape; only a weight is another.
        let mut bytes = fs::read(&path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(&path, bytes).unwrap();
        assert_ne!(key(), before);
        let stored = store.records(&[key()]).unwrap();
        assert_eq!(stored, [None], "an earlier model's answer is not taken");
    }
}
