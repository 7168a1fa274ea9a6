//! Finds audits: a walk over the folder that follows no links and ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use crate::folder::address::DEEPEST;
use crate::folder::{CONFIGURATION, PROGRESS, REPORT};

/// More folders than this are not looked at.
const MOST_FOLDERS: usize = 50_000;
/// In the folder of a run that trains models, these hold models by the thousand.
const WORKSHOPS: [&str; 3] = ["models", "work", "retired"];

/// By this, a file that changed is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    pub modified: SystemTime,
    pub size: u64,
}

impl Version {
    pub fn from_metadata(about: &fs::Metadata) -> Self {
        Self {
            modified: about.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            size: about.len(),
        }
    }
}

pub struct Found {
    /// The folder, with slashes, from the root.
    pub path: String,
    pub version: Version,
}

#[derive(Default)]
pub struct Walked {
    pub reports: Vec<Found>,
    pub progress: Vec<(String, PathBuf)>,
    pub configured: Vec<String>,
    pub cut: bool,
}

pub fn walk(root: &Path, closed: &AtomicBool) -> Walked {
    let mut walked = Walked::default();
    let mut waiting = vec![(root.to_owned(), String::new(), 0)];
    let mut seen = 0;
    while let Some((folder, path, depth)) = waiting.pop() {
        if closed.load(Ordering::Relaxed) {
            break;
        }
        seen += 1;
        if seen > MOST_FOLDERS {
            walked.cut = true;
            break;
        }
        for (name, inner) in look(&folder, &path, &mut walked) {
            if depth < DEEPEST {
                let path = match path.is_empty() {
                    true => name,
                    false => format!("{path}/{name}"),
                };
                waiting.push((inner, path, depth + 1));
            }
        }
    }
    walked
}

/// Notes what one folder holds; gives the folders in it.
fn look(folder: &Path, path: &str, walked: &mut Walked) -> Vec<(String, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut folders = Vec::new();
    let mut trains = false;
    for entry in entries.flatten() {
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
            continue;
        };
        if kind.is_dir() && !name.starts_with('.') {
            folders.push((name, entry.path()));
        } else if kind.is_file() {
            match name.as_str() {
                REPORT => {
                    if let Ok(about) = entry.metadata() {
                        let (path, version) = (path.to_owned(), Version::from_metadata(&about));
                        walked.reports.push(Found { path, version });
                    }
                }
                PROGRESS => walked.progress.push((path.to_owned(), entry.path())),
                CONFIGURATION => walked.configured.push(path.to_owned()),
                "plan.json" => trains = true,
                _ => {}
            }
        }
    }
    if trains {
        folders.retain(|(name, _)| !WORKSHOPS.contains(&name.as_str()));
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audits_are_found_at_any_depth_but_not_behind_links() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join(REPORT), "{}").unwrap();
        for folder in [
            "",
            "a/b",
            "a/.hidden",
            "1/2/3/4/5/6",
            "1/2/3/4/5/6/7",
            "run/models/0",
        ] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
            fs::write(root.path().join(folder).join(REPORT), "{}").unwrap();
        }
        fs::write(root.path().join("run/plan.json"), "{}").unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outside.path(), root.path().join("link")).unwrap();
            std::os::unix::fs::symlink(root.path(), root.path().join("loop")).unwrap();
        }
        let walked = walk(root.path(), &AtomicBool::new(false));
        let mut paths: Vec<&str> = walked.reports.iter().map(|one| one.path.as_str()).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["", "1/2/3/4/5/6", "a/b"]);
    }
}
