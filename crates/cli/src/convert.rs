//! `guestlist convert`: shadow signals from one format to another.

use std::path::Path;

use formats::shadow::{self, Overwrite};
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::arguments::Convert;
use super::console::Console;
use super::interrupt;

pub fn run(options: &Convert, console: &Console) -> Result<ExitCode, Error> {
    let to = match &options.to {
        Some(name) => name.clone(),
        None => by_ending(&options.output)?.to_string(),
    };
    let table = shadow::read(&options.input, options.from.as_deref())?;
    if interrupt::asked() {
        return Err(Error::interrupted());
    }
    let overwrite = if options.overwrite {
        Overwrite::Replace
    } else {
        Overwrite::Refuse
    };
    shadow::write(&table, &options.output, &to, overwrite)?;
    for note in &table.notes {
        console.note(&format!("note: {note}"));
    }
    let output = options.output.display();
    console.note(&format!(
        "read {} models × {} records as {}, wrote {output} as {to}",
        table.models(),
        table.records(),
        table.format
    ));
    console.event(&json!({
        "event": "converted", "from": table.format, "to": to, "output": output.to_string(),
        "models": table.models(), "records": table.records(),
    }));
    Ok(ExitCode::Pass)
}

fn by_ending(path: &Path) -> Result<&'static str, Error> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("npz") => Ok("npz"),
        Some("safetensors") => Ok("safetensors"),
        Some("parquet") => Ok("parquet"),
        Some("npy") | None => Ok("npy"),
        Some(_) => Err(Error::usage(
            format!(
                "{}: the ending names no format that can be written",
                path.display()
            ),
            "end it in .npz, .safetensors or .parquet, leave the ending out for a folder of .npy \
             files, or say the format with --to",
        )),
    }
}
