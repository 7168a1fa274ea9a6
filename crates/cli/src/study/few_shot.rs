//! `guestlist study few-shot`.

use std::path::PathBuf;

use guestlist::pipeline::OutFolder;
use guestlist::study::Studied;
use guestlist::study::few_shot::{self, FewShotRequest, Given, Readied, Subject};
use guestlist::{Error, ExitCode, Progress};

use super::written;
use crate::arguments::FewShotStudy;
use crate::console::Console;
use crate::progress::follow;

/// The data that guestlist carries.
const DIGITS: &str = "digits";
/// Another study has other models of them.
const FOLDER: &str = "digits-few-shot";
/// Of the models that stand beside the first; those of `guestlist demo` are the same.
const DIGIT_SHADOWS: usize = 32;
/// Each model of digits trains on half of them.
const DIGIT_MEMBERS: (usize, usize) = (898, 899);

pub fn run(options: &FewShotStudy, again: String, console: &Console) -> Result<ExitCode, Error> {
    let subjects = subjects(options)?;
    let out = OutFolder::prepare(&options.out)?;
    let request = FewShotRequest {
        shots: options.shots.clone(),
        runs: options.runs,
        seed: options.seed,
        command: again,
    };
    let study = follow(console, |progress| {
        let readied = read(&subjects, &request, options, progress)?;
        few_shot::run(readied, &request, progress)
    })?;
    let page = study.to_markdown();
    let files = guestlist::study::write(out, "study-few-shot", &page, &study)?;
    written(&page, &files, console)
}

/// What was named, with what was said of it.
fn subjects(options: &FewShotStudy) -> Result<Vec<(bool, Subject)>, Error> {
    let usual = [DIGITS.to_owned()];
    let data = match options.data.as_slice() {
        [] => usual.as_slice(),
        named => named,
    };
    let carried: Vec<bool> = data.iter().map(|text| text == DIGITS).collect();
    let studied = data.iter().map(|text| match text == DIGITS {
        true => Ok(Studied {
            name: DIGITS.to_owned(),
            path: options.out.join(FOLDER),
        }),
        false => Studied::parse(text),
    });
    let studied: Vec<Studied> = studied.collect::<Result<_, Error>>()?;
    let given = Given {
        targets: options.targets.clone(),
        shadows: options.shadows.clone(),
        members: options.members.clone(),
    };
    let subjects = given.subjects(studied)?;
    let subjects: Vec<(bool, Subject)> = carried.into_iter().zip(subjects).collect();
    for (carried, subject) in &subjects {
        check(*carried, subject)?;
    }
    Ok(subjects)
}

fn check(carried: bool, subject: &Subject) -> Result<(), Error> {
    if !carried {
        return subject.studied.check_exists();
    }
    let last = subject.targets.iter().max().copied().unwrap_or(0);
    if subject.shadows.is_some() || subject.members.is_some() {
        return Err(Error::usage(
            "the digits that guestlist carries have members and shadows of their own",
            "leave out --shadows and --members for them",
        ));
    }
    match last > DIGIT_SHADOWS {
        true => Err(Error::usage(
            format!("digits have no model {last}"),
            format!("give --target from 0 to {DIGIT_SHADOWS}"),
        )),
        false => Ok(()),
    }
}

/// Everything that is there before models of digits are trained, so that a mistake is told first.
fn read(
    subjects: &[(bool, Subject)],
    request: &FewShotRequest,
    options: &FewShotStudy,
    progress: Progress<'_>,
) -> Result<Vec<Readied>, Error> {
    let mut there: Vec<Option<Vec<Readied>>> = Vec::new();
    for (carried, subject) in subjects {
        there.push(match carried {
            true => {
                request.check(DIGIT_MEMBERS.0, DIGIT_MEMBERS.1)?;
                None
            }
            false => Some(few_shot::read(subject, request, progress)?),
        });
    }
    let mut readied = Vec::new();
    for ((_, subject), there) in subjects.iter().zip(there) {
        readied.extend(match there {
            Some(there) => there,
            None => {
                digits(options, progress)?;
                few_shot::read(subject, request, progress)?
            }
        });
    }
    Ok(readied)
}

fn digits(options: &FewShotStudy, progress: Progress<'_>) -> Result<PathBuf, Error> {
    let folder = options.out.join(FOLDER);
    rehearsal::demo::digit_models(&folder, options.seed, DIGIT_SHADOWS, progress)
}
