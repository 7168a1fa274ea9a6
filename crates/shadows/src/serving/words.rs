//! The log of a worker, and each model's part of it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::{Error, Result};
use formats::private;

/// How much of what was said during a model goes to the model's own log: the end of it.
const MOST: u64 = 64 * 1024;

/// Where a worker's words go.
#[derive(Clone, Debug)]
pub struct WorkerLog {
    path: PathBuf,
}

impl WorkerLog {
    /// That of a place, beside the logs of its models. Where somebody else shares out the places,
    /// several may be at work in one folder: then the log of the first model serves.
    pub fn new(place: Option<usize>, model_log: &Path) -> Self {
        let path = match place {
            Some(place) => model_log.with_file_name(format!("worker-{place}.log")),
            None => model_log.to_owned(),
        };
        Self { path }
    }

    /// Opens it for a worker that starts.
    pub fn open(&self, heading: &str) -> Result<File> {
        let open = || {
            let mut file = private::append(&self.path)?;
            writeln!(file, "--- {heading}").map(|()| file)
        };
        open().map_err(|e| Error::writing(&self.path, &e))
    }

    /// How much was said so far.
    pub fn length(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |metadata| metadata.len())
    }

    /// Writes a part of what was said into a model's log, and the program's own words about a failure.
    pub fn share(&self, part: Range<u64>, heading: &str, words: &str, log: &Path) -> Result<()> {
        let share = || {
            let mut text = Vec::new();
            if self.path != log {
                text.extend(format!("--- {heading}\n").bytes());
                text.extend(self.said(&part)?);
            }
            if !words.is_empty() {
                text.extend(format!("{words}\n").bytes());
            }
            private::append(log)?.write_all(&text)
        };
        share().map_err(|e: io::Error| Error::writing(log, &e))
    }

    fn said(&self, part: &Range<u64>) -> io::Result<Vec<u8>> {
        let mut file = File::open(&self.path)?;
        let start = part.start.max(part.end.saturating_sub(MOST));
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(part.end - start).read_to_end(&mut bytes)?;
        if bytes.last().is_some_and(|byte| *byte != b'\n') {
            bytes.push(b'\n');
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_its_part_of_the_workers_log() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("00003.log");
        let log = WorkerLog::new(Some(1), &model);
        let mut file = log.open("worker 1").unwrap();
        let start = log.length();
        write!(file, "loading").unwrap();
        let end = log.length();
        writeln!(file, "{}", "x".repeat(2 * MOST as usize)).unwrap();
        log.share(start..end, "model 3, attempt 1", "no memory", &model)
            .unwrap();
        log.share(end..log.length(), "model 3, attempt 2", "", &model)
            .unwrap();
        let text = std::fs::read_to_string(&model).unwrap();
        let whole = std::fs::read_to_string(folder.path().join("worker-1.log")).unwrap();
        assert!(whole.starts_with("--- worker 1\nloading"));
        let (first, second) = text.split_at(text.rfind("--- ").unwrap());
        assert_eq!(first, "--- model 3, attempt 1\nloading\nno memory\n");
        assert_eq!(second.lines().nth(1).unwrap().len(), MOST as usize - 1);
    }

    #[test]
    fn where_places_are_not_ours_the_first_model_has_it_all() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("1.log"), folder.path().join("2.log"));
        let log = WorkerLog::new(None, &first);
        writeln!(log.open("model 1, attempt 1").unwrap(), "hello").unwrap();
        let end = log.length();
        log.share(0..end, "model 1, attempt 1", "", &first).unwrap();
        log.share(end..end, "model 2, attempt 1", "", &second)
            .unwrap();
        let text = |path| std::fs::read_to_string(path).unwrap();
        assert_eq!(text(first), "--- model 1, attempt 1\nhello\n");
        assert_eq!(text(second), "--- model 2, attempt 1\n");
    }
}
