//! What was found out by reading a whole column, kept while the file stays the same.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::library::Version;

/// Results kept; the one that was not asked for longest goes first.
const KEPT: usize = 64;

#[derive(Clone, PartialEq, Eq)]
struct Key {
    file: PathBuf,
    version: Version,
    question: String,
}

#[derive(Default)]
pub struct Cache {
    kept: Mutex<Vec<(Key, Arc<dyn Any + Send + Sync>)>>,
}

impl Cache {
    /// What is known, or else what the work finds out.
    pub fn get<T: Send + Sync + 'static, E>(
        &self,
        file: &Path,
        version: Version,
        question: String,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let key = Key {
            file: file.to_owned(),
            version,
            question,
        };
        if let Some(known) = self.find(&key).and_then(|known| known.downcast().ok()) {
            return Ok(known);
        }
        let found = Arc::new(work()?);
        if let Ok(mut kept) = self.kept.lock() {
            kept.retain(|(other, _)| *other != key);
            kept.push((key, found.clone()));
            let over = kept.len().saturating_sub(KEPT);
            kept.drain(..over);
        }
        Ok(found)
    }

    fn find(&self, key: &Key) -> Option<Arc<dyn Any + Send + Sync>> {
        let mut kept = self.kept.lock().ok()?;
        let place = kept.iter().position(|(other, _)| other == key)?;
        let entry = kept.remove(place);
        let found = entry.1.clone();
        kept.push(entry);
        Some(found)
    }
}
