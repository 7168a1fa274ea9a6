//! What labelling and judging must know beside the answers: the items, the settings, and who answered.
//! A run keeps it in [`FILE`] beside its transcript, so that the transcript can be judged again.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use attacks::source::{Label, Lexical, Similarity};
use formats::files::{FileSet, Overwrite};
use formats::texts::Item;
use report::rag::Requests;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::SourceSettings;
use super::embedded::Embedded;
use crate::Error;

/// Its name, beside `transcript.jsonl`.
pub const FILE: &str = "source.json";

#[derive(Serialize, Deserialize)]
pub struct Basis {
    pub seed: u64,
    /// Paths in it do not depend on where they are read from.
    pub settings: SourceSettings,
    /// Of the noise on pictures, the one that counts first; nothing where there are none.
    pub deviations: Vec<f64>,
    pub items: Vec<Item>,
    pub service: String,
    /// Who answered without retrieval in place of the service.
    pub stand_in: Option<String>,
    pub captioner: Option<String>,
    #[serde(skip, default = "lexical")]
    pub similarity: Box<dyn Similarity>,
}

/// What the asking took.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Taken {
    pub requests: Requests,
    /// Questions without an answer, by why.
    pub failed: BTreeMap<String, usize>,
    pub captions: usize,
    pub captioned: Requests,
}

fn lexical() -> Box<dyn Similarity> {
    Box::new(Lexical)
}

impl Basis {
    /// So many items are known to come from this source.
    pub fn count(&self, source: Option<Label>) -> usize {
        let items = self.items.iter();
        items.filter(|item| item.source == source).count()
    }

    pub fn pictures(&self) -> usize {
        let items = self.items.iter();
        items.filter(|item| item.picture().is_some()).count()
    }

    /// Keeps it in a folder, with what the asking took.
    pub fn write(&self, folder: &Path, taken: &Taken) -> Result<PathBuf, Error> {
        let path = folder.join(FILE);
        let text = json!({"basis": self, "taken": taken}).to_string();
        let mut set = FileSet::new(Overwrite::Replace);
        set.add(&path, |out| out.write_all(text.as_bytes()))?;
        set.commit()?;
        Ok(path)
    }

    /// What a run kept.
    pub fn read(path: &Path) -> Result<(Self, Taken), Error> {
        #[derive(Deserialize)]
        struct Written {
            basis: Basis,
            taken: Taken,
        }
        let wrong = |why: String| {
            Error::usage(
                format!("{}: {why}", path.display()),
                "a run of kind source writes it beside its transcript, and the two belong together: \
                 `guestlist run --replay` writes both again from the stored answers",
            )
        };
        let text =
            std::fs::read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let written: Written =
            serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        let Written { mut basis, taken } = written;
        basis.similarity = similarity(&basis.settings)?;
        Ok((basis, taken))
    }
}

/// How answers are compared with texts.
pub fn similarity(settings: &SourceSettings) -> Result<Box<dyn Similarity>, Error> {
    Ok(match &settings.similarity {
        Some(settings) => Box::new(Embedded::open(&settings.model)?),
        None => lexical(),
    })
}
