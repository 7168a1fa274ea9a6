//! `guestlist demo`: a whole audit on embedded data.

use guestlist::audit::Extra;
use guestlist::{Error, ExitCode, demo};

use super::arguments::{ConfigurationOptions, Demo, DemoKind};
use super::console::Console;
use super::run::{checked, complete};

pub fn run(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    let DemoKind::Classifier = options.kind;
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
