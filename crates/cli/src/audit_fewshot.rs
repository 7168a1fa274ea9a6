//! `guestlist audit --kind fewshot`: features of records, a few of them with known membership.

use formats::features::Wanted;
use guestlist::kinds::fewshot::audit::EpisodeRequest;
use guestlist::kinds::fewshot::{EpisodeSettings, Subject, ThresholdName};
use guestlist::pipeline::{OutFolder, digests};
use guestlist::{Error, ExitCode};

use super::arguments::{self, ThresholdRule};
use super::audit::{command, conclude, extras, under_a_bar, wishes};
use super::console::Console;
use super::fewshot;
use super::flags::refuse;

pub fn run(options: &arguments::Audit, console: &Console) -> Result<ExitCode, Error> {
    refuse_other_flags(options)?;
    let wishes = wishes(options)?;
    let granted = wishes.grant_episodes()?;
    let folder = options.out.as_deref().map(OutFolder::prepare).transpose()?;
    let _publishing = options
        .out
        .as_deref()
        .map(|out| console.published().begin_once(out));
    let wanted = Wanted {
        layer: options.layer.clone(),
        target: options.target,
    };
    let subject = Subject::open(&options.signals, &wanted, options.members.as_deref())?;
    let inputs = digests(subject.sources.iter().cloned(), None)?;
    let records = subject.truth.len();
    let again = command(options, true);
    let request = EpisodeRequest {
        design: episodes(options).design(options.seed),
        terms: wishes.terms(&granted, records, options.seed, again, inputs),
        attacks: granted.attacks,
        subject,
    };
    fewshot::tell_cost(&request, console)?;
    let audit = under_a_bar(console, |follower| request.run(follower))?;
    conclude(&audit, folder, &extras(options), console)
}

fn episodes(options: &arguments::Audit) -> EpisodeSettings {
    let usual = EpisodeSettings::default();
    EpisodeSettings {
        shots: match options.shots.is_empty() {
            true => usual.shots,
            false => options.shots.clone(),
        },
        validation: options.validation.unwrap_or(usual.validation),
        query: options.query.unwrap_or(usual.query),
        runs: options.runs.unwrap_or(usual.runs),
        thresholds: match options.thresholds {
            None | Some(ThresholdRule::Validation) => ThresholdName::Validation,
            Some(ThresholdRule::Query) => ThresholdName::Query,
            Some(ThresholdRule::Published) => ThresholdName::Published,
        },
    }
}

/// Flags that mean nothing for features.
fn refuse_other_flags(options: &arguments::Audit) -> Result<(), Error> {
    let asked = [
        (options.shadows.is_some(), "--shadows"),
        (options.population.is_some(), "--population"),
        (options.records.is_some(), "--records"),
        (options.documents.is_some(), "--documents"),
        (options.training_file.is_some(), "--training-file"),
        (!options.checkpoints.is_empty(), "--checkpoint"),
    ];
    refuse(&asked, |flag| format!("{flag} is not for --kind fewshot"))
}

/// Flags of few-shot audits.
pub fn refuse_own_flags(options: &arguments::Audit) -> Result<(), Error> {
    let asked = [
        (!options.shots.is_empty(), "--shots"),
        (options.runs.is_some(), "--runs"),
        (options.validation.is_some(), "--validation"),
        (options.query.is_some(), "--query"),
        (options.thresholds.is_some(), "--thresholds"),
        (options.layer.is_some(), "--layer"),
    ];
    match asked.iter().find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, flag)) => Err(Error::usage(
            format!("{flag} is for few-shot audits"),
            "add --kind fewshot, or leave it out",
        )),
    }
}
