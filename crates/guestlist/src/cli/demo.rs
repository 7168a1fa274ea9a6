//! `guestlist demo`: a whole audit on embedded data.

use guestlist::audit::Extra;
use guestlist::{Error, ExitCode, demo};

use super::arguments::{ConfigurationOptions, Demo, DemoKind};
use super::console::Console;
use super::language;
use super::run::{checked, complete};

pub fn run(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    match options.kind {
        DemoKind::Classifier => classifier(options, console),
        DemoKind::Lm => language_model(options, console),
    }
}

fn language_model(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    if options.epsilon.is_some() {
        return Err(Error::usage(
            "--epsilon is for the classifier",
            "leave it out of demo lm",
        ));
    }
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

fn classifier(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
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
