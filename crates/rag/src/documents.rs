//! What is indexed: documents, read from JSON Lines or from a folder of text files.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde_json::{Map, Value};

use crate::error::{Error, ErrorKind, Result};

/// A document of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    pub id: String,
    pub title: Option<String>,
    pub text: String,
}

/// The documents of a `.jsonl` or `.jsonl.gz` file, or of a folder with `.txt` and `.md` files.
pub fn read(path: &Path) -> Result<Vec<Document>> {
    let about = fs::metadata(path).map_err(|error| Error::reading(path, &error))?;
    let documents = if about.is_dir() {
        read_folder(path)?
    } else {
        read_lines(path)?
    };
    if documents.is_empty() {
        return Err(malformed("there are no documents in it").at(path).hint(
            "name a .jsonl file with id and text in each line, or a folder of .txt or .md files",
        ));
    }
    Ok(documents)
}

fn malformed(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Malformed, message)
}

fn read_lines(path: &Path) -> Result<Vec<Document>> {
    let file = File::open(path).map_err(|error| Error::reading(path, &error))?;
    let zipped = path.extension().is_some_and(|ending| ending == "gz");
    let input: Box<dyn Read> = if zipped {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let mut documents = Vec::new();
    let mut seen = HashMap::new();
    for (index, line) in BufReader::new(input).lines().enumerate() {
        let number = index + 1;
        let line = line.map_err(|error| {
            malformed(format!("line {number} cannot be read: {error}"))
                .at(path)
                .hint("documents are JSON Lines in UTF-8, gzipped only where the name ends in .gz")
        })?;
        if line.trim().is_empty() {
            continue;
        }
        let document = parse_line(&line).map_err(|error| {
            let message = format!("line {number}: {}", error.message);
            Error { message, ..error }.at(path)
        })?;
        if let Some(first) = seen.insert(document.id.clone(), number) {
            let message = format!(
                "lines {first} and {number} have the same id {:?}",
                document.id
            );
            return Err(malformed(message)
                .at(path)
                .hint("give every document its own id"));
        }
        documents.push(document);
    }
    Ok(documents)
}

fn parse_line(line: &str) -> Result<Document> {
    let row: Map<String, Value> = serde_json::from_str(line).map_err(|error| {
        malformed(format!("is not a JSON object: {error}"))
            .hint("one object per line, such as {\"id\":\"a1\",\"text\":\"…\"}")
    })?;
    Ok(Document {
        id: required(&row, "id")?,
        title: optional(&row, "title")?,
        text: required(&row, "text")?,
    })
}

fn required(row: &Map<String, Value>, key: &str) -> Result<String> {
    let value = optional(row, key)?.filter(|text| !text.trim().is_empty());
    value.ok_or_else(|| {
        malformed(format!("has no {key}")).hint(format!(
            "every document needs {key}; leave empty documents out"
        ))
    })
}

fn optional(row: &Map<String, Value>, key: &str) -> Result<Option<String>> {
    match row.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(other) => {
            Err(malformed(format!("{key} is {other}")).hint(format!("{key} must be text")))
        }
    }
}

fn read_folder(folder: &Path) -> Result<Vec<Document>> {
    let mut files = Vec::new();
    list_texts(folder, &mut files)?;
    files.sort();
    let read = |path: &PathBuf| read_text(folder, path);
    let read = files.iter().map(read).collect::<Result<Vec<_>>>()?;
    Ok(read.into_iter().flatten().collect())
}

fn list_texts(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(|error| Error::reading(folder, &error))?;
    for entry in entries {
        let entry = entry.map_err(|error| Error::reading(folder, &error))?;
        let path = entry.path();
        // Links are followed to files but not to folders, so that no circle has to be walked.
        let kind = entry
            .file_type()
            .map_err(|error| Error::reading(&path, &error))?;
        if kind.is_dir() {
            list_texts(&path, files)?;
        } else if path.is_file()
            && path
                .extension()
                .is_some_and(|ending| ending == "txt" || ending == "md")
        {
            files.push(path);
        }
    }
    Ok(())
}

/// The document in a file, unless the file is empty; its id is the path inside the folder.
fn read_text(folder: &Path, path: &Path) -> Result<Option<Document>> {
    let text = fs::read_to_string(path).map_err(|error| Error::reading(path, &error))?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let inside = path.strip_prefix(folder).unwrap_or(path);
    let heading = text.lines().find_map(|line| line.strip_prefix("# "));
    let markdown = path.extension().is_some_and(|ending| ending == "md");
    Ok(Some(Document {
        id: inside.to_string_lossy().replace('\\', "/"),
        title: heading
            .filter(|_| markdown)
            .map(|title| title.trim().to_owned()),
        text,
    }))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn write(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    #[test]
    fn lines_plain_and_zipped_are_the_same_documents() {
        let lines = "{\"id\":\"a\",\"text\":\"One.\",\"title\":\"T\",\"member\":true}\n\n{\"id\":7,\"text\":\"Two.\"}\n";
        let (_plain_folder, plain) = write("d.jsonl", lines.as_bytes());
        let mut zip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        zip.write_all(lines.as_bytes()).unwrap();
        let (_zip_folder, zipped) = write("d.jsonl.gz", &zip.finish().unwrap());
        let documents = read(&plain).unwrap();
        assert_eq!(documents, read(&zipped).unwrap());
        assert_eq!(documents[0].title.as_deref(), Some("T"));
        assert_eq!(documents[1].id, "7");
    }

    #[test]
    fn a_folder_gives_its_texts_in_the_order_of_their_names() {
        let (folder, _) = write("b.txt", b"Second.");
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/x.md"), "# A heading\n\nFirst.").unwrap();
        fs::write(folder.path().join("c.csv"), "no").unwrap();
        fs::write(folder.path().join("empty.txt"), " \n").unwrap();
        let documents = read(folder.path()).unwrap();
        let ids: Vec<&str> = documents
            .iter()
            .map(|document| document.id.as_str())
            .collect();
        assert_eq!(ids, ["a/x.md", "b.txt"]);
        assert_eq!(documents[0].title.as_deref(), Some("A heading"));
    }

    #[test]
    fn complaints_name_file_line_and_remedy() {
        for (content, part) in [
            (
                "{\"id\":\"a\",\"text\":\"x\"}\n{\"id\":\"b\"}",
                "line 2: has no text",
            ),
            ("[1]", "line 1: is not a JSON object"),
            ("{\"id\":\"a\",\"text\":{}}", "line 1: text is {}"),
            (
                "{\"id\":\"a\",\"text\":\"x\"}\n{\"id\":\"a\",\"text\":\"y\"}",
                "lines 1 and 2 have the same id",
            ),
            ("\n", "there are no documents"),
        ] {
            let (_folder, path) = write("d.jsonl", content.as_bytes());
            let error = read(&path).unwrap_err().to_string();
            assert!(
                error.contains(part) && error.contains("d.jsonl: ") && error.contains("; hint: "),
                "{error}"
            );
        }
        assert_eq!(
            read(Path::new("nowhere.jsonl")).unwrap_err().kind,
            ErrorKind::NotFound
        );
        let (_folder, path) = write("d.jsonl.gz", b"not a zip");
        assert!(
            read(&path)
                .unwrap_err()
                .to_string()
                .contains("line 1 cannot be read")
        );
    }
}
