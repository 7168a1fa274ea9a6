//! What an audit read: where it may lie now, and whether it is still the same.

use std::path::{Path, PathBuf};

use formats::files::sha256;
use serde::Deserialize;

use super::verify::{Checked, State};
use crate::{Error, Result};

/// What a report records of one input. Others than files of this machine may be known by something else
/// than their digest; what is not understood here is not checked, and said so.
#[derive(Clone, Debug, Deserialize)]
pub struct RecordedInput {
    pub path: String,
    #[serde(default)]
    pub sha256: Option<String>,
}

/// The inputs that a report names.
pub fn recorded(report: &str, place: &Path) -> Result<Vec<RecordedInput>> {
    #[derive(Deserialize)]
    struct Document {
        provenance: Provenance,
    }
    #[derive(Deserialize)]
    struct Provenance {
        inputs: Vec<RecordedInput>,
    }
    let read: std::result::Result<Document, _> = serde_json::from_str(report);
    read.map(|document| document.provenance.inputs)
        .map_err(|error| {
            Error::usage(
                format!("{}: is a damaged report: {error}", place.display()),
                "the file is not as an audit wrote it",
            )
        })
}

/// Holds one input against its digest, wherever it is found.
pub fn check(input: &RecordedInput, folder: &Path, elsewhere: Option<&Path>) -> Result<Checked> {
    let mut checked = Checked {
        path: input.path.clone(),
        state: State::NotRecorded,
        found: None,
    };
    let Some(recorded) = input.sha256.as_deref().filter(|digest| !digest.is_empty()) else {
        return Ok(checked);
    };
    checked.state = State::Missing;
    for place in places(&input.path, folder, elsewhere) {
        if !place.is_file() {
            continue;
        }
        let same = sha256(&place)? == recorded;
        checked.found = Some(place);
        checked.state = match same {
            true => State::Agrees,
            false => State::Changed,
        };
        if same {
            return Ok(checked);
        }
    }
    if elsewhere.is_none()
        && let Some(place) = above(&input.path, folder, recorded)?
    {
        checked.found = Some(place);
        checked.state = State::Agrees;
    }
    Ok(checked)
}

/// The same file as seen from a folder further up: a run may write to a folder within a folder beside its
/// configuration. Another file there is no sign of a change, for it may be anybody's.
fn above(path: &str, folder: &Path, recorded: &str) -> Result<Option<PathBuf>> {
    let resolved = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    for above in resolved.ancestors().skip(2) {
        let place = above.join(path);
        if Path::new(path).is_relative() && place.is_file() && sha256(&place)? == recorded {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// Where an input may lie: in the folder that was named, under its whole name or its last; otherwise as the
/// report names it, seen from here, from the audit's folder and from the one around it, for configurations
/// name files as seen from themselves. Which one is around `.` or a link is known once it is resolved.
fn places(path: &str, folder: &Path, elsewhere: Option<&Path>) -> Vec<PathBuf> {
    let path = Path::new(path);
    let name = path.file_name().map(Path::new);
    match elsewhere {
        Some(elsewhere) => {
            let whole = (!path.is_absolute()).then(|| elsewhere.join(path));
            let last = name.map(|name| elsewhere.join(name));
            whole.into_iter().chain(last).collect()
        }
        None => {
            let named = folder.to_owned();
            let resolved = folder.canonicalize().ok();
            let around = [Some(named), resolved].into_iter().flatten();
            let around = around.filter_map(|folder| Some(folder.parent()?.join(path)));
            let seen = [path.to_owned(), folder.join(path)];
            seen.into_iter().chain(around).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn input(path: &str, sha256: Option<&str>) -> RecordedInput {
        RecordedInput {
            path: path.into(),
            sha256: sha256.map(str::to_owned),
        }
    }

    #[test]
    fn inputs_are_found_where_they_may_lie() {
        let desk = tempfile::tempdir().unwrap();
        let folder = desk.path().join("audit");
        std::fs::create_dir_all(folder.join("data")).unwrap();
        let state = |path: &str, elsewhere: Option<&Path>| {
            check(&input(path, Some(ABC)), &folder, elsewhere)
                .unwrap()
                .state
        };
        assert_eq!(state("data/a.csv", None), State::Missing);
        // A file of the same name that is another one does not hide the right one.
        std::fs::write(folder.join("data/a.csv"), "other").unwrap();
        assert_eq!(state("data/a.csv", None), State::Changed);
        std::fs::create_dir(desk.path().join("data")).unwrap();
        std::fs::write(desk.path().join("data/a.csv"), "abc").unwrap();
        assert_eq!(state("data/a.csv", None), State::Agrees);
        let given = desk.path().join("given");
        std::fs::create_dir(&given).unwrap();
        assert_eq!(state("/there/data/a.csv", Some(&given)), State::Missing);
        std::fs::write(given.join("a.csv"), "abc").unwrap();
        assert_eq!(state("/there/data/a.csv", Some(&given)), State::Agrees);
    }

    #[test]
    fn what_lies_further_up_counts_where_it_is_the_same() {
        let desk = tempfile::tempdir().unwrap();
        let folder = desk.path().join("runs/march");
        std::fs::create_dir_all(&folder).unwrap();
        let state = || {
            let checked = check(&input("train.py", Some(ABC)), &folder, None).unwrap();
            checked.state
        };
        std::fs::write(desk.path().join("train.py"), "another's").unwrap();
        assert_eq!(state(), State::Missing);
        std::fs::write(desk.path().join("train.py"), "abc").unwrap();
        assert_eq!(state(), State::Agrees);
        // The nearer one is this audit's.
        std::fs::write(desk.path().join("runs/train.py"), "edited").unwrap();
        std::fs::remove_file(desk.path().join("train.py")).unwrap();
        assert_eq!(state(), State::Changed);
    }

    #[test]
    fn the_folder_around_one_that_has_dots_for_a_name_is_found() {
        let desk = tempfile::tempdir().unwrap();
        let folder = desk.path().join("audit/figures/..");
        std::fs::create_dir_all(desk.path().join("audit/figures")).unwrap();
        std::fs::write(desk.path().join("a.csv"), "abc").unwrap();
        let checked = check(&input("a.csv", Some(ABC)), &folder, None).unwrap();
        assert_eq!(checked.state, State::Agrees);
    }

    #[test]
    fn what_has_no_digest_is_not_taken_for_checked() {
        let desk = tempfile::tempdir().unwrap();
        let report = r#"{"provenance": {"inputs": [
            {"path": "s3://bucket/a", "size": 3, "etag": "x"}, {"path": "b", "sha256": "", "etag": "y"}
        ]}}"#;
        let inputs = recorded(report, desk.path()).unwrap();
        for one in inputs {
            let checked = check(&one, desk.path(), None).unwrap();
            assert_eq!(checked.state, State::NotRecorded);
        }
        assert!(recorded("{}", desk.path()).is_err());
    }
}
