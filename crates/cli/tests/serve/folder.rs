//! A folder with audits, made by the program itself.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use tempfile::TempDir;

use crate::server::program;
use crate::signals::Signals;

pub struct Folder {
    folder: TempDir,
}

impl Folder {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// An audit of made-up signals of 400 records.
    pub fn audit(&self, name: &str, signals: &Signals) {
        let place = tempfile::tempdir().unwrap();
        signals.write(place.path());
        let status = program()
            .arg("audit")
            .arg(place.path())
            .args(["--attacks", "lira,rmia", "--bootstrap", "0", "--out"])
            .arg(self.path(name))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(matches!(status.code(), Some(0 | 1 | 3)), "{status}");
    }
}
