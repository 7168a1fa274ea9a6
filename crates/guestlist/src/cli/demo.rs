//! `guestlist demo`: a whole audit on embedded data.

use guestlist::audit::Extra;
use guestlist::{Error, ExitCode, demo};
use rag::Defences;

use super::arguments::{ConfigurationOptions, Demo, DemoKind};
use super::console::Console;
use super::flags::refuse;
use super::language;
use super::rag_server;
use super::retrieval::{self, Limits};
use super::run::{checked, complete};

pub fn run(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    match options.kind {
        DemoKind::Classifier => classifier(options, console),
        DemoKind::Lm => language_model(options, console),
        DemoKind::Rag => retrieval_service(options, console),
    }
}

fn language_model(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    refuse_epsilon(options)?;
    refuse_defences(options)?;
    console.note(
        "Which speeches was it fine-tuned on? A small language model and the one it started from \
         read 1,200 passages; 600 of them were in the fine-tuning set.",
    );
    let config = demo::language_model(&options.out, options.seed)?;
    let command = format!("guestlist demo lm --seed {}", options.seed);
    let code = language::complete(&config, command, &[Extra::Markdown], console)?;
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
    let port = demo::retrieval_port(&options.out, options.seed, &options.defences)?;
    let store = demo::documents(&options.out)?;
    let running = rag_server::serve(&store, defences, port)?;
    let config = demo::retrieval(
        &options.out,
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
    let extras = [Extra::Markdown];
    let code = retrieval::complete(&config, Limits::default(), command, &extras, console)?;
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

fn refuse_epsilon(options: &Demo) -> Result<(), Error> {
    refuse(&[(options.epsilon.is_some(), "--epsilon")], |flag| {
        format!("{flag} is for the classifier")
    })
}

fn refuse_defences(options: &Demo) -> Result<(), Error> {
    refuse(&[(!options.defences.is_empty(), "--defence")], |flag| {
        format!("{flag} is for demo rag")
    })
}

fn classifier(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    refuse_defences(options)?;
    console.note(
        "Who was in the training set? Models learn handwritten digits, each from half of them.",
    );
    let config = demo::classifier(&options.out, options.seed, options.epsilon)?;
    let again = format!("guestlist run {}", config.display());
    let epsilon = options
        .epsilon
        .map_or(String::new(), |epsilon| format!(" --epsilon {epsilon}"));
    let command = format!("guestlist demo --seed {}{epsilon}", options.seed);
    let checked = checked(&ConfigurationOptions {
        config,
        shadows: None,
        executor: None,
        workers: None,
    })?;
    let code = complete(&checked, command, &[Extra::Markdown], console)?;
    console.note(&format!(
        "An audit with this verdict exits with {}. Again, changed as you like: {again}. \
         On your own data: guestlist init classifier --data YOUR.csv",
        code as u8
    ));
    Ok(ExitCode::Pass)
}
