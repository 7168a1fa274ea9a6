//! The demonstration: real data, a configuration, and everything `guestlist run` does.

mod digits;
mod show;
mod source;
mod speeches;

use std::path::{Path, PathBuf};

use guestlist::Error;

pub use digits::digit_models;
pub use show::{DemoRequest, Demonstrated, SHOWN, show, usual_folder};
pub(crate) use source::source_files;
use source::{source, source_port};
pub use speeches::speech_signals;

/// 1,797 handwritten digits; source and licence are in `data/README.md`.
pub(crate) const DIGITS: &[u8] = include_bytes!("../../data/digits.csv.gz");
const LICENCE: &[u8] = include_bytes!("../../data/README.md");

/// A small language model before and after fine-tuning, and texts; `data/lm/README.md` says whose.
const LANGUAGE: [(&str, &[u8]); 8] = [
    (
        "base/config.json",
        include_bytes!("../../data/lm/base/config.json"),
    ),
    (
        "base/model.safetensors",
        include_bytes!("../../data/lm/base/model.safetensors"),
    ),
    (
        "fine-tuned/config.json",
        include_bytes!("../../data/lm/fine-tuned/config.json"),
    ),
    (
        "fine-tuned/model.safetensors",
        include_bytes!("../../data/lm/fine-tuned/model.safetensors"),
    ),
    (
        "tokenizer.json",
        include_bytes!("../../data/lm/tokenizer.json"),
    ),
    (
        "members.jsonl.gz",
        include_bytes!("../../data/lm/members.jsonl.gz"),
    ),
    (
        "held-out.jsonl.gz",
        include_bytes!("../../data/lm/held-out.jsonl.gz"),
    ),
    ("README.md", include_bytes!("../../data/lm/README.md")),
];

/// Writes models, texts and configuration of the language model's audit into a folder. The
/// configuration's path comes back.
pub(crate) fn language_model(folder: &Path, seed: u64) -> Result<PathBuf, Error> {
    let path = folder.join("guestlist.toml");
    let text = format!(
        r#"# The demonstration: change it, and `guestlist run` does what you changed.
kind = "lm"
seed = {seed}

[texts]
members = "members.jsonl.gz"
nonmembers = "held-out.jsonl.gz"
training_file = "members.jsonl.gz"

[target]
model = "fine-tuned"
tokenizer = "tokenizer.json"

[reference]
model = "base"
tokenizer = "tokenizer.json"

[run]
folder = "."
"#
    );
    check_untouched(&path, &text)?;
    for place in ["base", "fine-tuned"] {
        make(&folder.join(place))?;
    }
    for (name, bytes) in LANGUAGE {
        let place = folder.join(name);
        // Left alone where it is: a run that goes on need not wait for the disk.
        if std::fs::read(&place).is_ok_and(|there| there == bytes) {
            continue;
        }
        formats::files::write(&place, bytes)?;
    }
    formats::files::write(&path, text.as_bytes())?;
    Ok(path)
}

/// Writes the configuration of the retrieval service's audit beside its [`documents`]. Its path
/// comes back.
fn retrieval(folder: &Path, seed: u64, port: u16, defences: &[String]) -> Result<PathBuf, Error> {
    let path = folder.join("guestlist.toml");
    let text = retrieval_text(seed, port, defences);
    formats::files::write(&path, text.as_bytes())?;
    Ok(path)
}

/// The port of an earlier demonstration in the folder, so that its answers are found again; 0, for
/// any, where there is none. Another's configuration is refused before anything is written.
fn retrieval_port(folder: &Path, seed: u64, defences: &[String]) -> Result<u16, Error> {
    let path = folder.join("guestlist.toml");
    let port = port_of(&path);
    check_untouched(&path, &retrieval_text(seed, port, defences))?;
    Ok(port)
}

/// The port in a configuration of the demonstration; 0 where there is none.
fn port_of(path: &Path) -> u16 {
    let there = std::fs::read_to_string(path).unwrap_or_default();
    let after = there.split(ADDRESS).nth(1).unwrap_or_default();
    let port = after.split('"').next().unwrap_or_default();
    port.parse().unwrap_or(0)
}

