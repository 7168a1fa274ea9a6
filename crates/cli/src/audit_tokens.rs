//! `guestlist audit` of token signals.

use std::path::PathBuf;

use guestlist::kinds::lm::audit::{CheckpointFile, Members, TokenRequest, check_labels};
use guestlist::pipeline::{OutFolder, digests};
use guestlist::{Error, ExitCode};
use report::Inputs;

use super::arguments;
use super::audit::{command, conclude, extras, under_a_bar, wishes};
use super::console::Console;
use super::flags::refuse;

pub fn run(options: &arguments::Audit, console: &Console) -> Result<ExitCode, Error> {
    refuse_shadow_flags(options)?;
    let wishes = wishes(options)?;
    let granted = wishes.grant_tokens()?;
    let folder = options.out.as_deref().map(OutFolder::prepare).transpose()?;
    let _publishing = options
        .out
        .as_deref()
        .map(|out| console.published().begin_once(out));
    let checkpoints = checkpoints(&options.checkpoints)?;
    check_labels(&options.label, &checkpoints)?;
    let members = options.members.as_deref().map(Members::read).transpose()?;
    let (again, inputs) = (command(options, false), inputs(options, &checkpoints)?);
    let mut terms = wishes.terms(&granted, 0, options.seed, again, inputs);
    terms.measuring.calibrate = true;
    let request = TokenRequest {
        signals: options.signals.clone(),
        rows: None,
        label: options.label.clone(),
        members,
        training_file: options.training_file.clone(),
        attacks: granted.attacks,
        terms,
        checkpoints,
        scoring: None,
    };
    let audit = under_a_bar(console, |follower| request.run(follower))?;
    conclude(&audit, folder, &extras(options), console)
}

/// Flags that mean nothing without shadow models.
fn refuse_shadow_flags(options: &arguments::Audit) -> Result<(), Error> {
    let asked = [
        (options.target != 0, "--target"),
        (options.shadows.is_some(), "--shadows"),
        (options.population.is_some(), "--population"),
        (options.records.is_some(), "--records"),
        (options.documents.is_some(), "--documents"),
    ];
    let name = options.signals.display();
    refuse(&asked, |flag| {
        format!("{flag} is for shadow signals, but {name} has token signals")
    })
}

/// Flags that mean nothing without texts.
pub fn refuse_flags(options: &arguments::Audit) -> Result<(), Error> {
    let asked = [
        (options.training_file.is_some(), "--training-file"),
        (!options.checkpoints.is_empty(), "--checkpoint"),
        (options.documents.is_some(), "--documents"),
    ];
    match asked.iter().find(|(asked, _)| *asked) {
        Some((_, flag)) if options.signals.exists() => Err(Error::usage(
            format!(
                "{flag} is for token signals or exchanges, but {} has none",
                options.signals.display()
            ),
            "leave it out, or give token signals (Parquet or JSON Lines with logprob) or a transcript",
        )),
        _ => Ok(()),
    }
}

fn checkpoints(pairs: &[String]) -> Result<Vec<CheckpointFile>, Error> {
    let parse = |pair: &String| match pair.split_once('=') {
        Some((label, path)) if !label.is_empty() && !path.is_empty() => Ok(CheckpointFile {
            label: label.to_owned(),
            path: PathBuf::from(path),
        }),
        _ => Err(Error::usage(
            format!("--checkpoint {pair} is not a label and a file"),
            "write --checkpoint 1000=tokens-1000.parquet",
        )),
    };
    pairs.iter().map(parse).collect()
}

/// Name and digest of every file that is read.
fn inputs(
    options: &arguments::Audit,
    checkpoints: &[CheckpointFile],
) -> Result<Vec<Inputs>, Error> {
    let named = [&options.members, &options.training_file];
    let paths = std::iter::once(&options.signals)
        .chain(named.into_iter().flatten())
        .chain(checkpoints.iter().map(|file| &file.path));
    digests(paths.cloned(), None)
}
