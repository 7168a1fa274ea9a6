//! What a training program says of its own privacy: an ε and a δ, in a file beside its output.

use std::path::Path;

use serde::Deserialize;

use crate::{Error, ErrorKind, Result};

/// The file's name, in the folder of an attempt and in that of a model.
pub const FILE: &str = "privacy.json";
/// Two numbers need no more.
const LARGEST: u64 = 1 << 16;

/// What the program claims of the model that it has trained. Further keys are its own.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct StatedPrivacy {
    pub epsilon: f64,
    pub delta: f64,
}

/// What was stated, with the bytes that say so; nothing where the program said nothing.
pub(crate) fn stated(path: &Path) -> Result<Option<(StatedPrivacy, Vec<u8>)>> {
    let Ok(about) = std::fs::symlink_metadata(path) else {
        return Ok(None);
    };
    let refused = |why: String| {
        Error::new(ErrorKind::Training, format!("{FILE}: {why}")).hint(
            "write {\"epsilon\": 1.0, \"delta\": 1e-5}, or no such file where nothing is claimed",
        )
    };
    if !about.is_file() || about.len() > LARGEST {
        return Err(refused("it is not a small file".into()));
    }
    let bytes = std::fs::read(path).map_err(|error| refused(error.to_string()))?;
    let stated: StatedPrivacy = serde_json::from_slice(&bytes)
        .map_err(|error| refused(format!("epsilon and delta cannot be read: {error}")))?;
    if !(stated.epsilon > 0.0 && stated.epsilon.is_finite()) {
        return Err(refused(format!("epsilon is {}", stated.epsilon)));
    }
    if !(0.0..1.0).contains(&stated.delta) {
        return Err(refused(format!("delta is {}", stated.delta)));
    }
    Ok(Some((stated, bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_two_numbers_that_make_sense() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        assert!(stated(&path).unwrap().is_none());
        std::fs::write(
            &path,
            r#"{"epsilon": 2, "delta": 1e-6, "accountant": "prv"}"#,
        )
        .unwrap();
        let (found, _) = stated(&path).unwrap().unwrap();
        assert_eq!((found.epsilon, found.delta), (2.0, 1e-6));
        for wrong in [
            "",
            "[]",
            "{\"epsilon\": 1}",
            "{\"epsilon\": \"1\", \"delta\": 0}",
            "{\"epsilon\": 0, \"delta\": 0}",
            "{\"epsilon\": 1e999, \"delta\": 0}",
            "{\"epsilon\": 1, \"delta\": 1}",
            "{\"epsilon\": 1, \"delta\": -1e-5}",
        ] {
            std::fs::write(&path, wrong).unwrap();
            let error = stated(&path).unwrap_err().to_string();
            assert!(
                error.contains(FILE) && error.contains("hint"),
                "{wrong}: {error}"
            );
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(stated(&path).is_err());
    }
}
