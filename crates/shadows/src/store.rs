//! The folder of a run: what is finished, what is under way, what was set aside.
//!
//! ```text
//! plan.json            what is trained and how; workers read it
//! models/00007/        a finished model, renamed into place as a whole
//! retired/00007-1f…/   a model whose ingredients changed since; it comes back if they do
//! work/                models under way; nothing here is ever needed again
//! logs/00007.log       what the training program said
//! ```

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use attacks::signals::membership::MemberRow;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::ingredients::Ingredients;
use super::trainer::Output;
use crate::{Error, ErrorKind, Result};
use formats::files;
use formats::npy;
use formats::private;

const SCHEMA: &str = "guestlist.model/1";
const CARD: &str = "model.json";
const KEEP: &str = "keep.npy";
const LOCK: &str = "lock";
/// Files that were copied lie less than this apart.
const SHORTEST: Duration = Duration::from_millis(2);
/// Ingredients that no two models share.
pub(super) const OWN: [&str; 2] = ["model", "split"];

/// A run's folder.
#[derive(Clone, Debug)]
pub struct Store {
    path: PathBuf,
}

/// Where a model stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    Done,
    /// Not trained yet.
    Open,
    /// Trained, but from other ingredients than today's, or damaged since.
    Stale(String),
}

/// What lies in a model's folder beside its arrays.
#[derive(Serialize, Deserialize)]
struct Card {
    schema: String,
    model: usize,
    /// Names the ingredients.
    key: String,
    ingredients: Ingredients,
    /// SHA-256 of every other file.
    files: BTreeMap<String, String>,
}

impl Store {
    pub fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn models(&self) -> PathBuf {
        self.path.join("models")
    }

    pub fn plan(&self) -> PathBuf {
        self.path.join("plan.json")
    }

    pub fn log(&self, model: usize) -> PathBuf {
        self.path.join("logs").join(format!("{model:05}.log"))
    }

    pub fn model(&self, model: usize) -> PathBuf {
        self.models().join(format!("{model:05}"))
    }

    fn retired(&self, model: usize, key: &str) -> PathBuf {
        let short = key.get(..16).unwrap_or(key);
        self.path
            .join("retired")
            .join(format!("{model:05}-{short}"))
    }

