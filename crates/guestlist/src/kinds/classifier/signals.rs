//! Outputs of models that exist already.

use std::path::{Path, PathBuf};

use formats::shadow::ShadowTable;
use rayon::prelude::*;
use report::Inputs;

use super::Classifier;
use super::attack::{DiagnosticsWanted, ShadowRequest, slicing};
use crate::Result;
use crate::pipeline::{AuditRequest, read_members};

pub fn read(input: &Path, request: &AuditRequest) -> Result<ShadowRequest> {
    let resolved = request.options.resolve::<Classifier>()?;
    let table = formats::shadow::read(input, request.format.as_deref())?;
    let population = match &request.population {
        Some(path) => Some(formats::shadow::read(path, request.format.as_deref())?),
        None => None,
    };
    let members = match &request.members {
        Some(path) => Some(read_members(path, table.records(), table.ids.as_deref())?),
        None => None,
    };
    let slices = slicing::columns(&request.options.slices, &table, request.records.as_deref())?;
    let named_files = [&request.members, &request.records];
    let inputs = inputs(&table, population.as_ref(), named_files)?;
    let name = request.members.as_ref();
    Ok(ShadowRequest {
        context: request.context(&resolved, table.records(), inputs),
        table,
        population,
        members,
        members_name: name.map_or_else(String::new, |path| path.display().to_string()),
        target: request.target,
        shadows: request.shadows,
        attacks: resolved.attacks,
        replicates: request.options.replicates,
        scaling: request.options.scaling.clone(),
        diagnostics: DiagnosticsWanted {
            slices,
            ..DiagnosticsWanted::default()
        },
        training: None,
    })
}

/// Name and digest of every file that was read.
fn inputs(
    table: &ShadowTable,
    population: Option<&ShadowTable>,
    named: [&Option<PathBuf>; 2],
) -> Result<Vec<Inputs>> {
    let further = population
        .into_iter()
        .flat_map(|table| table.sources.iter());
    let paths: Vec<&Path> = table
        .sources
        .iter()
        .chain(further)
        .chain(named.into_iter().flatten())
        .map(|path| path.as_path())
        .collect();
    paths
        .into_par_iter()
        .map(|path| {
            Ok(Inputs {
                path: path.display().to_string(),
                sha256: formats::files::sha256(path)?,
            })
        })
        .collect()
}
