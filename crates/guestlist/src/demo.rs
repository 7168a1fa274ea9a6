//! The demonstration: real data, a configuration, and everything `guestlist run` does.

use std::path::{Path, PathBuf};

use crate::Error;

/// 1,797 handwritten digits; source and licence are in `data/README.md`.
const DIGITS: &[u8] = include_bytes!("../data/digits.csv.gz");
const LICENCE: &[u8] = include_bytes!("../data/README.md");

/// Writes data and configuration into a folder, where a user can look at them and change them.
/// The configuration's path comes back.
pub fn classifier(folder: &Path, seed: u64, epsilon: Option<f64>) -> Result<PathBuf, Error> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Error::usage(
            format!("{}: cannot be made: {error}", folder.display()),
            "give a folder that you may write to with --out",
        )
    })?;
    let path = folder.join("guestlist.toml");
    let text = configuration(seed, epsilon);
    check_untouched(&path, &text)?;
    for (name, bytes) in [
        ("digits.csv.gz", DIGITS),
        ("digits-licence.md", LICENCE),
        ("guestlist.toml", text.as_bytes()),
    ] {
        collect::files::write(&folder.join(name), bytes)?;
    }
    Ok(path)
}

fn configuration(seed: u64, epsilon: Option<f64>) -> String {
    let privacy = epsilon.map_or(String::new(), |epsilon| {
        format!("\n[training.privacy]\nepsilon = {epsilon:?}\ndelta = 1e-5\nclip_norm = 1.0\n")
    });
    format!(
        r#"# The demonstration: change it, and `guestlist run` does what you changed.
kind = "classifier"
seed = {seed}

[data]
path = "digits.csv.gz"
label = "digit"

[models]
shadows = 32

[training]
hidden = [128, 64]
epochs = 40
batch_size = 32
optimiser = "adam"
learning_rate = 0.002
{privacy}
[run]
folder = "."

[audit]
scaling = [4, 8, 16]
slices = ["label"]
"#
    )
}

/// A configuration that somebody changed, or another's, is not replaced.
fn check_untouched(path: &Path, text: &str) -> Result<(), Error> {
    match std::fs::read_to_string(path) {
        Ok(there) if there != text => Err(Error::usage(
            format!("{}: is there already, and differs", path.display()),
            format!(
                "choose another folder with --out, or run what is there: guestlist run {}",
                path.display()
            ),
        )),
        _ => Ok(()),
    }
}
