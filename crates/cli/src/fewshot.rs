//! `guestlist run` and `guestlist plan` for few-shot audits.

use std::path::Path;

use guestlist::kinds::fewshot::Checked;
use guestlist::kinds::fewshot::audit::{Cost, EpisodeRequest};
use guestlist::pipeline::{Extra, OutFolder, digests};
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::arguments::ConfigurationOptions;
use super::audit::{conclude, under_a_bar};
use super::console::Console;
use super::language::{refuse_flags, table};
use super::time::span;

/// Attacks, judges and reports.
pub fn complete(
    config: &Path,
    command: String,
    extras: &[Extra],
    console: &Console,
) -> Result<ExitCode, Error> {
    let checked = Checked::read(config)?;
    let folder = checked.folder();
    let out = OutFolder::prepare(&folder)?;
    let _publishing = console.published().begin(&folder);
    let request = request(checked, command)?;
    tell_cost(&request, console)?;
    let audit = under_a_bar(console, |follower| request.run(follower))?;
    conclude(&audit, Some(out), extras, console)
}

/// Says what a run would do. One episode of every attack is run to know how long it takes.
pub fn plan(options: &ConfigurationOptions, console: &Console) -> Result<ExitCode, Error> {
    refuse_flags(options, "fewshot")?;
    let checked = Checked::read(&options.config)?;
    let folder = checked.folder().display().to_string();
    let request = request(checked, String::new())?;
    console.note("measuring how long an episode takes");
    let costs = request.costs()?;
    let seconds = costs.iter().map(|cost| cost.seconds).sum::<f64>() / threads();
    let (truth, design) = (&request.subject.truth, &request.design);
    console.event(&json!({
        "event": "plan", "records": truth.len(), "members": truth.members(),
        "shots": design.shots, "runs": design.runs, "seconds": seconds,
        "attacks": costs.iter().map(|cost| json!({
            "id": cost.attack, "episodes": cost.episodes, "seconds": cost.seconds / threads(),
        })).collect::<Vec<_>>(),
    }));
    let shots: Vec<String> = design.shots.iter().map(usize::to_string).collect();
    let mut lines = vec![
        (
            "records".to_owned(),
            format!(
                "{}: {} members and {} non-members",
                truth.len(),
                truth.members(),
                truth.nonmembers()
            ),
        ),
        ("features".into(), request.subject.words()),
        (
            "episodes".into(),
            format!(
                "{} runs with {} shots; {} + {} records for validation, {} + {} asked about",
                design.runs,
                shots.join(", "),
                design.validation,
                design.validation,
                design.query,
                design.query
            ),
        ),
    ];
    lines.extend(costs.iter().map(line));
    lines.push((
        "in all".into(),
        format!("about {} on {} threads", span(seconds), threads()),
    ));
    lines.push(("folder".into(), folder));
    console.text(&(table(&lines) + "Nothing was kept. `guestlist run` starts.\n"))?;
    Ok(ExitCode::Pass)
}

fn line(cost: &Cost) -> (String, String) {
    let words = format!(
        "{} episodes, those with shuffled membership included, about {}",
        cost.episodes,
        span(cost.seconds / threads())
    );
    (cost.attack.to_owned(), words)
}

/// Before a model is tuned again for every episode, says how long that takes.
pub fn tell_cost(request: &EpisodeRequest, console: &Console) -> Result<(), Error> {
    if !request.tunes_a_model() {
        return Ok(());
    }
    let seconds: f64 = request.costs()?.iter().map(|cost| cost.seconds).sum();
    let seconds = seconds / threads();
    console.event(&json!({"event": "estimate", "seconds": seconds}));
    console.note(&format!(
        "fes-tt tunes the model anew in every episode: about {} in all on {} threads; fewer --runs \
         or other --attacks take less",
        span(seconds),
        threads()
    ));
    Ok(())
}

fn threads() -> f64 {
    rayon::current_num_threads() as f64
}

fn request(checked: Checked, command: String) -> Result<EpisodeRequest, Error> {
    let Checked {
        config,
        base,
        granted,
        subject,
    } = checked;
    let inputs = digests(subject.sources.iter().cloned(), Some(&base))?;
    let records = subject.truth.len();
    Ok(EpisodeRequest {
        design: config.episodes.design(config.seed),
        terms: config
            .audit
            .terms(&granted, records, config.seed, command, inputs),
        attacks: granted.attacks,
        subject,
    })
}
