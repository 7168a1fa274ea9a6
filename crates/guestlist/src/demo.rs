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
    for (name, bytes) in [
        ("digits.csv.gz", DIGITS),
        ("digits-licence.md", LICENCE),
        ("guestlist.toml", configuration(seed, epsilon).as_bytes()),
    ] {
        collect::files::write(&folder.join(name), bytes)?;
    }
    Ok(path)
}

fn configuration(seed: u64, epsilon: Option<f64>) -> String {
    let training = epsilon.map_or(OPEN.to_owned(), |epsilon| {
        PRIVATE.replace("{epsilon}", &format!("{epsilon:?}"))
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

{training}
[run]
folder = "."

[audit]
scaling = [4, 8, 16]
slices = ["label"]
"#
    )
}

const OPEN: &str = "\
[training]
hidden = [128, 64]
epochs = 40
batch_size = 32
optimiser = \"adam\"
learning_rate = 0.002
";

const PRIVATE: &str = "\
# Noise is added at every step, so private training wants few steps of large batches.
[training]
hidden = [128, 64]
epochs = 10
batch_size = 128
optimiser = \"sgd\"
momentum = 0.0
learning_rate = 0.5

[training.privacy]
epsilon = {epsilon}
delta = 1e-5
clip_norm = 1.0
";
