//! Whose a record is: a field of any table that names people, or an array beside signals.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::fields::{self, Meaning};
use crate::parts::{self, Parts};
use crate::shadow::folder::first_bytes;
use crate::shadow::matrix::NamedArrays;
use crate::shadow::npz::Archive;
use crate::shadow::safetensors;
use crate::{Result, npy};

/// The array of people that shadow signals may carry.
pub const GROUPS: &str = "groups";

const PERSON: Meaning = Meaning {
    empty: "names nobody",
    hint: "a person is named by a text or a number; leave it empty where nobody is known",
};

/// Of each record the person that the column of this name says; nothing where it is empty. `header`
/// says whether the first line of a CSV names the columns, where looking is not enough.
pub fn column(path: &Path, name: &str, header: Option<bool>) -> Result<Vec<Option<String>>> {
    fields::column_meaning(path, name, header, &PERSON)
}

/// The people whom signals carry beside their arrays: in an npz, in a folder of arrays or beside one that was pointed
/// at, in a column of Parquet, in the header of safetensors; nothing of any other file.
pub fn groups_inside(path: &Path) -> Result<Option<Vec<Option<String>>>> {
    if let Some(folder) = folder_of_arrays(path) {
        return match fields::array_in(&folder, GROUPS) {
            Some(_) => column(&folder, GROUPS, None).map(Some),
            None => Ok(None),
        };
    }
    let there = if parts::is_parquet(path) {
        Parts::open(path)?.has(GROUPS)
    } else if first_bytes(path).starts_with(b"PK\x03\x04") {
        Archive::open(path)?.has(GROUPS)
    } else {
        return safetensors::groups(path);
    };
    match there {
        true => column(path, GROUPS, None).map(Some),
        false => Ok(None),
    }
}

/// Where the arrays lie that belong together; nothing of a folder of Parquet, or of a file of another kind.
fn folder_of_arrays(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        return (!parts::is_folder(path)).then(|| path.to_owned());
    }
    let array = !parts::is_object(path) && first_bytes(path).starts_with(npy::MAGIC);
    let beside = path.parent().unwrap_or(Path::new(""));
    array.then(|| match beside == Path::new("") {
        true => PathBuf::from("."),
        false => beside.to_owned(),
    })
}

/// Of texts and documents, the person by the id that the other readers know each row by.
pub fn by_id(files: &[PathBuf], name: &str) -> Result<HashMap<String, String>> {
    fields::by_id_meaning(files, name, &PERSON)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn names(found: &[Option<String>]) -> Vec<&str> {
        found
            .iter()
            .map(|name| name.as_deref().unwrap_or("-"))
            .collect()
    }

    #[test]
    fn csv_and_json_lines_name_people_row_by_row() {
        let (_folder, path) = file("a.csv", "owner,x\nana,1\n,2\nbob,3\nana,4\n");
        assert_eq!(
            names(&column(&path, "owner", None).unwrap()),
            ["ana", "-", "bob", "ana"]
        );
        assert_eq!(
            names(&column(&path, "#0", None).unwrap()),
            ["ana", "-", "bob", "ana"]
        );
        let text = "{\"owner\": \"ana\"}\n\n{\"owner\": null}\n{\"owner\": 7}\n{}\n";
        let (_folder, path) = file("a.jsonl", text);
        assert_eq!(
            names(&column(&path, "owner", None).unwrap()),
            ["ana", "-", "7", "-"]
        );
    }

    #[test]
    fn what_names_nobody_is_refused() {
        let (folder, path) = file("a.csv", "owner,x\n,1\n,2\n");
        let error = column(&path, "owner", None).unwrap_err().to_string();
        assert!(error.contains("owner names nobody"), "{error}");
        let error = column(&path, "onwer", None).unwrap_err().to_string();
        assert!(error.contains("did you mean owner?"), "{error}");
        let (_folder, lines) = file("a.jsonl", "{\"owner\": [1]}\n");
        let error = column(&lines, "owner", None).unwrap_err().to_string();
        assert!(error.contains("line 1: owner is [1]"), "{error}");
        let error = column(&lines, "author", None).unwrap_err().to_string();
        assert!(error.contains("no line has a field author"), "{error}");
        let error = column(folder.path(), "owner", None)
            .unwrap_err()
            .to_string();
        assert!(error.contains("is a folder"), "{error}");
    }

    #[test]
    fn people_of_texts_are_known_by_the_ids_of_their_rows() {
        let text = "{\"id\": \"a\", \"text\": \"x\", \"author\": \"ana\"}\n{\"text\": \"y\", \
                    \"author\": \"bob\"}\n{\"text\": \"z\"}\n";
        let (_folder, path) = file("texts.jsonl", text);
        let people = by_id(&[path], "author").unwrap();
        assert_eq!(people.len(), 2);
        assert_eq!((people["a"].as_str(), people["2"].as_str()), ("ana", "bob"));
    }
}
