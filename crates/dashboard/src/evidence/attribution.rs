//! Where a text's words came from: its line of `attributions.jsonl`.

use std::path::Path;

use report::source::Attributed;

use super::lines;

pub const FILE: &str = "attributions.jsonl";

pub fn about(path: &Path, id: &str) -> Result<Option<Attributed>, String> {
    let mut found = None;
    let read = lines::each(path, |line| {
        found = serde_json::from_slice::<Attributed>(line)
            .ok()
            .filter(|one| one.id.as_deref() == Some(id));
        found.is_some()
    });
    read.map_err(|error| format!("{FILE} cannot be read: {error}"))?;
    Ok(found)
}
