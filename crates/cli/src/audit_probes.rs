//! `guestlist audit` of exchanges that were recorded elsewhere.

use std::collections::BTreeMap;

use guestlist::kinds::rag::RecordedRequest;
use guestlist::kinds::rag::audit::ProbeRequest;
use guestlist::pipeline::{OutFolder, digests};
use guestlist::{Error, ExitCode};
use judge::rag::SourcesNamed;
use report::rag::Requests;

use super::arguments;
use super::audit::{command, conclude, extras, under_a_bar, wishes};
use super::console::Console;
use super::flags::refuse;

pub fn run(options: &arguments::Audit, console: &Console) -> Result<ExitCode, Error> {
    refuse_flags(options)?;
    let wishes = wishes(options)?;
    let granted = wishes.grant_probes()?;
    let folder = options.out.as_deref().map(OutFolder::prepare).transpose()?;
    let _publishing = options
        .out
        .as_deref()
        .map(|out| console.published().begin_once(out));
    let read = std::iter::once(&options.signals).chain(&options.documents);
    let inputs = digests(read.cloned(), None)?;
    let again = command(options, false);
    let mut request = ProbeRequest {
        format: "transcript",
        documents: Vec::new(),
        controls: None,
        stored: None,
        repeats: None,
        sources_named: SourcesNamed::No,
        failed: BTreeMap::new(),
        terms: wishes.terms(&granted, 0, options.seed, again, inputs),
        attacks: granted.attacks,
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
    let name = options.signals.display();
    refuse(&asked, |flag| {
        format!("{flag} is not for exchanges, but {name} holds exchanges")
    })
}
