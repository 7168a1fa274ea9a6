//! `guestlist study bavaria`.

use std::path::PathBuf;

use guestlist::pipeline::OutFolder;
use guestlist::study::Studied;
use guestlist::study::bavaria::{self, BavariaRequest};
use guestlist::{Error, ExitCode, Progress};

use super::written;
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
    let usual = [DIGITS.to_owned()];
    let data = match options.data.as_slice() {
        [] => usual.as_slice(),
        named => named,
    };
    // A mistake in any of them is told before models are trained.
    let named: Vec<Option<Studied>> = data
        .iter()
        .map(|text| (text != DIGITS).then(|| Studied::parse(text)).transpose())
        .collect::<Result<_, Error>>()?;
    for set in named.iter().flatten() {
        set.check_exists()?;
    }
    named
        .into_iter()
        .map(|set| match set {
            Some(set) => Ok(set),
            None => Ok(Studied {
                name: DIGITS.to_owned(),
                path: digits(options, progress)?,
            }),
        })
        .collect()
}

fn digits(options: &BavariaStudy, progress: Progress<'_>) -> Result<PathBuf, Error> {
    let folder = options.out.join(DIGITS);
    let shadows = usize::from(options.models) - 1;
    rehearsal::demo::digit_models(&folder, options.seed, shadows, progress)
}
