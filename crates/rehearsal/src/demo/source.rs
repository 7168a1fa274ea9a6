//! The demonstration of sources: a service whose model knows some texts and whose store holds
//! others.

use std::path::{Path, PathBuf};

use super::{ADDRESS, check_untouched, make, port_of};
use guestlist::Error;

const STORE: &str = "store.jsonl.gz";
const MODEL: &str = "model";

/// Texts, and the model that the service answers with; `data/source/README.md` says whose.
const FILES: [(&str, &[u8]); 9] = [
    (
        "pretrained.jsonl.gz",
        include_bytes!("../../data/source/pretrained.jsonl.gz"),
    ),
    (
        "retrieved.jsonl.gz",
        include_bytes!("../../data/source/retrieved.jsonl.gz"),
    ),
    (
        "fresh.jsonl.gz",
        include_bytes!("../../data/source/fresh.jsonl.gz"),
    ),
    (STORE, include_bytes!("../../data/source/store.jsonl.gz")),
    (
        "model/config.json",
        include_bytes!("../../data/source/model/config.json"),
    ),
    (
        "model/model.safetensors",
        include_bytes!("../../data/source/model/model.safetensors"),
    ),
    (
        "model/chat_template.jinja",
        include_bytes!("../../data/source/model/chat_template.jinja"),
    ),
    (
        "model/tokenizer.json",
        include_bytes!("../../data/lm/tokenizer.json"),
    ),
    ("README.md", include_bytes!("../../data/source/README.md")),
];

/// The paths that the service of the demonstration is started with.
pub(crate) struct Served {
    pub(crate) store: PathBuf,
    pub(crate) model: PathBuf,
}

/// The port of an earlier demonstration in the folder, or 0; another's configuration is refused
/// before anything is written.
pub(crate) fn source_port(folder: &Path, seed: u64) -> Result<u16, Error> {
    let path = folder.join("guestlist.toml");
    let port = port_of(&path);
    check_untouched(&path, &configuration(seed, port))?;
    Ok(port)
}

/// Writes texts, store and model.
pub(crate) fn source_files(folder: &Path) -> Result<Served, Error> {
    make(&folder.join(MODEL))?;
    for (name, bytes) in FILES {
        formats::files::write(&folder.join(name), bytes)?;
    }
    Ok(Served {
        store: folder.join(STORE),
        model: folder.join(MODEL),
    })
}

/// Writes the configuration. Its path comes back.
pub(crate) fn source(folder: &Path, seed: u64, port: u16) -> Result<PathBuf, Error> {
    let path = folder.join("guestlist.toml");
    formats::files::write(&path, configuration(seed, port).as_bytes())?;
    Ok(path)
}

fn configuration(seed: u64, port: u16) -> String {
    format!(
        r#"# The demonstration: change it, and `guestlist run` does what you changed, once the service is up:
#   guestlist rag-server {STORE} --model {MODEL} --port {port}
# in this folder. Answers are kept: another service needs another folder.
kind = "source"
seed = {seed}

[items]
pretrained = "pretrained.jsonl.gz"
retrieved = "retrieved.jsonl.gz"
nonmembers = "fresh.jsonl.gz"
# Of each; there are 24.
limit = 12

[target]
preset = "guestlist"
url = "{ADDRESS}{port}"

[run]
folder = "."

[audit]
show_records = true             # the texts are public: the report may quote them
"#
    )
}
