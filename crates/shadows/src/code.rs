//! The files that a training program consists of, as far as we are told.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::settings::CommandSettings;
use super::watched::Watched;
use crate::{Error, ErrorKind, Result};
use formats::files;

/// Folders that hold no code of the user's.
const SKIPPED: [&str; 3] = ["__pycache__", ".git", "node_modules"];
/// What makes a folder a program or a module of Python.
const PACKAGE: [&str; 2] = ["__main__.py", "__init__.py"];

/// The code as it was when a run began.
pub struct Code<'a> {
    settings: &'a CommandSettings,
    /// Where the program runs.
    folder: PathBuf,
    /// The run's folder. We write there ourselves, so nothing in it is code.
    ours: PathBuf,
    files: Vec<Watched>,
}

impl<'a> Code<'a> {
    pub fn new(settings: &'a CommandSettings, folder: &Path, ours: &Path) -> Result<Self> {
        let mut code = Self {
            settings,
            folder: folder.to_owned(),
            ours: ours.to_owned(),
            files: Vec::new(),
        };
        let found = code.found()?;
        let watched = found
            .into_iter()
            .map(|(name, path)| Watched::new(name, &path));
        code.files = watched.collect::<Result<_>>()?;
        Ok(code)
    }

    /// The digest of every file, by its name.
    pub fn digests(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.files.iter();
        files.map(|file| (file.name.as_str(), file.digest.as_str()))
    }

    /// Where every file lies, with its digest.
    pub fn files(&self) -> impl Iterator<Item = (PathBuf, String)> {
        let files = self.files.iter();
        files.map(|file| (file.path.clone(), file.digest.clone()))
    }

    /// What became of the code since, in words; nothing if it is what it was.
    pub fn change(&self) -> Option<String> {
        if let Some(change) = self.files.iter().find_map(Watched::change) {
            return Some(change);
        }
        match self.found() {
            Ok(now) => now
                .into_keys()
                .find(|name| !self.files.iter().any(|file| file.name == *name))
                .map(|name| format!("{name} was added")),
            Err(error) => Some(format!("the code became unreadable ({error})")),
        }
    }

    /// Every file that is code, by its name: the program where it is given by its path, arguments
    /// that are files or packages, and what `command.code` names, folders with all they hold.
    fn found(&self) -> Result<BTreeMap<String, PathBuf>> {
        let mut found = BTreeMap::new();
        let words = self.settings.run.iter().enumerate();
        // A program along PATH belongs to the system, not to the user.
        let words = words.filter(|(place, word)| *place > 0 || word.contains('/'));
        for (_, word) in words.filter(|(_, word)| !word.contains('{')) {
            if let Some(named) = self.named_in(word) {
                self.gather(named, &mut found)?;
            }
        }
        for named in &self.settings.code {
            let path = self.folder.join(named);
            if !path.exists() {
                return Err(Error::new(
                    ErrorKind::NotFound,
                    "command.code names what is not there",
                )
                .at(&path)
                .hint("paths in command.code start from command.folder"));
            }
            if self.is_ours(&path) {
                return Err(Error::new(
                    ErrorKind::Setting,
                    "command.code names the run's own folder, which changes with every model",
                )
                .at(&path)
                .hint("name the files and folders of your code, or set another run.folder"));
            }
            self.gather(named, &mut found)?;
        }
        Ok(found)
    }

