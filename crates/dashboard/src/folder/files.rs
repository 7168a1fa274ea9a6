//! The files of one audit, for its page.

use std::fs;
use std::path::Path;

use super::REPORT;

/// How far below the audit's folder files are listed, and how many at most.
const DEPTH: usize = 3;
const MOST: usize = 500;

pub struct Listed {
    /// With slashes, from the audit's folder.
    pub name: String,
    pub size: u64,
}

pub struct Listing {
    pub files: Vec<Listed>,
    /// There are more.
    pub cut: bool,
}

/// Regular files by name; folders that are audits of their own are left to them.
pub fn list(folder: &Path) -> Listing {
    let mut files = Vec::new();
    gather(folder, "", 0, &mut files);
    let cut = files.len() > MOST;
    files.truncate(MOST);
    files.sort_by(|a: &Listed, b| (depth(a), &a.name).cmp(&(depth(b), &b.name)));
    Listing { files, cut }
}

fn depth(listed: &Listed) -> usize {
    listed.name.matches('/').count()
}

fn gather(folder: &Path, prefix: &str, depth: usize, files: &mut Vec<Listed>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut folders = Vec::new();
    for entry in entries.flatten() {
        if files.len() > MOST {
            return;
        }
        // A name that is not text cannot be asked for.
        let (Ok(about), Ok(name)) = (entry.metadata(), entry.file_name().into_string()) else {
            continue;
        };
        let name = format!("{prefix}{name}");
        if about.is_file() {
            let size = about.len();
            files.push(Listed { name, size });
        } else if about.is_dir() && depth < DEPTH && !entry.path().join(REPORT).exists() {
            folders.push((entry.path(), name));
        }
    }
    for (path, name) in folders {
        gather(&path, &format!("{name}/"), depth + 1, files);
    }
}