fn retrieval_text(seed: u64, port: u16, defences: &[String]) -> String {
    let on = match defences {
        [] => String::new(),
        names => format!(" --defence {}", names.join(",")),
    };
    format!(
        r#"# The demonstration: change it, and `guestlist run` does what you changed, once the service is up:
#   guestlist rag-server {STORE} --port {port}{on}
# in this folder. Answers are kept: another service, or one with other defences, needs another folder.
kind = "rag"
seed = {seed}

[documents]
members = "{STORE}"
nonmembers = "{OTHERS}"
limit = 150

[target]
preset = "guestlist"
url = "{ADDRESS}{port}"

[transport]
concurrency = 8

[run]
folder = "."

[audit]
show_records = true             # the speeches are public: the report may quote them

[audit.settings]
"ia.questions" = 6
"#
    )
}

/// Writes what the retrieval service holds, and what it does not. The store's path comes back.
fn documents(folder: &Path) -> Result<PathBuf, Error> {
    make(folder)?;
    for (name, bytes) in LANGUAGE {
        let name = match name {
            "members.jsonl.gz" => STORE,
            "held-out.jsonl.gz" => OTHERS,
            _ => continue,
        };
        formats::files::write(&folder.join(name), bytes)?;
    }
    formats::files::write(&folder.join("README.md"), RETRIEVAL_README.as_bytes())?;
    Ok(folder.join(STORE))
}

const RETRIEVAL_README: &str = "# The demonstration of a retrieval service

`store.jsonl.gz` holds 600 passages of State of the Union addresses, which the service answers from;
`others.jsonl.gz` holds 600 passages of the same speeches, drawn by lot from the same pool, which it
does not know. As works of the United States government the speeches are in the public domain.
`guestlist.toml` is the audit: 150 of each are asked about.
";

const STORE: &str = "store.jsonl.gz";
const OTHERS: &str = "others.jsonl.gz";
const ADDRESS: &str = "http://127.0.0.1:";

fn make(folder: &Path) -> Result<(), Error> {
    formats::private::make_folder(folder).map_err(|error| {
        Error::usage(
            format!("{}: cannot be made: {error}", folder.display()),
            "give a folder that you may write to with --out",
        )
    })
}

/// Writes data and configuration into a folder, where a user can look at them and change them.
/// The configuration's path comes back.
fn classifier(folder: &Path, seed: u64, epsilon: Option<f64>) -> Result<PathBuf, Error> {
    make(folder)?;
    let path = folder.join("guestlist.toml");
    let text = configuration(seed, epsilon);
    check_untouched(&path, &text)?;
    for (name, bytes) in [
        ("digits.csv.gz", DIGITS),
        ("digits-licence.md", LICENCE),
        ("guestlist.toml", text.as_bytes()),
    ] {
        formats::files::write(&folder.join(name), bytes)?;
    }
    Ok(path)
}

/// The two configurations of the few-shot demonstration.
struct FewShotDemo {
    /// Trains the model.
    model: PathBuf,
    /// Audits it.
    audit: PathBuf,
}

/// Writes data, the configuration that trains a model on them, and the one that audits it.
fn few_shot(folder: &Path, seed: u64) -> Result<FewShotDemo, Error> {
    make(folder)?;
    let demo = FewShotDemo {
        model: folder.join("model.toml"),
        audit: folder.join("guestlist.toml"),
    };
    let model = few_shot_model(seed);
    let audit = few_shot_audit(seed);
    check_untouched(&demo.model, &model)?;
    check_untouched(&demo.audit, &audit)?;
    for (name, bytes) in [
        ("digits.csv.gz", DIGITS),
        ("digits-licence.md", LICENCE),
        ("model.toml", model.as_bytes()),
        ("guestlist.toml", audit.as_bytes()),
    ] {
        formats::files::write(&folder.join(name), bytes)?;
    }
    Ok(demo)
}

fn few_shot_model(seed: u64) -> String {
    format!(
        r#"# The model of the demonstration. A few-shot audit needs no shadows; one is the least there is.
kind = "classifier"
seed = {seed}

[data]
path = "digits.csv.gz"
label = "digit"

[models]
shadows = 1

[training]
{RECIPE}
[run]
folder = "model"
"#
    )
}

fn few_shot_audit(seed: u64) -> String {
    format!(
        r#"# The demonstration: change it, and `guestlist run` does what you changed.
kind = "fewshot"
seed = {seed}

[features]
run = "model"                  # weights too: fes-tt changes them, in every episode anew
layer = "logits"

[episodes]
shots = [1, 5, 10]
runs = 200                     # 500 are usual

[run]
folder = "."

[audit]
attacker = "few-shot"          # a pass holds for this attacker, and for no stronger one
"#
    )
}

/// How models of digits are trained.
const RECIPE: &str = "hidden = [128, 64]
epochs = 40
batch_size = 32
optimiser = \"adam\"
learning_rate = 0.002
";

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
{RECIPE}{privacy}
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
