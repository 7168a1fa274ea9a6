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
        Ok(record @ serde_json::Value::Object(_)) => match wrong_share(&record) {
            None => Ok(Some(bytes)),
            Some(why) => Err(refused(why)),
        },
        Ok(_) => Err(refused("it is no object".into())),
        Err(error) => Err(refused(error.to_string())),
    }
}

/// Shares of right answers, which reports show, must be shares.
fn wrong_share(record: &serde_json::Value) -> Option<String> {
    ["training", "test"].into_iter().find_map(|of| {
        let share = record
            .get("right")?
            .get(of)
            .filter(|share| !share.is_null())?;
        let possible = share
            .as_f64()
            .is_some_and(|share| (0.0..=1.0).contains(&share));
        (!possible).then(|| format!("right.{of} is {share}, which is no share from 0 to 1"))
    })
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
        let shares = [
            r#"{"right": {"training": 5}}"#,
            r#"{"right": {"test": "a"}}"#,
        ];
        for wrong in ["", "[1]", "{\"right\": NaN}"].into_iter().chain(shares) {
            std::fs::write(&path, wrong).unwrap();
            let error = written(&path).unwrap_err().to_string();
            assert!(error.contains(FILE), "{wrong}: {error}");
        }
    }
}
