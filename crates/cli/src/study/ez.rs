//! `guestlist study ez`.

use guestlist::pipeline::OutFolder;
use guestlist::study::Studied;
use guestlist::study::ez::{self, EzRequest};
use guestlist::{Error, ExitCode, Progress};

use super::{carried_or, written};
use crate::arguments::EzStudy;
use crate::console::Console;
use crate::progress::follow;

/// The data that guestlist carries.
const SPEECHES: &str = "speeches";
const SPEECHES_ABOUT: &str = "A small transformer, pretrained on speeches and fine-tuned on 600 passages of State of the \
                              Union addresses, beside 600 passages of the same speeches that it did not see.";

pub fn run(options: &EzStudy, again: String, console: &Console) -> Result<ExitCode, Error> {
    let out = OutFolder::prepare(&options.out)?;
    let study = follow(console, |progress| {
        let request = EzRequest {
            sets: sets(options, progress)?,
            about: about(options),
            command: again,
        };
        ez::run(&request, progress)
    })?;
    let page = study.to_markdown();
    let files = guestlist::study::write(out, "study-ez", &page, &study)?;
    written(&page, &files, console)
}

fn sets(options: &EzStudy, progress: Progress<'_>) -> Result<Vec<Studied>, Error> {
    carried_or(&options.data, SPEECHES, || {
        rehearsal::demo::speech_signals(&options.out.join(SPEECHES), 0, progress)
    })
}

/// In the user's words; of speeches alone it is known.
fn about(options: &EzStudy) -> Option<String> {
    let alone = match options.data.as_slice() {
        [] => true,
        [one] => one == SPEECHES,
        _ => false,
    };
    let known = || alone.then(|| SPEECHES_ABOUT.to_owned());
    options.about.clone().or_else(known)
}
