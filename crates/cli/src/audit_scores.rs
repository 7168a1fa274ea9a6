//! `guestlist audit` of scores that were made elsewhere.

use std::path::Path;

use guestlist::kinds::scores::audit::{GivenScores, chosen};
use guestlist::pipeline::{OutFolder, digests};
use guestlist::{Error, ExitCode};

use super::arguments;
use super::audit::{command, conclude, extras, under_a_bar, wishes};
use super::console::Console;
use super::flags::refuse;

pub fn run(options: &arguments::Audit, console: &Console) -> Result<ExitCode, Error> {
    refuse_flags(options)?;
    let wishes = wishes(options)?;
    let granted = wishes.grant_scores()?;
    let folder = options.out.as_deref().map(OutFolder::prepare).transpose()?;
    let _publishing = options
        .out
        .as_deref()
        .map(|out| console.published().begin_once(out));
    let table = formats::scores::read(&options.signals)?;
    let inputs = digests([options.signals.clone()], None)?;
    let again = command(options, false);
    let named = |error| within(error, &options.signals);
    let records = table.members.len();
    let mut terms = wishes.terms(&granted, records, options.seed, again, inputs);
    let (scores, notes) = chosen(table.columns, &table.members, &wishes).map_err(named)?;
    terms.notes = [table.notes, notes].concat();
    let request = GivenScores {
        scores,
        members: table.members,
        ids: table.ids,
        terms,
        format: table.format,
    };
    let audit = under_a_bar(console, |follower| request.run(follower)).map_err(named)?;
    conclude(&audit, folder, &extras(options), console)
}

/// Says which file an error is about.
fn within(error: Error, path: &Path) -> Error {
    let name = path.display();
    match error.kind {
        _ if error.path.is_some() || error.is_interruption() => error,
        _ => error.within(&name.to_string()),
    }
}

/// Flags that mean nothing where no attack runs.
fn refuse_flags(options: &arguments::Audit) -> Result<(), Error> {
    let asked = [
        (options.target != 0, "--target"),
        (options.shadows.is_some(), "--shadows"),
        (!options.settings.is_empty(), "--set"),
        (options.population.is_some(), "--population"),
        (options.records.is_some(), "--records"),
        (options.members.is_some(), "--members"),
        (options.documents.is_some(), "--documents"),
        (options.training_file.is_some(), "--training-file"),
        (!options.checkpoints.is_empty(), "--checkpoint"),
    ];
    let name = options.signals.display();
    refuse(&asked, |flag| {
        format!("{flag} is not for scores, but {name} holds scores")
    })
}
