//! The audits of signals: Python's arguments in, the façade's request out.

use std::path::{Path, PathBuf};

use formats::in_memory::MemoryArray;
use formats::records_file::RecordsFile;
use formats::shadow::ShadowTable;
use guestlist::kinds::classifier::Classifier;
use guestlist::kinds::classifier::attack::{DiagnosticsWanted, ShadowRequest, slicing};
use guestlist::kinds::lm::Lm;
use guestlist::kinds::lm::attack::{CheckpointFile, Members, TokenRequest, check_labels};
use guestlist::pipeline::{PersonsWanted, SealedCanaries, digests, read_listed};
use guestlist::{Error, Kind};
use pyo3::prelude::*;

use crate::array::{NamedArray, held};
use crate::errors::{Outcome, Raised};
use crate::follow::{Listener, follow};
use crate::options::{self, Options, ShadowOptions, TokenOptions};
use crate::outcome::Audit;
use crate::table::{Stream, rows};

/// What messages call a table that has no file.
const TABLE: &str = "table";

/// A file or folder, or arrays in memory.
#[derive(FromPyObject)]
pub enum Signals<'py> {
    Path(PathBuf),
    /// And the records' names.
    Arrays((Vec<NamedArray<'py>>, Option<Vec<String>>)),
}

/// Arrays that are borrowed, or a path that is yet to be read.
enum Source {
    Path(PathBuf),
    Arrays(Vec<MemoryArray>, Option<Vec<String>>),
}

impl Signals<'_> {
    fn hold(self) -> Outcome<Source> {
        Ok(match self {
            Signals::Path(path) => Source::Path(path),
            Signals::Arrays((arrays, ids)) => {
                Source::Arrays(arrays.iter().map(held).collect::<Outcome<_>>()?, ids)
            }
        })
    }
}

impl Source {
    fn read(self, format: Option<&str>) -> Result<ShadowTable, Error> {
        Ok(match self {
            Source::Path(path) => formats::shadow::read(&path, format)?,
            Source::Arrays(arrays, ids) => formats::shadow::from_arrays(arrays, ids)?,
        })
    }
}

/// Who was a member, beside what the signals say.
#[derive(FromPyObject)]
pub enum Listed<'py> {
    /// A file with one id per line.
    Path(PathBuf),
    /// Zeros and ones, one per record; −1 or NaN where nobody knows.
    Flags(NamedArray<'py>),
    Ids(Vec<String>),
}

/// Audits a classifier by the outputs of shadow models.
#[pyfunction]
pub fn audit_shadow<'py>(
    py: Python<'py>,
    signals: Signals<'py>,
    population: Option<Signals<'py>>,
    members: Option<Listed<'py>>,
    options: &str,
    listener: Listener<'py>,
) -> Outcome<Audit> {
    let options: Options<ShadowOptions> = options::read(options)?;
    let source = signals.hold()?;
    let population = population.map(Signals::hold).transpose()?;
    let listed = match &members {
        Some(Listed::Flags(array)) => Some(held(array)?.known_flags()?),
        _ => None,
    };
    let path = match members {
        Some(Listed::Path(path)) => Some(path),
        Some(Listed::Ids(_)) => return Err(not_flags()),
        _ => None,
    };
    let audit = follow(py, &listener, move |follower| {
        let table = source.read(options.own.format.as_deref())?;
        let population = population
            .map(|source| source.read(options.own.format.as_deref()))
            .transpose()?;
        let members = match &path {
            Some(path) => {
                let listed = read_listed(path, table.records(), table.ids.as_deref())?;
                Some(listed.into_iter().map(Some).collect())
            }
            None => listed,
        };
        shadow_request(options, table, population, members, path)?.run(follower)
    })?;
    Ok(audit.into())
}

