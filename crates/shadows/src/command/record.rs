//! How a program trained a model, in a file beside its output: JSON of its own.

use std::path::Path;

use crate::{Error, ErrorKind, Result};

/// The file's name, in the folder of an attempt and in that of a model.
pub const FILE: &str = "training.json";
/// Epoch by epoch needs no more.
const LARGEST: u64 = 1 << 20;

/// What was written; nothing where the program wrote nothing.
pub fn written(path: &Path) -> Result<Option<Vec<u8>>> {
    let Ok(about) = std::fs::symlink_metadata(path) else {
        return Ok(None);
    };
    let refused = |why: String| {
        Error::new(ErrorKind::Training, format!("{FILE}: {why}"))
            .hint("write an object such as {\"right\": {\"training\": 0.99, \"test\": 0.91}}, or no such file")
    };
    if !about.is_file() || about.len() > LARGEST {
        return Err(refused("it is not a small file".into()));
    }
    let bytes = std::fs::read(path).map_err(|error| refused(error.to_string()))?;
    match serde_json::from_slice(&bytes) {
        Ok(serde_json::Value::Object(_)) => Ok(Some(bytes)),
        Ok(_) => Err(refused("it is no object".into())),
        Err(error) => Err(refused(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_an_object_or_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        assert!(written(&path).unwrap().is_none());
        std::fs::write(&path, r#"{"right": {"training": 1, "test": 0.9}}"#).unwrap();
        assert!(written(&path).unwrap().is_some());
        for wrong in ["", "[1]", "{\"right\": NaN}"] {
            std::fs::write(&path, wrong).unwrap();
            let error = written(&path).unwrap_err().to_string();
            assert!(error.contains(FILE), "{wrong}: {error}");
        }
    }
}
