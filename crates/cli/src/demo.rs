//! `guestlist demo`: a whole audit on embedded data.

use std::path::Path;

use guestlist::pipeline::{self, Extra, RunOptions};
use guestlist::{Error, ExitCode};
use rehearsal::{Defences, demo};

use super::arguments::{Demo, DemoKind};
use super::console::Console;
use super::misleading;
use super::progress::follow;
use super::rag_server;
use super::run::complete;

pub fn run(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    if !matches!(options.kind, DemoKind::Misleading) {
        refuse(&[(options.case.is_some(), "a case")], |flag| {
            format!("{flag} is for demo misleading")
        })?;
    }
    let code = match options.kind {
        DemoKind::Classifier => classifier(options, console),
        DemoKind::Lm => language_model(options, console),
        DemoKind::Rag => retrieval_service(options, console),
        DemoKind::Source => sources(options, console),
        DemoKind::Fewshot => few_shot(options, console),
        DemoKind::Misleading => return misleading::run(options, console),
    }?;
    let page = options.out().join("report.html");
    console.note(&format!(
        "To look at it in a browser: open {}",
        page.display()
    ));
    Ok(code)
}

fn language_model(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    refuse_epsilon(options)?;
    refuse_defences(options)?;
    console.note(
        "Which speeches was it fine-tuned on? A small language model and the one it started from \
         read 1,200 passages; 600 of them were in the fine-tuning set.",
    );
    let config = demo::language_model(&options.out(), options.seed)?;
    let command = format!("guestlist demo lm --seed {}", options.seed);
    let code = audit(&config, command, options, console)?;
    console.note(&format!(
        "An audit with this verdict exits with {}. Again, changed as you like: guestlist run {}. \
         On your own model: guestlist init lm",
        code as u8,
        config.display()
    ));
    Ok(ExitCode::Pass)
}

fn retrieval_service(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    refuse_epsilon(options)?;
    let defences = Defences::parse(&options.defences)?;
    let told = match defences.names().as_slice() {
        [] => "without defences".to_owned(),
        names => format!("defended by {}", names.join(", ")),
    };
    console.note(&format!(
        "Which speeches are in its store? A service on this machine, {told}, answers questions about \
         300 passages; it holds 150 of them among 600."
    ));
    // The documents must be there before the service, and the service's port before its audit.
    let port = demo::retrieval_port(&options.out(), options.seed, &options.defences)?;
    let store = demo::documents(&options.out())?;
    let running = rag_server::serve(&store, None, defences, port)?;
    let config = demo::retrieval(
        &options.out(),
        options.seed,
        running.address().port(),
        &options.defences,
    )?;
    let on: String = options
        .defences
        .iter()
        .map(|name| format!(" --defence {name}"))
        .collect();
    let command = format!("guestlist demo rag --seed {}{on}", options.seed);
    let code = audit(&config, command, options, console)?;
    let next = match options.defences.is_empty() {
        true => {
            " With defences: guestlist demo rag --out defended --defence \
             hide-citations,refuse-verbatim,detect-probing."
        }
        false => "",
    };
    console.note(&format!(
        "An audit with this verdict exits with {}.{next} On your own service: guestlist init rag",
        code as u8
    ));
    Ok(ExitCode::Pass)
}

fn sources(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    refuse_epsilon(options)?;
    refuse_defences(options)?;
    console.note(
        "Where did it come from? A service on this machine answers with a small language model. It \
         knows some texts by heart, its store holds others, and 12 of each are asked about, with 12 that \
         are new to both.",
    );
    let port = demo::source_port(&options.out(), options.seed)?;
    let served = demo::source_files(&options.out())?;
    let defences = Defences::default();
    let running = rag_server::serve(&served.store, Some(&served.model), defences, port)?;
    let config = demo::source(&options.out(), options.seed, running.address().port())?;
    let command = format!("guestlist demo source --seed {}", options.seed);
    let code = audit(&config, command, options, console)?;
    console.note(&format!(
        "An audit with this verdict exits with {}. On your own service: guestlist init source",
        code as u8
    ));
    Ok(ExitCode::Pass)
}

fn few_shot(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    refuse_epsilon(options)?;
    refuse_defences(options)?;
    console.note(
        "Who was in the training set? An attacker who knows it of 1, 5 or 10 records of each kind \
         guesses about others, from what a model of handwritten digits makes of them.",
    );
    let demo::FewShotDemo { model, audit } = demo::few_shot(&options.out(), options.seed)?;
    follow(console, |progress| {
        pipeline::collect(&model, &RunOptions::default(), progress)
    })?;
    let command = format!("guestlist demo fewshot --seed {}", options.seed);
    let code = self::audit(&audit, command, options, console)?;
    console.note(&format!(
        "An audit with this verdict exits with {}. Again, changed as you like: guestlist run {}. \
         On your own features: guestlist init fewshot --data features.npz",
        code as u8,
        audit.display()
    ));
    Ok(ExitCode::Pass)
}

pub fn refuse_epsilon(options: &Demo) -> Result<(), Error> {
    refuse(&[(options.epsilon.is_some(), "--epsilon")], |flag| {
        format!("{flag} is for the classifier")
    })
}

pub fn refuse_defences(options: &Demo) -> Result<(), Error> {
    refuse(&[(!options.defences.is_empty(), "--defence")], |flag| {
        format!("{flag} is for demo rag")
    })
}

fn classifier(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    refuse_defences(options)?;
    console.note(
        "Who was in the training set? Models learn handwritten digits, each from half of them.",
    );
    let config = demo::classifier(&options.out(), options.seed, options.epsilon)?;
    let again = format!("guestlist run {}", config.display());
    let epsilon = options
        .epsilon
        .map_or(String::new(), |epsilon| format!(" --epsilon {epsilon}"));
    let command = format!("guestlist demo --seed {}{epsilon}", options.seed);
    let code = audit(&config, command, options, console)?;
    console.note(&format!(
        "An audit with this verdict exits with {}. Again, changed as you like: {again}. \
         On your own data: guestlist init classifier --data YOUR.csv",
        code as u8
    ));
    Ok(ExitCode::Pass)
}

fn audit(
    config: &Path,
    command: String,
    options: &Demo,
    console: &Console,
) -> Result<ExitCode, Error> {
    let mut extras = vec![Extra::Markdown];
    extras.extend(options.figures.then_some(Extra::Figures));
    let run = RunOptions {
        extras,
        command: Some(command),
        ..RunOptions::default()
    };
    complete(config, &run, console)
}

/// Refuses the first flag that was given; `why` makes the message of its name.
pub fn refuse(flags: &[(bool, &str)], why: impl Fn(&str) -> String) -> Result<(), Error> {
    match flags.iter().find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, flag)) => Err(Error::usage(why(flag), "leave it out")),
    }
}
