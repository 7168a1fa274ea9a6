//! `guestlist demo`: a whole audit on embedded data.

use attacks::settings::Settings;
use attacks::shadow::ATTACKS;
use guestlist::audit::{Extra, OutFolder, Request};
use guestlist::{Error, ExitCode, demo};
use judge::Options;
use judge::gate::Gate;
use stats::streams::Seed;

use super::arguments::{Demo, DemoKind};
use super::audit::{conclude, follow};
use super::console::Console;

pub fn run(options: &Demo, console: &Console) -> Result<ExitCode, Error> {
    let DemoKind::Classifier = options.kind;
    let folder = OutFolder::prepare(&options.out)?;
    console.note(&format!(
        "Auditing synthetic signals: {} models, {} records.",
        demo::MODELS,
        demo::RECORDS
    ));
    let request = Request {
        table: demo::synthetic(Seed(options.seed)),
        population: None,
        members: None,
        members_name: String::new(),
        target: 0,
        shadows: None,
        attacks: ATTACKS.to_vec(),
        named: false,
        settings: Settings::default(),
        gate: Gate::default(),
        force: false,
        holdout: false,
        measuring: Options {
            seed: options.seed,
            ..Options::default()
        },
        replicates: 0,
        scaling: vec![4, 8, 16],
        command: format!("guestlist demo --seed {}", options.seed),
        inputs: Vec::new(),
        notes: vec![demo::NOTE.into()],
    };
    let audit = follow(request, console)?;
    let code = conclude(&audit, Some(folder), &[Extra::Markdown], console)?;
    console.note(&format!(
        "An audit with this verdict exits with {}. Next: guestlist audit YOUR_SIGNALS",
        code as u8
    ));
    Ok(ExitCode::Pass)
}
