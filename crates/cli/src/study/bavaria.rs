//! `guestlist study bavaria`.

use std::path::PathBuf;

use guestlist::pipeline::OutFolder;
use guestlist::study::Studied;
use guestlist::study::bavaria::{self, BavariaRequest};
use guestlist::{Error, ExitCode, Progress};

use super::{carried_or, written};
use crate::arguments::BavariaStudy;
use crate::console::Console;
use crate::progress::follow;

/// The data that guestlist carries.
const DIGITS: &str = "digits";

pub fn run(options: &BavariaStudy, again: String, console: &Console) -> Result<ExitCode, Error> {
    let out = OutFolder::prepare(&options.out)?;
    let study = follow(console, |progress| {
        let request = BavariaRequest {
            sets: sets(options, progress)?,
            targets: options.targets,
            budgets: options.shadows.clone(),
            understudy: options.understudy,
            seed: options.seed,
            command: again,
        };
        bavaria::run(&request, progress)
    })?;
    let page = study.to_markdown();
    let files = guestlist::study::write(out, "study-bavaria", &page, &study)?;
    written(&page, &files, console)
}

/// What was named; digits are trained first.
fn sets(options: &BavariaStudy, progress: Progress<'_>) -> Result<Vec<Studied>, Error> {
    carried_or(&options.data, DIGITS, || digits(options, progress))
}

fn digits(options: &BavariaStudy, progress: Progress<'_>) -> Result<PathBuf, Error> {
    let folder = options.out.join(DIGITS);
    let shadows = usize::from(options.models) - 1;
    rehearsal::demo::digit_models(&folder, options.seed, shadows, progress)
}
