//! Outputs of models that exist already.

use std::path::{Path, PathBuf};

use formats::records_file::RecordsFile;
use formats::shadow::ShadowTable;
use report::Note;

use super::Classifier;
use super::attack::{DiagnosticsWanted, Digests, ShadowRequest, slicing};
use crate::Result;
use crate::pipeline::{self, AuditRequest, PersonsWanted, SealedCanaries, Unfinished, read_listed};

pub fn read(input: &Path, request: &AuditRequest) -> Result<ShadowRequest> {
    let resolved = request.options.resolve::<Classifier>()?;
    let unfinished = Unfinished::of(input);
    let target = match &unfinished {
        Some(unfinished) => unfinished.place(request.target)?,
        None => request.target,
    };
    let mut table = formats::shadow::read(input, request.format.as_deref())?;
    if let Some(unfinished) = &unfinished {
        unfinished.number(&mut table);
    }
    let population = match &request.population {
        Some(path) => Some(formats::shadow::read(path, request.format.as_deref())?),
        None => None,
    };
    let listed = |path: &PathBuf| read_listed(path, table.records(), table.ids.as_deref());
    let members = request.members.as_ref().map(listed).transpose()?;
    let members = members.map(|members| members.into_iter().map(Some).collect());
    let unknown = request.unknown.as_ref().map(listed).transpose()?;
    let ids = table.ids.as_deref();
    let beside = |path: &PathBuf| RecordsFile::beside(path, ids);
    let records = request.records.as_ref().map(beside).transpose()?;
    let slices = slicing::columns(&request.options.slices, &table, records.as_ref())?;
    let canaries = SealedCanaries::of_request(request, report::Kind::Classifier)?;
    let sealed = canaries.as_ref().map(SealedCanaries::files).transpose()?;
    let [manifest, roster] = sealed.map_or([None, None], |files| files.map(Some));
    let named_files = [
        &request.members,
        &request.unknown,
        &request.records,
        &manifest,
        &roster,
    ];
    let digests = digests(&table, population.as_ref(), named_files);
    let name = request.members.as_ref();
    let mut context = request.context(&resolved, table.records(), Vec::new());
    let (persons, note) = persons(input, records.as_ref(), request)?;
    let told = context.set_persons(persons, table.records());
    told.map_err(|error| error.within_file(request.records.as_deref().unwrap_or(input)))?;
    context.notes.extend(note);
    context
        .notes
        .extend(unfinished.map(|unfinished| unfinished.note()));
    let in_order = records.as_ref().and_then(RecordsFile::note);
    context.notes.extend(in_order.cloned());
    Ok(ShadowRequest {
        context,
        table,
        population,
        members,
        members_name: name.map_or_else(String::new, |path| path.display().to_string()),
        unknown,
        canaries,
        target,
        shadows: request.shadows,
        attacks: resolved.attacks,
        replicates: request.options.replicates,
        scaling: request.options.scaling.clone(),
        diagnostics: DiagnosticsWanted {
            slices,
            ..DiagnosticsWanted::default()
        },
        training: None,
        digests: Some(digests),
    })
}

/// Whose the records are: a column of the file of records, an array or column of the signals, or the
/// signals' own `groups`, which needs no word.
fn persons(
    input: &Path,
    records: Option<&RecordsFile>,
    request: &AuditRequest,
) -> Result<(Option<PersonsWanted>, Option<Note>)> {
    let join = request.options.join;
    if let Some(group) = &request.options.group {
        let own = RecordsFile::own(input);
        let file = records.unwrap_or(&own);
        let found = PersonsWanted::of_file(file, group, join).map_err(|error| match records {
            Some(_) => error,
            None => error.hint(
                "store whose the records are as an array groups beside phi and keep, or name a \
                     column of a file with one row per record, given with --records",
            ),
        })?;
        return Ok((Some(found), None));
    }
    let Some(people) = formats::persons::groups_inside(input)? else {
        return Ok((None, None));
    };
    let note = "the signals say in groups whose each record is: people are judged too".to_owned();
    let found = PersonsWanted::new(formats::persons::GROUPS, join, people);
    Ok((Some(found), Some(note)))
}

/// Name and digest of every file that was read: large files take as long as the attacks, so that others need not
/// wait for it.
fn digests(
    table: &ShadowTable,
    population: Option<&ShadowTable>,
    named: [&Option<PathBuf>; 5],
) -> Digests {
    let further = population
        .into_iter()
        .flat_map(|table| table.sources.iter());
    let paths: Vec<PathBuf> = table
        .sources
        .iter()
        .chain(further)
        .chain(named.into_iter().flatten())
        .cloned()
        .collect();
    std::thread::spawn(move || pipeline::digests(paths, None))
}
