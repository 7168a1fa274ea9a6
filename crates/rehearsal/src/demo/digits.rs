//! Models of handwritten digits, as many as a study wants.

use std::path::{Path, PathBuf};

use base::Progress;
use guestlist::Error;
use guestlist::pipeline::{self, RunOptions};

use super::{DIGITS, LICENCE, RECIPE, check_untouched, make};

/// Trains them in a folder, or what is missing there. The folder of the run comes back.
pub fn digit_models(
    folder: &Path,
    seed: u64,
    shadows: usize,
    progress: Progress<'_>,
) -> Result<PathBuf, Error> {
    make(folder)?;
    let (path, text) = (folder.join("guestlist.toml"), configuration(seed, shadows));
    check_untouched(&path, &text)?;
    for (name, bytes) in [
        ("digits.csv.gz", DIGITS),
        ("digits-licence.md", LICENCE),
        ("guestlist.toml", text.as_bytes()),
    ] {
        formats::files::write(&folder.join(name), bytes)?;
    }
    pipeline::collect(&path, &RunOptions::default(), progress)?;
    Ok(folder.to_owned())
}

fn configuration(seed: u64, shadows: usize) -> String {
    format!(
        r#"# Models of handwritten digits for a study.
kind = "classifier"
seed = {seed}

[data]
path = "digits.csv.gz"
label = "digit"

[models]
shadows = {shadows}

[training]
{RECIPE}
[run]
folder = "."
"#
    )
}
