//! `guestlist init`: a configuration to start from.

use std::path::{Path, PathBuf};

use guestlist::{Error, ExitCode, init};
use serde_json::json;

use super::arguments::{Init, InitKind};
use super::console::Console;

pub fn run(options: &Init, console: &Console) -> Result<ExitCode, Error> {
    let InitKind::Classifier = options.kind;
    let name = options.out.display();
    if options.out.exists() && !options.overwrite {
        return Err(Error::usage(
            format!("{name}: exists already"),
            "choose another name with --out, or replace it with --overwrite",
        ));
    }
    let data = options
        .data
        .as_deref()
        .map(|data| seen_from(&options.out, data));
    let text = init::classifier(data.as_deref(), options.label.as_deref())?;
    collect::files::write(&options.out, text.as_bytes())?;
    console.event(&json!({"event": "configuration", "path": options.out}));
    let next = match (&options.data, &options.label) {
        (Some(_), Some(_)) => "guestlist plan, then guestlist run",
        (Some(_), None) => "set data.label in it, then guestlist plan and guestlist run",
        (None, _) => "set data.path and data.label in it, then guestlist plan and guestlist run",
    };
    console.note(&format!("wrote {name}. Next: {next}"));
    Ok(ExitCode::Pass)
}

/// The data's path as the configuration must name it: paths in it start from its own folder.
fn seen_from(configuration: &Path, data: &Path) -> PathBuf {
    let beside = configuration
        .parent()
        .is_none_or(|folder| folder.as_os_str().is_empty());
    match beside {
        true => data.to_owned(),
        false => std::path::absolute(data).unwrap_or_else(|_| data.to_owned()),
    }
}
