//! `guestlist audit` of exchanges that were recorded elsewhere.

use std::collections::BTreeMap;

use guestlist::audit::probes::ProbeRequest;
use guestlist::audit::{Granted, OutFolder};
use guestlist::retrieval::RecordedRequest;
use guestlist::{Error, ExitCode};
use judge::probes::SourcesNamed;
use report::Inputs;
use report::retrieval::Requests;

use super::arguments;
use super::audit::{command, conclude, extras, under_a_bar, wishes};
use super::console::Console;

pub fn run(options: &arguments::Audit, console: &Console) -> Result<ExitCode, Error> {
    refuse_flags(options)?;
    let wishes = wishes(options)?;
    let Granted {
        attacks,
        named,
        settings,
        gate,
    } = wishes.grant_probes()?;
    let folder = options.out.as_deref().map(OutFolder::prepare).transpose()?;
    let mut request = ProbeRequest {
        format: "transcript",
        documents: Vec::new(),
        repeats: None,
        sources_named: SourcesNamed::No,
        failed: BTreeMap::new(),
        attacks,
        named,
        settings,
        force: options.force,
        holdout: options.holdout,
        measuring: wishes.measuring(0, &gate, options.seed),
        gate,
        command: command(options, false),
        inputs: inputs(options)?,
        notes: Vec::new(),
        service: None,
        helpers: Vec::new(),
        requests: Requests::default(),
    };
    let recorded = RecordedRequest {
        transcript: options.signals.clone(),
        documents: options.documents.clone(),
    };
    recorded.fill(&mut request)?;
    let audit = under_a_bar(console, |follower| request.run(follower))?;
    conclude(&audit, folder, &extras(options), console)
}

/// Flags that mean nothing for exchanges.
fn refuse_flags(options: &arguments::Audit) -> Result<(), Error> {
    let asked = [
        (options.target != 0, "--target"),
        (options.shadows.is_some(), "--shadows"),
        (options.population.is_some(), "--population"),
        (options.records.is_some(), "--records"),
        (options.members.is_some(), "--members"),
        (options.training_file.is_some(), "--training-file"),
        (!options.checkpoints.is_empty(), "--checkpoint"),
    ];
    match asked.iter().find(|(asked, _)| *asked) {
        None => Ok(()),
        Some((_, flag)) => Err(Error::usage(
            format!(
                "{flag} is not for exchanges, but {} holds exchanges",
                options.signals.display()
            ),
            "leave it out",
        )),
    }
}

fn inputs(options: &arguments::Audit) -> Result<Vec<Inputs>, Error> {
    let paths = std::iter::once(&options.signals).chain(&options.documents);
    paths
        .filter(|path| path.is_file())
        .map(|path| {
            Ok(Inputs {
                path: path.display().to_string(),
                sha256: collect::files::sha256(path)?,
            })
        })
        .collect()
}
