//! What Python says of the models and records that `[torch]` names, asked once before anything is trained.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::settings::TorchSettings;
use crate::arrays;
use crate::people::People;
use crate::training_data::TrainingData;
use crate::{Error, ErrorKind, Result};
use formats::data::Units;
use formats::environment;
use formats::npy;
use formats::shadow::labels_of;

/// What both sides must agree on.
const PROTOCOL: u32 = 1;
/// The file that Python writes, beside its arrays.
const ANSWER: &str = "described.json";
/// Of each record its class, the number that its copies share, and whose it is.
const LABELS: &str = "labels.npy";
const COPIES: &str = "copies.npy";
const GROUPS: &str = "groups.npy";

/// What Python says of the models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Described {
    /// How they are trained, for people, in a line.
    pub about: String,
    /// Of the records; nothing where they come from a data file.
    pub digest: Option<String>,
    /// The share of the records that the audited model trains on.
    pub share: f64,
    /// What decides the models beside data, split and seed.
    pub ingredients: BTreeMap<String, String>,
    /// The user's modules that were imported for it, by their digests. Plans go without: they may be read elsewhere.
    #[serde(default, skip_serializing)]
    pub files: BTreeMap<PathBuf, String>,
    /// How many processes train at once here; every core where it does not say.
    pub places: Option<usize>,
    /// The GPUs that they share, as `CUDA_VISIBLE_DEVICES` names them.
    pub gpus: Vec<String>,
}

/// Python's refusal.
#[derive(Deserialize)]
struct Refused {
    error: String,
    hint: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Refused(Refused),
    Described(Described),
}

/// Asks Python, and reads the records that it has; those of a data file were read before.
pub fn ask(
    settings: &TorchSettings,
    base: &Path,
    read: Option<&TrainingData>,
    share: f64,
) -> Result<(Described, Option<TrainingData>)> {
    let place = tempfile::tempdir().map_err(|e| Error::writing(&std::env::temp_dir(), &e))?;
    let shape = read.map(|subject| {
        json!({
            "records": subject.records,
            "classes": subject.classes(),
            "features": subject.data.as_ref().map(|data| data.width),
        })
    });
    let request = json!({
        "protocol": PROTOCOL,
        "torch": settings,
        "data": shape,
        "share": share,
        "out": place.path(),
    });
    let folder = folder(settings, base)?;
    let mut command = Command::new(super::python(settings, &folder)?);
    command
        .args(["-m", "guestlist.torch", "describe"])
        .current_dir(&folder)
        .envs(environment::expand(&settings.environment)?);
    let ended = ended(command, &request.to_string()).map_err(|error| {
        let message = format!("torch.python: {} cannot be run: {error}", settings.python);
        Error::new(ErrorKind::Setting, message)
    })?;
    let mut described = answer(&place.path().join(ANSWER), settings, &ended)?;
    let files = std::mem::take(&mut described.files).into_iter();
    described.files = files
        .map(|(path, sha256)| (folder.join(path), sha256))
        .collect();
    let subject = match &described.digest {
        Some(digest) => Some(records(place.path(), digest.clone())?),
        None => None,
    };
    Ok((described, subject))
}

/// Where Python runs.
pub fn folder(settings: &TorchSettings, base: &Path) -> Result<PathBuf> {
    let folder = match &settings.folder {
        Some(folder) => base.join(folder),
        None => base.to_owned(),
    };
    match folder.is_dir() {
        true => Ok(folder),
        false => Err(Error::new(ErrorKind::Setting, "torch.folder is not a folder").at(&folder)),
    }
}

fn ended(mut command: Command, request: &str) -> std::io::Result<Output> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // Python that ends before it reads says why itself.
        let _ = input.write_all(request.as_bytes());
    }
    child.wait_with_output()
}

fn answer(path: &Path, settings: &TorchSettings, ended: &Output) -> Result<Described> {
    let Ok(text) = std::fs::read_to_string(path) else {
        return Err(silent(settings, ended));
    };
    match serde_json::from_str(&text) {
        Ok(Answer::Described(described)) => Ok(described),
        Ok(Answer::Refused(Refused { error, hint })) => {
            let refused = Error::new(ErrorKind::Setting, format!("[torch]: {error}"));
            Err(match hint {
                Some(hint) => refused.hint(hint),
                None => refused,
            })
        }
        Err(error) => Err(Error::new(
            ErrorKind::Setting,
            format!("the guestlist of {} answered {error}", settings.python),
        )
        .hint("install the same version for Python as this program has: pip install -U guestlist")),
    }
}

/// Python ended without an answer: what it said instead.
fn silent(settings: &TorchSettings, ended: &Output) -> Error {
    let said = String::from_utf8_lossy(&ended.stderr);
    let lines: Vec<&str> = said.lines().collect();
    let python = &settings.python;
    let missing = |module: &str| {
        let last = lines.last().unwrap_or(&"");
        last.contains("No module named") && last.contains(module)
    };
    if missing("guestlist") {
        let message = format!("{python} has no guestlist");
        return Error::new(ErrorKind::Setting, message).hint(format!(
            "install it there ({python} -m pip install guestlist torch), or name another Python as \
             torch.python"
        ));
    }
    let last = lines.iter().rev().find(|line| !line.trim().is_empty());
    let said = last.map_or("said nothing".to_owned(), |line| format!("said: {line}"));
    Error::new(
        ErrorKind::Setting,
        format!("{python} ended with {} and {said}", ended.status),
    )
    .hint("mend that, or name another Python as torch.python")
}

/// The records as Python left them in a folder.
fn records(place: &Path, digest: String) -> Result<TrainingData> {
    let groups = place.join(GROUPS);
    let people = match groups.exists() {
        true => Some(People::numbered(&numbers(&groups)?)),
        false => None,
    };
    let copies = Units::by_key(numbers(&place.join(COPIES))?);
    let labels = numbers(&place.join(LABELS))?;
    let labels = labels.into_iter().map(|label| label as u32).collect();
    TrainingData::given(labels, Some(copies), people, digest)
}

/// Leaves what a worker elsewhere needs of the records in the folder of a run; people go by numbers.
pub fn keep(folder: &Path, described: &Described, subject: &TrainingData) -> Result<()> {
    if described.digest.is_none() {
        return Ok(());
    }
    let of = |units: &Units| -> Vec<i64> {
        (0..units.records())
            .map(|record| units.unit(record) as i64)
            .collect()
    };
    let groups = folder.join(GROUPS);
    match &subject.people {
        Some(people) => arrays::write_labels(&groups, &of(&people.units))?,
        // Of an earlier plan, which named people.
        None if groups.exists() => {
            std::fs::remove_file(&groups).map_err(|e| Error::writing(&groups, &e))?;
        }
        None => {}
    }
    if let Some(units) = &subject.units {
        arrays::write_labels(&folder.join(COPIES), &of(units))?;
    }
    let labels = subject.signed_labels().unwrap_or_default();
    arrays::write_labels(&folder.join(LABELS), &labels)
}

/// The same from the folder of a run, as its plan left them.
pub fn kept(folder: &Path, described: &Described) -> Result<Option<TrainingData>> {
    let digest = described.digest.clone();
    digest
        .map(|digest| records(&super::data(folder), digest))
        .transpose()
}

fn numbers(path: &Path) -> Result<Vec<i64>> {
    labels_of(&npy::open(path)?)
}