fn shadow_request(
    options: Options<ShadowOptions>,
    table: ShadowTable,
    population: Option<ShadowTable>,
    members: Option<Vec<Option<bool>>>,
    members_path: Option<PathBuf>,
) -> Result<ShadowRequest, Error> {
    let Options {
        options,
        seed,
        command,
        own,
    } = options;
    check_length(members.as_deref(), table.records())?;
    let resolved = options.resolve::<Classifier>()?;
    let ids = table.ids.as_deref();
    let beside = |path: &PathBuf| RecordsFile::beside(path, ids);
    let records = own.records.as_ref().map(beside).transpose()?;
    let slices = slicing::columns(&options.slices, &table, records.as_ref())?;
    let further = population.iter().flat_map(|table| &table.sources);
    let read = table.sources.iter().chain(further);
    let listed = members.is_some().then_some("members");
    let path = own.canaries.as_deref();
    let canaries = SealedCanaries::named(path, listed, &options, Kind::Classifier)?;
    let sealed = canaries.as_ref().map(SealedCanaries::files).transpose()?;
    let named = [&members_path, &own.records].into_iter().flatten();
    let files = read.chain(named).cloned();
    let inputs = digests(files.chain(sealed.into_iter().flatten()), None)?;
    let in_order = records.as_ref().and_then(RecordsFile::note).cloned();
    let file = records.or_else(|| table.sources.first().map(|path| RecordsFile::own(path)));
    let mut persons = PersonsWanted::given(&options, own.groups, file.as_ref())?;
    if let (None, Some(file)) = (&persons, table.sources.first()) {
        let inside = formats::persons::groups_inside(file)?;
        persons =
            inside.map(|people| PersonsWanted::new(formats::persons::GROUPS, options.join, people));
    }
    let mut context = options.context(&resolved, table.records(), seed, command, inputs);
    context.set_persons(persons, table.records())?;
    context.notes.extend(in_order);
    Ok(ShadowRequest {
        context,
        table,
        population,
        members,
        members_name: match members_path {
            Some(path) => path.display().to_string(),
            None => "members".into(),
        },
        unknown: None,
        canaries,
        target: own.target,
        shadows: own.shadows,
        attacks: resolved.attacks,
        replicates: options.replicates,
        scaling: options.scaling.clone(),
        diagnostics: DiagnosticsWanted {
            slices,
            ..DiagnosticsWanted::default()
        },
        training: None,
        digests: None,
    })
}

fn check_length(members: Option<&[Option<bool>]>, records: usize) -> Result<(), Error> {
    match members.filter(|members| members.len() != records) {
        None => Ok(()),
        Some(members) => Err(Error::usage(
            format!(
                "members has {} entries but there are {records} records",
                members.len()
            ),
            "give one entry per record, in the same order",
        )),
    }
}

fn not_flags() -> Raised {
    Raised::from(Error::usage(
        "members holds text",
        "give true or false for every record, or a file with one id per line",
    ))
}

/// Token signals: a file, or a stream of Arrow batches.
#[derive(FromPyObject)]
pub enum Tokens<'py> {
    Path(PathBuf),
    Table(Stream<'py>),
}

/// Audits a language model by what it made of texts.
#[pyfunction]
pub fn audit_tokens<'py>(
    py: Python<'py>,
    signals: Tokens<'py>,
    members: Option<Listed<'py>>,
    options: &str,
    listener: Listener<'py>,
) -> Outcome<Audit> {
    let options: Options<TokenOptions> = options::read(options)?;
    let (path, rows) = match signals {
        Tokens::Path(path) => (path, None),
        Tokens::Table(stream) => (PathBuf::from(TABLE), Some(rows(&stream, Path::new(TABLE))?)),
    };
    let (members, list) = match members {
        None => (None, None),
        Some(Listed::Path(path)) => (Some(Members::read(&path)?), Some(path)),
        Some(Listed::Ids(ids)) => (Some(named("members", ids)), None),
        Some(Listed::Flags(array)) => (Some(named("members", held(&array)?.texts()?)), None),
    };
    let Options {
        options,
        seed,
        command,
        own,
    } = options;
    let resolved = options.resolve::<Lm>()?;
    let checkpoints: Vec<CheckpointFile> = own
        .checkpoints
        .into_iter()
        .map(|(label, path)| CheckpointFile { label, path })
        .collect();
    check_labels(&own.label, &checkpoints)?;
    let audit = follow(py, &listener, move |follower| {
        let listed = members.is_some().then_some("members");
        let manifest = own.canaries.as_deref();
        let canaries = SealedCanaries::named(manifest, listed, &options, Kind::Lm)?;
        let sealed = canaries.as_ref().map(SealedCanaries::files).transpose()?;
        let own_file = rows.is_none().then(|| path.clone());
        let files = own_file
            .into_iter()
            .chain(list)
            .chain(sealed.into_iter().flatten())
            .chain(own.training_file.clone())
            .chain(own.shadow.clone())
            .chain(checkpoints.iter().map(|file| file.path.clone()));
        let inputs = digests(files, None)?;
        let mut context = options.context(&resolved, 0, seed, command, inputs);
        context.measuring.calibrate = true;
        let file = rows.is_none().then(|| RecordsFile::own(&path));
        context.belong_to(PersonsWanted::given(&options, own.groups, file.as_ref())?);
        TokenRequest {
            signals: path,
            rows,
            label: own.label,
            members,
            unknown: None,
            canaries,
            training_file: own.training_file,
            shadow: own.shadow,
            attacks: resolved.attacks,
            context,
            checkpoints,
            scoring: None,
        }
        .run(follower)
    })?;
    Ok(audit.into())
}

fn named(name: &str, ids: Vec<String>) -> Members {
    Members {
        name: name.to_owned(),
        ids: ids.into_iter().collect(),
    }
}