    /// The file or package that a word of `command.run` names, by itself or as `--option=FILE`.
    fn named_in<'w>(&self, word: &'w str) -> Option<&'w Path> {
        let value = word.split_once('=').map(|(_, value)| value);
        let names = [Some(word), value].into_iter().flatten();
        names
            .filter(|name| !name.is_empty())
            .map(Path::new)
            .find(|name| {
                let path = self.folder.join(name);
                path.is_file() || PACKAGE.iter().any(|file| path.join(file).is_file())
            })
    }

    fn gather(&self, named: &Path, found: &mut BTreeMap<String, PathBuf>) -> Result<()> {
        let path = self.folder.join(named);
        if path.is_file() {
            found.insert(named.display().to_string(), path);
            return Ok(());
        }
        for file in self.files_in(&path)? {
            let name = file.strip_prefix(&self.folder).unwrap_or(&file);
            found.insert(name.display().to_string(), file);
        }
        Ok(())
    }

    fn files_in(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        let entries = std::fs::read_dir(folder).map_err(|e| Error::reading(folder, &e))?;
        for entry in entries {
            let entry = entry.map_err(|e| Error::reading(folder, &e))?;
            let kind = entry.file_type().map_err(|e| Error::reading(folder, &e))?;
            let (path, name) = (entry.path(), entry.file_name());
            let skipped = SKIPPED.iter().any(|skipped| name == *skipped);
            if kind.is_dir() && !skipped && !self.is_ours(&path) {
                found.extend(self.files_in(&path)?);
            } else if kind.is_file() && !files::is_temporary(&name) {
                found.push(path);
            }
        }
        Ok(found)
    }

    fn is_ours(&self, folder: &Path) -> bool {
        match (folder.canonicalize(), self.ours.canonicalize()) {
            (Ok(folder), Ok(ours)) => folder == ours,
            _ => std::path::absolute(folder).is_ok_and(|folder| folder == self.ours),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(run: &[&str], code: &[&str]) -> CommandSettings {
        let value = serde_json::json!({"run": run, "code": code});
        serde_json::from_value(value).unwrap()
    }

    fn bench(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, name).unwrap();
        }
        folder
    }

    fn names(folder: &Path, run: &[&str], code: &[&str]) -> Vec<String> {
        let settings = settings(run, code);
        let code = Code::new(&settings, folder, &folder.join("out")).unwrap();
        code.digests().map(|(name, _)| name.to_owned()).collect()
    }

    #[test]
    fn the_program_its_arguments_and_packages_are_code() {
        let bench = bench(&[
            "t.sh",
            "train.py",
            "net.toml",
            "pkg/__main__.py",
            "pkg/deep/net.py",
            "pkg/__pycache__/net.pyc",
            "cache/big.bin",
        ]);
        let found = |run: &[&str]| names(bench.path(), run, &[]);
        assert_eq!(found(&["./t.sh", "{job}"]), ["./t.sh"]);
        assert_eq!(found(&["sh", "train.py"]), ["train.py"]);
        assert_eq!(found(&["train.py"]), [""; 0]);
        assert_eq!(
            found(&["sh", "train.py", "--net=net.toml", "--lr=3"]),
            ["net.toml", "train.py"]
        );
        assert_eq!(
            found(&["python3", "pkg", "{job}"]),
            ["pkg/__main__.py", "pkg/deep/net.py"]
        );
        // A folder that is no program is the program's own affair: it may write there.
        assert_eq!(found(&["sh", "train.py", "cache"]), ["train.py"]);
    }

    #[test]
    fn the_folder_of_the_run_is_no_code() {
        let bench = bench(&[
            "train.py",
            "lib/a.py",
            "out/models/00000/model.json",
            ".guestlist-x.part",
        ]);
        let found = names(bench.path(), &["sh", "train.py"], &["."]);
        assert_eq!(found, ["lib/a.py", "train.py"]);
        let settings = settings(&["sh"], &["out"]);
        let refused = Code::new(&settings, bench.path(), &bench.path().join("out"));
        let error = refused.err().unwrap().to_string();
        assert!(error.contains("the run's own folder"), "{error}");
    }

    #[test]
    fn what_became_of_the_code_is_said() {
        let bench = bench(&["train.py", "lib/a.py"]);
        let settings = settings(&["sh", "train.py"], &["lib"]);
        let code = Code::new(&settings, bench.path(), &bench.path().join("out")).unwrap();
        assert_eq!(code.change(), None);
        std::fs::write(bench.path().join("lib/b.py"), "").unwrap();
        assert_eq!(code.change().unwrap(), "lib/b.py was added");
        std::fs::remove_file(bench.path().join("lib/b.py")).unwrap();
        std::fs::write(bench.path().join("train.py"), "").unwrap();
        assert_eq!(code.change().unwrap(), "train.py was changed");
        std::fs::remove_file(bench.path().join("train.py")).unwrap();
        assert_eq!(code.change().unwrap(), "train.py was removed");
        std::fs::write(bench.path().join("train.py"), "train.py").unwrap();
        std::fs::remove_dir_all(bench.path().join("lib")).unwrap();
        assert_eq!(code.change().unwrap(), "lib/a.py was removed");
    }
}