    /// Of every model that lies in the folder or was set aside in it, and whose card can be read.
    pub fn ingredients(&self) -> Vec<Ingredients> {
        let folders = [self.models(), self.path.join("retired")];
        let entries = folders
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok());
        let models = entries.flat_map(|entries| entries.flatten());
        let cards = models.filter_map(|entry| read_card(&entry.path()).ok());
        cards.map(|card| card.ingredients).collect()
    }

    /// Makes the folders that are not there yet.
    pub fn prepare(&self) -> Result<()> {
        for name in ["models", "retired", "work", "logs"] {
            let folder = self.path.join(name);
            private::make_folder(&folder).map_err(|e| Error::writing(&folder, &e))?;
        }
        Ok(())
    }

    /// Held while a run is at work; the system lets go of it when the process ends, however it
    /// ends.
    pub fn lock(&self) -> Result<File> {
        let path = self.path.join(LOCK);
        let file = private::create(&path).map_err(|e| Error::writing(&path, &e))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(Error::new(
                ErrorKind::Exists,
                "another guestlist run is at work in this folder",
            )
            .at(&self.path)
            .hint("wait for it, end it, or set another run.folder")),
            // A file system without locks cannot tell; jobs are idempotent anyway.
            Err(TryLockError::Error(_)) => Ok(file),
        }
    }

    /// A folder for one attempt at one model, which goes when it is dropped.
    pub fn scratch(&self, model: usize) -> Result<Scratch> {
        let work = self.path.join("work");
        let folder = tempfile::Builder::new()
            .prefix(&format!("{model:05}-"))
            .tempdir_in(&work)
            .map_err(|e| Error::writing(&work, &e))?;
        let path = folder.path().join(LOCK);
        let lock = private::create(&path).map_err(|e| Error::writing(&path, &e))?;
        let _ = lock.try_lock();
        Ok(Scratch {
            folder,
            _lock: lock,
        })
    }

    /// Removes what attempts left that were killed. One that is still under way holds its lock.
    pub fn sweep(&self) {
        for folder in [self.path.clone(), self.models(), self.path.join("data")] {
            files::sweep(&folder);
        }
        let Ok(entries) = fs::read_dir(self.path.join("work")) else {
            return;
        };
        for entry in entries.flatten() {
            let _ = match File::open(entry.path().join(LOCK)) {
                Ok(lock) if lock.try_lock().is_ok() => fs::remove_dir_all(entry.path()),
                Ok(_) => Ok(()),
                // Killed before it had a lock: then the folder is empty.
                Err(_) => fs::remove_dir(entry.path()),
            };
        }
    }

    /// Whether a model is there, whole, and made from these ingredients.
    pub fn state(&self, model: usize, ingredients: &Ingredients) -> State {
        let folder = self.model(model);
        match is_there(&folder) {
            true => state_within(&folder, ingredients),
            false => State::Open,
        }
    }

    /// Puts a model into its place that was trained elsewhere and came by other ways than this folder.
    /// Nothing of it is believed that its card does not name and the ingredients do not bear out.
    pub fn accept(
        &self,
        model: usize,
        contents: &BTreeMap<String, Vec<u8>>,
        ingredients: &Ingredients,
    ) -> Result<()> {
        let odd = |why: String| Error::malformed(format!("model {model} came back odd: {why}"));
        let scratch = self.scratch(model)?;
        let fresh = scratch.path().join("model");
        private::make_folder(&fresh).map_err(|e| Error::writing(&fresh, &e))?;
        for (name, bytes) in contents {
            let plain =
                |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
            if name.starts_with('.') || !name.bytes().all(plain) {
                return Err(odd(format!("it has a file {name:?}")));
            }
            write_synced(&fresh.join(name), bytes)?;
        }
        let card = read_card(&fresh).map_err(odd)?;
        let named = |name: &String| name == CARD || card.files.contains_key(name);
        if let Some(name) = contents.keys().find(|name| !named(name)) {
            return Err(odd(format!("its card does not name {name}")));
        }
        match state_within(&fresh, ingredients) {
            State::Stale(why) => Err(odd(why)),
            _ => {
                files::sync_folder(&fresh);
                self.put(&fresh, model, ingredients)
            }
        }
    }

    /// Sets aside a model that is stale, and brings back one that was made from these
    /// ingredients before. True if one came back.
    pub fn refresh(&self, model: usize, ingredients: &Ingredients) -> Result<bool> {
        let place = self.model(model);
        if is_there(&place) {
            self.retire(model)?;
        }
        let earlier = self.retired(model, &ingredients.key());
        if !earlier.exists() {
            return Ok(false);
        }
        fs::rename(&earlier, &place).map_err(|e| Error::writing(&place, &e))?;
        match self.state(model, ingredients) {
            State::Done => Ok(true),
            _ => {
                self.discard(model)?;
                Ok(false)
            }
        }
    }

    /// Whether a model that was set aside would come back for these ingredients.
    pub fn would_return(&self, model: usize, ingredients: &Ingredients) -> bool {
        self.retired(model, &ingredients.key()).exists()
    }

    /// Sets aside the models beyond those of this run that were made otherwise: whoever reads the
    /// folder as it lies must not mix them with these.
    pub fn retire_strangers(&self, models: usize, shared: &Ingredients) -> Result<()> {
        let folder = self.models();
        let entries = fs::read_dir(&folder).map_err(|e| Error::reading(&folder, &e))?;
        let numbers = entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        for model in numbers.filter(|&model: &usize| model >= models) {
            let fits = read_card(&self.model(model))
                .is_ok_and(|card| card.ingredients.without(&OWN) == *shared);
            if !fits {
                self.retire(model)?;
            }
        }
        Ok(())
    }

    fn retire(&self, model: usize) -> Result<()> {
        let place = self.model(model);
        let removed = match read_card(&place) {
            Ok(card) if damage(&place, &card).is_none() => {
                let aside = self.retired(model, &card.key);
                if is_there(&aside) {
                    remove(&aside).map_err(|e| Error::writing(&aside, &e))?;
                }
                fs::rename(&place, &aside)
            }
            // A damaged model is no use to anyone.
            _ => remove(&place),
        };
        removed.map_err(|e| Error::writing(&place, &e))
    }

    /// Removes a model that is no use to anyone.
    pub(super) fn discard(&self, model: usize) -> Result<()> {
        let place = self.model(model);
        remove(&place).map_err(|e| Error::writing(&place, &e))
    }

    /// How many augmentations a finished model has of each record.
    pub(super) fn augmentations(&self, model: usize) -> Option<usize> {
        let scores = npy::open(&self.model(model).join("scores.npy")).ok()?;
        Some(scores.shape.get(1).copied().unwrap_or(1))
    }

    /// Seconds that a finished model took. Equal models have equal files, so no file says it: the
    /// first one is dated when training began. A copy of the folder has lost that.
    pub(super) fn seconds(&self, model: usize) -> Option<f64> {
        let dated = |name: &str| {
            let metadata = fs::metadata(self.model(model).join(name)).ok()?;
            metadata.modified().ok()
        };
        let took = dated(CARD)?.duration_since(dated(KEEP)?).ok()?;
        (took >= SHORTEST).then_some(took.as_secs_f64())
    }

    /// Puts a trained model into its place, as a whole. Somebody else may have been faster:
    /// then theirs stays, for it is the same.
    pub fn commit(
        &self,
        scratch: &Scratch,
        model: usize,
        keep: &MemberRow,
        output: &Output,
        ingredients: &Ingredients,
        took: Duration,
    ) -> Result<()> {
        let fresh = scratch.path().join("model");
        private::make_folder(&fresh).map_err(|e| Error::writing(&fresh, &e))?;
        let began = SystemTime::now() - took;
        let mut contents = vec![
            (KEEP, keep_bytes(keep)?),
            ("scores.npy", score_bytes(keep.len(), output)?),
        ];
        if let Some(right) = &output.right {
            contents.push(("right.npy", right_bytes(keep.len(), output, right)?));
        }
        contents.extend(output.files.iter().cloned());
        let card = Card {
            schema: SCHEMA.into(),
            model,
            key: ingredients.key(),
            ingredients: ingredients.clone(),
            files: contents
                .iter()
                .map(|(name, bytes)| ((*name).to_owned(), files::sha256_of(bytes)))
                .collect(),
        };
        for (name, bytes) in &contents {
            write_synced(&fresh.join(name), bytes)?;
        }
        // Where the file system refuses, only an estimate is lost.
        let keep = File::options().write(true).open(fresh.join(KEEP));
        let _ = keep.and_then(|keep| keep.set_modified(began));
        let text = serde_json::to_string_pretty(&card)
            .map_err(|error| Error::new(ErrorKind::Write, error.to_string()))?;
        write_synced(&fresh.join(CARD), (text + "\n").as_bytes())?;
        files::sync_folder(&fresh);
        self.put(&fresh, model, ingredients)
    }

    fn put(&self, fresh: &Path, model: usize, ingredients: &Ingredients) -> Result<()> {
        let place = self.model(model);
        match self.state(model, ingredients) {
            State::Done => return Ok(()),
            State::Stale(_) => self.retire(model)?,
            State::Open => {}
        }
        match fs::rename(fresh, &place) {
            Ok(()) => {
                files::sync_folder(&self.models());
                Ok(())
            }
            Err(_) if self.state(model, ingredients) == State::Done => Ok(()),
            Err(error) => Err(Error::writing(&place, &error)),
        }
    }
}

/// A folder for one attempt.
pub struct Scratch {
    folder: TempDir,
    _lock: File,
}

impl Scratch {
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Whether anything lies there, be it a link to nowhere.
fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Removes whatever lies there: somebody may have put a file or a link in a model's place.
fn remove(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path);
    }
    fs::remove_dir_all(path).or_else(|_| {
        unlock(path);
        fs::remove_dir_all(path)
    })
}

/// A folder that may not be read or written cannot be emptied.
#[cfg(unix)]
fn unlock(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
}

#[cfg(not(unix))]
fn unlock(_: &Path) {}

/// Whether a folder has a whole model that was made from these ingredients.
fn state_within(folder: &Path, ingredients: &Ingredients) -> State {
    let card = match read_card(folder) {
        Ok(card) => card,
        Err(why) => return State::Stale(why),
    };
    if let Some(difference) = card.ingredients.difference(ingredients) {
        return State::Stale(difference);
    }
    match damage(folder, &card) {
        Some(why) => State::Stale(why),
        None => State::Done,
    }
}

fn read_card(folder: &Path) -> std::result::Result<Card, String> {
    let text = fs::read_to_string(folder.join(CARD))
        .map_err(|error| format!("its {CARD} cannot be read: {error}"))?;
    let card: Card =
        serde_json::from_str(&text).map_err(|error| format!("its {CARD} is damaged: {error}"))?;
    match card.schema == SCHEMA {
        true => Ok(card),
        false => Err(format!("its {CARD} is of another version")),
    }
}

/// What is wrong with the files of a model, checked to the last byte.
fn damage(folder: &Path, card: &Card) -> Option<String> {
    for (name, digest) in &card.files {
        let path = folder.join(name);
        if !path.is_file() {
            return Some(format!("its {name} is gone"));
        }
        if files::sha256(&path).ok().as_ref() != Some(digest) {
            return Some(format!("its {name} was changed or damaged"));
        }
    }
    None
}

fn keep_bytes(keep: &MemberRow) -> Result<Vec<u8>> {
    let mut bytes = header("|b1", &[keep.len()])?;
    bytes.extend((0..keep.len()).map(|record| u8::from(keep.get(record))));
    Ok(bytes)
}

fn shape(records: usize, output: &Output) -> Vec<usize> {
    match output.augmentations {
        1 => vec![records],
        augmentations => vec![records, augmentations],
    }
}

fn right_bytes(records: usize, output: &Output, right: &[bool]) -> Result<Vec<u8>> {
    let mut bytes = header("|b1", &shape(records, output))?;
    bytes.extend(right.iter().map(|right| u8::from(*right)));
    Ok(bytes)
}

fn score_bytes(records: usize, output: &Output) -> Result<Vec<u8>> {
    let mut bytes = header("<f4", &shape(records, output))?;
    bytes.extend(output.phi.iter().flat_map(|phi| phi.to_le_bytes()));
    Ok(bytes)
}

pub(super) fn header(element: &str, shape: &[usize]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    npy::write_header(&mut bytes, element, shape)
        .map_err(|error| Error::new(ErrorKind::Write, error.to_string()))?;
    Ok(bytes)
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || {
        let mut file = private::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(|error| Error::writing(path, &error))
}

#[cfg(test)]
mod tests;
